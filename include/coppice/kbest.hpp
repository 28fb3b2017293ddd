// The K best trees of a graph, exactly and in order.
//
//   auto view = coppice::DenseView::head_dependent(scores.data(), nodes);
//   auto trees = coppice::kbest(view, {.root = coppice::RootRule::single}, {.k = 50});
//   for (std::size_t rank = 0; rank < trees.size(); ++rank)
//     use(trees.heads(rank), trees.score(rank));
//
// Method: the best tree with a proof of its optimality (a dual solution) bounds what any edge can
// cost; edges that no K-best tree can use are dropped, words with one head left are merged into it,
// and the K best trees of the reduced graph that remains are listed. See docs/engine.md.
//
// Cost: O(N^2) for the best tree of a dense graph, O(E log N) for a multigraph; in practice little
// more for K trees, at worst O(K N^2), in a multigraph O(K E log N). Memory O(N^2 + K N), in a
// multigraph O(E + K N). Under rules the search makes as many solves as it needs, which may be
// exponentially many; Request::budget limits them.
//
// Exactness: weights are read once, each to within half a unit, a power of two of about the size of
// what a float64 sum over a tree would lose by rounding; int64 weights, and floats that are whole
// multiples of the unit, exactly. From then on nothing rounds (docs/internals/numbers.md): the K
// trees, their order, ties and max_gap are exact for the weights as they were read. Lists and
// streams are sorted by the reported score (tree.hpp). Ties are all different trees, in an order
// that depends on nothing but the input. best() is the first of every list, unless the list reaches
// trees with finite masks: such a list is made of the weights as they were given, so that another
// tree may come first, which is better by less than N + 1 units or ties.
//
// Throws: Error for bad input (NaN, +inf, k < 1, contradictory constraints ...). A graph without a
// tree gives an empty result.
//
// Threads: the functions may be called by any number of threads at once. A TreeStream or a Decoder
// is for one at a time.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <coppice/tree.hpp>
#include <memory>
#include <optional>
#include <string_view>

namespace coppice {

// The best tree, or nothing where there is none.
std::optional<Tree> best(Graph graph, const Problem& problem);

// The K best trees; fewer where there are fewer.
TreeList kbest(Graph graph, const Problem& problem, const Request& request);

// The trees one by one from best to worst, with no k in advance, until there is none left. Keeps
// its own copy of the weights. The constructor costs as much as best(), a call of next() at worst
// one more solve, O(N^2) or O(E log N).
//
//   coppice::TreeStream stream(view, {.root = coppice::RootRule::any});
//   while (auto tree = stream.next())
//     if (acceptable(*tree)) break;
class TreeStream {
 public:
  TreeStream(Graph graph, const Problem& problem, const Request& request = {});
  TreeStream(TreeStream&&) noexcept;
  TreeStream& operator=(TreeStream&&) noexcept;
  ~TreeStream();

  // The next tree, or nothing when all have been given. Not to be called again once it has thrown.
  std::optional<Tree> next();
  // False once the budget has run out (problem.rules, request.budget): there may be more trees. No
  // legal tree beyond those given has a better score than bound().
  bool complete() const;
  double bound() const;
  // As that of a TreeList, once the first tree has been given.
  double bound_gap() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Many graphs one after the other with one workspace: after warm-up nothing is allocated per
// sentence. kbest_batch (batch.hpp) has one per thread.
class Decoder {
 public:
  Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  // As the functions above; the list is filled into trees, whose memory is reused.
  void kbest(Graph graph, const Problem& problem, const Request& request, TreeList& trees);
  // The best tree as a list of one, or none.
  void best(Graph graph, const Problem& problem, TreeList& trees);

  // Which way the engine went for the last list (docs/engine.md): "best", "best first", "sweep" ...
  // For statistics and tests; the names may change.
  std::string_view way() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice
