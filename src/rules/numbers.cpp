// Rules on numbers of children, and on what children add up to: max_children, min_children,
// sum_condition.
#include <algorithm>
#include <cmath>
#include <coppice/error.hpp>
#include <coppice/rules.hpp>
#include <limits>
#include <numeric>
#include <utility>

#include "graph/phrases.hpp"
#include "rules/edges.hpp"

namespace coppice::rules {
namespace {

void need_one_per_node(const std::string& rule, std::size_t given, Graph graph) {
  if (given != at(graph.nodes()))
    throw Error(ErrorCode::bad_argument, "rule " + rule + ": " + counted(given, "number") +
                                             " for the nodes 0.." + std::to_string(graph.words()));
}

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

// most(v): how many children v may have.
template <class Most>
Rule::Judge at_most_children(Most most) {
  return [most, count = std::vector<std::int32_t>()](const TreeRef& tree, Clause& broken) mutable {
    count_children(tree, count);
    // The head with the fewest children allowed has the smallest clause.
    Node head = kNoNode;
    for (Node v = 0; v < static_cast<Node>(count.size()); ++v)
      if (count[at(v)] > most(v) && (head == kNoNode || most(v) < most(head))) head = v;
    if (head == kNoNode) return false;
    broken.clear();
    for (Node v = 1; std::cmp_less_equal(broken.without.size(), most(head)); ++v)
      if (tree.heads[at(v)] == head) broken.without.push_back({head, v});
    return true;
  };
}

}  // namespace

Rule max_children(std::int32_t d) {
  std::string name = "max-children=" + std::to_string(d);
  if (d < 0) throw Error(ErrorCode::bad_argument, "rule " + name + ": must be at least 0");
  return Rule(name,
              Rule::Prepare([d](Graph) { return at_most_children([d](Node) { return d; }); }));
}

Rule max_children(std::vector<std::int32_t> d) {
  std::string name = "max-children";
  need_natural(name, d);
  auto most = std::make_shared<const std::vector<std::int32_t>>(std::move(d));
  return Rule(name, Rule::Prepare([=](Graph graph) {
                need_one_per_node(name, most->size(), graph);
                return at_most_children([most](Node v) { return (*most)[at(v)]; });
              }));
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

namespace {

// Children are added up from the largest down, so that rounding cannot make a set of children too
// much and a larger set of them not: float64 addition is monotone.
class SumCondition {
 public:
  SumCondition(std::shared_ptr<const std::vector<double>> frequencies, std::int32_t samples,
               double tolerance)
      : frequencies_(std::move(frequencies)), samples_(samples), tolerance_(tolerance) {}

  bool operator()(const TreeRef& tree, Clause& broken) {
    list_children(tree);
    std::size_t smallest = std::numeric_limits<std::size_t>::max();
    for (Node head = 0; head < static_cast<Node>(tree.heads.size()); ++head) {
      for (std::int32_t sample = 0; sample < samples_; ++sample) {
        std::size_t size = excess(head, sample);
        if (size == 0 || size >= smallest) continue;
        smallest = size;
        broken.clear();
        for (std::size_t i = 0; i < size; ++i) broken.without.push_back({head, largest_[i]});
      }
    }
    return smallest != std::numeric_limits<std::size_t>::max();
  }

 private:
  double frequency(Node v, std::int32_t sample) const {
    return (*frequencies_)[at(v) * at(samples_) + at(sample)];
  }

  void list_children(const TreeRef& tree) {
    auto nodes = tree.heads.size();
    begin_.assign(nodes + 1, 0);
    for (std::size_t v = 1; v < nodes; ++v) ++begin_[at(tree.heads[v]) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    children_.resize(nodes - 1);
    next_.assign(begin_.begin(), begin_.end());
    for (std::size_t v = 1; v < nodes; ++v)
      children_[next_[at(tree.heads[v])]++] = static_cast<Node>(v);
  }

  // How many of the largest children of the head are too much for it; 0 if all of them are not.
  // They are then first in largest_.
  std::size_t excess(Node head, std::int32_t sample) {
    double all = 0.0;
    double most = frequency(head, sample) + tolerance_;
    for (std::size_t i = begin_[at(head)]; i < begin_[at(head) + 1]; ++i)
      all += frequency(children_[i], sample);
    auto children = static_cast<double>(begin_[at(head) + 1] - begin_[at(head)]);
    if (all * (1.0 + 0x1p-51 * children) <= most) return 0;  // whatever the order of adding up
    largest_.assign(children_.begin() + static_cast<std::ptrdiff_t>(begin_[at(head)]),
                    children_.begin() + static_cast<std::ptrdiff_t>(begin_[at(head) + 1]));
    std::stable_sort(largest_.begin(), largest_.end(),
                     [&](Node a, Node b) { return frequency(a, sample) > frequency(b, sample); });
    double sum = 0.0;
    for (std::size_t i = 0; i < largest_.size(); ++i)
      if ((sum += frequency(largest_[i], sample)) > most) return i + 1;
    return 0;
  }

  std::shared_ptr<const std::vector<double>> frequencies_;
  std::int32_t samples_;
  double tolerance_;
  std::vector<std::size_t> begin_, next_;
  std::vector<Node> children_, largest_;
};

}  // namespace

Rule sum_condition(std::vector<double> frequencies, std::int32_t samples, double tolerance) {
  std::string name = "sum-condition";
  auto fail = [&](const std::string& why) {
    throw Error(ErrorCode::bad_argument, "rule " + name + ": " + why);
  };
  if (samples < 1) fail(std::to_string(samples) + " samples, must be at least 1");
  if (!(tolerance >= 0.0)) fail("tolerance " + shortest(tolerance) + ", must be 0 or more");
  if (frequencies.size() % at(samples) != 0)
    fail(counted(frequencies.size(), "frequency", "frequencies") + " for " +
         counted(samples, "sample"));
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    if (!(frequencies[i] >= 0.0 && frequencies[i] < std::numeric_limits<double>::infinity()))
      fail("frequency " + shortest(frequencies[i]) + " of node " + std::to_string(i / at(samples)) +
           " in sample " + std::to_string(i % at(samples)) + ", must be finite and 0 or more");
  auto shared = std::make_shared<const std::vector<double>>(std::move(frequencies));
  return Rule(name, Rule::Prepare([=](Graph graph) {
                need_one_per_node(name, shared->size() / at(samples), graph);
                return Rule::Judge(SumCondition(shared, samples, tolerance));
              }));
}

}  // namespace coppice::rules
