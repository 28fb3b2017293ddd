#include "message.hpp"

#include <string>

#include "text/utf8.hpp"

namespace coppice::cli {

void say(std::ostream& log, std::string_view text) {
  constexpr std::size_t kMostBytes = 2'000;
  std::string line;
  text::append_printable(text::shortened(text, kMostBytes), line);
  log << "coppice: " << line << '\n';
}

}  // namespace coppice::cli
