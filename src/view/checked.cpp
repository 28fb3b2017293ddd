#include "view/checked.hpp"

#include <fmt/format.h>

#include <coppice/error.hpp>
#include <coppice/verify.hpp>
#include <utility>

namespace coppice::view {
namespace {

[[noreturn]] void refuse(std::size_t rank, const std::string& what) {
  throw Error(ErrorCode::bad_tree, fmt::format("tree {}: {}", rank, what));
}

void check_heads(std::span<const Node> heads, std::size_t rank) {
  if (is_tree(heads)) return;
  for (std::size_t v = 1; v < heads.size(); ++v)
    if (heads[v] < 0 || std::cmp_greater_equal(heads[v], heads.size()))
      refuse(rank,
             fmt::format("head of {} is {}, not a node 0..{}", v, heads[v], heads.size() - 1));
  refuse(rank, "the heads are not a tree");
}

// Labels and weights are looked up by edge.
void check_edges(const Picture& picture, std::span<const EdgeId> edges, std::size_t rank) {
  for (const auto given : {picture.edge_labels.size(), picture.edge_weights.size()})
    for (std::size_t v = 1; given > 0 && v < edges.size(); ++v)
      if (edges[v] < 0 || std::cmp_greater_equal(edges[v], given))
        refuse(rank, fmt::format("edge of {} is {}, not an edge 0..{}", v, edges[v], given - 1));
}

}  // namespace

void check(const Picture& picture) {
  for (std::size_t edge = 0; edge < picture.edge_labels.size(); ++edge)
    if (const auto label = picture.edge_labels[edge];
        label < 0 || std::cmp_greater_equal(label, picture.label_names.size()))
      throw Error(ErrorCode::bad_argument, fmt::format("label of edge {} is {}, of {} labels", edge,
                                                       label, picture.label_names.size()));
  if (picture.trees == nullptr) return;
  for (std::size_t rank = 0; rank < picture.trees->size(); ++rank) {
    check_heads(picture.trees->heads(rank), rank);
    const auto edges = picture.trees->edges(rank);
    if (edges.empty() && !picture.edge_labels.empty())
      refuse(rank, "labels of trees without edges");
    check_edges(picture, edges, rank);
  }
}

void check(const Picture& picture, std::size_t rank) {
  const std::size_t trees = picture.trees == nullptr ? 0 : picture.trees->size();
  if (rank >= trees)
    throw Error(ErrorCode::bad_argument, fmt::format("tree {} of {}", rank, trees));
  check(picture);
}

}  // namespace coppice::view
