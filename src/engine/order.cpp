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
  if (entries_.size() < std::max<std::size_t>(1, tuning_.many_scores))
    sort_buckets();
  else
    for (unsigned shift = 0; shift < 64; shift += 8) deal(0, shift);
  for (std::size_t i = 0; i < entries_.size(); ++i) order_[i] = entries_[i].index;
}

// Deals them by the first bits in which they differ; then hardly two are in one bucket.
void Order::sort_buckets() {
  if (entries_.empty()) return;
  auto by_key = [](const Entry& a, const Entry& b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  };
  std::uint64_t least = entries_.front().key, greatest = least;
  for (const Entry& entry : entries_) {
    least = std::min(least, entry.key);
    greatest = std::max(greatest, entry.key);
  }
  const int width = std::bit_width(greatest - least);
  deal(least, width > 8 ? static_cast<unsigned>(width - 8) : 0);
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends_) {
    if (end > begin + 1) std::sort(entries_.begin() + begin, entries_.begin() + end, by_key);
    begin = end;
  }
}

// One pass of a radix sort, by the byte at `shift` of what a key has more than `least`.
void Order::deal(std::uint64_t least, unsigned shift) {
  ends_.fill(0);
  auto byte = [&](const Entry& entry) { return ((entry.key - least) >> shift) & 0xff; };
  for (const Entry& entry : entries_) ++ends_[byte(entry)];
  if (ends_[byte(entries_.front())] == entries_.size()) {  // all have the same there
    ends_.fill(static_cast<std::uint32_t>(entries_.size()));
    return;
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& place : ends_) sum += std::exchange(place, sum);
  dealt_.resize(entries_.size());
  for (const Entry& entry : entries_) dealt_[ends_[byte(entry)]++] = entry;
  entries_.swap(dealt_);
}

}  // namespace coppice::engine
