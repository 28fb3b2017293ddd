// The best tree of a graph given as edge lists, with a certificate, and what other trees of it cost
// at least. This is what solves sparse graphs, reduced graphs, and all subproblems of the partition
// queue.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/solve/contraction.hpp"
#include "engine/solve/edge_lists.hpp"
#include "engine/solve/swaps.hpp"

namespace coppice::engine {

template <class W>
class Sparse : public EdgeLists<W> {
 public:
  Sparse() = default;
  Sparse(const Sparse&) = delete;  // the parts know each other
  Sparse& operator=(const Sparse&) = delete;

  // Solves the subproblem of the lists. False: there is no tree.
  bool solve() {
    this->find_best();
    if (!contraction_.solve(*this)) return false;
    swaps_.start(*this, contraction_);
    return true;
  }

  // --- the solution: see Contraction ---
  const W& gain() const { return contraction_.gain(); }
  const W& price() const { return contraction_.price(); }
  Slot tree(Node v) const { return contraction_.tree(v); }
  Slot open_root_edge() const { return contraction_.open_root_edge(); }
  const Indexed<Component, Component>& parents() const { return contraction_.parents(); }
  const Indexed<Component, W>& y() const { return contraction_.y(); }

  // --- other trees: see Swaps; after start_subproblems() but for reduced_cost() ---
  W reduced_cost(Slot edge, Node t) { return swaps_.reduced_cost(edge, t); }
  bool swaps(const W& limit, std::size_t most, std::vector<Swap<W>>& swaps) {
    return swaps_.cheapest(limit, most, swaps);
  }
  std::optional<W> root_swap() { return swaps_.root_swap(); }

 private:
  Contraction<W> contraction_;
  Swaps<W> swaps_;
};

}  // namespace coppice::engine
