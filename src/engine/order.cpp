#include "engine/order.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "engine/simd.hpp"

namespace coppice::engine {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

std::uint64_t key_of(std::int64_t score) { return ~(static_cast<std::uint64_t>(score) ^ kSign); }

std::uint64_t key_of(double score) {
  auto bits = std::bit_cast<std::uint64_t>(score + 0.0);  // -0 is 0
  return ~((bits & kSign) != 0 ? ~bits : bits ^ kSign);
}

}  // namespace

std::vector<std::uint32_t>& Order::of(std::vector<double>& scores) {
  order_.resize(scores.size());
  if (scores.size() <= tuning_.few_scores) {
    count(scores);
    return order_;
  }
  entries_.clear();
  for (std::uint32_t i = 0; i < scores.size(); ++i) entries_.push_back({key_of(scores[i]), i});
  sort_entries();
  return order_;
}

std::vector<std::uint32_t>& Order::of(const std::vector<std::int64_t>& scores) {
  order_.resize(scores.size());
  entries_.clear();
  for (std::uint32_t i = 0; i < scores.size(); ++i) entries_.push_back({key_of(scores[i]), i});
  sort_entries();
  return order_;
}

// A score stands behind as many as are better.
void Order::count(std::vector<double>& scores) {
  auto size = scores.size();
  scores.resize(simd::padded(size), -std::numeric_limits<double>::infinity());
  better_.resize(scores.size());
  simd::kernels().count_greater(scores.data(), scores.size(), better_.data());
  equal_.assign(size, 0);
  for (std::uint32_t i = 0; i < size; ++i) {
    auto place = static_cast<std::size_t>(better_[i]);
    order_[place + equal_[place]++] = i;
  }
}

void Order::sort_entries() {
  if (entries_.size() < std::max<std::size_t>(1, tuning_.many_scores)) {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.key < b.key || (a.key == b.key && a.index < b.index);
    });
  } else {
    for (unsigned shift = 0; shift < 64; shift += 8)
      if (deal(shift)) entries_.swap(dealt_);
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) order_[i] = entries_[i].index;
}

// One pass of a radix sort, by the byte of the key at `shift`. False: all have the same there.
bool Order::deal(unsigned shift) {
  std::array<std::uint32_t, 256> begin{};
  auto byte = [shift](const Entry& entry) { return (entry.key >> shift) & 0xff; };
  for (const Entry& entry : entries_) ++begin[byte(entry)];
  if (begin[byte(entries_.front())] == entries_.size()) return false;
  std::uint32_t sum = 0;
  for (std::uint32_t& place : begin) sum += std::exchange(place, sum);
  dealt_.resize(entries_.size());
  for (const Entry& entry : entries_) dealt_[begin[byte(entry)]++] = entry;
  return true;
}

}  // namespace coppice::engine
