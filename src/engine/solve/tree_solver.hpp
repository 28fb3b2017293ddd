// The best tree of a graph of either kind, with a certificate; here alone it is asked which kind it
// is.
#pragma once

#include <coppice/problem.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/solve/certified_tree.hpp"
#include "engine/solve/dense.hpp"
#include "engine/solve/read_edges.hpp"
#include "engine/solve/sparse.hpp"
#include "graph/constraints.hpp"

namespace coppice::engine {

class TreeSolver {
 public:
  enum class Answer : std::uint8_t {
    none,   // there is no tree
    tree,   // tree(), with its certificate
    heads,  // the heads in tree() alone: for whoever asked for no certificate
    wide,   // float64 cannot hold these weights as whole numbers, or no tree does without those it
            // cannot: wider numbers are needed
  };
  // Throws Error for bad input. The graph must stay where it is as long as the solver is asked.
  Answer solve(Graph graph, const Problem& problem, bool certificate);

  const CertifiedTree& tree() const { return tree_; }
  // After `heads`, but of int64 weights: those of its edges as they are to be maximised.
  std::span<const double> weights_of_heads() const { return dense_.greedy_weights(); }
  const Scale& scale() const { return scale_; }
  const Constraints& constraints() const { return constraints_; }
  RootRule rule() const { return rule_; }
  // No tree up to this gap has an edge that the scale left out.
  double reach() const;
  // May the scale hide digits of trees that score near 0?
  bool hides_digits();
  // Does it round some weight?
  bool rounds() const { return some_loss(engine::rounds); }

  // All edges of reduced cost <= limit that are not in the tree, by dependent. False once they are
  // more than `most`: then some are left out.
  bool collect(const ReducedCost& reduced, double limit, std::size_t most,
               CandidateList& candidates) const;
  // The second best edge into v gains no more: under the single-root rule of those not from the
  // root.
  double second(Node v) const { return dense_graph_ ? dense_.second(v) : lists_.best(v).second; }
  // Of any edge: -inf where it was left out.
  double gain(Node head, Node dependent, EdgeId edge) const;
  // How many edges there are, or could be.
  std::int64_t edges() const;
  // The graph as it was loaded if it is dense, or null.
  const Dense* dense() const { return dense_graph_ ? &dense_ : nullptr; }
  // The same if it is sparse.
  const Sparse<double>* lists() const { return dense_graph_ ? nullptr : &lists_; }
  // The whole graph as lists, ready for subproblems and solved. Nothing else may be asked of a
  // sparse graph from then on but whole().
  Sparse<double>& whole();

 private:
  bool some_loss(LossTest* test) const;

  Constraints constraints_;
  RootRule rule_ = RootRule::any;
  bool dense_graph_ = false, is_whole_ = false;
  Dense dense_;
  Sparse<double> lists_;
  Scale scale_;
  CertifiedTree tree_;
  std::optional<Graph> graph_;
  Objective objective_ = Objective::maximize;
  std::optional<bool> hides_digits_;
};

// The best tree of a graph in numbers that are wide enough for any weights, and the edges that may
// replace its edges at no cost.
struct ExactTree {
  // Its y and the price are in the weights, rounded, but 0 only where they are.
  CertifiedTree tree;
  // Edges of reduced cost 0 that are not in the tree.
  struct Tight {
    Node head, dependent;
    EdgeId edge;
  };
  std::vector<Tight> tight;
};

// False: there is no tree.
bool solve_exactly(Graph graph, const Problem& problem, ExactTree& found);

}  // namespace coppice::engine
