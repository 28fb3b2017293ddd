#include <cmath>
#include <coppice/tree.hpp>

namespace coppice {

Tree TreeRef::copy() const {
  return {{heads.begin(), heads.end()}, {edges.begin(), edges.end()}, score, integer_score};
}

TreeRef TreeList::operator[](std::size_t rank) const {
  return {heads(rank), edges(rank), scores_[rank],
          with_integer_scores_ ? integer_scores_[rank] : 0};
}

std::span<const Node> TreeList::heads(std::size_t rank) const {
  auto row = static_cast<std::size_t>(nodes_);
  return std::span(heads_).subspan(rank * row, row);
}

std::span<const EdgeId> TreeList::edges(std::size_t rank) const {
  if (!with_edges_) return {};
  auto row = static_cast<std::size_t>(nodes_);
  return std::span(edges_).subspan(rank * row, row);
}

double TreeList::gap(std::size_t rank) const {
  if (with_integer_scores_)
    return std::abs(static_cast<double>(integer_scores_[0] - integer_scores_[rank]));
  return std::abs(scores_[0] - scores_[rank]);
}

void TreeList::reset(Node nodes, bool with_edges, bool with_integer_scores) {
  nodes_ = nodes;
  with_edges_ = with_edges;
  with_integer_scores_ = with_integer_scores;
  resize(0);
}

TreeList::Row TreeList::fill(std::size_t rank, double score, std::int64_t integer_score) {
  auto row = static_cast<std::size_t>(nodes_);
  scores_[rank] = score;
  if (with_integer_scores_) integer_scores_[rank] = integer_score;
  return {std::span(heads_).subspan(rank * row, row),
          with_edges_ ? std::span(edges_).subspan(rank * row, row) : std::span<EdgeId>()};
}

TreeList::Row TreeList::append(double score, std::int64_t integer_score) {
  resize(size() + 1);
  return fill(size() - 1, score, integer_score);
}

void TreeList::resize(std::size_t size) {
  auto row = static_cast<std::size_t>(nodes_);
  scores_.resize(size);
  integer_scores_.resize(with_integer_scores_ ? size : 0);
  heads_.resize(size * row);
  edges_.resize(with_edges_ ? size * row : 0);
}

}  // namespace coppice
