// All ways to choose at most one number of each of several groups so that they add up to a given
// sum exactly. The numbers are >= 0 and their sums do not round.
//
// Depth-first, groups with the least numbers first: every choice on the way is itself a way to a
// smaller sum. So where ways to smaller sums are few, so are the steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coppice::engine {

class ExactSums {
 public:
  // The numbers of a group end where its group_end says.
  void start(std::span<const double> numbers, std::span<const std::uint32_t> group_end, double sum);

  // Goes on to the next way; false when there is none left. Choosing nothing is no way.
  bool next();
  // The places of the numbers that are chosen.
  const std::vector<std::uint32_t>& chosen() const { return chosen_; }

 private:
  struct Number {
    double value;
    std::uint32_t place;
  };
  struct Choice {
    std::size_t group, number;
  };

  void choose();
  bool go_back();

  std::vector<std::vector<Number>> groups_;  // sorted, and by their least
  std::size_t count_ = 0;                    // of groups
  double left_ = 0.0;
  Choice at_{0, 0};  // to be tried next
  std::vector<Choice> choices_;
  std::vector<std::uint32_t> chosen_;
};

}  // namespace coppice::engine
