#include "graphs.hpp"

#include <cmath>
#include <limits>

namespace coppice::fuzz {

SomeGraph::SomeGraph(Bytes& bytes, Node max_words) {
  const auto kind = bytes.take<std::uint8_t>();
  style_ = static_cast<Style>(kind % 5);
  scalar_ = static_cast<Scalar>(kind / 5 % 3);
  nodes_ = 1 + bytes.take<Node>(1, max_words);
  const int sort = kind / 15 % 4;
  if (sort < 2)
    make_dense(bytes);
  else if (sort == 2)
    make_multigraph(bytes);
  else
    make_labelled(bytes);
}

bool SomeGraph::exact() const {
  return scalar_ == Scalar::int64 || style_ == Style::ties || style_ == Style::steps;
}

// The limits are those of check_magnitude (src/graph/input.hpp), said once more on purpose.
void SomeGraph::note(double weight) {
  if (weight == kNoWeight) return;
  const bool too_large =
      !(std::abs(weight) <= std::numeric_limits<double>::max() / 8 / nodes_) || std::isnan(weight);
  bad_ |= too_large;
  if (!too_large) largest_ = std::max(largest_, std::abs(weight));
}
void SomeGraph::note(std::int64_t weight) {
  const bool too_large = std::abs(static_cast<double>(weight)) > 0x1p60 / nodes_;
  bad_ |= too_large;
  if (!too_large) largest_ = std::max(largest_, std::abs(static_cast<double>(weight)));
}

template <class T>
T SomeGraph::weight(Bytes& bytes) {
  constexpr bool kInteger = std::is_integral_v<T>;
  const T missing = kInteger ? T{0} : static_cast<T>(kNoWeight);
  T value{};
  if (style_ == Style::raw) {
    value = bytes.take<T>();
  } else {
    const int byte = bytes.take<std::int8_t>();
    switch (style_) {
      case Style::ties:
        value = (byte & 0xff) % 5 == 4 ? missing : static_cast<T>((byte & 0xff) % 5);
        break;
      case Style::steps:
        value = byte == -128 ? missing : static_cast<T>(kInteger ? byte : byte * 0.25);
        break;
      case Style::decimals:  // of integers: as large as they may be
        if (byte == -128)
          value = missing;
        else if constexpr (kInteger)
          value = std::numeric_limits<std::int64_t>::max() / 8 / nodes_ / 127 * byte;
        else
          value = static_cast<T>(byte * 0.1);
        break;
      default: {
        const T sign = bytes.flag() ? -1 : 1;
        if (byte == -128)
          value = missing;
        else if constexpr (kInteger)  // small ones, and such that float64 cannot tell apart
          value = sign * ((byte & 32) == 0 ? T{1} << (byte & 31) : (T{1} << 53) + (byte & 31));
        else
          value = sign * static_cast<T>(std::ldexp(1.0, byte));
      }
    }
  }
  if constexpr (kInteger)
    note(static_cast<std::int64_t>(value));
  else
    note(static_cast<double>(value));
  return value;
}

// The diagonal and the root's column are poison: no engine may read them.
template <class T>
void SomeGraph::fill(Bytes& bytes, std::vector<T>& weights) {
  const auto layout = bytes.take<std::uint8_t>();
  const std::ptrdiff_t gap = 1 + (layout & 1);  // between neighbours
  const std::ptrdiff_t row = nodes_ * gap + (layout >> 1 & 3);
  std::ptrdiff_t head_stride = row, dependent_stride = gap;
  if ((layout & 8) != 0) std::swap(head_stride, dependent_stride);
  if ((layout & 16) != 0) head_stride = -head_stride;
  if ((layout & 32) != 0) dependent_stride = -dependent_stride;
  const T poison =
      std::is_integral_v<T> ? std::numeric_limits<T>::max() : std::numeric_limits<T>::quiet_NaN();
  weights.assign(static_cast<std::size_t>(row * (nodes_ - 1) + gap * (nodes_ - 1) + 1), poison);
  T* origin = weights.data();
  if (head_stride < 0) origin -= head_stride * (nodes_ - 1);
  if (dependent_stride < 0) origin -= dependent_stride * (nodes_ - 1);
  for (Node h = 0; h < nodes_; ++h)
    for (Node d = 1; d < nodes_; ++d)
      if (h != d) origin[h * head_stride + d * dependent_stride] = weight<T>(bytes);
  view_.emplace(origin, nodes_, head_stride, dependent_stride);
}

void SomeGraph::make_dense(Bytes& bytes) {
  if (scalar_ == Scalar::float32) fill(bytes, floats_);
  if (scalar_ == Scalar::float64) fill(bytes, doubles_);
  if (scalar_ == Scalar::int64) fill(bytes, integers_);
}

// Loops and edges into the root are made too: they must be passed over.
void SomeGraph::make_multigraph(Bytes& bytes) {
  if (scalar_ == Scalar::float32) scalar_ = Scalar::float64;
  multigraph_.emplace(nodes_, scalar_);
  const bool was_bad = bad_;
  for (int edges = bytes.take(0, 14); edges > 0; --edges) {
    const Node source = bytes.take<Node>(0, nodes_ - 1), target = bytes.take<Node>(0, nodes_ - 1);
    if (scalar_ == Scalar::int64) {
      multigraph_->add_edge(source, target, weight<std::int64_t>(bytes));
      continue;
    }
    const double value = weight<double>(bytes);
    if (std::isnan(value) || value == -kNoWeight) {
      bad_ = was_bad;  // refused at the door
      continue;
    }
    multigraph_->add_edge(source, target, value);
  }
  // A weight that is too large counts only on an edge that a tree could use.
  bad_ = false;
  for (EdgeId e = 0; e < multigraph_->edges(); ++e) {
    if (multigraph_->target(e) == 0 || multigraph_->source(e) == multigraph_->target(e)) continue;
    if (scalar_ == Scalar::int64)
      note(multigraph_->integer_weight(e));
    else
      note(multigraph_->weight(e));
  }
}

void SomeGraph::make_labelled(Bytes& bytes) {
  scalar_ = Scalar::float64;
  if (style_ == Style::raw) style_ = Style::wide;
  const int per_arc = bytes.take(1, 2);
  fill(bytes, floats_);
  std::vector<float> scores;
  for (Node cell = 0; cell < nodes_ * nodes_ * per_arc; ++cell)
    scores.push_back(weight<float>(bytes));
  multigraph_ = label_arcs(*view_, {.scores = scores, .ids = {}, .per_arc = per_arc}).graph;
  view_.reset();
}

}  // namespace coppice::fuzz
