#include "engine/preorder.hpp"

namespace coppice::engine {

void Preorder::build(const std::vector<Node>& head) {
  // Subtree sizes need children before parents; places need parents before children. Both follow
  // from a list of the nodes by first child and next sibling.
  auto nodes = head.size();
  node.resize(nodes);
  place.assign(nodes, kNoNode);  // for now: first child
  end.resize(nodes);
  next_.assign(nodes, kNoNode);  // next sibling
  for (std::size_t v = nodes; v-- > 1;) {
    next_[v] = place[at(head[v])];
    place[at(head[v])] = static_cast<Node>(v);
  }
  Node v = 0, count = 0;
  while (true) {
    Node child = place[at(v)];
    place[at(v)] = count;
    node[at(count)] = v;
    ++count;
    if (child != kNoNode) {
      v = child;
      continue;
    }
    end[at(v)] = count;
    while (v != 0 && next_[at(v)] == kNoNode) {
      v = head[at(v)];
      end[at(v)] = count;
    }
    if (v == 0) break;
    v = next_[at(v)];
  }
}

}  // namespace coppice::engine
