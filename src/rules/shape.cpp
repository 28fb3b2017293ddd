// Rules on the shape of a tree: max_depth, projective.
#include <algorithm>
#include <coppice/error.hpp>
#include <coppice/rules.hpp>

#include "rules/edges.hpp"

namespace coppice::rules {
namespace {

class Depth {
 public:
  explicit Depth(std::int32_t most) : most_(most) {}

  bool operator()(const TreeRef& tree, Clause& broken) {
    depth_.assign(tree.heads.size(), 0);
    for (Node v = 1; v < static_cast<Node>(tree.heads.size()); ++v) {
      Node too_deep = climb(tree, v);
      if (too_deep == kNoNode) continue;
      broken.clear();
      for (Node up = too_deep; up != 0; up = tree.heads[at(up)])
        broken.without.push_back({tree.heads[at(up)], up});
      return true;
    }
    return false;
  }

 private:
  // Finds the depths of v and all above it; the first word that is too deep, or kNoNode.
  Node climb(const TreeRef& tree, Node v) {
    path_.clear();
    for (; v != 0 && depth_[at(v)] == 0; v = tree.heads[at(v)]) path_.push_back(v);
    std::int32_t depth = depth_[at(v)];
    for (; !path_.empty(); path_.pop_back()) {
      depth_[at(path_.back())] = ++depth;
      if (depth > most_) return path_.back();
    }
    return kNoNode;
  }

  std::int32_t most_;
  std::vector<std::int32_t> depth_;
  std::vector<Node> path_;
};

// An edge is crossed if a word that stands between its ends has its head outside of them. In a tree
// with crossing edges there is such a pair: an edge whose span holds a word that does not descend
// from its head, and on that word's way up the first edge that leaves the span. (Two edges whose
// heads stand between each other's ends cross too, but are never the only ones.)
bool crosses(const TreeRef& tree, Clause& broken) {
  for (Node v = 1; v < static_cast<Node>(tree.heads.size()); ++v) {
    Node head = tree.heads[at(v)];
    auto [low, high] = std::minmax(head, v);
    for (Node between = low + 1; between < high; ++between) {
      Node other = tree.heads[at(between)];
      if (other >= low && other <= high) continue;
      broken.clear();
      broken.without = {{head, v}, {other, between}};
      return true;
    }
  }
  return false;
}

}  // namespace

Rule max_depth(std::int32_t d) {
  std::string name = "max-depth=" + std::to_string(d);
  if (d < 1) throw Error(ErrorCode::bad_argument, "rule " + name + ": must be at least 1");
  return Rule(name, Rule::Prepare([d](Graph graph) {
                const bool added = graph.facts() != nullptr && graph.facts()->added_root;
                return Rule::Judge(Depth(added && d < kMaxNodes ? d + 1 : d));
              }));
}

Rule projective() {
  return Rule("projective", Rule::Prepare([](Graph) { return Rule::Judge(crosses); }),
              Rule::Shape::projective);
}

}  // namespace coppice::rules
