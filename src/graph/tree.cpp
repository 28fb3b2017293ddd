#include <algorithm>
#include <cmath>
#include <coppice/tree.hpp>
#include <mutex>

#include "graph/tree_builder.hpp"

namespace coppice {

Tree TreeRef::copy() const {
  return {{heads.begin(), heads.end()}, {edges.begin(), edges.end()}, score, integer_score};
}

namespace {

using Change = TreeBuilder::Change;

void write(TreeBuilder::Row row, std::span<const Change> changes) {
  for (const Change& change : changes) {
    auto node = static_cast<std::size_t>(change.node);
    row.heads[node] = change.head;
    if (!row.edges.empty()) row.edges[node] = change.edge;
  }
}

}  // namespace

struct TreeList::Compact {
  std::vector<Change> changes;
  std::vector<std::size_t> end;  // of the changes of a rank
  std::once_flag laid_out;
  Rows rows;

  std::span<const Change> of(std::size_t rank) const {
    std::size_t begin = rank == 0 ? 0 : end[rank - 1];
    return std::span(changes).subspan(begin, end[rank] - begin);
  }
};

TreeRef TreeList::operator[](std::size_t rank) const {
  return {heads(rank), edges(rank), scores_[rank],
          with_integer_scores_ ? integer_scores_[rank] : 0};
}

Tree TreeList::copy(std::size_t rank) const {
  if (!compact_) return (*this)[rank].copy();
  Tree tree{base_.heads, base_.edges, scores_[rank],
            with_integer_scores_ ? integer_scores_[rank] : 0};
  write({tree.heads, tree.edges}, compact_->of(rank));
  return tree;
}

const TreeList::Rows& TreeList::rows() const {
  if (!compact_) return rows_;
  std::call_once(compact_->laid_out, [this] {
    Rows& rows = compact_->rows;
    rows.heads.resize(size() * base_.heads.size());
    rows.edges.resize(size() * base_.edges.size());
    for (std::size_t rank = 0; rank < size(); ++rank) {
      const std::size_t nodes = base_.heads.size();
      TreeBuilder::Row to{
          std::span(rows.heads).subspan(rank * nodes, nodes),
          std::span(rows.edges).subspan(with_edges_ ? rank * nodes : 0, with_edges_ ? nodes : 0)};
      std::copy(base_.heads.begin(), base_.heads.end(), to.heads.begin());
      std::copy(base_.edges.begin(), base_.edges.end(), to.edges.begin());
      write(to, compact_->of(rank));
    }
  });
  return compact_->rows;
}

std::span<const Node> TreeList::heads(std::size_t rank) const {
  auto nodes = static_cast<std::size_t>(nodes_);
  return std::span(rows().heads).subspan(rank * nodes, nodes);
}

std::span<const EdgeId> TreeList::edges(std::size_t rank) const {
  if (!with_edges_) return {};
  auto nodes = static_cast<std::size_t>(nodes_);
  return std::span(rows().edges).subspan(rank * nodes, nodes);
}

std::span<const Node> TreeList::all_heads() const {
  return std::span(rows().heads).first(size() * static_cast<std::size_t>(nodes_));
}

std::span<const EdgeId> TreeList::all_edges() const {
  if (!with_edges_) return {};
  return std::span(rows().edges).first(size() * static_cast<std::size_t>(nodes_));
}

double TreeList::gap(std::size_t rank) const {
  if (with_integer_scores_)
    return std::abs(static_cast<double>(integer_scores_[0] - integer_scores_[rank]));
  return std::abs(scores_[0] - scores_[rank]);
}

void TreeBuilder::reset(Node nodes, bool with_edges, bool with_integer_scores) {
  trees_.complete_ = trees_.proved_ = true;
  trees_.nodes_ = nodes;
  trees_.with_edges_ = with_edges;
  trees_.with_integer_scores_ = with_integer_scores;
  trees_.compact_.reset();
  trees_.scores_.clear();
  trees_.integer_scores_.clear();
}

void TreeBuilder::reset(Graph graph) {
  reset(graph.nodes(), graph.multigraph() != nullptr, graph.scalar() == Scalar::int64);
}

TreeBuilder::Row TreeBuilder::append(double score, std::int64_t integer_score) {
  trees_.scores_.push_back(score);
  if (trees_.with_integer_scores_) trees_.integer_scores_.push_back(integer_score);
  make_room(trees_.size());
  return row(trees_.size() - 1);
}

void TreeBuilder::append(const Tree& tree) {
  const Row row = append(tree.score, tree.integer_score);
  std::ranges::copy(tree.heads, row.heads.begin());
  std::ranges::copy(tree.edges, row.edges.begin());
}

void TreeBuilder::start(std::size_t size, std::span<const Node> heads,
                        std::span<const EdgeId> edges, std::size_t long_list) {
  trees_.base_.heads.assign(heads.begin(), heads.end());
  trees_.base_.edges.assign(edges.begin(), edges.end());
  trees_.scores_.resize(size);
  if (trees_.with_integer_scores_) trees_.integer_scores_.resize(size);
  if (size * static_cast<std::size_t>(trees_.nodes_) > long_list)
    trees_.compact_ = std::make_shared<TreeList::Compact>();
  else
    make_room(size);
}

// Never less than before: what was written once need not be cleared again.
void TreeBuilder::make_room(std::size_t size) {
  auto& [heads, edges] = trees_.rows_;
  const std::size_t entries = size * static_cast<std::size_t>(trees_.nodes_);
  if (heads.size() < entries) heads.resize(entries);
  if (trees_.with_edges_ && edges.size() < entries) edges.resize(entries);
}

void TreeBuilder::fill(std::size_t rank, double score, std::int64_t integer_score,
                       std::span<const Change> changes) {
  if (!keeps_changes()) return write(fill(rank, score, integer_score), changes);
  trees_.scores_[rank] = score;
  if (trees_.with_integer_scores_) trees_.integer_scores_[rank] = integer_score;
  auto& compact = *trees_.compact_;
  compact.changes.insert(compact.changes.end(), changes.begin(), changes.end());
  compact.end.push_back(compact.changes.size());
}

void TreeBuilder::rewrite(const std::function<void(Row)>& change) {
  if (!keeps_changes()) {
    for (std::size_t rank = 0; rank < trees_.size(); ++rank) change(row(rank));
    return;
  }
  const TreeList::Rows before = trees_.base_;
  change({trees_.base_.heads, trees_.base_.edges});
  auto rewritten = std::make_shared<TreeList::Compact>();
  TreeList::Rows tree;
  for (std::size_t rank = 0; rank < trees_.size(); ++rank) {
    tree = before;
    write({tree.heads, tree.edges}, trees_.compact_->of(rank));
    change({tree.heads, tree.edges});
    for (std::size_t v = 0; v < tree.heads.size(); ++v) {
      const EdgeId edge = tree.edges.empty() ? kNoEdge : tree.edges[v];
      if (tree.heads[v] != trees_.base_.heads[v] ||
          (!tree.edges.empty() && edge != trees_.base_.edges[v]))
        rewritten->changes.push_back({static_cast<Node>(v), tree.heads[v], edge});
    }
    rewritten->end.push_back(rewritten->changes.size());
  }
  trees_.compact_ = std::move(rewritten);
}

void TreeBuilder::stop_at(double bound) {
  trees_.complete_ = false;
  trees_.bound_ = bound;
}

void TreeBuilder::add_unproved(const Tree& tree) {
  append(tree);
  trees_.proved_ = false;
}

}  // namespace coppice
