#include "message.hpp"

#include <fmt/format.h>

#include <string>

#include "progress.hpp"
#include "text/utf8.hpp"

namespace coppice::cli {
namespace {

constexpr std::int64_t kMostComplaints = 10;

}  // namespace

void say(std::ostream& log, std::string_view text) {
  constexpr std::size_t kMostBytes = 2'000;
  std::string line;
  text::append_printable(text::shortened(text, kMostBytes), line);
  wipe_bar();
  log << "coppice: " << line << '\n';
}

void Complaints::add(std::string_view text) {
  if (++count_ <= kMostComplaints) say(log_, text);
}

Complaints::~Complaints() {
  if (count_ <= kMostComplaints) return;
  try {
    const std::int64_t more = count_ - kMostComplaints;
    say(log_, fmt::format("{} more {}, {} in all", more, more == 1 ? one_ : many_, count_));
  } catch (const std::bad_alloc&) {  // whoever has no memory has more to say than this
  }
}

}  // namespace coppice::cli
