// Trees found, each as the candidates that make it out of the best tree.
#pragma once

#include <algorithm>
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

  // Of several trees, one behind the other.
  std::span<const CandidateId> of(std::size_t first, std::size_t last) const {
    const std::size_t begin = first == 0 ? 0 : end_[first - 1];
    return std::span(replacements_).subspan(begin, (last == 0 ? 0 : end_[last - 1]) - begin);
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
  // Keeps the trees for which keep(replacements) holds.
  template <class Keep>
  void keep_if(Keep keep) {
    std::size_t kept = 0, last = 0;
    auto to = replacements_.begin();
    for (std::size_t tree = 0, begin = 0; tree < end_.size(); begin = last, ++tree) {
      last = end_[tree];
      const auto own = std::span(replacements_).subspan(begin, last - begin);
      if (!keep(std::span<const CandidateId>(own))) continue;
      to = std::copy(own.begin(), own.end(), to);
      end_[kept++] = static_cast<std::size_t>(to - replacements_.begin());
    }
    replacements_.erase(to, replacements_.end());
    end_.resize(kept);
  }
  // Forgets what is not finished.
  void undo() { replacements_.resize(end_.empty() ? 0 : end_.back()); }

 private:
  std::vector<CandidateId> replacements_;
  std::vector<std::size_t> end_;  // of the replacements of a tree
};

}  // namespace coppice::engine
