// Legal trees counted, drawn, and shown not to be there.
#include <algorithm>
#include <coppice/error.hpp>
#include <coppice/kbest.hpp>
#include <coppice/legal.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "graph/tree_builder.hpp"
#include "rules/edges.hpp"
#include "rules/legal_trees.hpp"
#include "rules/scored.hpp"

namespace coppice {

std::optional<std::int64_t> count_legal(Graph graph, const Problem& problem, std::int64_t limit) {
  if (limit < 0)
    throw Error(ErrorCode::bad_argument,
                "limit is " + std::to_string(limit) + ", must be 0 or more");
  return rules::LegalTrees(graph, problem).count(limit);
}

namespace {

// Below `end`, each as likely. The distributions of <random> differ from machine to machine.
std::uint64_t draw_below(std::uint64_t end, std::mt19937_64& random) {
  const std::uint64_t uneven = (0 - end) % end;  // so many of the first numbers are too many
  std::uint64_t drawn = random();
  while (drawn < uneven) drawn = random();
  return drawn % end;
}

}  // namespace

TreeList sample_legal(Graph graph, const Problem& problem, std::size_t count, std::uint64_t seed,
                      std::int64_t limit) {
  TreeList samples;
  TreeBuilder builder(samples);
  builder.reset(graph);
  const std::optional<std::int64_t> all = count_legal(graph, problem, limit);
  if (!all)
    throw Error(ErrorCode::bad_argument,
                "there are more than " + std::to_string(limit) + " legal trees: raise the limit");
  if (*all == 0) return samples;
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> place(count);
  for (std::uint64_t& each : place) each = draw_below(static_cast<std::uint64_t>(*all), random);
  std::vector<std::size_t> order(count);  // of the samples, by place
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(place[a], a) < std::pair(place[b], b);
  });
  std::vector<Tree> drawn(count);
  rules::LegalTrees trees(graph, problem);
  std::uint64_t given = 0;
  for (const std::size_t sample : order) {
    for (; given <= place[sample]; ++given) trees.next();
    drawn[sample] = rules::scored(graph, trees.tree());
  }
  for (const Tree& tree : drawn) builder.append(tree);
  return samples;
}

std::string why_none_legal(Graph graph, const Problem& problem,
                           std::span<const std::string> names) {
  Problem asked = problem;
  asked.rules.clear();
  if (!best(graph, asked)) return {};
  const auto entered_by_none = [&](const std::string& said) -> std::string {
    const Node blocked = rules::LegalTrees(graph, asked).blocked();
    if (blocked == kNoNode) return {};
    return said + " no edge into " +
           (names.empty() ? "node " + std::to_string(blocked) : names[rules::at(blocked)]);
  };
  for (const Rule& rule : problem.rules) {
    asked.rules = {rule};
    std::string why = entered_by_none("rule " + rule.name() + " allows");
    if (!why.empty()) return why;
  }
  asked.rules = problem.rules;
  std::string why = entered_by_none("the rules together allow");
  if (!why.empty()) return why;
  if (problem.rules.size() == 1) return "no tree obeys rule " + problem.rules[0].name();
  constexpr std::int64_t kSolves = 100;
  for (const Rule& rule : problem.rules) {
    asked.rules = {rule};
    const TreeList trees = kbest(graph, asked, {.k = 1, .budget = kSolves});
    if (trees.empty() && trees.complete()) return "no tree obeys rule " + rule.name();
  }
  return "no tree obeys all rules together";
}

}  // namespace coppice
