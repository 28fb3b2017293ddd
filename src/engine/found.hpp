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
    return std::span(replacements_).subspan(begin(tree), end_[tree] - begin(tree));
  }
  // Calls visit(tree, candidate) for all replacements of the trees [first, last): a loop without
  // another one in it, whose end nobody could predict.
  template <class Visit>
  void for_each(std::size_t first, std::size_t last, Visit visit) const {
    for (std::size_t i = begin(first); i < begin(last); ++i) visit(tree_[i], replacements_[i]);
  }
  // How many that are.
  std::size_t replacements(std::size_t first, std::size_t last) const {
    return begin(last) - begin(first);
  }

  void clear() {
    replacements_.clear();
    tree_.clear();
    end_.clear();
  }
  // A tree is added by all its replacements, then finish().
  void replace(CandidateId candidate) {
    replacements_.push_back(candidate);
    tree_.push_back(static_cast<std::uint32_t>(end_.size()));
  }
  void finish() { end_.push_back(replacements_.size()); }
  std::span<const CandidateId> unfinished() const {
    return std::span(replacements_).subspan(begin(size()));
  }
  // Forgets what is not finished.
  void undo() {
    replacements_.resize(begin(size()));
    tree_.resize(replacements_.size());
  }
  // Forgets the trees of whose replacements keep() does not hold.
  template <class Keep>
  void keep_if(Keep keep) {
    std::size_t kept = 0, last = 0, to = 0;
    for (std::size_t tree = 0, first = 0; tree < end_.size(); first = last, ++tree) {
      last = end_[tree];
      if (!keep(std::span<const CandidateId>(replacements_).subspan(first, last - first))) continue;
      for (std::size_t i = first; i < last; ++i, ++to) {
        replacements_[to] = replacements_[i];
        tree_[to] = static_cast<std::uint32_t>(kept);
      }
      end_[kept++] = to;
    }
    replacements_.resize(to);
    tree_.resize(to);
    end_.resize(kept);
  }

 private:
  std::size_t begin(std::size_t tree) const { return tree == 0 ? 0 : end_[tree - 1]; }

  std::vector<CandidateId> replacements_;
  std::vector<std::uint32_t> tree_;  // that a replacement belongs to
  std::vector<std::size_t> end_;     // of the replacements of a tree
};

}  // namespace coppice::engine
