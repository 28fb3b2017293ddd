// Trees that differ: the rule, and the search that uses it.
#include <algorithm>
#include <coppice/diverse.hpp>
#include <coppice/error.hpp>
#include <coppice/kbest.hpp>
#include <memory>
#include <utility>

#include "graph/phrases.hpp"
#include "graph/tree_builder.hpp"
#include "rules/edges.hpp"

namespace coppice::rules {
namespace {

// Says of which trees of one graph a tree differs too little.
//
// A word is alike in two trees if it has the same head, or if its label in either of them is
// ignored. A tree with more than n - distance words alike differs too little. So does every other
// tree in which n - distance + 1 of these words are alike for the same reasons: that is the clause.
class Differs {
 public:
  Differs(Graph graph, std::shared_ptr<const std::vector<Tree>> trees, std::int32_t distance,
          const std::vector<std::string>& ignored)
      : trees_(std::move(trees)), distance_(distance) {
    if (!ignored.empty()) ignored_.emplace(graph, "differs", ignored, Subtypes::included);
    for (std::size_t i = 0; i < trees_->size(); ++i) {
      const Tree& each = (*trees_)[i];
      const std::size_t edges = ignored_ ? each.edges.size() : each.heads.size();
      if (each.heads.size() != at(graph.nodes()) || edges != each.heads.size())
        throw Error(ErrorCode::bad_argument, "rule differs: tree " + std::to_string(i) + " has " +
                                                 counted(edges, "entry", "entries") +
                                                 " for the nodes 0.." +
                                                 std::to_string(graph.words()));
    }
  }

  bool operator()(const TreeRef& tree, Clause& broken) {
    return std::ranges::any_of(*trees_,
                               [&](const Tree& other) { return is_near(tree, other, broken); });
  }

 private:
  bool is_near(const TreeRef& tree, const Tree& other, Clause& broken) {
    const auto words = static_cast<Node>(tree.heads.size() - 1);
    const TreeRef its{other.heads, other.edges};
    auto differs = [&](Node v) {
      return tree.heads[at(v)] != its.heads[at(v)] && !is_ignored(tree, v) && !is_ignored(its, v);
    };
    std::int32_t different = 0;
    for (Node v = 1; v <= words && different < distance_; ++v) different += differs(v) ? 1 : 0;
    if (different >= distance_) return false;

    broken.clear();
    std::int32_t needed = words - distance_ + 1;
    for (Node v = 1; v <= words; ++v) needed -= is_ignored(its, v) ? 1 : 0;
    for (Node v = 1; v <= words && needed > 0; ++v) {
      if (is_ignored(its, v) || differs(v)) continue;
      if (is_ignored(tree, v))
        ignored_->append_into(v, broken.without);
      else
        broken.without.push_back({its.heads[at(v)], v});
      --needed;
    }
    return true;
  }

  bool is_ignored(const TreeRef& tree, Node v) const { return ignored_ && (*ignored_)(tree, v); }

  std::shared_ptr<const std::vector<Tree>> trees_;
  std::int32_t distance_;
  std::optional<Marked> ignored_;
};

}  // namespace

Rule differs(std::vector<Tree> trees, std::int32_t distance, std::vector<std::string> ignored) {
  if (distance < 1)
    throw Error(ErrorCode::bad_argument,
                "rule differs: distance is " + std::to_string(distance) + ", must be at least 1");
  auto kept = std::make_shared<const std::vector<Tree>>(std::move(trees));
  return Rule("differs", Rule::Prepare([kept, distance, ignored = std::move(ignored)](Graph graph) {
                return Rule::Judge(Differs(graph, kept, distance, ignored));
              }));
}

}  // namespace coppice::rules

namespace coppice {

TreeList diverse(Graph graph, const Problem& problem, const DiverseRequest& request) {
  if (request.k < 1)
    throw Error(ErrorCode::bad_argument,
                "k is " + std::to_string(request.k) + ", must be at least 1");
  const Request one{.k = 1, .budget = request.budget, .time_limit = request.time_limit};
  TreeList found;
  TreeBuilder builder(found);
  builder.reset(graph);
  std::vector<Tree> chosen;
  Decoder decoder;
  TreeList next;
  while (std::cmp_less(chosen.size(), request.k)) {
    Problem rest = problem;
    if (!chosen.empty() || request.distance < 1)
      rest.rules.push_back(rules::differs(chosen, request.distance, request.ignored_labels));
    decoder.kbest(graph, rest, one, next);
    if (!next.complete()) {
      builder.stop_at(next.bound());
      if (chosen.empty() && !next.empty()) builder.add_unproved(next.copy(0));
      break;
    }
    if (next.empty()) break;
    chosen.push_back(next.copy(0));
    builder.append(chosen.back());
  }
  return found;
}

}  // namespace coppice
