// What needs the K-best engine: minimum risk, mass cut-offs, lists as distributions.
#include <algorithm>
#include <cmath>
#include <coppice/distribution.hpp>
#include <coppice/error.hpp>
#include <coppice/verify.hpp>
#include <map>
#include <numeric>
#include <utility>

#include "graph/phrases.hpp"
#include "graph/poll.hpp"

namespace coppice {

namespace {

double checked_mass(double mass) {
  if (!(mass > 0.0 && mass <= 1.0))
    throw Error(ErrorCode::bad_argument, "mass is " + shortest(mass) + ", must be in (0, 1]");
  return mass;
}

}  // namespace

MassStream::MassStream(Graph graph, const Problem& problem, double mass)
    : distribution_(graph, problem), stream_(graph, problem), mass_(checked_mass(mass)) {}

std::optional<MassStream::Item> MassStream::next() {
  if (covered_ >= mass_) return std::nullopt;
  poll();
  auto tree = stream_.next();
  if (!tree) return std::nullopt;
  double probability = std::exp(distribution_.log_prob(*tree));
  covered_ = std::min(1.0, covered_ + probability);
  return Item{*std::move(tree), probability, covered_};
}

std::vector<double> list_probabilities(const TreeList& trees) {
  std::vector<double> result(trees.scores().begin(), trees.scores().end());
  if (result.empty()) return result;
  double highest = *std::max_element(result.begin(), result.end());
  for (double& score : result) score = std::exp(score - highest);
  double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& probability : result) probability /= sum;
  return result;
}

std::vector<double> expected_attachment(const TreeList& trees) {
  std::vector<double> probability = list_probabilities(trees);
  std::map<std::pair<Node, Node>, double> arcs;
  auto for_each_arc = [&](std::size_t rank, auto visit) {
    auto heads = trees.heads(rank);
    for (Node word = 1; word < trees.nodes(); ++word)
      visit(arcs[{word, heads[static_cast<std::size_t>(word)]}]);
  };
  for (std::size_t rank = 0; rank < trees.size(); ++rank)
    for_each_arc(rank, [&](double& mass) { mass += probability[rank]; });
  std::vector<double> expected(trees.size(), 0.0);
  for (std::size_t rank = 0; rank < trees.size(); ++rank)
    for_each_arc(rank, [&](double mass) { expected[rank] += mass; });
  return expected;
}

}  // namespace coppice
