// Files of edges that every tree must have, or must not: those of all sentences, which readers
// know, and those of single sentences, which are read in step with them.
#pragma once

#include <coppice/io.hpp>
#include <optional>
#include <string>
#include <vector>

namespace coppice::cli {

// The edges of the file, where they are of all sentences. path may be empty: there is no file.
void add_edges_of_all(const std::string& path, const io::Limits& limits,
                      std::vector<io::GraphOptions::EdgeName>& edges);

// The edges of a file that names sentences, one after the other, in the order of the scores.
class EdgesById {
 public:
  // Nothing where there is no such file.
  static std::optional<EdgesById> open(const std::string& path, const io::Limits& limits);

  // Adds those of this sentence, which must have its id. What is no arc of it makes it a broken
  // one.
  void add_to(io::Sentence& sentence, std::vector<Arc>& arcs);
  // Behind the last sentence: throws FormatError where edges of another one are left.
  void finish() const;

 private:
  EdgesById(std::string path, io::EdgeNameReader reader);
  void advance();

  std::string path_;
  io::EdgeNameReader reader_;
  io::GraphOptions::EdgeName next_;
  bool at_end_ = false;
};

}  // namespace coppice::cli
