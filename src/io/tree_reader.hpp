// What append_jsonl writes, read back.
#pragma once

#include <coppice/io.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::io {

// A line of jsonl output read back.
struct WrittenTree {
  std::string id;
  std::int64_t rank = 0;
  double score = 0.0;
  double gap = 0.0;
  std::optional<double> bound;  // of a tree that is not proved to be the best
  std::vector<Node> heads;      // of words 1..N
  std::vector<EdgeId> edges;
  std::vector<std::string> labels;
  std::string error;
  // Of a graph with names instead of heads; a root that the file did not have is "".
  std::vector<std::string> nodes, head_names;
};

class TreeReader {
 public:
  TreeReader(const std::string& path, const Limits& limits);
  static TreeReader from_bytes(std::string_view bytes, const std::string& name,
                               const Limits& limits);
  TreeReader(TreeReader&&) noexcept;
  ~TreeReader();

  // Throws FormatError for a line that is not as append_jsonl writes it.
  bool next(WrittenTree& tree);
  std::int64_t line() const;  // of the tree read last, counted from 1

 private:
  class Impl;
  explicit TreeReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice::io
