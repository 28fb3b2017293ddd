// Contracted graphs: what opt, constrain and next share.
//
// A component is a node or a contracted critical cycle. Its column holds, for every node s outside
// it, the best edge from s into it, weighted as the paper weighs edges of a contracted graph but
// for a constant per component: w(e) minus the weights that were picked below. So
//
//   pick(c)      the greedy edge of component c, O(N);
//   merge(cycle) the columns of a critical cycle become one, O(N) per member, hence O(N^2) in all;
//   expand()     stitches all cycles back: the tree of the whole graph.
//
// Sources stay nodes of the ground graph, so a column never has to be rewritten when other
// components merge. Nothing here recurses.
#pragma once

#include <algorithm>
#include <coppice/paper.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/forest.hpp"
#include "graph/poll.hpp"
#include "paper/edge_table.hpp"
#include "paper/subgraph.hpp"

namespace coppice::paper {

using Component = std::int32_t;
inline constexpr Component kNoComponent = -1;

template <class W>
class Contraction {
 public:
  explicit Contraction(const EdgeTable<W>& table);

  // Start anew with the greedy columns of a subgraph.
  void load(const Subgraphs& subgraphs, SubgraphId subgraph);

  // Contract critical cycles until the greedy graph is a tree. False: there is no tree.
  bool contract();

  // The edge into every node (kNone for the root), and for every node the component at whose level
  // that edge was picked: the largest one that it enters.
  void expand(std::vector<EdgeIndex>& edge_into, std::vector<Component>& level);

  // --- for constrain and next ---
  bool pick(Component c);
  Component merge(std::span<const Component> cycle);
  Component top(Component c) { return forest_.top(c); }  // the contracted component that c is in
  void pick_from(Component c, Node s) {
    picked_[index(c)] = edge(c, s);
    y_[index(c)] = value(c, s);
  }
  bool allowed(EdgeIndex e, Node target) const;

  Component components() const { return forest_.end(); }
  Component parent(Component c) const { return forest_.parent(c); }
  EdgeIndex picked(Component c) const { return picked_[index(c)]; }
  W picked_weight(Component c) const { return y_[index(c)]; }
  Node picked_source(Component c) const { return table_->source(picked(c)); }
  Component first_member(Component c) const { return forest_.first_member(c); }
  Component next_member(Component c) const { return forest_.next_member(c); }
  EdgeIndex edge(Component c, Node s) const { return edge_[cell(c, s)]; }
  W value(Component c, Node s) const { return value_[cell(c, s)]; }
  const EdgeTable<W>& table() const { return *table_; }
  Node target(EdgeIndex e) const { return target_[index(e)]; }
  std::int64_t contractions() const { return contractions_; }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::size_t cell(Component c, Node s) const { return index(c) * index(nodes_) + index(s); }
  void add_column();
  void load_column(Node target);

  const EdgeTable<W>* table_;
  Node nodes_;
  std::vector<Node> target_;  // of every edge

  // Per component: its column and its pick.
  Forest<Component> forest_;
  std::vector<W> value_;
  std::vector<EdgeIndex> edge_;
  std::vector<EdgeIndex> picked_;
  std::vector<W> y_;

  // The subgraph.
  std::vector<EdgeIndex> required_;  // per target
  std::vector<EdgeIndex> excluded_;  // listed, so that they can be taken back
  std::vector<bool> is_excluded_;    // per edge
  EdgeIndex only_root_edge_ = kNone;

  std::int64_t contractions_ = 0;
};

template <class W>
Contraction<W>::Contraction(const EdgeTable<W>& table)
    : table_(&table),
      nodes_(table.nodes()),
      required_(index(nodes_), kNone),
      is_excluded_(index(table.edges()), false) {
  target_.reserve(index(table.edges()));
  for (Node t = 0; t < nodes_; ++t) target_.resize(index(table.end(t)), t);
}

template <class W>
void Contraction<W>::load(const Subgraphs& subgraphs, SubgraphId subgraph) {
  for (EdgeIndex e : excluded_) is_excluded_[index(e)] = false;
  excluded_.clear();
  std::fill(required_.begin(), required_.end(), kNone);
  only_root_edge_ = kNone;
  for (; subgraph != kWholeGraph; subgraph = subgraphs[subgraph].parent) {
    const Step& step = subgraphs[subgraph];
    if (step.kind == StepKind::exclude) {
      is_excluded_[index(step.edge)] = true;
      excluded_.push_back(step.edge);
    } else {
      required_[index(target(step.edge))] = step.edge;
      if (step.kind == StepKind::include_root_edge) only_root_edge_ = step.edge;
    }
  }

  forest_.reset(nodes_);
  picked_.clear(), y_.clear(), value_.clear(), edge_.clear();
  for (Node t = 0; t < nodes_; ++t) load_column(t);
}

template <class W>
bool Contraction<W>::allowed(EdgeIndex e, Node t) const {
  if (is_excluded_[index(e)]) return false;
  if (required_[index(t)] != kNone && required_[index(t)] != e) return false;
  return only_root_edge_ == kNone || table_->source(e) != 0 || e == only_root_edge_;
}

template <class W>
void Contraction<W>::add_column() {
  picked_.push_back(kNone);
  y_.push_back(W{});
  value_.resize(value_.size() + index(nodes_));
  edge_.resize(edge_.size() + index(nodes_), kNone);
}

template <class W>
void Contraction<W>::load_column(Node t) {
  poll();
  add_column();
  for (EdgeIndex e = table_->begin(t); e < table_->end(t); ++e) {
    if (!allowed(e, t)) continue;
    std::size_t at = cell(t, table_->source(e));
    if (edge_[at] != kNone && value_[at] >= table_->weight(e)) continue;
    edge_[at] = e;
    value_[at] = table_->weight(e);
  }
}

template <class W>
bool Contraction<W>::pick(Component c) {
  Node best = kNoNode;
  for (Node s = 0; s < nodes_; ++s)
    if (edge(c, s) != kNone && (best == kNoNode || value(c, s) > value(c, best))) best = s;
  if (best == kNoNode) return false;
  pick_from(c, best);
  return true;
}

template <class W>
Component Contraction<W>::merge(std::span<const Component> cycle) {
  ++contractions_;
  const Component merged = forest_.merge(cycle);
  add_column();
  for (Component member : cycle) {
    poll();
    for (Node s = 0; s < nodes_; ++s) {
      if (edge(member, s) == kNone) continue;
      W weight = value(member, s) - y_[index(member)];
      std::size_t at = cell(merged, s);
      // Of equals the lower index, whatever the order of the cycle: the outcome must depend on
      // nothing but the columns, so that G and G + e have the same best tree also under ties.
      if (edge_[at] != kNone &&
          (value_[at] > weight || (value_[at] == weight && edge_[at] < edge(member, s))))
        continue;
      edge_[at] = edge(member, s);
      value_[at] = weight;
    }
  }
  for (Node s = 0; s < nodes_; ++s)
    if (top(s) == merged) edge_[cell(merged, s)] = kNone;
  return merged;
}

template <class W>
bool Contraction<W>::contract() {
  return forest_.contract([&](Component c) { return pick(c); },
                          [&](Component c) { return picked_source(c); },
                          [&](std::span<const Component> cycle) { return merge(cycle); });
}

template <class W>
void Contraction<W>::expand(std::vector<EdgeIndex>& edge_into, std::vector<Component>& level) {
  // Components were made after their members: going down, the edge that enters a component is
  // final when its turn comes, and enters one member chain down to its target.
  std::vector<EdgeIndex> entering(picked_);
  level.assign(index(components()), kNoComponent);
  for (Component c = components() - 1; c >= 1; --c) {
    if (level[index(c)] == kNoComponent) level[index(c)] = c;
    if (c < nodes_ || level[index(c)] != c) continue;
    EdgeIndex e = entering[index(c)];
    for (Component inner = target(e); inner != c; inner = parent(inner)) {
      entering[index(inner)] = e;
      level[index(inner)] = c;
    }
  }
  edge_into.assign(entering.begin(), entering.begin() + nodes_);
  edge_into[0] = kNone;
  level.resize(index(nodes_));
}

}  // namespace coppice::paper
