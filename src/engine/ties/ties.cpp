// All best trees at once (docs/internals/proofs.md).
#include <algorithm>
#include <cmath>
#include <coppice/distribution.hpp>
#include <coppice/error.hpp>
#include <coppice/ties.hpp>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/ties/prime_field.hpp"
#include "engine/ties/tight_family.hpp"
#include "engine/ties/tree_sums.hpp"
#include "graph/strong_components.hpp"
#include "graph/wide.hpp"

namespace coppice {
namespace engine {
namespace {

using Arc = TightLevel::Arc;
constexpr std::int32_t kOutside = EliminationPlan::kOutside;
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

struct WideField {
  using Number = Wide;
  static Wide zero() { return {}; }
  static Wide one() { return Wide(1.0); }
  static Wide add(const Wide& a, const Wide& b) { return a + b; }
  static Wide multiply(const Wide& a, const Wide& b) { return a * b; }
  static Wide inverse(const Wide& a) { return one() / a; }
};

// Members of a level that reach each other. What enters them from elsewhere chooses where
// independently of all other blocks.
struct Block {
  std::vector<std::int32_t> members;
  std::vector<std::size_t> arcs;         // of the level, into its members
  std::vector<EliminationPlan::Arc> by;  // which places among the members they join
  EliminationPlan plan;
  bool one_entry = false;  // the trees enter it exactly once
};

// The blocks of a level. The outermost one is entered from the root: once in all (single) or as
// often as one likes; every other level is entered once and is one block.
std::vector<Block> split(const TightLevel& level, bool outermost, bool single) {
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  for (const Arc& arc : level.arcs)
    if (arc.source != kOutside) edges.emplace_back(arc.source, arc.target);
  const auto members = static_cast<std::int32_t>(level.members.size());
  const StrongComponents strong = strong_components(members, edges);
  std::vector<Block> blocks(at(strong.count));
  std::vector<std::int32_t> place(at(members));
  for (std::int32_t member = 0; member < members; ++member) {
    std::vector<std::int32_t>& all = blocks[at(strong.of[at(member)])].members;
    place[at(member)] = static_cast<std::int32_t>(all.size());
    all.push_back(member);
  }
  // Edges between blocks go to lower numbers: the highest one reaches all others, and where one
  // root edge is allowed it goes there.
  blocks.back().one_entry = single || !outermost;
  for (std::size_t i = 0; i < level.arcs.size(); ++i) {
    const auto [source, target, into, edge] = level.arcs[i];
    Block& block = blocks[at(strong.of[at(target)])];
    if (source == kOutside && single && !block.one_entry) continue;
    const bool within = source != kOutside && strong.of[at(source)] == strong.of[at(target)];
    block.arcs.push_back(i);
    block.by.push_back({within ? place[at(source)] : kOutside, place[at(target)]});
  }
  for (Block& block : blocks) block.plan.build(block.members.size(), block.by);
  return blocks;
}

// Of every node, in how many ways its outermost set so far can be spanned from it: the product of
// the numbers that its sets had within larger ones.
template <class Field>
class Ways {
 public:
  using Number = typename Field::Number;

  Ways(std::size_t components, const Field& field)
      : field_(&field), up_(components), ways_(components, field.one()) {}
  // Makes the outermost set the parent of all on the path to it.
  const Number& of(Component c) {
    for (; up_[c] != kNoComponent && up_[up_[c]] != kNoComponent; c = up_[c]) path_.push_back(c);
    for (; !path_.empty(); path_.pop_back()) {
      const Component inner = path_.back();
      ways_[inner] = field_->multiply(ways_[inner], ways_[c]);
      up_[inner] = up_[c];
      c = inner;
    }
    return ways_[c];
  }
  void join(Component member, Component set, const Number& ways) {
    up_[member] = set;
    ways_[member] = ways;
  }

 private:
  const Field* field_;
  Indexed<Component, Component> up_;
  Indexed<Component, Number> ways_;
  std::vector<Component> path_;
};

// What the sums of one field are, for those who ask for more than the total.
struct LevelSums {
  std::vector<Wide> arcs;     // of every arc, in how many ways what it enters can be spanned
  std::vector<Wide> members;  // of every member, in how many ways all others follow from it
};

}  // namespace
}  // namespace engine

using engine::Block;
using engine::Component;
using engine::LevelSums;
using engine::PrimeField;
using engine::TightLevel;
using engine::WideField;

class Ties::Impl {
 public:
  Impl(Graph graph, const Problem& problem) {
    if (!problem.rules.empty())
      throw Error(ErrorCode::bad_argument, "best trees that obey rules cannot be counted");
    places_ = graph.dense() != nullptr ? place_of(graph.nodes()) * place_of(graph.nodes())
                                       : place_of(graph.multigraph()->edges());
    if (!family_.build(graph, problem)) return;
    for (const TightLevel& level : family_.levels)
      blocks_.push_back(
          engine::split(level, &level == &family_.levels.back(), problem.root == RootRule::single));
    sums_.resize(blocks_.size());
    Wide count;
    sum(WideField(), count, &sums_);
    log_count_ = count.log();
  }

  bool empty() const { return blocks_.empty(); }
  double log_count() const { return log_count_; }

  BigCount count() const {
    if (empty()) return {};
    engine::Remainders remainders;
    std::uint64_t prime = kLargest;
    while (true) {
      prime = engine::prime_below(prime);
      const PrimeField field(prime);
      PrimeField::Number remainder = 0;
      if (!sum(field, remainder, nullptr)) continue;
      if (!remainders.add(field, field.value(remainder))) break;
    }
    return {remainders.words()};
  }

  double count_steps() const {
    double steps = 0.0;
    for (const std::vector<Block>& blocks : blocks_)
      for (const Block& block : blocks)
        steps += block.plan.multiplications() + static_cast<double>(block.arcs.size());
    const double primes = empty() ? 0.0 : log_count_ / std::log(static_cast<double>(kLargest));
    return steps * (primes + 2.0);
  }

  std::vector<double> support() const;

 private:
  static constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;

  template <class Field>
  bool sum(const Field& field, typename Field::Number& total, std::vector<LevelSums>* kept) const;

  engine::TightFamily family_;
  std::vector<std::vector<Block>> blocks_;  // of every level
  std::vector<LevelSums> sums_;
  std::size_t places_ = 0;  // of the support: cells of a matrix, edges of a multigraph
  double log_count_ = kNoWeight;
};

// Members first. False where a prime divides what must not be 0.
template <class Field>
bool Ties::Impl::sum(const Field& field, typename Field::Number& total,
                     std::vector<LevelSums>* kept) const {
  using Number = typename Field::Number;
  engine::Ways<Field> ways(family_.components, field);
  total = field.one();
  std::vector<Number> from_member, from_all, arcs;
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    const TightLevel& level = family_.levels[l];
    arcs.clear();
    for (const TightLevel::Arc& arc : level.arcs) arcs.push_back(ways.of(Component(arc.into)));
    from_all.assign(level.members.size(), field.one());
    for (const Block& block : blocks_[l]) {
      engine::TreeSums<Field> sums(block.plan, field);
      std::vector<Number> root_edges(block.members.size(), field.zero());
      for (std::size_t i = 0; i < block.arcs.size(); ++i) {
        const auto [source, target] = block.by[i];
        const Number& weight = arcs[block.arcs[i]];
        if (source == engine::kOutside && block.one_entry)
          root_edges[place_of(target)] = field.add(root_edges[place_of(target)], weight);
        else
          sums.add(block.by[i], weight);
      }
      Number product = field.zero();
      if (block.one_entry) {
        if (!sums.from_each(from_member)) return false;
        for (std::size_t i = 0; i < from_member.size(); ++i) {
          from_all[place_of(block.members[i])] = from_member[i];
          product = field.add(product, field.multiply(root_edges[i], from_member[i]));
        }
      } else if (!sums.from_outside(product)) {
        return false;
      }
      if (l + 1 == blocks_.size()) total = field.multiply(total, product);
    }
    for (std::size_t i = 0; i < level.members.size(); ++i)
      ways.join(level.members[i], level.set, from_all[i]);
    if constexpr (std::is_same_v<Field, WideField>)
      if (kept != nullptr) (*kept)[l] = {arcs, from_all};
  }
  return true;
}

namespace {

// Beyond it the matrices of a distribution would not fit into memory.
constexpr std::size_t kMostForSupport = 10'000;

// The probability of every arc of a block, trees being as likely as their products of ways say;
// entries: where they come in, if they do so once.
std::vector<double> arc_probabilities(const Block& block, const LevelSums& sums,
                                      std::span<const double> entries) {
  std::vector<double> result;
  if (block.members.size() == 1 && entries.empty()) {  // one arc, and nothing else to choose
    Wide sum;
    for (std::size_t i : block.arcs) sum += sums.arcs[i];
    for (std::size_t i : block.arcs) result.push_back((sums.arcs[i] / sum).value());
    return result;
  }
  if (block.members.size() > kMostForSupport)
    throw Error(
        ErrorCode::bad_graph,
        std::to_string(block.members.size()) +
            " nodes reach each other by tied edges; the support of edges is found for up to " +
            std::to_string(kMostForSupport));
  Multigraph graph(static_cast<std::int64_t>(block.members.size()) + 1);
  for (std::size_t i = 0; i < block.arcs.size(); ++i)  // kOutside comes before the first place
    graph.add_edge(block.by[i].source + 1, block.by[i].target + 1, sums.arcs[block.arcs[i]].log());
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i] > 0.0)
      graph.add_edge(0, static_cast<Node>(i) + 1,
                     std::log(entries[i]) - sums.members[place_of(block.members[i])].log());
  const TreeDistribution trees(graph, {.root = block.one_entry ? RootRule::single : RootRule::any});
  result = trees.edge_marginals();
  result.resize(block.arcs.size());
  return result;
}

}  // namespace

// From the outside in: once it is known how likely a set is entered at each of its nodes, the arcs
// between its members follow, and with them how likely these are entered.
std::vector<double> Ties::Impl::support() const {
  std::vector<double> result(places_, 0.0);
  if (empty()) return result;
  std::vector<double> entered(family_.intervals.nodes().size(), 0.0);  // every node, from outside
  for (std::size_t l = blocks_.size(); l-- > 0;) {
    const TightLevel& level = family_.levels[l];
    std::vector<double> entries;
    if (l + 1 != blocks_.size())
      for (Component member : level.members)
        entries.push_back(std::accumulate(entered.data() + family_.intervals.begin(member),
                                          entered.data() + family_.intervals.end(member), 0.0));
    for (const Block& block : blocks_[l]) {
      const std::vector<double> found = arc_probabilities(block, sums_[l], entries);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const TightLevel::Arc& arc = level.arcs[block.arcs[i]];
        result[arc.edge] = std::min(1.0, found[i]);
        entered[family_.intervals.begin(Component(arc.into))] += found[i];
      }
    }
  }
  return result;
}

std::string BigCount::decimal() const {
  constexpr std::uint64_t kChunk = 1'000'000'000'000'000'000;
  constexpr std::size_t kDigits = 18;
  std::vector<std::uint64_t> rest = words;
  std::string reversed;
  while (!rest.empty()) {
    engine::Uint128 remainder = 0;
    for (std::size_t i = rest.size(); i-- > 0;) {
      remainder = remainder << 64 | rest[i];
      rest[i] = static_cast<std::uint64_t>(remainder / kChunk);
      remainder %= kChunk;
    }
    while (!rest.empty() && rest.back() == 0) rest.pop_back();
    auto chunk = static_cast<std::uint64_t>(remainder);
    for (std::size_t i = 0; i < kDigits && (chunk != 0 || !rest.empty()); ++i, chunk /= 10)
      reversed.push_back(static_cast<char>('0' + chunk % 10));
  }
  return reversed.empty() ? "0" : std::string(reversed.rbegin(), reversed.rend());
}

Ties::Ties(Graph graph, const Problem& problem) : impl_(std::make_shared<Impl>(graph, problem)) {}
bool Ties::empty() const { return impl_->empty(); }
double Ties::log_count() const { return impl_->log_count(); }
BigCount Ties::count() const { return impl_->count(); }
double Ties::count_steps() const { return impl_->count_steps(); }
std::vector<double> Ties::support() const { return impl_->support(); }

}  // namespace coppice
