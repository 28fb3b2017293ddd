// Trees found, each as the candidates that make it out of the best tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/indices.hpp"

namespace coppice::engine {

class FoundTrees {
 public:
  std::size_t size() const { return end_.size(); }
  bool empty() const { return end_.empty(); }
  // At most one candidate into each node.
  std::span<const CandidateId> operator[](std::size_t tree) const {
    const std::size_t begin = tree == 0 ? 0 : end_[tree - 1];
    return std::span(replacements_).subspan(begin, end_[tree] - begin);
  }

  void clear() {
    replacements_.clear();
    end_.clear();
  }
  // A tree is added by all its replacements, then finish().
  void replace(CandidateId candidate) { replacements_.push_back(candidate); }
  void finish() { end_.push_back(replacements_.size()); }
  std::span<const CandidateId> unfinished() const {
    return std::span(replacements_).subspan(end_.empty() ? 0 : end_.back());
  }
  // Forgets what is not finished.
  void undo() { replacements_.resize(end_.empty() ? 0 : end_.back()); }

 private:
  std::vector<CandidateId> replacements_;
  std::vector<std::size_t> end_;  // of the replacements of a tree
};

}  // namespace coppice::engine
