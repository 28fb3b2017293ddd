#include "view/packed_scores.hpp"

#include <algorithm>
#include <new>
#include <vector>

namespace coppice::view {
namespace {

constexpr int kGzip = 15 + 16;  // zlib's largest window, in gzip's format

bool fits_float(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (j < left ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j)
      out += j <= left ? kDigits[group >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

}  // namespace

PackedScores::PackedScores() {
  if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
}

PackedScores::~PackedScores() { deflateEnd(&stream_); }

PackedPlace PackedScores::add(Graph graph, std::span<const std::int32_t> edge_labels) {
  return graph.dense() ? add_matrix(*graph.dense()) : add_edges(*graph.multigraph(), edge_labels);
}

PackedPlace PackedScores::add_matrix(const DenseView& matrix) {
  PackedPlace place{.at = size_};
  std::vector<double> values;
  for (Node head = 0; head < matrix.nodes(); ++head)
    for (Node v = 0; v < matrix.nodes(); ++v)
      // What is never read may be anything, NaN too.
      values.push_back(v == 0 || v == head ? kNoWeight : matrix.weight(head, v));
  place.wide = !std::all_of(values.begin(), values.end(), fits_float);
  if (place.wide) {
    append(values);
  } else {
    append(std::vector<float>(values.begin(), values.end()));
  }
  return place;
}

// A parser's labels are scores in float32 and less: their sums are kept in float32, too.
PackedPlace PackedScores::add_edges(const Multigraph& graph,
                                    std::span<const std::int32_t> edge_labels) {
  PackedPlace place{.at = size_};
  std::vector<std::int16_t> sources, targets, labels;
  std::vector<double> weights;
  for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
    const Node source = graph.source(edge), target = graph.target(edge);
    if (target == 0 || source == target || graph.weight(edge) == kNoWeight) continue;
    const std::int32_t label =
        edge_labels.empty() ? -1 : edge_labels[static_cast<std::size_t>(edge)];
    sources.push_back(static_cast<std::int16_t>(source));
    targets.push_back(static_cast<std::int16_t>(target));
    labels.push_back(static_cast<std::int16_t>(label));
    weights.push_back(graph.weight(edge));
  }
  place.edges = static_cast<std::int64_t>(weights.size());
  place.wide = edge_labels.empty() && !std::all_of(weights.begin(), weights.end(), fits_float);
  append(sources);
  append(targets);
  append(labels);
  if (place.wide) {
    append(weights);
  } else {
    append(std::vector<float>(weights.begin(), weights.end()));
  }
  return place;
}

template <class T>
void PackedScores::append(const std::vector<T>& numbers) {
  const std::size_t bytes = numbers.size() * sizeof(T);
  compress({reinterpret_cast<const char*>(numbers.data()), bytes}, Z_NO_FLUSH);
  size_ += static_cast<std::int64_t>(bytes);
}

void PackedScores::compress(std::string_view bytes, int flush) {
  char buffer[1 << 15];
  do {  // zlib counts in 32 bits
    const std::size_t now = std::min<std::size_t>(bytes.size(), 1 << 30);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(now);
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer);
      stream_.avail_out = sizeof buffer;
      deflate(&stream_, flush);
      packed_.append(buffer, sizeof buffer - stream_.avail_out);
    } while (stream_.avail_out == 0);
    bytes.remove_prefix(now);
  } while (!bytes.empty());
}

std::string PackedScores::finish() {
  compress({}, Z_FINISH);
  return base64(packed_);
}

}  // namespace coppice::view
