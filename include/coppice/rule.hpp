// Rules: which trees are legal, said in a way that a search can use.
//
// A clause names edges that are bad together, {without: C, with: X}: a tree obeys it if it lacks
// at least one edge of C or has at least one edge of X. A rule is a function that gets a tree and
// returns a clause that the tree breaks, or nothing. Its author promises: every legal tree obeys
// every clause that the rule ever returns. That is all a search needs to find the K best legal
// trees exactly, and the smaller the clauses, the faster (docs/rules.md).
//
//   // Words 3 and 4 must not have the same head.
//   coppice::Rule apart("apart", [](coppice::Graph, const coppice::TreeRef& tree) {
//     std::optional<coppice::Clause> broken;
//     if (tree.heads[3] == tree.heads[4])
//       broken = {.without = {{tree.heads[3], 3}, {tree.heads[4], 4}}, .with = {}};
//     return broken;
//   });
//   coppice::Problem problem{.root = coppice::RootRule::single, .rules = {apart}};
//   auto trees = coppice::kbest(view, problem, {.k = 5});
//
// Rules for common needs are in rules.hpp.
//
// Throws: what the author's functions throw passes through the call that asks them; that of a batch
// reports it with the sentence (batch.hpp).
// Cost: a search asks a rule once for every tree that it looks at; takes() and breaks() look at the
// edges of a clause.
// Threads: a Rule may be used by several threads at once, so its functions must allow that; a Judge
// or a Growth is used by one.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/tree.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace coppice {

// An edge that a clause names: one of a multigraph by its id, or with kNoEdge every edge from head
// to dependent.
struct ClauseEdge {
  Node head;
  Node dependent;
  EdgeId edge = kNoEdge;
  friend bool operator==(const ClauseEdge&, const ClauseEdge&) = default;
};

// Edges of `without` into the same word are alternatives, for a tree has only one edge into a word:
// the clause is broken if every word that `without` names takes an edge named for it, and no edge
// of `with` is in the tree. "Word 2 is a determiner, whatever its head, and word 5 hangs from it"
// is one clause.
struct Clause {
  std::vector<ClauseEdge> without;
  std::vector<ClauseEdge> with;

  void clear();
  friend bool operator==(const Clause&, const Clause&) = default;
};

// The edges of a tree that a clause's edge stands for.
bool takes(const TreeRef& tree, const ClauseEdge& edge);
bool breaks(const TreeRef& tree, const Clause& clause);

// Builds a tree edge by edge, for those who go through all legal trees (legal.hpp): no edge is
// asked for that would close a cycle, and edges are taken away in the reverse order.
class Growth {
 public:
  virtual ~Growth() = default;
  // False where no legal tree has the edges added so far and this one; the last edge of a tree is
  // allowed just where the tree is legal.
  virtual bool allows(const ClauseEdge& edge) const = 0;
  virtual void add(const ClauseEdge& edge) = 0;
  virtual void remove(const ClauseEdge& edge) = 0;
};

// Cheap to copy.
class Rule {
 public:
  // Judges trees of one graph, one thread at a time: true if the tree breaks the rule, and then the
  // clause is one that it breaks. What the clause held before is overwritten.
  using Judge = std::function<bool(const TreeRef& tree, Clause& broken)>;
  // Called once per graph. Throws Error where the graph lacks what the rule needs.
  using Prepare = std::function<Judge(Graph graph)>;
  using Grow = std::function<std::unique_ptr<Growth>(Graph graph)>;
  using Function = std::function<std::optional<Clause>(Graph graph, const TreeRef& tree)>;

  // Which trees the rule allows, where there is a name for them: just the projective ones (no two
  // edges cross) can be found by dynamic programming.
  enum class Shape { any, projective };

  Rule(std::string name, Prepare prepare, Shape shape = Shape::any, Grow grow = nullptr);
  // The simple way: nothing to prepare.
  Rule(std::string name, Function function);

  const std::string& name() const { return impl_->name; }
  Shape shape() const { return impl_->shape; }
  Judge prepare(Graph graph) const { return impl_->prepare(graph); }
  // Null where the rule can only judge whole trees.
  std::unique_ptr<Growth> grow(Graph graph) const {
    return impl_->grow ? impl_->grow(graph) : nullptr;
  }

 private:
  struct Impl {
    std::string name;
    Prepare prepare;
    Shape shape;
    Grow grow;
  };
  std::shared_ptr<const Impl> impl_;
};

}  // namespace coppice
