#include "distribution/float64.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "distribution/core.hpp"
#include "distribution/range.hpp"
#include "graph/input.hpp"
#include "graph/poll.hpp"

namespace coppice::distribution {
namespace {

using panels::padded;

constexpr std::size_t kWorkBetweenPolls = 2'000'000;  // multiplications, a millisecond or so

constexpr std::size_t kColumnsPerPoll = 64;

// To a column of a matrix, of which many are copied.
void copy_column(std::size_t d, const double* from, std::size_t size, double* to) {
  if (d % kColumnsPerPoll == 0) poll();
  std::copy_n(from, size, to);
}

// A few heads at a time, so that what is read and what is written both stay in the cache.
template <class T>
void read(const DenseView& scores, std::size_t size, double* weights) {
  constexpr Node kHeads = 8;
  for (Node begin = 0; begin < scores.nodes(); begin += kHeads) {
    poll();
    const Node end = std::min(scores.nodes(), begin + kHeads);
    for (Node d = 1; d < scores.nodes(); ++d) {
      double* to = weights + static_cast<std::size_t>(d) * size;
      for (Node h = begin; h < end; ++h)
        to[static_cast<std::size_t>(h)] = static_cast<double>(scores.at<T>(h, d));
    }
  }
}

// The logarithm of a product of numbers in range.
double log_of_product(const double* begin, const double* end) {
  constexpr double kStep = 0x1p400, kLogStep = 400 * 0.69314718055994530942;
  double mantissa = 1.0, steps = 0.0;
  for (; begin != end; ++begin) {
    mantissa *= *begin;
    if (mantissa < 1.0 / kStep) mantissa *= kStep, steps -= 1.0;
    if (mantissa > kStep) mantissa /= kStep, steps += 1.0;
  }
  return std::log(mantissa) + steps * kLogStep;
}

// What elimination takes: two matrices at most, scratch, and the root's row.
std::size_t room_to_eliminate(std::size_t words) {
  const std::size_t size = padded(words + 1);
  return (2 * (words + 1) + panels::kRows + 4) * size;
}

// What find_reach() takes at one time, for so many words.
std::size_t room_for(std::size_t words) {
  std::size_t size = padded(words + 1), room = 0;
  for (;; words -= words / 2) {  // the larger half
    room += (words + 1 + panels::kRows) * padded(words + 1) + 3 * words * padded(words);
    if (words <= 2) return room + 4 * size * size;
  }
}

}  // namespace

bool Float64::eliminate(double* weights, std::size_t size, std::size_t words, std::size_t keep,
                        bool single) {
  double* scratch = take(panels::kRows * size);
  return kernels_->eliminate(weights, size, words + 1, keep, single, least_sum(), scratch);
}

void Float64::multiply_add(double* c, std::size_t size_c, const double* a, std::size_t size_a,
                           const double* b, std::size_t size_b, std::size_t m, std::size_t n,
                           std::size_t k) {
  const std::size_t step = std::max<std::size_t>(4, kWorkBetweenPolls / (m * k + 1));
  for (std::size_t begin = 0; begin < n; begin += step) {
    poll();
    kernels_->multiply_add(c + begin * size_c, size_c, a, static_cast<std::ptrdiff_t>(size_a),
                           b + begin * size_b, 1, size_b, m, std::min(step, n - begin), k);
  }
}

double* Float64::take(std::size_t count) {
  double* begin = arena_.data() + taken_;
  taken_ += padded(count);
  return begin;
}

void Float64::load(const DenseView& scores, RootRule root) {
  nodes_ = static_cast<std::size_t>(scores.nodes());
  size_ = padded(nodes_);
  single_ = root == RootRule::single;
  weights_.make_room(nodes_ * size_);
  for (std::size_t d = 0; d < nodes_; ++d) {
    if (d % kColumnsPerPoll == 0) poll();
    std::fill_n(weights_.data() + d * size_, size_, kNoWeight);
  }
  switch (scores.scalar()) {
    case Scalar::float32:
      read<float>(scores, size_, weights_.data());
      break;
    case Scalar::float64:
      read<double>(scores, size_, weights_.data());
      break;
    case Scalar::int64:
      read<std::int64_t>(scores, size_, weights_.data());
      break;
  }
  for (std::size_t d = 0; d < nodes_; ++d) weights_[d * size_ + d] = kNoWeight;
  check_weights(scores);
}

// Bad weights are looked for one by one only where there are some.
void Float64::check_weights(const DenseView& scores) const {
  const double limit = std::numeric_limits<double>::max() / 8 / static_cast<double>(nodes_);
  if (kernels_->valid(weights_.data(), limit, nodes_ * size_)) return;
  for (Node d = 1; d < scores.nodes(); ++d)
    for (Node h = 0; h < scores.nodes(); ++h)
      if (h != d) check_weight(h, d, scores.weight(h, d));
  double largest = 0.0;
  for (std::size_t i = 0; i < nodes_ * size_; ++i)
    if (weights_[i] != kNoWeight) largest = std::max(largest, std::abs(weights_[i]));
  check_magnitude(largest, scores.nodes());
}

// As docs/distribution.md, section 4.
void Float64::scale(Order order) {
  dear_root_ = order == Order::dear_root;
  scaled_.make_room(nodes_ * size_ + panels::kRows);  // sums begin at the second row, too
  std::fill_n(scaled_.data() + nodes_ * size_, panels::kRows, 0.0);
  shift_.assign(nodes_, 0.0);
  total_shift_ = {};
  std::fill_n(scaled_.data(), size_, 0.0);
  for (std::size_t d = 1; d < nodes_; ++d) {
    if (d % kColumnsPerPoll == 0) poll();
    double* column = weights_.data() + d * size_;
    const double root = column[0];
    if (single_) column[0] = kNoWeight;
    const double highest = kernels_->maximum(column, size_);
    column[0] = root;
    shift_[d] = highest == kNoWeight ? 0.0 : highest;
    total_shift_.add(shift_[d]);
    kernels_->exp_difference(scaled_.data() + d * size_, column, shift_[d], size_);
  }
  if (single_) scale_root();
}

void Float64::scale_root() {
  double* high = take(size_);
  double* low = take(size_);
  double* scaled = take(size_);
  std::fill_n(high, size_, kNoWeight);
  std::fill_n(low, size_, 0.0);
  std::size_t first = 0;
  for (std::size_t d = 1; d < nodes_; ++d) {
    if (weights_[d * size_] == kNoWeight) continue;
    Parts difference = exact_difference(weights_[d * size_], shift_[d]);
    high[d] = difference.high;
    low[d] = difference.low;
    if (is_less({high[first], low[first]}, difference)) first = d;
  }
  if (first == 0) return;
  const Parts most{high[first], low[first]};
  for (std::size_t d = 1; d < nodes_; ++d) {
    if (high[d] == kNoWeight) continue;
    Parts difference = exact_difference(Parts{high[d], low[d]}, most);
    high[d] = difference.high;
    low[d] = difference.low;
  }
  total_shift_.add(most.high);
  total_shift_.add(most.low);
  kernels_->exp_parts(scaled, high, low, size_);
  for (std::size_t d = 1; d < nodes_; ++d)
    scaled_[d * size_] = scaled[d] * (dear_root_ ? kRootCost : 1.0);
  if (!dear_root_) return;
  total_shift_.add(-kLnRootCost);
  total_shift_.add(-kLnRootCostRest);
}

// Without a root that only one word may have, all words are one part. Otherwise the words that can
// be the root's, the core, are a part that nothing else enters, and the root of all others. What is
// 0 in float64 counts as missing.
bool Float64::find_parts(Order order) {
  std::vector<std::size_t> all(nodes_ - 1);
  std::iota(all.begin(), all.end(), 1);
  parts_.clear();
  if (!single_ || dear_root_) {
    parts_.push_back({std::move(all), {0}, false});
    return true;
  }
  std::size_t missing = 0;
  for (std::size_t d = 1; d < nodes_; ++d)
    missing += kernels_->zeros(scaled_.data() + d * size_, size_) - (size_ - nodes_) -
               (scaled_[d * size_] == 0.0 ? 1 : 0);
  std::vector<std::size_t> rest;
  if (order == Order::plain) {
    parts_.push_back({std::move(all), {0}, true});
    return missing == nodes_ - 1;
  }
  if (missing > nodes_ - 1) {
    auto core = find_core(static_cast<Node>(nodes_), [&](Node h, Node d) {
      return scaled_[static_cast<std::size_t>(d) * size_ + static_cast<std::size_t>(h)] > 0.0;
    });
    auto begin = std::stable_partition(all.begin(), all.end(), [&](auto w) { return core[w]; });
    rest.assign(begin, all.end());
    all.erase(begin, all.end());
    if (all.empty()) return false;
  }
  // The likeliest root comes first, to be eliminated last.
  auto root_weight = [&](std::size_t word) { return scaled_[word * size_]; };
  auto likeliest = std::max_element(
      all.begin(), all.end(), [&](auto a, auto b) { return root_weight(a) < root_weight(b); });
  if (root_weight(*likeliest) == 0.0) return false;
  std::iter_swap(all.begin(), likeliest);
  parts_.push_back({all, {0}, true});
  if (!rest.empty()) parts_.push_back({std::move(rest), std::move(all), false});
  return true;
}

// All words are one part: at most two have changed places.
Float64::Weights Float64::gather_all(const Part& part) {
  const std::size_t first = part.words.front();
  if (first == 1) return {scaled_.data(), size_, nodes_ - 1};
  double* data = take(nodes_ * size_);
  for (std::size_t j = 0; j < nodes_; ++j) {
    const std::size_t node = j == 0 ? 0 : part.words[j - 1];
    copy_column(j, scaled_.data() + node * size_, size_, data + j * size_);
    std::swap(data[j * size_ + 1], data[j * size_ + first]);
  }
  return {data, size_, nodes_ - 1};
}

Float64::Weights Float64::gather(const Part& part) {
  const std::size_t words = part.words.size(), size = padded(words + 1);
  if (words + 1 == nodes_) return gather_all(part);
  double* data = take((words + 1) * size);
  std::fill_n(data, size, 0.0);
  for (std::size_t j = 1; j <= words; ++j) {
    const double* from = scaled_.data() + part.words[j - 1] * size_;
    double* to = data + j * size;
    to[0] = 0.0;
    for (std::size_t source : part.sources) to[0] += from[source];
    for (std::size_t i = 1; i <= words; ++i) to[i] = from[part.words[i - 1]];
    std::fill(to + words + 1, to + size, 0.0);
  }
  return {data, size, words};
}

std::optional<double> Float64::log_sum(const Part& part, const Weights& weights) {
  // The last pivot is that of the first word.
  double log_sum = log_of_product(pivots_.data(), pivots_.data() + pivots_.size());
  for (std::size_t v = weights.words; v > 1; --v) {
    const double* column = weights.data + v * weights.size;
    const std::size_t top = part.single ? 1 : 0;
    const double sum = kernels_->sum(column + top, weights.words + 1 - top);
    pivots_[weights.words - v] /= dear_root_ ? std::max(1.0, sum) : sum;
  }
  pivots_.back() = std::min(1.0, pivots_.back());
  double log_product = log_of_product(pivots_.data(), pivots_.data() + pivots_.size());
  const double least =
      dear_root_ ? kLeastLogProduct + 5.0 * std::log(static_cast<double>(nodes_)) : kSafeLogProduct;
  if (!(log_product > least)) return std::nullopt;
  return log_sum;
}

std::optional<ExactSum> Float64::log_partition(Order order) {
  taken_ = 0;
  arena_.make_room(room_to_eliminate(nodes_ - 1));
  scale(order);
  if (!find_parts(order)) return std::nullopt;
  ExactSum result = total_shift_;
  for (const Part& part : parts_) {
    taken_ = 0;
    const Weights weights = gather(part);
    double* eliminated = take((weights.words + 1) * weights.size);
    for (std::size_t v = 0; v <= weights.words; ++v)
      copy_column(v, weights.data + v * weights.size, weights.size, eliminated + v * weights.size);
    if (!eliminate(eliminated, weights.size, weights.words, 0, part.single)) return std::nullopt;
    pivots_.clear();
    for (std::size_t v = weights.words; v >= 1; --v)
      pivots_.push_back(eliminated[v * weights.size + v]);
    auto log = log_sum(part, weights);
    if (!log) return std::nullopt;
    result.add(*log);
  }
  return result;
}

std::optional<Float64::Description> Float64::describe(double* marginals, std::size_t pitch,
                                                      Order order) {
  taken_ = 0;
  arena_.make_room(room_for(nodes_ - 1));
  scale(order);
  if (!find_parts(order)) return std::nullopt;
  for (std::size_t h = 0; h < nodes_; ++h) std::fill_n(marginals + h * pitch, nodes_, 0.0);
  Description result{total_shift_, 0.0};
  ExactSum entropy;
  for (const Part& part : parts_) {
    taken_ = 0;
    const Weights weights = gather(part);
    const std::size_t size = padded(weights.words);
    double* reach = take(weights.words * size);
    pivots_.clear();
    if (!find_reach(weights, part.single, true, reach, size)) return std::nullopt;
    auto log = log_sum(part, weights);
    if (!log) return std::nullopt;
    result.log_partition.add(*log);
    put(part, weights, reach, marginals, pitch, entropy);
  }
  entropy.add(result.log_partition);
  result.entropy = std::max(0.0, entropy.value());
  return result;
}

// The probability of h -> d is proportional to w(h -> d) * reach(h, d). Subtracts from the entropy
// the mean of the weights, taken relative to that of each word's likeliest head.
void Float64::put(const Part& part, const Weights& weights, const double* reach, double* marginals,
                  std::size_t pitch, ExactSum& entropy) {
  const std::size_t words = weights.words, size = padded(words);
  double* turned = take(words * weights.size);
  kernels_->transpose(turned + 1, weights.size, reach, size, words, words);
  double* probability = take(size_);
  double mean = 0.0;
  for (std::size_t j = 0; j < words; ++j) {
    double* column = turned + j * weights.size;
    const double* given = weights.data + (j + 1) * weights.size;
    column[0] = 1.0;
    for (std::size_t i = 0; i <= words; ++i) column[i] *= given[i];
    const double inverse = 1.0 / kernels_->sum(column, words + 1);
    const std::size_t d = part.words[j];
    std::fill_n(probability, size_, 0.0);
    for (std::size_t source : part.sources)
      probability[source] = scaled_[d * size_ + source] * inverse;
    for (std::size_t i = 0; i < words; ++i) probability[part.words[i]] = column[i + 1] * inverse;
    const double highest = kernels_->maximum(probability, size_);
    const double* original = weights_.data() + d * size_;
    const double reference =
        original[std::find(probability, probability + nodes_, highest) - probability];
    entropy.add(-reference);
    mean += kernels_->mean(probability, original, reference, size_);
    for (std::size_t h = 0; h < nodes_; ++h) marginals[h * pitch + d] = probability[h];
  }
  entropy.add(-mean);
}

// reach[h * size + d]: as find_reach() of elimination.hpp, words counted from 0. The pivots of the
// order that eliminates the first word last are kept where `first` says so.
bool Float64::find_reach(const Weights& weights, bool single, bool first, double* reach,
                         std::size_t size) {
  if (weights.words == 1) {
    reach[0] = 0.0;
    const double root = weights.data[weights.size];
    if (first) pivots_.push_back(root);
    return root >= least_sum();
  }
  if (weights.words == 2) return find_reach_of_two(weights, single, first, reach, size);
  return find_half(weights, single, true, first, reach, size) &&
         find_half(weights, single, false, false, reach, size);
}

bool Float64::find_reach_of_two(const Weights& weights, bool single, bool first, double* reach,
                                std::size_t size) {
  const double* into1 = weights.data + weights.size;
  const double* into2 = into1 + weights.size;
  const double sum2 = (single ? 0.0 : into2[0]) + into2[1];
  const double sum1 = (single ? 0.0 : into1[0]) + into1[2];
  if (!(sum1 >= least_sum() && sum2 >= least_sum())) return false;
  const double root2 = into2[0] * (1.0 / sum2), root1 = into1[0] * (1.0 / sum1);
  const double last1 = into1[0] + root2 * into1[2], last2 = into2[0] + root1 * into2[1];
  reach[0] = reach[size + 1] = 0.0;
  reach[size] = root2;
  reach[1] = root1;
  if (first) {
    pivots_.push_back(sum2);
    pivots_.push_back(last1);
  }
  return last1 >= least_sum() && last2 >= least_sum();
}

// reach(., d) for the words d of one half, the other half being eliminated.
bool Float64::find_half(const Weights& weights, bool single, bool front, bool first, double* reach,
                        std::size_t size) {
  const std::size_t before = taken_;
  const std::size_t words = weights.words, half = words / 2;
  const std::size_t kept = front ? half : words - half, gone = words - kept;
  const std::size_t column_size = padded(words + 1);
  double* part = take((words + 1) * column_size);
  for (std::size_t j = 1; j <= words; ++j) {
    double* to = part + j * column_size;
    const double* from = weights.data + (front       ? j
                                         : j <= kept ? half + j
                                                     : j - kept) *
                                            weights.size;
    if (front) {
      copy_column(j, from, words + 1, to);
    } else {  // the second half of the words first
      to[0] = from[0];
      std::copy_n(from + 1 + half, kept, to + 1);
      std::copy_n(from + 1, gone, to + 1 + kept);
    }
  }
  if (!eliminate(part, column_size, words, kept, single)) return false;
  if (first)
    for (std::size_t v = words; v > kept; --v) pivots_.push_back(part[v * column_size + v]);
  // Columns of whole eights: in place where the rows after them are still to be filled in.
  const std::size_t own_size = front ? size : padded(kept);
  double* own = front ? reach : take(words * own_size);
  if (!find_reach({part, column_size, kept}, single, first, own, own_size)) return false;
  carry_back({part, column_size, words}, kept, own, own_size);
  if (!front)
    for (std::size_t j = 0; j < words; ++j)
      std::copy_n(own + j * own_size, kept, reach + (j < kept ? half + j : j - kept) * size + half);
  taken_ = before;
  return true;
}

// From the words that are kept to those eliminated: hit(., b) is where the walk from b first meets
// a kept word or the root, reach(b, d) the sum of what follows from there.
void Float64::carry_back(const Weights& eliminated, std::size_t kept, double* reach,
                         std::size_t size) {
  const std::size_t gone = eliminated.words - kept, hit_size = padded(kept + 1);
  double* hit = take(gone * hit_size);
  auto above = [&](std::size_t head, std::size_t dependent) {
    return eliminated.data + (kept + 1 + dependent) * eliminated.size + head;
  };
  for (std::size_t b = 0; b < gone; ++b) std::copy_n(above(0, b), kept + 1, hit + b * hit_size);
  for (std::size_t begin = 0; begin < gone; begin += panels::kRows) {
    const std::size_t end = std::min(gone, begin + panels::kRows);
    multiply_add(hit + begin * hit_size, hit_size, hit, hit_size, above(kept + 1, begin),
                 eliminated.size, kept + 1, end - begin, begin);
    for (std::size_t b = begin + 1; b < end; ++b)
      multiply_add(hit + b * hit_size, hit_size, hit + begin * hit_size, hit_size,
                   above(kept + 1 + begin, b), eliminated.size, kept + 1, 1, b - begin);
  }
  for (std::size_t b = 0; b < gone; ++b)
    std::fill_n(reach + (kept + b) * size, padded(kept), hit[b * hit_size]);
  multiply_add(reach + kept * size, size, reach, size, hit + 1, hit_size, kept, gone, kept);
}

}  // namespace coppice::distribution
