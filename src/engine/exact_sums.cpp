#include "engine/exact_sums.hpp"

#include <algorithm>

#include "graph/poll.hpp"

namespace coppice::engine {

void ExactSums::start(std::span<const double> numbers, std::span<const std::uint32_t> group_end,
                      double sum) {
  count_ = group_end.size();
  if (groups_.size() < count_) groups_.resize(count_);
  std::uint32_t place = 0;
  for (std::size_t g = 0; g < count_; ++g) {
    groups_[g].clear();
    for (; place < group_end[g]; ++place)
      if (numbers[place] <= sum) groups_[g].push_back({numbers[place], place});
    std::sort(groups_[g].begin(), groups_[g].end(), [](const Number& a, const Number& b) {
      return a.value < b.value || (a.value == b.value && a.place < b.place);
    });
  }
  const auto end = groups_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto full = std::partition(groups_.begin(), end, [](const auto& g) { return !g.empty(); });
  count_ = static_cast<std::size_t>(full - groups_.begin());
  std::sort(groups_.begin(), full, [](const auto& a, const auto& b) {
    return a[0].value < b[0].value || (a[0].value == b[0].value && a[0].place < b[0].place);
  });
  left_ = sum;
  at_ = {0, 0};
  choices_.clear();
  chosen_.clear();
}

bool ExactSums::next() {
  while (true) {
    poll();
    if (at_.group < count_) {
      const std::vector<Number>& group = groups_[at_.group];
      if (at_.number < group.size() && group[at_.number].value <= left_) {
        choose();
        if (left_ == 0.0) return true;
        continue;
      }
      if (at_.number > 0) {
        at_ = {at_.group + 1, 0};
        continue;
      }
      // The groups after it have nothing less.
    }
    if (!go_back()) return false;
  }
}

void ExactSums::choose() {
  const Number& number = groups_[at_.group][at_.number];
  left_ -= number.value;
  choices_.push_back(at_);
  chosen_.push_back(number.place);
  at_ = {at_.group + 1, 0};
}

// Takes the last choice back; the next number of its group is to be tried.
bool ExactSums::go_back() {
  if (choices_.empty()) return false;
  at_ = choices_.back();
  left_ += groups_[at_.group][at_.number].value;
  ++at_.number;
  choices_.pop_back();
  chosen_.pop_back();
  return true;
}

}  // namespace coppice::engine
