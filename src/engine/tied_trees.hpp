// Trees of the same weight as one that is known, without a solve for each (docs/engine.md, section
// 5): in a line in which every node stands behind its head, each may take any other head that
// stands before it, whatever the others do.
#pragma once

#include <coppice/graph.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/preorder.hpp"

namespace coppice::engine {

class TiedTrees {
 public:
  // Looks for `least` trees beside the one with these heads. for_each_tie(v, visit) calls
  // visit(head) for all others whose edges into v weigh the same and may take its place, cycles
  // aside. False if there are fewer, as far as two lines tell.
  template <class ForEachTie>
  bool start(const Indexed<Node, Node>& heads, std::int64_t least, ForEachTie for_each_tie) {
    head_ = heads;
    preorder_.build(static_cast<Node>(heads.size()), [&](Node v) { return heads[v]; });
    return line_up(false, least, for_each_tie) || line_up(true, least, for_each_tie);
  }

  // Goes on to another tree; false when there is none left.
  bool next();
  const Indexed<Node, Node>& heads() const { return head_; }

  // The heads that nodes may take are numbered. Calls visit(head, node) for all, in that order ...
  template <class Visit>
  void for_each_option(Visit visit) const {
    for (const Choice& choice : choices_)
      for (std::size_t i = choice.begin; i < choice.end; ++i) visit(options_[i], choice.node);
  }
  // ... and visit(number) for those that the present tree has and the first has not.
  template <class Visit>
  void for_each_change(Visit visit) const {
    for (const Choice& choice : choices_)
      if (choice.now != choice.begin) visit(choice.now);
  }

 private:
  struct Choice {
    Node node;
    std::size_t begin, end, now;  // in options_, of which the first is the head that is known
  };

  // The line is preorder or, mirrored, that of the tree with all children in the other order.
  bool stands_before(Node head, Node v, bool mirrored) const {
    if (preorder_.is_below(v, head)) return true;
    return mirrored ? preorder_.place(head) >= preorder_.end(v)
                    : preorder_.place(head) < preorder_.place(v);
  }

  template <class ForEachTie>
  bool line_up(bool mirrored, std::int64_t least, ForEachTie for_each_tie) {
    choices_.clear();
    options_.clear();
    double trees = 1.0;
    for (const Node v : preorder_.words()) {
      if (trees > static_cast<double>(least)) return true;
      const std::size_t begin = options_.size();
      options_.push_back(head_[v]);
      for_each_tie(v, [&](Node head) {
        if (stands_before(head, v, mirrored)) options_.push_back(head);
      });
      if (options_.size() == begin + 1) {
        options_.pop_back();
        continue;
      }
      choices_.push_back({v, begin, options_.size(), begin});
      trees *= static_cast<double>(options_.size() - begin);
    }
    return trees > static_cast<double>(least);
  }

  Preorder preorder_;
  Indexed<Node, Node> head_;
  std::vector<Choice> choices_;
  std::vector<Node> options_;
};

}  // namespace coppice::engine
