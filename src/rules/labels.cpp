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
