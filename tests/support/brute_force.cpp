#include "support/brute_force.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/exact_score.hpp"

namespace coppice::testing {
namespace {

struct Choice {
  Node head;
  EdgeId edge;
};

std::vector<std::vector<Choice>> choices_of(Graph graph, const Problem& problem) {
  auto has = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  std::vector<std::vector<Choice>> choices(static_cast<std::size_t>(graph.nodes()));
  auto offer = [&](Node head, Node dependent, EdgeId edge, double weight) {
    if (dependent == 0 || head == dependent || weight == kNoWeight) return;
    if (has(problem.forbidden, Arc{head, dependent})) return;
    if (has(problem.forbidden_edges, edge)) return;
    for (Arc arc : problem.required)
      if (arc.dependent == dependent && arc.head != head) return;
    for (EdgeId required : problem.required_edges)
      if (graph.multigraph()->target(required) == dependent && required != edge) return;
    choices[static_cast<std::size_t>(dependent)].push_back({head, edge});
  };
  if (const DenseView* view = graph.dense()) {
    for (Node d = 1; d < view->nodes(); ++d)
      for (Node h = 0; h < view->nodes(); ++h)
        offer(h, d, kNoEdge, h == d ? kNoWeight : view->weight(h, d));
  } else {
    const Multigraph& edges = *graph.multigraph();
    for (EdgeId e = 0; e < edges.edges(); ++e)
      offer(edges.source(e), edges.target(e), e, edges.weight(e));
  }
  return choices;
}

bool reaches_root(const std::vector<Node>& heads) {
  for (Node v = 1; v < static_cast<Node>(heads.size()); ++v) {
    Node up = v;
    for (std::size_t steps = 0; up != 0; ++steps) {
      if (steps > heads.size()) return false;
      up = heads[static_cast<std::size_t>(up)];
    }
  }
  return true;
}

// By exact sums, of which scores are reported; none that is worse than the best by more than the
// gap.
void put_in_order(Graph graph, Objective objective, const Request& request,
                  std::vector<Tree>& trees) {
  struct Summed {
    std::size_t tree;
    ExactSum sum;
  };
  std::vector<Summed> order;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    trees[i].integer_score = exact_integer_score(graph, trees[i]);
    trees[i].score = exact_score(graph, trees[i]);
    order.push_back({i, sum_of(graph, trees[i])});
  }
  const bool integral = graph.scalar() == Scalar::int64;
  // How much worse b is than a.
  auto gap = [&](const Summed& a, const Summed& b) {
    const double sign = objective == Objective::maximize ? 1.0 : -1.0;
    if (!integral) return sign * compare(a.sum, b.sum);
    return sign * static_cast<double>(trees[a.tree].integer_score - trees[b.tree].integer_score);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Summed& a, const Summed& b) { return gap(a, b) > 0.0; });
  if (request.max_gap)
    std::erase_if(order, [&, best = order.empty() ? Summed{} : order[0]](const Summed& tree) {
      return gap(best, tree) > *request.max_gap;
    });
  std::vector<Tree> sorted;
  for (const Summed& one : order) sorted.push_back(std::move(trees[one.tree]));
  trees = std::move(sorted);
}

}  // namespace

std::vector<Tree> brute_force(Graph graph, const Problem& problem, const Request& request) {
  auto choices = choices_of(graph, problem);
  auto n = static_cast<std::size_t>(graph.nodes());
  std::vector<Tree> trees;
  std::vector<std::size_t> chosen(n, 0);
  for (std::size_t v = 1; v < n; ++v)
    if (choices[v].empty()) return trees;
  while (true) {
    Tree tree;
    tree.heads.assign(n, kNoNode);
    if (graph.multigraph() != nullptr) tree.edges.assign(n, kNoEdge);
    for (std::size_t v = 1; v < n; ++v) {
      const Choice& choice = choices[v][chosen[v]];
      tree.heads[v] = choice.head;
      if (graph.multigraph() != nullptr) tree.edges[v] = choice.edge;
    }
    auto at_root = std::count(tree.heads.begin(), tree.heads.end(), 0);
    if (reaches_root(tree.heads) && (problem.root == RootRule::any || at_root == 1))
      trees.push_back(std::move(tree));
    std::size_t v = 1;
    while (v < n && ++chosen[v] == choices[v].size()) chosen[v++] = 0;
    if (v == n) break;
  }
  for (const Rule& rule : problem.rules)
    std::erase_if(trees,
                  [judge = rule.prepare(graph), clause = Clause()](const Tree& tree) mutable {
                    return judge({tree.heads, tree.edges}, clause);
                  });
  put_in_order(graph, problem.objective, request, trees);
  if (request.k && trees.size() > static_cast<std::size_t>(*request.k))
    trees.resize(static_cast<std::size_t>(*request.k));
  return trees;
}

double choices(Graph graph) {
  double product = 1.0;
  const auto choices = choices_of(graph, {.root = RootRule::any});
  for (std::size_t v = 1; v < choices.size(); ++v)
    product *= static_cast<double>(choices[v].size());
  return product;
}

namespace {

// Gives words 1, 2, ... each of their heads in turn, turning back where that closes a cycle.
class Scores {
 public:
  Scores(const DenseView& view, RootRule rule, std::size_t k) : view_(view), rule_(rule), k_(k) {
    heads_.assign(static_cast<std::size_t>(view.nodes()), kNoNode);
    extend(1, {}, 0);
    std::sort(best_.begin(), best_.end(), std::greater<>());
  }
  std::vector<double> best_;

 private:
  void extend(Node word, const ExactSum& sum, int root_edges) {
    if (word == view_.nodes()) {
      if (rule_ == RootRule::any || root_edges == 1) offer(rounded(sum));
      return;
    }
    for (Node head = 0; head < view_.nodes(); ++head) {
      if (head == word || view_.weight(head, word) == kNoWeight) continue;
      Node up = head;
      while (up > 0 && up != word) up = heads_[static_cast<std::size_t>(up)];
      if (up == word) continue;
      heads_[static_cast<std::size_t>(word)] = head;
      ExactSum more = sum;
      more.add(view_.weight(head, word));
      extend(word + 1, more, root_edges + (head == 0 ? 1 : 0));
    }
    heads_[static_cast<std::size_t>(word)] = kNoNode;
  }
  void offer(double sum) {
    if (best_.size() == k_ && sum <= best_.front()) return;
    best_.push_back(sum);
    std::push_heap(best_.begin(), best_.end(), std::greater<>());
    if (best_.size() <= k_) return;
    std::pop_heap(best_.begin(), best_.end(), std::greater<>());
    best_.pop_back();
  }

  const DenseView& view_;
  RootRule rule_;
  std::size_t k_;
  std::vector<Node> heads_;
};

}  // namespace

std::vector<double> brute_force_scores(const DenseView& view, RootRule rule, std::size_t k) {
  return Scores(view, rule, k).best_;
}

}  // namespace coppice::testing
