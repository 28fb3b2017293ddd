// The scores of many sentences in as few bytes as can be: float32 where that is exact, compressed.
#pragma once

#include <zlib.h>

#include <coppice/graph.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::view {

// What can be packed: nodes and labels fit into 16 bits.
inline constexpr std::size_t kMostPackedIds = 32'767;

// Where the scores of a sentence lie, in bytes of what is unpacked: a matrix [head][dependent], or
// for `edges` of a multigraph sources, targets and labels (int16; no labels: -1), then weights.
struct PackedPlace {
  std::int64_t at = 0;
  std::int64_t edges = -1;  // negative: a matrix
  bool wide = false;        // float64
};

class PackedScores {
 public:
  PackedScores();
  PackedScores(const PackedScores&) = delete;
  PackedScores& operator=(const PackedScores&) = delete;
  ~PackedScores();

  PackedPlace add(Graph graph, std::span<const std::int32_t> edge_labels);
  // All of it: gzip in base64. Nothing can be added afterwards.
  std::string finish();

 private:
  PackedPlace add_matrix(const DenseView& matrix);
  PackedPlace add_edges(const Multigraph& graph, std::span<const std::int32_t> edge_labels);
  template <class T>
  void append(const std::vector<T>& numbers);
  void compress(std::string_view bytes, int flush);

  z_stream stream_ = {};
  std::string packed_;
  std::int64_t size_ = 0;
};

}  // namespace coppice::view
