// Rules on labels: at_most, leaves.
#include <algorithm>
#include <coppice/error.hpp>
#include <coppice/rules.hpp>
#include <utility>

#include "rules/edges.hpp"

namespace coppice::rules {
namespace {

std::string joined(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : ",") + label;
  return text;
}

// "nsubj" stands for "nsubj:pass" too.
bool stands_for(const std::string& label, const std::string& name) {
  return name == label ||
         (name.size() > label.size() && name[label.size()] == ':' && name.starts_with(label));
}

// Edges with certain labels, in one graph.
class Marked {
 public:
  Marked(Graph graph, const std::string& rule, const std::vector<std::string>& labels,
         Subtypes subtypes)
      : edges_(graph, rule), marked_(edges_.names().size(), 0) {
    for (std::size_t name = 0; name < marked_.size(); ++name)
      for (const std::string& label : labels)
        if (subtypes == Subtypes::included ? stands_for(label, edges_.names()[name])
                                           : label == edges_.names()[name])
          marked_[name] = 1;
    if (std::find(marked_.begin(), marked_.end(), 1) == marked_.end())
      throw Error(ErrorCode::bad_argument, "rule " + rule + ": the graph has none of these labels");
  }

  bool operator()(const TreeRef& tree, Node v) const {
    return marked_[at(edges_.label(tree.edges[at(v)]))] != 0;
  }
  // Appends the edges into v with these labels: all of them, or those from one head.
  void append_into(Node v, std::vector<ClauseEdge>& edges) {
    edges_.append_into(
        v, [&](Node, std::int32_t label) { return marked_[at(label)] != 0; }, edges);
  }
  void append_arc(Node head, Node v, std::vector<ClauseEdge>& edges) {
    edges_.append_into(
        v, [&](Node h, std::int32_t label) { return h == head && marked_[at(label)] != 0; }, edges);
  }

 private:
  LabelledEdges edges_;
  std::vector<std::uint8_t> marked_;  // per label
};

void need_labels(const std::string& rule, const std::vector<std::string>& labels) {
  if (labels.empty()) throw Error(ErrorCode::bad_argument, "rule " + rule + ": which labels?");
}

}  // namespace

Rule at_most(std::int32_t n, std::vector<std::string> labels, Subtypes subtypes) {
  std::string name = "at-most=" + std::to_string(n) + ":" + joined(labels);
  if (subtypes == Subtypes::apart) name += " (subtypes apart)";
  if (n < 0) throw Error(ErrorCode::bad_argument, "rule " + name + ": n must be at least 0");
  need_labels(name, labels);
  return Rule(name, Rule::Prepare([=](Graph graph) {
                return Rule::Judge([n, marked = Marked(graph, name, labels, subtypes),
                                    count = std::vector<std::int32_t>()](const TreeRef& tree,
                                                                         Clause& broken) mutable {
                  count.assign(tree.heads.size(), 0);
                  auto words = static_cast<Node>(tree.heads.size());
                  Node head = kNoNode;
                  for (Node v = 1; v < words && head == kNoNode; ++v)
                    if (marked(tree, v) && ++count[at(tree.heads[at(v)])] > n)
                      head = tree.heads[at(v)];
                  if (head == kNoNode) return false;
                  broken.clear();
                  for (Node v = 1; count[at(head)] > 0; ++v) {
                    if (tree.heads[at(v)] != head || !marked(tree, v)) continue;
                    marked.append_arc(head, v, broken.without);
                    --count[at(head)];
                  }
                  return true;
                });
              }));
}

Rule leaves(std::vector<std::string> labels) {
  std::string name = "leaves=" + joined(labels);
  need_labels(name, labels);
  return Rule(name, Rule::Prepare([=](Graph graph) {
                return Rule::Judge([marked = Marked(graph, name, labels, Subtypes::included)](
                                       const TreeRef& tree, Clause& broken) mutable {
                  for (Node v = 1; v < static_cast<Node>(tree.heads.size()); ++v) {
                    Node head = tree.heads[at(v)];
                    if (head == 0 || !marked(tree, head)) continue;
                    broken.clear();
                    marked.append_into(head, broken.without);
                    broken.without.push_back({head, v});
                    return true;
                  }
                  return false;
                });
              }));
}

}  // namespace coppice::rules
