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
  // what: "broken sentences"
  Complaints(std::ostream& log, std::string_view what) : log_(log), what_(what) {}
  ~Complaints();
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  void add(std::string_view text);

 private:
  std::ostream& log_;
  std::string_view what_;
  std::int64_t count_ = 0;
};

}  // namespace coppice::cli
