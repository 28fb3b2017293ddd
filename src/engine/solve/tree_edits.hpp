// A list of trees, each as what it changes in the best tree.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graph/poll.hpp"
#include "graph/tree_builder.hpp"

namespace coppice::engine {

using Edit = TreeBuilder::Change;  // this node has another edge

class TreeEdits {
 public:
  std::size_t size() const { return end_.size(); }
  bool empty() const { return end_.empty(); }
  // At most one edit of each node.
  std::span<const Edit> operator[](std::size_t tree) const {
    return std::span(edits_).subspan(begin(tree), end_[tree] - begin(tree));
  }
  // How much more the tree loses than the best one, in units (numbers/scale.hpp). Of trees that
  // were found in wider numbers it is not known; those are in order.
  double gap(std::size_t tree) const { return gaps_[tree]; }

  void clear() {
    edits_.clear();
    end_.clear();
    gaps_.clear();
  }
  // A tree is added by all its edits, then finish().
  void add(const Edit& edit) { push_polling(edits_, edit); }
  void finish(double gap) {
    end_.push_back(edits_.size());
    gaps_.push_back(gap);
  }
  // Forgets all trees from this one on.
  void shorten(std::size_t size) {
    if (size >= end_.size()) return;
    edits_.resize(begin(size));
    end_.resize(size);
    gaps_.resize(size);
  }
  // Forgets the trees that keep(edits, gap) does not hold of.
  template <class Keep>
  void keep_if(Keep keep) {
    std::size_t kept = 0, first = 0, to = 0;
    for (std::size_t tree = 0; tree < end_.size(); ++tree) {
      const std::size_t last = end_[tree];
      if (keep(std::span<const Edit>(edits_).subspan(first, last - first), gaps_[tree])) {
        for (; first < last; ++first) edits_[to++] = edits_[first];
        end_[kept] = to;
        gaps_[kept++] = gaps_[tree];
      }
      first = last;
    }
    edits_.resize(to);
    end_.resize(kept);
    gaps_.resize(kept);
  }

 private:
  std::size_t begin(std::size_t tree) const { return tree == 0 ? 0 : end_[tree - 1]; }

  std::vector<Edit> edits_;
  std::vector<std::size_t> end_;  // of the edits of a tree
  std::vector<double> gaps_;
};

}  // namespace coppice::engine
