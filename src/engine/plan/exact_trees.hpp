// The trees of a graph whose weights float64 cannot hold as whole numbers, one by one, in numbers
// that are wide enough (numbers/wide.hpp): slow, and exact for every input.
#pragma once

#include <coppice/problem.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/partition/legality.hpp"
#include "engine/solve/tree_edits.hpp"
#include "engine/tuning.hpp"

namespace coppice::engine {

class ExactTrees {
 public:
  virtual ~ExactTrees() = default;

  // The heads and edges of the best tree, legal or not, that edits are made of.
  virtual std::span<const Node> heads() const = 0;
  virtual std::span<const EdgeId> edges() const = 0;

  // Adds the next tree; false when there is none left that loses no more than max_gap more than the
  // first one that was given. Under rules legal ones only.
  virtual bool next(double max_gap, TreeEdits& trees) = 0;
  // Where the budget was spent before all trees were given: those left lose at least so much more
  // than the best tree of all.
  virtual std::optional<double> loss_ahead() const = 0;
};

// Null where there is no tree. The graph must stay where it is, and so must legality, which may be
// null: then there are no rules.
std::unique_ptr<ExactTrees> exact_trees(Graph graph, const Problem& problem, const Tuning& tuning,
                                        Legality* legality);

}  // namespace coppice::engine
