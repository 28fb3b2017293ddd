// Which heads are left for a word, with a probability that was promised: what Guarantee.calibrate
// of Python has found (docs/internals/guarantee.md).
#pragma once

#include <coppice/io.hpp>
#include <coppice/problem.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace coppice::cli {

struct Guarantee {
  double coverage = 0.0;
  RootRule root = RootRule::single;
  double gap = 0.0;          // trees within it of the best are in the set
  double probability = 0.0;  // heads of at least this one are, and so is the likeliest
  double temperature = 1.0;  // by which scores are divided for probabilities
  std::int64_t sentences = 0;
  double settled = 0.0;  // share of the held-out words with one head left

  // What the promise needs, in a line.
  std::string terms() const;
};

// What Guarantee.save wrote. Throws UsageError.
Guarantee read_guarantee(const std::string& path);
// The promise is about trees with its own root rule: that becomes the problem's. Throws UsageError
// where another one was typed, and for costs.
void promise_root(const Guarantee& guarantee, Problem& problem, bool root_given);

// Heads that are left, word by word: [0] of word 1. None where there is no tree.
struct HeadSets {
  std::vector<std::vector<Node>> tree;  // by any tree within the gap
  std::vector<std::vector<Node>> word;  // by its own probability

  bool empty() const { return tree.empty(); }
};

// Rules and required arcs are left aside. Throws std::invalid_argument where sums of such weights
// could overflow.
HeadSets head_sets(const io::Matrix& scores, const Guarantee& guarantee);
// Of words with one head left, whatever tree within the gap is the right one, that head.
std::vector<Arc> settled_arcs(const io::Matrix& scores, const Guarantee& guarantee);

}  // namespace coppice::cli
