// Which edges beside those of the best tree can matter: a bound on the gap of the K-th best tree,
// and all edges whose reduced cost is within it (docs/internals/proofs.md).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/prune/bound.hpp"
#include "engine/solve/tree_solver.hpp"
#include "engine/tuning.hpp"
#include "graph/preorder.hpp"

namespace coppice::engine {

class Candidates {
 public:
  explicit Candidates(const Tuning& tuning) : tuning_(tuning) {}

  // The solver must have a certificate, and stay where it is.
  void start(TreeSolver& solver);

  // An upper bound on the gap of the k-th best tree; +inf if there may be fewer, or if it is not
  // worth its time to find one.
  double bound(std::int64_t k);
  // Where the last bound is 0: k trees that tie with the best one.
  void list_tied(std::int64_t k, TreeEdits& trees) const { bound_.list_tied(list_, k, trees); }
  // The same by the cheapest swaps of edges of the best tree, on the graph as lists: as long as a
  // few solves, but close where much is contracted.
  double bound_by_swaps(std::int64_t k);

  // From now on no number of them is too many.
  void allow_all() { limited_ = false; }

  // Makes list() hold all edges of reduced cost <= limit that are not in the best tree. False if
  // they are too many; then it holds some of them.
  bool collect(double limit);
  const CandidateList& list() const { return list_; }

  const CertifiedTree& tree() const { return solver_->tree(); }
  const ReducedCost& reduced() const { return reduced_; }
  // The best tree: the ancestors of the ends of edges in the list at least.
  const Preorder& preorder() const { return preorder_; }
  RootRule rule() const { return solver_->rule(); }

 private:
  double guess(std::int64_t k);
  std::size_t most() const;
  void arrange();

  Tuning tuning_;
  TreeSolver* solver_ = nullptr;
  ReducedCost reduced_;
  Preorder preorder_;
  bool whole_tree_ = false;  // preorder_ holds every node
  std::vector<Node> ends_;   // of the edges in the list

  CandidateList list_;
  double collected_ = 0.0;  // list_ holds all edges up to this reduced cost
  bool complete_ = true;    // it does
  bool limited_ = true;
  std::int64_t wanted_ = 1;
  std::vector<double> losses_;
  std::vector<Swap<double>> swaps_;
  Bound bound_;
};

}  // namespace coppice::engine
