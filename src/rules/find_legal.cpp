// A legal tree soon: the best tree, mended.
//
// While the best tree breaks a clause, one of the ways to mend it is chosen, the cheapest at first
// sight, and the best tree that is mended so is looked at next. Where there is none, the next way
// is tried. Under rules that leave little room another way does better: the first of LegalTrees,
// which puts words where they fit, the best edges first. Both are improved edge by edge as long as
// they stay legal, and the better one is given.
#include <algorithm>
#include <chrono>
#include <coppice/error.hpp>
#include <coppice/kbest.hpp>
#include <coppice/legal.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "graph/budget.hpp"
#include "graph/constraints.hpp"
#include "graph/poll.hpp"
#include "rules/edges.hpp"
#include "rules/legal_trees.hpp"
#include "rules/scored.hpp"

namespace coppice {
namespace rules {
namespace {

using Clock = std::chrono::steady_clock;

class Mending {
 public:
  Mending(Graph graph, const Problem& problem, std::int64_t solves, Clock::time_point until)
      : graph_(graph),
        problem_(problem),
        lists_(graph),
        sign_(problem.objective == Objective::minimize ? -1.0 : 1.0),
        solves_(solves),
        until_(until) {
    for (const Rule& rule : problem.rules) judges_.push_back(rule.prepare(graph));
    // These have a search of their own.
    std::erase_if(problem_.rules,
                  [](const Rule& rule) { return rule.shape() == Rule::Shape::any; });
    constraints_.load(graph, problem);
  }

  std::optional<Tree> run() {
    while (solves_-- > 0 && Clock::now() < until_) {
      if (!solve()) {
        if (!try_next()) return std::nullopt;
        continue;
      }
      if (is_legal(found_[0])) return improved(found_.copy(0));
      note_ways();
      if (!try_next()) return std::nullopt;
    }
    return std::nullopt;
  }

  // Words take better edges, one at a time.
  Tree improved(Tree tree) {
    constexpr int kMostLooks = 20'000;
    const bool single = problem_.root == RootRule::single;
    int looks = 0;
    for (bool better = true; better && looks < kMostLooks;) {
      better = false;
      for (Node v = 1; v < graph_.nodes(); ++v) {
        if (looks >= kMostLooks || Clock::now() >= until_) break;
        for_each_into(v, constraints_, [&](const ClauseEdge& edge, double weight) {
          const TreeRef now{tree.heads, tree.edges};
          if (!(weight > weight_of(now, v)) || is_below(tree.heads, edge.head, v)) return;
          if (single && (edge.head == 0) != (tree.heads[at(v)] == 0)) return;
          if (++looks > kMostLooks) return;
          poll();
          const Node head = std::exchange(tree.heads[at(v)], edge.head);
          const EdgeId id =
              tree.edges.empty() ? kNoEdge : std::exchange(tree.edges[at(v)], edge.edge);
          if (is_legal(now)) {
            better = true;
            return;
          }
          tree.heads[at(v)] = head;
          if (!tree.edges.empty()) tree.edges[at(v)] = id;
        });
      }
    }
    return scored(graph_, {tree.heads, tree.edges});
  }

 private:
  // The word takes none of these edges, or this one.
  struct Way {
    Node word;
    bool take;
    std::vector<ClauseEdge> edges;
    double cost;
  };
  struct Step {
    std::vector<Way> ways;  // the next one last
    std::size_t forbidden, forbidden_edges, required, required_edges;
  };

  bool solve() {
    try {
      decoder_.best(graph_, problem_, found_);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_constraint) throw;
      return false;  // ways that contradict each other
    }
    return !found_.empty();
  }

  bool is_legal(const TreeRef& tree) {
    return std::none_of(judges_.begin(), judges_.end(),
                        [&](Rule::Judge& judge) { return judge(tree, broken_); });
  }

  static bool stands_for(const ClauseEdge& named, const ClauseEdge& edge) {
    return named.dependent == edge.dependent && named.head == edge.head &&
           (named.edge == kNoEdge || named.edge == edge.edge);
  }

  static bool is_below(std::span<const Node> heads, Node word, Node top) {
    while (word != kNoNode && word != top) word = heads[at(word)];
    return word == top;
  }

  // Calls visit(edge, weight) for the edges into a word that `constraints` allow.
  template <class Visit>
  void for_each_into(Node v, const Constraints& constraints, Visit visit) {
    const auto offer = [&](Node head, EdgeId edge, double weight) {
      if (head != v && weight != kNoWeight && constraints.allows(head, v, edge))
        visit(ClauseEdge{head, v, edge}, sign_ * weight);
    };
    if (const DenseView* view = graph_.dense()) {
      for (Node h = 0; h < view->nodes(); ++h) offer(h, kNoEdge, view->weight(h, v));
    } else {
      for (EdgeId e : lists_.into(v))
        offer(graph_.multigraph()->source(e), e, graph_.multigraph()->weight(e));
    }
  }

  double weight_of(const TreeRef& tree, Node v) const {
    return sign_ * (graph_.dense() != nullptr ? graph_.dense()->weight(tree.heads[at(v)], v)
                                              : graph_.multigraph()->weight(tree.edges[at(v)]));
  }

  // What the word loses at least; infinite where no edge is left for it.
  double cost_of(const Way& way, const TreeRef& tree, const Constraints& now) {
    double most = -std::numeric_limits<double>::infinity();
    for_each_into(way.word, now, [&](const ClauseEdge& edge, double weight) {
      const auto names = [&](const ClauseEdge& named) { return stands_for(named, edge); };
      if (std::any_of(way.edges.begin(), way.edges.end(), names) == way.take && weight > most &&
          !is_below(tree.heads, edge.head, way.word))
        most = weight;
    });
    return weight_of(tree, way.word) - most;
  }

  void note_ways() {
    const TreeRef tree = found_[0];
    Constraints now;
    now.load(graph_, problem_);
    Step step{{},
              problem_.forbidden.size(),
              problem_.forbidden_edges.size(),
              problem_.required.size(),
              problem_.required_edges.size()};
    for (const ClauseEdge& edge : broken_.without) {
      const auto same = [&](const Way& way) { return way.word == edge.dependent; };
      auto way = std::find_if(step.ways.begin(), step.ways.end(), same);
      if (way == step.ways.end()) way = step.ways.insert(way, Way{edge.dependent, false, {}, 0.0});
      way->edges.push_back(edge);
    }
    for (const ClauseEdge& edge : broken_.with)
      step.ways.push_back(Way{edge.dependent, true, {edge}, 0.0});
    for (Way& way : step.ways) way.cost = cost_of(way, tree, now);
    std::erase_if(step.ways, [](const Way& way) {
      return way.cost == std::numeric_limits<double>::infinity();
    });
    std::stable_sort(step.ways.begin(), step.ways.end(),
                     [](const Way& a, const Way& b) { return a.cost > b.cost; });
    steps_.push_back(std::move(step));
  }

  // Mends the last tree that can be mended in another way. False where there is none.
  bool try_next() {
    while (!steps_.empty()) {
      Step& step = steps_.back();
      problem_.forbidden.resize(step.forbidden, Arc{});
      problem_.forbidden_edges.resize(step.forbidden_edges);
      problem_.required.resize(step.required, Arc{});
      problem_.required_edges.resize(step.required_edges);
      if (step.ways.empty()) {
        steps_.pop_back();
        continue;
      }
      const Way way = std::move(step.ways.back());
      step.ways.pop_back();
      for (const ClauseEdge& edge : way.edges) {
        if (edge.edge == kNoEdge)
          (way.take ? problem_.required : problem_.forbidden)
              .push_back({edge.head, edge.dependent});
        else
          (way.take ? problem_.required_edges : problem_.forbidden_edges).push_back(edge.edge);
      }
      return true;
    }
    return false;
  }

  Graph graph_;
  Problem problem_;          // with what has been decided
  Constraints constraints_;  // without
  std::vector<Rule::Judge> judges_;
  EdgeLists lists_;
  double sign_;
  std::int64_t solves_;
  Clock::time_point until_;
  Decoder decoder_;
  TreeList found_;
  Clause broken_;
  std::vector<Step> steps_;
};

}  // namespace
}  // namespace rules

std::optional<Tree> find_legal(Graph graph, const Problem& problem, const Request& request) {
  constexpr std::int64_t kFewest = 10, kMost = 1000, kEdges = 200'000'000, kSteps = 1'000'000;
  const std::int64_t edges = graph.multigraph() != nullptr
                                 ? graph.multigraph()->edges()
                                 : std::int64_t{graph.nodes()} * graph.nodes();
  std::int64_t solves = std::clamp(kEdges / std::max(edges, std::int64_t{1}), kFewest, kMost);
  auto until = rules::Clock::time_point::max();
  if (request.time_limit) {
    solves = std::numeric_limits<std::int64_t>::max();
    until = deadline((1.0 - kTimeOfSearch) * *request.time_limit);
  }
  rules::Mending mending(graph, problem, solves, until);
  rules::LegalTrees trees(graph, problem);
  std::optional<Tree> fitted;
  if (trees.next(kSteps)) fitted = mending.improved(trees.tree().copy());
  std::optional<Tree> mended = mending.run();
  if (!fitted || !mended) return mended ? mended : fitted;
  const bool larger = mended->score > fitted->score;
  return larger == (problem.objective == Objective::maximize) ? mended : fitted;
}

}  // namespace coppice
