// What the K-best algorithms share: the graph, the queue, and handing out trees in order.
#pragma once

#include <coppice/paper.hpp>
#include <optional>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

#include "paper/constrain.hpp"
#include "paper/edge_table.hpp"
#include "paper/in_order.hpp"
#include "paper/next.hpp"

namespace coppice::paper {

class Enumeration::Impl {
 public:
  virtual ~Impl() = default;
  virtual std::optional<Tree> next() = 0;

  Counts counts;
  Arc deleted{kNoNode, kNoNode};
};

// A tree still to come: the best one of G' - e, known by its weight only.
template <class W>
struct Entry {
  W weight{};
  SubgraphId subgraph = kWholeGraph;  // G'
  EdgeIndex edge = kNone;             // e
  std::vector<EdgeIndex> tree = {};   // the tree itself, where it was solved for already
};

// Derived classes implement advance(): yield() the next tree and push() what may follow it.
template <class W>
class QueueEnumeration : public Enumeration::Impl {
 public:
  QueueEnumeration(Graph graph, Objective objective)
      : table_(graph, objective), contraction_(table_), in_order_(table_.exact(), objective) {}

  std::optional<Tree> next() final {
    while (!in_order_.ready(bound())) {
      if (started_ && queue_.empty()) return std::nullopt;
      advance();
      started_ = true;
      counts.contractions = contraction_.contractions();
    }
    Found found = in_order_.pop();
    deleted = found.deleted;
    return std::move(found.tree);
  }

 protected:
  virtual void advance() = 0;
  bool started() const { return started_; }

  Entry<W> pop() {
    Entry<W> entry = queue_.top().entry;
    queue_.pop();
    return entry;
  }
  void push(Entry<W> entry) { queue_.push({std::move(entry), sequence_++}); }

  void yield(const std::vector<EdgeIndex>& edge_into, EdgeIndex deleted_edge) {
    double absolute_sum = 0.0;
    for (std::size_t v = 1; v < edge_into.size(); ++v)
      absolute_sum += std::abs(static_cast<double>(table_.weight(edge_into[v])));
    in_order_.push({table_.tree(edge_into), arc(deleted_edge)}, absolute_sum);
  }

  SubgraphId without(SubgraphId subgraph, EdgeIndex e) {
    return subgraphs_.add(subgraph, e, StepKind::exclude);
  }
  SubgraphId with(SubgraphId subgraph, EdgeIndex e, StepKind kind = StepKind::include) {
    return subgraphs_.add(subgraph, e, kind);
  }

  bool call_opt(SubgraphId subgraph, Best<W>& best) {
    ++counts.opt;
    return opt(contraction_, subgraphs_, subgraph, best);
  }
  bool call_opt_dep(SubgraphId subgraph, Best<W>& best) {
    ++counts.opt;
    return opt_dep(contraction_, subgraphs_, subgraph, best);
  }
  // The best tree of the subgraph; its second best, if any, goes to the queue.
  bool call_next(SubgraphId subgraph, Best<W>& best) {
    ++counts.next;
    std::optional<Swap<W>> second;
    if (!paper::next(contraction_, subgraphs_, subgraph, best, second)) return false;
    if (second) push({best.weight - second->cost, subgraph, second->edge});
    return true;
  }

  EdgeIndex root_edge(const std::vector<EdgeIndex>& edge_into) const {
    for (std::size_t v = 1; v < edge_into.size(); ++v)
      if (table_.source(edge_into[v]) == 0) return edge_into[v];
    return kNone;
  }

  const EdgeTable<W>& table() const { return table_; }
  const Contraction<W>& contraction() const { return contraction_; }

 private:
  struct Found {
    Tree tree;
    Arc deleted;
  };
  struct Queued {
    Entry<W> entry;
    std::size_t sequence;
    bool operator<(const Queued& other) const {
      if (entry.weight != other.entry.weight) return entry.weight < other.entry.weight;
      return sequence > other.sequence;
    }
  };

  std::optional<double> bound() const {
    if (!started_) return std::numeric_limits<double>::infinity();
    if (queue_.empty()) return std::nullopt;
    return static_cast<double>(queue_.top().entry.weight);
  }
  Arc arc(EdgeIndex e) const {
    if (e == kNone) return {kNoNode, kNoNode};
    return {table_.source(e), contraction_.target(e)};
  }

  EdgeTable<W> table_;
  Contraction<W> contraction_;
  Subgraphs subgraphs_;
  std::priority_queue<Queued> queue_;
  std::size_t sequence_ = 0;
  InOrder<Found> in_order_;
  bool started_ = false;
};

// The weight type an algorithm runs with is that of the graph.
template <template <class> class Algorithm>
std::unique_ptr<Enumeration::Impl> enumerate(Graph graph, Objective objective) {
  if (graph.scalar() == Scalar::int64)
    return std::make_unique<Algorithm<std::int64_t>>(graph, objective);
  return std::make_unique<Algorithm<double>>(graph, objective);
}

}  // namespace coppice::paper
