// The inner loops of the dense solver, compiled for several instruction sets; the best one that the
// machine has is chosen at run time.
//
// All arrays have a length that is a multiple of kLanes (pad with -inf) and need no alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::engine::simd {

inline constexpr std::size_t kLanes = 8;
inline std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

inline constexpr std::size_t kSteps = 64;
inline constexpr std::size_t kColumns = 16;

struct Top {
  double best;         // -inf if there is none
  std::int32_t index;  // the first one that has it
  double second;       // the best at another index
};

struct Ranked {
  double value;
  std::int32_t index;  // -1: there is none
};

struct Digits {
  double largest;  // magnitude
  double last;     // the least value that the last binary digit of one has; 0 has none
};

inline constexpr std::size_t kBlock = 8;
struct Rows {
  std::size_t nodes;
  std::ptrdiff_t stride;  // of one row to the next; negative in a view that is turned over
  std::size_t begin;
  bool negate;
  double limit;
};
struct Tops {  // per column
  double* best;
  std::int32_t* index;
  double* second;
};

// What best_heads() works in. Components are counted on from the nodes, of which there are at most
// as many again; all arrays are longer by kLanes than what is in them.
struct Contraction {
  bool single_root;
  std::size_t stride;     // of one column to the next: a multiple of kLanes
  double* columns;        // [component][source]: the best weight of an edge into it
  double* y;              // [component]: the weight of the picked edge
  double* root;           // [component]: the best weight of a root edge
  std::int32_t* source;   // [component]: where its edge comes from; of nodes in the end the heads
  std::int64_t* place;    // [source]: where its component stands on the stack, or -1
  std::int32_t* stack;    // outermost components
  std::int32_t* members;  // of all components that were contracted, one behind the other
  std::int32_t* end;      // [component]: where its members end
};

// The same for two trees: what best_two() works in besides, and what it finds.
struct SecondTree {
  std::int32_t* heads;      // of the best tree,
  std::int32_t* second;     // of the second best; both [component] on the way
  std::int32_t* parent;     // [component]: the one around it, or -1
  std::int32_t* level;      // [component]: the largest one that its edge of the best tree enters
  std::int32_t* entry;      // [component]: where the best tree enters it, of such levels
  std::int32_t* outermost;  // [component]: the one that it is in
  std::int32_t* sibling;    // [node]: the next one that hangs from the same
  double* cost;             // [component]: of a cheapest swap at such a level; or infinity
  double* above;            // [component]: the sum of y from it to inside its outermost one
  double* order;            // [source]: its place in preorder of the best tree
  double* end;              // [node]: that behind its descendants

  std::int32_t components = 0;  // that have a cost
  double magnitude = 0.0;       // the sum of all |y| and of the price
  double gap = 0.0;             // of the second best tree; infinity if there is none
  double next_gap = 0.0;        // all others have this one at least
  bool none = false;            // there is no tree at all
};

struct Kernels {
  // The largest element; of equals the first.
  Top (*top)(const double* x, std::size_t n);
  // What follows (value, index) in the order from large to small, equals by ascending index; -inf
  // is not counted.
  Ranked (*next)(const double* x, std::size_t n, double value, std::int32_t index);
  // The index of the least element; of equals the first.
  std::size_t (*least)(const double* x, std::size_t n);
  // The same of every column, [1, nodes), of a square matrix that lies in rows, of whose elements
  // the negative is meant if `negate`; the diagonal is missing. Columns are taken kBlock at a time,
  // from `begin` on, so there must be as many. False: an element is neither -inf nor of magnitude
  // <= limit.
  bool (*top_of_columns_f32)(const float* rows, const Rows& shape, const Tops& tops);
  bool (*top_of_columns_f64)(const double* rows, const Rows& shape, const Tops& tops);
  // The heads of the best tree, and the sum of all |y|. False where there is none, and in some
  // cases where there may be one. Reads kLanes columns at least.
  bool (*best_heads_f32)(const float* rows, const Rows& shape, const Contraction& room,
                         double& magnitude);
  bool (*best_heads_f64)(const double* rows, const Rows& shape, const Contraction& room,
                         double& magnitude);
  // The same of the second best tree as well; columns of all nodes are made. True also where there
  // is certainly no tree.
  bool (*best_two_f32)(const float* rows, const Rows& shape, const Contraction& room,
                       SecondTree& second);
  bool (*best_two_f64)(const double* rows, const Rows& shape, const Contraction& room,
                       SecondTree& second);
  // out[i] = x[i] - y
  void (*subtract)(double* out, const double* x, double y, std::size_t n);
  // out[i] = max(out[i], x[i] - y)
  void (*subtract_max)(double* out, const double* x, double y, std::size_t n);
  // The indices i with x[i] >= threshold, ascending; out has room for n.
  std::size_t (*at_least)(const double* x, double threshold, std::size_t n, std::int32_t* out);
  // Steps lie in groups, one behind the other, each with its end. counts[s], s < kSteps: how many
  // choices of at most one of each group add up to s, multiplied with what the counts were before;
  // no count grows beyond 65535. Before counts[0] there are kSteps zeros.
  void (*count_sums)(const std::uint8_t* steps, const std::uint32_t* ends, std::size_t groups,
                     std::uint16_t* counts);
  // sums[j] = the sum of column j of a table of kColumns, from the first row to the last.
  void (*sum_rows)(const double* table, std::size_t rows, double* sums);
  // count[i] = how many elements are greater than x[i].
  void (*count_greater)(const double* x, std::size_t n, std::int64_t* count);
  // Is every x[i] -inf or of magnitude <= limit? (NaN is not.)
  bool (*valid)(const double* x, double limit, std::size_t n);
  // Of all x[i] >= least but -inf. {0, inf} if there is none.
  Digits (*digits)(const double* x, double least, std::size_t n);
  // The largest x[i] with place[i] < begin or place[i] >= end, i being neither of two indices; -inf
  // if there is none.
  double (*largest_outside)(const double* x, const double* place, double begin, double end,
                            std::size_t not_this, std::size_t nor_this, std::size_t n);
};

// Of the best instruction set that the machine has, or of the one in use().
const Kernels& kernels();

// The instruction sets that this machine can run, the best first.
std::vector<std::string> targets();
// From now on kernels() are those of this one of targets(). False: there is none of that name. For
// tests; not while another thread decodes.
bool use(std::string_view target);

}  // namespace coppice::engine::simd
