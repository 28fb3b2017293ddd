// Rules on numbers of children: max_children, min_children.
#include "rules/numbers.hpp"

#include <algorithm>
#include <coppice/error.hpp>
#include <coppice/rules.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "graph/phrases.hpp"
#include "rules/edges.hpp"

namespace coppice::rules {

void need_one_per_node(const std::string& rule, std::size_t given, Graph graph) {
  if (given != at(graph.nodes()))
    throw Error(ErrorCode::bad_argument, "rule " + rule + ": " + counted(given, "number") +
                                             " for the nodes 0.." + std::to_string(graph.words()));
}

namespace {

void need_natural(const std::string& rule, const std::vector<std::int32_t>& numbers) {
  for (std::size_t v = 0; v < numbers.size(); ++v)
    if (numbers[v] < 0)
      throw Error(ErrorCode::bad_argument, "rule " + rule + ": " + std::to_string(numbers[v]) +
                                               " children for node " + std::to_string(v));
}

void count_children(const TreeRef& tree, std::vector<std::int32_t>& count) {
  count.assign(tree.heads.size(), 0);
  for (std::size_t v = 1; v < tree.heads.size(); ++v) ++count[at(tree.heads[v])];
}

using Numbers = std::shared_ptr<const std::vector<std::int32_t>>;  // one per node

Rule::Judge at_most_children(const Numbers& most) {
  return [most, count = std::vector<std::int32_t>()](const TreeRef& tree, Clause& broken) mutable {
    count_children(tree, count);
    // The head with the fewest children allowed has the smallest clause.
    Node head = kNoNode;
    for (Node v = 0; v < static_cast<Node>(count.size()); ++v)
      if (count[at(v)] > (*most)[at(v)] && (head == kNoNode || (*most)[at(v)] < (*most)[at(head)]))
        head = v;
    if (head == kNoNode) return false;
    broken.clear();
    for (Node v = 1; std::cmp_less_equal(broken.without.size(), (*most)[at(head)]); ++v)
      if (tree.heads[at(v)] == head) broken.without.push_back({head, v});
    return true;
  };
}

// The same for trees that grow.
class FewChildren final : public Growth {
 public:
  explicit FewChildren(const Numbers& most) : room_(*most) {}

  bool allows(const ClauseEdge& edge) const override { return room_[at(edge.head)] > 0; }
  void add(const ClauseEdge& edge) override { --room_[at(edge.head)]; }
  void remove(const ClauseEdge& edge) override { ++room_[at(edge.head)]; }

 private:
  std::vector<std::int32_t> room_;
};

Rule at_most_children(const std::string& name, const std::function<Numbers(Graph)>& most) {
  return Rule(
      name, [=](Graph graph) { return at_most_children(most(graph)); }, Rule::Shape::any,
      [=](Graph graph) { return std::make_unique<FewChildren>(most(graph)); });
}

}  // namespace

Rule max_children(std::int32_t d) {
  std::string name = "max-children=" + std::to_string(d);
  if (d < 0) throw Error(ErrorCode::bad_argument, "rule " + name + ": must be at least 0");
  return at_most_children(name, [d](Graph graph) {
    return std::make_shared<const std::vector<std::int32_t>>(at(graph.nodes()), d);
  });
}

Rule max_children(std::vector<std::int32_t> d) {
  std::string name = "max-children";
  need_natural(name, d);
  auto most = std::make_shared<const std::vector<std::int32_t>>(std::move(d));
  return at_most_children(name, [=](Graph graph) {
    need_one_per_node(name, most->size(), graph);
    return most;
  });
}

// Every legal tree has a child of v that is none of its too few children here.
Rule min_children(std::vector<std::int32_t> d) {
  std::string name = "min-children";
  need_natural(name, d);
  auto least = std::make_shared<const std::vector<std::int32_t>>(std::move(d));
  return Rule(
      name, Rule::Prepare([=](Graph graph) {
        need_one_per_node(name, least->size(), graph);
        return Rule::Judge([least, lists = EdgeLists(graph), count = std::vector<std::int32_t>()](
                               const TreeRef& tree, Clause& broken) mutable {
          count_children(tree, count);
          auto too_few =
              std::mismatch(count.begin(), count.end(), least->begin(),
                            [](std::int32_t has, std::int32_t needs) { return has >= needs; });
          if (too_few.first == count.end()) return false;
          auto v = static_cast<Node>(too_few.first - count.begin());
          broken.clear();
          lists.append_arcs_out_of(v, broken.with);
          std::erase_if(broken.with, [&](const ClauseEdge& arc) { return takes(tree, arc); });
          return true;
        });
      }));
}

}  // namespace coppice::rules
