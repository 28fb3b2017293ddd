// What the program says to people, on standard error.
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

namespace coppice::cli {

// One line of bounded length in which nothing steers a terminal, whatever a file says it is named
// or contains.
void say(std::ostream& log, std::string_view text);

// Messages of one kind about many sentences: the first ten are said, of the others how many there
// are, at the end.
class Complaints {
 public:
  // "broken sentence", "broken sentences"
  Complaints(std::ostream& log, std::string_view one, std::string_view many)
      : log_(log), one_(one), many_(many) {}
  ~Complaints();
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  void add(std::string_view text);

 private:
  std::ostream& log_;
  std::string_view one_, many_;
  std::int64_t count_ = 0;
};

}  // namespace coppice::cli
