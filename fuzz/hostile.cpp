// Hostile graphs with any tuning of the engine: every family of the zoo, gadgets of up to 20,000
// nodes whose list is known, and any tiny graph. Beyond brute force and the paper's algorithms,
// however it is tuned, the engine agrees with itself.
#include <algorithm>
#include <coppice/engines.hpp>
#include <coppice/kbest.hpp>
#include <coppice/rules.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.hpp"
#include "engine/tuning.hpp"
#include "graphs.hpp"
#include "support/brute_force.hpp"
#include "support/engines.hpp"
#include "support/gadgets.hpp"
#include "target.hpp"
#include "zoo/zoo.hpp"

namespace coppice::fuzz::hostile_target {
namespace {

// As it is shipped, the least it may be, a little more, or more than any graph here asks for.
template <class T>
void draw(Bytes& bytes, T& threshold, T least = 0) {
  const T choices[] = {threshold, least, static_cast<T>(least + 1), static_cast<T>(1 << 12)};
  threshold = choices[bytes.take<std::uint8_t>() % 4];
}

void draw_part(Bytes& bytes, double& part, double small, double large) {
  const double choices[] = {part, small, large};
  part = choices[bytes.take<std::uint8_t>() % 3];
}

engine::Tuning some_tuning(Bytes& bytes) {
  engine::Tuning t;
  for (std::int64_t* number :
       {&t.few_trees, &t.most_greedy, &t.combinations, &t.combinations_per_tree, &t.dead_ends,
        &t.dead_ends_per_tree, &t.states, &t.states_per_tree, &t.stream_states_per_tree,
        &t.few_legal, &t.projective_trees})
    draw(bytes, *number);
  for (std::size_t* number : {&t.most_candidates, &t.candidates_per_tree, &t.long_list})
    draw(bytes, *number);
  draw(bytes, t.most_projective);
  draw(bytes, t.most_guesses);
  draw(bytes, t.most_nested);
  draw(bytes, t.edges_per_candidate, std::size_t{1});
  draw(bytes, t.most_rounds, 1);
  draw(bytes, t.most_parts, std::int64_t{1});
  t.most_swept = bytes.take<std::uint8_t>() % 4 == 1 ? 0 : t.most_swept;
  draw_part(bytes, t.first_gap, 0.1, 1.0);
  draw_part(bytes, t.next_gap, 1.1, 8.0);
  // More of these for every tree take longer than a fuzzer waits.
  constexpr std::int64_t kMostPerTree = 8;
  t.dead_ends_per_tree = std::min(t.dead_ends_per_tree, kMostPerTree);
  return t;
}

Problem some_which(Bytes& bytes) {
  return {.root = bytes.flag() ? RootRule::single : RootRule::any,
          .objective = bytes.flag() ? Objective::minimize : Objective::maximize};
}

// Trees of these scores, which are all that is known of them, with the shipped tuning and any
// other. Of integers, perhaps only those that are no worse than the best by as much as one of them:
// gaps that are met exactly.
void expect_list(Graph graph, const Problem& problem, std::vector<Tree> expected, std::int64_t k,
                 double rounding, Bytes& bytes) {
  Request request{.k = k};
  if (bytes.flag() && graph.scalar() == Scalar::int64 && !expected.empty()) {
    const auto gap = [&](const Tree& tree) {
      return std::abs(expected[0].integer_score - tree.integer_score);
    };
    const auto last = bytes.take<std::size_t>(0, expected.size() - 1);
    request.max_gap = static_cast<double>(gap(expected[last]));
    // The nearest float64 may be less than the gap, or reach further.
    std::erase_if(expected, [&](const Tree& tree) {
      return static_cast<long double>(gap(tree)) > static_cast<long double>(*request.max_gap);
    });
  }
  for (const engine::Tuning& tuning : {engine::Tuning(), some_tuning(bytes)})
    testing::expect_tuned(tuning, graph, problem, request, expected, rounding);
}

std::vector<Tree> copies(const TreeList& list) {
  std::vector<Tree> trees;
  for (std::size_t rank = 0; rank < list.size(); ++rank) trees.push_back(list.copy(rank));
  return trees;
}

// The slowest who can say it in good time.
std::vector<Tree> truth(Graph graph, const Problem& problem, std::int64_t k) {
  constexpr double kMostChoices = 3000;
  constexpr Node kMostWordsOfPaper = 24;
  if (testing::choices(graph) <= kMostChoices)
    return testing::brute_force(graph, problem, {.k = k});
  if (graph.words() > kMostWordsOfPaper) return copies(kbest(graph, problem, {.k = k}));
  Decoder unused;
  TreeList trees;
  find_engine("paper")->kbest(unused, graph, problem, {.k = k}, trees);
  return copies(trees);
}

void of_the_zoo(Bytes& bytes) {
  const auto& families = zoo::families();
  const auto& family = families[bytes.take<std::uint8_t>() % families.size()];
  const int size = bytes.take<std::uint8_t>();
  const Node words = 2 + size * size * size / (1 << 17);
  const auto specimen = family.make(words, bytes.take<std::uint8_t>());
  SCOPED_TRACE(family.name + ", words " + std::to_string(words));
  const Problem problem = some_which(bytes);
  const auto k = bytes.take<std::int64_t>(1, 40);
  const Graph graph = specimen.graph();
  const double rounding = testing::rounding_of(graph) +
                          testing::rounding_of_plain_sums(graph);  // truth may add plainly
  expect_list(graph, problem, truth(graph, problem, k), k, rounding, bytes);
  testing::expect_certified(graph);
}

// Few nodes as a rule; the largest are as large as lists of them are promised to be right.
Node some_words(Bytes& bytes) {
  const std::int64_t size = bytes.take<std::uint8_t>();
  return size == 255 ? 20'000 : static_cast<Node>(1 + size * size * size * size / (1 << 23));
}

void of_gadgets(Bytes& bytes) {
  using testing::Gadgets;
  const auto kind = bytes.take<std::uint8_t>();
  Gadgets::Spec spec{.words = some_words(bytes),
                     .shape = static_cast<Gadgets::Shape>(kind % 3),
                     .largest = (kind & 4) != 0 ? 3 : 1000,
                     .root_edges = (kind & 8) != 0,
                     .parallel = (kind & 16) != 0,
                     .seed = bytes.take<std::uint8_t>()};
  const Gadgets gadgets(spec);
  SCOPED_TRACE("gadgets, words " + std::to_string(spec.words));
  const Problem problem{.root = bytes.flag() ? RootRule::single : RootRule::any};
  const auto k = bytes.take<std::int64_t>(1, spec.words > 100 ? 12 : 50);
  // Beside units: sums that float64 cannot hold, weights around 2^53, the largest that are taken.
  const std::int64_t largest = 4 * spec.largest;
  const std::int64_t units[] = {1, (std::int64_t{1} << 32) + 1,
                                (std::int64_t{1} << 53) / largest + 1,
                                (std::int64_t{1} << 60) / gadgets.nodes() / largest};
  const std::int64_t unit = units[kind >> 5 & 3];
  const bool large = unit > (std::int64_t{1} << 60) / gadgets.nodes() / largest;
  const bool integers = (kind & 128) != 0 && !large;
  const double float_unit = (kind & 32) != 0 ? 0.1 : 0x1p-10;
  std::vector<Tree> expected;
  for (std::int64_t score : gadgets.best_scores(problem.root, static_cast<std::size_t>(k))) {
    Tree& tree = expected.emplace_back();
    tree.integer_score = integers ? unit * score : 0;
    tree.score = integers ? static_cast<double>(tree.integer_score)
                          : float_unit * static_cast<double>(score);
  }
  const Multigraph graph =
      integers ? gadgets.integer_multigraph(unit) : gadgets.multigraph(float_unit);
  expect_list(graph, problem, expected, k,
              testing::rounding_of(graph) + testing::rounding_of_plain_sums(graph), bytes);
}

void of_bytes(Bytes& bytes) {
  const SomeGraph some(bytes, 4);
  const Graph graph = some.graph();
  if (some.bad() || testing::choices(graph) > 3000) return;
  Problem problem = some_which(bytes);
  const int rules = bytes.take(0, 7);
  if ((rules & 1) != 0) problem.rules.push_back(rules::projective());
  if ((rules & 6) == 6) problem.rules.push_back(rules::max_children(2));
  const auto k = bytes.take<std::int64_t>(1, 40);
  expect_list(graph, problem, testing::brute_force(graph, problem, {.k = k}), k,
              testing::rounding_of(graph), bytes);
}

}  // namespace

void run(Bytes bytes) {
  switch (bytes.take(0, 3)) {
    case 0:
      return of_bytes(bytes);
    case 1:
      return of_gadgets(bytes);
    default:
      return of_the_zoo(bytes);
  }
}

}  // namespace coppice::fuzz::hostile_target
