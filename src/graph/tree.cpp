#include <algorithm>
#include <cmath>
#include <coppice/tree.hpp>
#include <mutex>

namespace coppice {

Tree TreeRef::copy() const {
  return {{heads.begin(), heads.end()}, {edges.begin(), edges.end()}, score, integer_score};
}

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
      Row to = row(rows, rank);
      std::copy(base_.heads.begin(), base_.heads.end(), to.heads.begin());
      std::copy(base_.edges.begin(), base_.edges.end(), to.edges.begin());
      write(to, compact_->of(rank));
    }
  });
  return compact_->rows;
}

void TreeList::write(Row row, std::span<const Change> changes) const {
  for (const Change& change : changes) {
    auto node = static_cast<std::size_t>(change.node);
    row.heads[node] = change.head;
    if (with_edges_) row.edges[node] = change.edge;
  }
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

void TreeList::reset(Node nodes, bool with_edges, bool with_integer_scores) {
  complete_ = true;
  nodes_ = nodes;
  with_edges_ = with_edges;
  with_integer_scores_ = with_integer_scores;
  compact_.reset();
  scores_.clear();
  integer_scores_.clear();
}

TreeList::Row TreeList::append(double score, std::int64_t integer_score) {
  scores_.push_back(score);
  if (with_integer_scores_) integer_scores_.push_back(integer_score);
  make_room(size());
  return row(rows_, size() - 1);
}

void TreeList::start(std::size_t size, std::span<const Node> heads, std::span<const EdgeId> edges,
                     std::size_t long_list) {
  auto nodes = static_cast<std::size_t>(nodes_);
  base_.heads.assign(heads.begin(), heads.end());
  base_.edges.assign(edges.begin(), edges.end());
  scores_.resize(size);
  if (with_integer_scores_) integer_scores_.resize(size);
  if (size * nodes > long_list) {
    compact_ = std::make_shared<Compact>();
    return;
  }
  make_room(size);
}

// Never less than before: what was written once need not be cleared again.
void TreeList::make_room(std::size_t size) {
  const std::size_t entries = size * static_cast<std::size_t>(nodes_);
  if (rows_.heads.size() < entries) rows_.heads.resize(entries);
  if (with_edges_ && rows_.edges.size() < entries) rows_.edges.resize(entries);
}

// In the order of ranks.
void TreeList::fill(std::size_t rank, double score, std::int64_t integer_score,
                    std::span<const Change> changes) {
  if (!keeps_changes()) return write(fill(rank, score, integer_score), changes);
  scores_[rank] = score;
  if (with_integer_scores_) integer_scores_[rank] = integer_score;
  compact_->changes.insert(compact_->changes.end(), changes.begin(), changes.end());
  compact_->end.push_back(compact_->changes.size());
}

void TreeList::stop_at(double bound) {
  complete_ = false;
  bound_ = bound;
}

}  // namespace coppice
