#include "guarantee.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <coppice/distribution.hpp>
#include <coppice/max_marginals.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "errors.hpp"
#include "settings.hpp"
#include "temperature.hpp"

namespace coppice::cli {
namespace {

using nlohmann::json;

// Members of the file, checked; what is wrong is said with the name and the value.
class Members {
 public:
  explicit Members(const std::string& path)
      : path_(path), json_(read_settings("--guarantee", path)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError(fmt::format("--guarantee {}: {}", path_, what));
  }
  const json& at(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end())
      fail(fmt::format("has no \"{}\"; is it a file of Guarantee.save?", name));
    return *found;
  }
  // is_right(number) of a member; must_be says what it asks for.
  template <class IsRight>
  double number(const char* name, const json& value, const IsRight& is_right,
                const char* must_be) const {
    if (value.is_number() && is_right(value.get<double>())) return value.get<double>();
    const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    fail(fmt::format("\"{}\" is {}; must be {}", name, text, must_be));
  }
  template <class IsRight>
  double number(const char* name, const IsRight& is_right, const char* must_be) const {
    return number(name, at(name), is_right, must_be);
  }

 private:
  const std::string& path_;
  json json_;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::vector<Node>> sets_of(Node nodes, const auto& is_left) {
  std::vector<std::vector<Node>> sets(static_cast<std::size_t>(nodes) - 1);
  for (Node head = 0; head < nodes; ++head)
    for (Node word = 1; word < nodes; ++word)
      if (head != word && is_left(head, word))
        sets[static_cast<std::size_t>(word) - 1].push_back(head);
  return sets;
}

// By any tree within the gap; nothing where there is no tree.
std::vector<std::vector<Node>> tree_sets(const io::Matrix& scores, const Guarantee& guarantee) {
  const std::vector<double> with = max_marginals(scores.view(), {guarantee.root});
  const double best = *std::ranges::max_element(with);
  if (best == -kInfinity) return {};
  const auto nodes = static_cast<std::size_t>(scores.nodes);
  // A tree at the gap is within it: what is listed here and what the gap was found by are rounded
  // otherwise. Python does the same.
  double lowest = best;
  for (const double score : with)
    if (score > -kInfinity) lowest = std::min(lowest, score);
  const double size = static_cast<double>(nodes * nodes);
  const double slip = 0x1p-50 * size * (std::abs(best) + best - lowest);
  return sets_of(scores.nodes, [&](Node head, Node word) {
    const double score =
        with[static_cast<std::size_t>(head) * nodes + static_cast<std::size_t>(word)];
    return score > -kInfinity && score >= best - guarantee.gap - slip;
  });
}

// By their own probability, the likeliest one always.
std::vector<std::vector<Node>> word_sets(const io::Matrix& scores, const Guarantee& guarantee) {
  const auto sets = [&](const io::Matrix& divided) {
    const TreeDistribution trees(divided.view(), {guarantee.root});
    std::vector<double> likeliest(static_cast<std::size_t>(scores.nodes), 0.0);
    for (Node head = 0; head < scores.nodes; ++head)
      for (Node word = 1; word < scores.nodes; ++word) {
        double& most = likeliest[static_cast<std::size_t>(word)];
        most = std::max(most, trees.marginal(head, word));
      }
    const DenseView view = scores.view();
    return sets_of(scores.nodes, [&](Node head, Node word) {
      const double least =
          std::min(guarantee.probability, likeliest[static_cast<std::size_t>(word)]);
      return view.weight(head, word) > -kInfinity && trees.marginal(head, word) >= least;
    });
  };
  if (guarantee.temperature == 1.0) return sets(scores);
  io::Sentence copy;
  copy.scores = scores;
  temper(copy, {guarantee.temperature, 1.0});
  return sets(std::get<io::Matrix>(copy.scores));
}

}  // namespace

std::string Guarantee::terms() const {
  return fmt::format("{:g} %, for sentences drawn as the {} of the calibration were",
                     100 * coverage, sentences);
}

Guarantee read_guarantee(const std::string& path) {
  const Members members(path);
  const auto is_share = [](double value) { return value >= 0.0 && value <= 1.0; };
  const auto nothing = [](double) { return false; };
  Guarantee found;
  found.coverage = members.number(
      "coverage", [](double value) { return value > 0.0 && value < 1.0; }, "between 0 and 1");
  const json& root = members.at("root");
  if (root != "single" && root != "any")
    members.number("root", root, nothing, "\"single\" or \"any\"");
  found.root = root == "single" ? RootRule::single : RootRule::any;
  // Python writes null where there were too few sentences.
  found.gap = members.at("gap").is_null()
                  ? kInfinity
                  : members.number(
                        "gap", [](double value) { return value >= 0.0; }, "0 or more");
  found.probability = members.number("probability", is_share, "0 to 1");
  found.temperature = members.number("temperature", is_temperature, kTemperatures);
  const auto is_count = [](double value) {
    return value >= 1.0 && value < 0x1p53 && value == std::floor(value);
  };
  found.sentences =
      static_cast<std::int64_t>(members.number("sentences", is_count, "a whole number above 0"));
  const json& sizes = members.at("tree_sizes");
  if (!sizes.is_array() || sizes.size() != 2)
    members.number("tree_sizes", sizes, nothing, "two numbers");
  found.settled = members.number("tree_sizes", sizes[1], is_share, "0 to 1");
  return found;
}

void promise_root(const Guarantee& guarantee, Problem& problem, bool root_given) {
  if (problem.objective == Objective::minimize)
    throw UsageError("--guarantee is of scores, and --minimize makes them costs");
  if (root_given && problem.root != guarantee.root)
    throw UsageError(fmt::format("--guarantee was calibrated with --root {}",
                                 guarantee.root == RootRule::single ? "single" : "any"));
  problem.root = guarantee.root;
}

HeadSets head_sets(const io::Matrix& scores, const Guarantee& guarantee) {
  HeadSets sets{tree_sets(scores, guarantee), {}};
  if (!sets.empty()) sets.word = word_sets(scores, guarantee);
  return sets;
}

std::vector<Arc> settled_arcs(const io::Matrix& scores, const Guarantee& guarantee) {
  std::vector<Arc> arcs;
  const auto sets = tree_sets(scores, guarantee);
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (sets[i].size() == 1) arcs.push_back({sets[i][0], static_cast<Node>(i + 1)});
  return arcs;
}

}  // namespace coppice::cli
