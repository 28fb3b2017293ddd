// The inner loops of dense graphs, compiled for several instruction sets; the best one that the
// machine has is chosen at run time.
//
// Arrays that are searched have a length that is a multiple of kLanes (pad with -inf); none needs
// an alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/numbers/scale.hpp"

namespace coppice::engine::simd {

inline constexpr std::size_t kLanes = 8;
inline std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

inline constexpr std::size_t kSteps = 64;

struct Ranked {
  double value;
  std::int32_t index;  // -1: there is none
};

// A square matrix of float32 or float64 in rows, [head][dependent]; what is meant is the negative
// of its elements where `negate` is set, but -inf stays -inf.
struct Rows {
  const void* data;
  bool float32;
  std::size_t nodes;
  std::ptrdiff_t stride;  // of one row to the next; negative in a view that is turned over
  bool negate;
  double limit;  // no magnitude is larger

  double weight(std::size_t s, std::size_t t) const {  // as it is to be maximised
    const auto at = static_cast<std::ptrdiff_t>(s) * stride + static_cast<std::ptrdiff_t>(t);
    const double given =
        float32 ? static_cast<const float*>(data)[at] : static_cast<const double*>(data)[at];
    return negate && given != kNoWeight ? -given : given;
  }
};
struct Tops {           // arrays are per column, from the second on, with room for kLanes more
  bool without_root;    // the first row is not looked at, but copied to `root`
  double* best;         // -inf if there is none
  std::int32_t* index;  // the first one that has it, or -1
  double* second;       // the best at another index
  double* root;

  // The largest loss of all.
  double largest_loss = 0.0;
  // The least difference between the best and the second best of a column.
  double nearest = 0.0;
  // What the root edge gains over the best other edge, of the column that gains most, and of the
  // next.
  double root_gain = 0.0, next_root_gain = 0.0;
  std::int32_t root_child = -1;
};

// What contract() works in, and what it finds. Components are counted on from the nodes, of which
// there are at most as many again.
struct Contraction {
  std::size_t nodes = 0;
  bool single_root = false;
  std::size_t stride = 0;            // of one column to the next: a multiple of kLanes
  double* columns = nullptr;         // [component][source]: the best gain of an edge into it
  std::vector<double> y;             // [component]: the gain of the picked edge
  std::vector<double> root;          // [component]: the best gain of a root edge
  std::vector<std::int32_t> source;  // [component]: where its edge comes from; in the end the heads
  std::vector<std::int64_t> place;   // [source]: where its component stands on the stack, or -1
  std::vector<std::int32_t> stack;   // outermost components
  std::vector<std::int32_t> members;  // of all components that were contracted, one after the other
  std::vector<std::int32_t> end;      // [component]: where its members end
  std::vector<std::int32_t> parent;   // [component]: the one around it, or -1
  std::int32_t components = 0;
  double price = 0.0;  // that root edges pay

  // Columns, y, root and source of all nodes but the first are then to be filled in.
  void start(std::size_t node_count, bool single, std::size_t column_stride, double* all_columns);
};

struct Kernels {
  // What follows (value, index) in the order from large to small, equals by ascending index; -inf
  // is not counted.
  Ranked (*next)(const double* x, std::size_t n, double value, std::int32_t index);
  // The index of the least element; of equals the first.
  std::size_t (*least)(const double* x, std::size_t n);
  // The best and second best of every column but the first, the diagonal left out. False: an
  // element is neither -inf nor of magnitude <= limit.
  bool (*tops)(const Rows& rows, Tops& tops);
  // columns[t * stride + s] = the gain of s -> t for all t >= 1: see Scale::gain.
  void (*columns)(const Rows& rows, const Scale& scale, const double* best, double* columns,
                  std::size_t stride);
  // The best tree, from columns, y, root and source of all nodes. False: there is none.
  bool (*contract)(Contraction& room);
  // Steps lie in groups, one behind the other, each with its end. counts[s], s < kSteps: how many
  // choices of at most one of each group add up to s, multiplied with what the counts were before;
  // no count grows beyond 65535. Before counts[0] there are kSteps zeros.
  void (*count_sums)(const std::uint8_t* steps, const std::uint32_t* ends, std::size_t groups,
                     std::uint16_t* counts);
  // The indices i with x[i] >= threshold, ascending; out has room for n.
  std::size_t (*at_least)(const double* x, double threshold, std::size_t n, std::int32_t* out);
};

// Of the best instruction set that the machine has, or of the one in use().
const Kernels& kernels();

// The instruction sets that this machine can run, the best first.
std::vector<std::string> targets();
// From now on kernels() are those of this one of targets(). False: there is none of that name. For
// tests; not while another thread decodes.
bool use(std::string_view target);

}  // namespace coppice::engine::simd
