// Sums over the trees of a small weighted graph by elimination, sparse and without subtraction
// (docs/internals/proofs.md).
//
// A node is eliminated by joining each of its heads to each of its dependents; the product of what
// enters the nodes as they are eliminated is the sum over all trees of the products of their
// weights. The order (fewest neighbours first) and the places of all numbers are found once and
// serve numbers of any kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "graph/poll.hpp"

namespace coppice::engine {

class EliminationPlan {
 public:
  static constexpr std::int32_t kOutside = -1;  // as a source: the root, which is none of the nodes
  struct Arc {
    std::int32_t source, target;  // 0..nodes - 1, and not the same
  };
  void build(std::size_t nodes, std::span<const Arc> arcs) {
    std::vector<List> neighbours(nodes);
    for (const auto& [source, target] : arcs) {
      if (source == kOutside) continue;
      neighbours[static_cast<std::size_t>(source)].push_back(static_cast<std::uint32_t>(target));
      neighbours[static_cast<std::size_t>(target)].push_back(static_cast<std::uint32_t>(source));
    }
    using Degree = std::pair<std::size_t, std::uint32_t>;
    std::priority_queue<Degree, std::vector<Degree>, std::greater<>> fewest;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      List& list = neighbours[node];
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
      fewest.emplace(list.size(), node);
    }
    constexpr auto kNowhere = static_cast<std::size_t>(-1);
    place_.assign(nodes, kNowhere);
    List order;
    bool complete = false;  // all that are left are neighbours: nothing new is joined
    while (!fewest.empty()) {
      const auto [degree, node] = fewest.top();
      fewest.pop();
      if (place_[node] != kNowhere || (!complete && degree != neighbours[node].size())) continue;
      place_[node] = order.size();
      order.push_back(node);
      complete = complete || degree + order.size() == nodes;
      if (complete) continue;
      eliminate(node, neighbours);
      for (std::uint32_t other : neighbours[node]) fewest.emplace(neighbours[other].size(), other);
    }
    begin_.assign(1, 0);
    later_.clear();
    for (std::size_t place = 0; place < nodes; ++place) {
      for (std::uint32_t other : neighbours[order[place]])
        if (place_[other] > place) later_.push_back(static_cast<std::uint32_t>(place_[other]));
      std::sort(later_.begin() + static_cast<std::ptrdiff_t>(begin_.back()), later_.end());
      begin_.push_back(later_.size());
    }
  }

  std::size_t nodes() const { return place_.size(); }
  std::size_t place(std::int32_t node) const { return place_[static_cast<std::size_t>(node)]; }
  // Neighbours, by place, of the node at a place when it is eliminated: all at later places.
  std::span<const std::uint32_t> later(std::size_t place) const {
    return std::span(later_).subspan(begin_[place], begin_[place + 1] - begin_[place]);
  }
  std::size_t begin(std::size_t place) const { return begin_[place]; }
  std::size_t slots() const { return later_.size(); }
  // Where an arc between nodes of these places stands, low being the lower one.
  std::size_t slot(std::size_t low, std::size_t high) const {
    const std::span<const std::uint32_t> list = later(low);
    return begin_[low] +
           static_cast<std::size_t>(
               std::ranges::lower_bound(list, static_cast<std::uint32_t>(high)) - list.begin());
  }
  double multiplications() const {
    double sum = 0.0;
    for (std::size_t place = 0; place < nodes(); ++place) {
      const auto neighbours = static_cast<double>(later(place).size());
      sum += (neighbours + 1.0) * (neighbours + 2.0);
    }
    return sum;
  }

 private:
  using List = std::vector<std::uint32_t>;

  // The neighbours of a node, and so of its neighbours, once it is eliminated.
  static void eliminate(std::uint32_t node, std::vector<List>& neighbours) {
    List merged;
    for (std::uint32_t other : neighbours[node]) {
      poll();
      merged.clear();
      std::ranges::set_union(neighbours[other], neighbours[node], std::back_inserter(merged));
      std::erase_if(merged, [&](std::uint32_t n) { return n == node || n == other; });
      neighbours[other].assign(merged.begin(), merged.end());
    }
  }

  std::vector<std::size_t> place_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> later_;
};

// Field: a type Number and add(a, b), multiply(a, b), inverse(a), zero(), one().
template <class Field>
class TreeSums {
 public:
  using Number = typename Field::Number;

  TreeSums(const EliminationPlan& plan, const Field& field)
      : plan_(&plan),
        field_(&field),
        outside_(plan.nodes(), field.zero()),
        inverse_(plan.nodes(), field.zero()),
        up_(plan.slots(), field.zero()),
        down_(plan.slots(), field.zero()) {}

  void add(const EliminationPlan::Arc& arc, const Number& weight) {
    Number& sum = weight_of(arc);
    sum = field_->add(sum, weight);
  }

  // The sum over all trees from the root, with any number of root edges. False where a number that
  // must not be 0 is (by chance, in arithmetic modulo a prime).
  bool from_outside(Number& sum) {
    sum = field_->one();
    for (std::size_t place = 0; place < plan_->nodes(); ++place)
      if (!eliminate(place, sum)) return false;
    return true;
  }

  // For every node the sum over the trees from that node; no edge comes from outside.
  bool from_each(std::vector<Number>& sums) {
    const std::size_t last = plan_->nodes() - 1;
    Number sum = field_->one();
    for (std::size_t place = 0; place < last; ++place)
      if (!eliminate(place, sum)) return false;
    std::vector<Number> at_place(last + 1, field_->zero());
    at_place[last] = sum;
    for (std::size_t place = last; place-- > 0;) {
      std::size_t slot = plan_->begin(place);
      for (std::uint32_t later : plan_->later(place))
        at_place[place] =
            field_->add(at_place[place], field_->multiply(at_place[later], down_[slot++]));
      at_place[place] = field_->multiply(at_place[place], inverse_[place]);
    }
    sums.resize(last + 1, field_->zero());
    for (std::size_t node = 0; node <= last; ++node)
      sums[node] = at_place[plan_->place(static_cast<std::int32_t>(node))];
    return true;
  }

 private:
  Number& weight_of(const EliminationPlan::Arc& arc) {
    const std::size_t to = plan_->place(arc.target);
    if (arc.source == EliminationPlan::kOutside) return outside_[to];
    const std::size_t from = plan_->place(arc.source);
    return from < to ? down_[plan_->slot(from, to)] : up_[plan_->slot(to, from)];
  }

  bool eliminate(std::size_t place, Number& product) {
    const std::span<const std::uint32_t> later = plan_->later(place);
    const std::size_t begin = plan_->begin(place);
    Number entering = outside_[place];
    for (std::size_t i = 0; i < later.size(); ++i) entering = field_->add(entering, up_[begin + i]);
    if (entering == field_->zero()) return false;
    product = field_->multiply(product, entering);
    inverse_[place] = field_->inverse(entering);
    const Number outside = field_->multiply(outside_[place], inverse_[place]);
    for (std::size_t i = 0; i < later.size(); ++i) {
      poll();
      const Number up = field_->multiply(up_[begin + i], inverse_[place]);
      const Number down = field_->multiply(down_[begin + i], inverse_[place]);
      Number& from_outside = outside_[later[i]];
      from_outside = field_->add(from_outside, field_->multiply(outside, down_[begin + i]));
      std::size_t slot = plan_->begin(later[i]);
      for (std::size_t j = i + 1; j < later.size(); ++j, ++slot) {
        while (plan_->later(later[i])[slot - plan_->begin(later[i])] != later[j]) ++slot;
        down_[slot] = field_->add(down_[slot], field_->multiply(up, down_[begin + j]));
        up_[slot] = field_->add(up_[slot], field_->multiply(up_[begin + j], down));
      }
    }
    return true;
  }

  const EliminationPlan* plan_;
  const Field* field_;
  std::vector<Number> outside_;    // root edges into the node of a place
  std::vector<Number> inverse_;    // of what entered a node when it was eliminated
  std::vector<Number> up_, down_;  // arcs of a slot: into the lower place, out of it
};

}  // namespace coppice::engine
