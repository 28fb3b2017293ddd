// All best trees at once (docs/internals/proofs.md).
#include <algorithm>
#include <cmath>
#include <coppice/distribution.hpp>
#include <coppice/error.hpp>
#include <coppice/ties.hpp>
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
  std::vector<std::size_t> arcs;  // of the level, into its members
  EliminationPlan plan;
  bool one_entry;  // the trees enter it exactly once
};

struct Level {
  const TightLevel* tight;
  std::vector<Block> blocks;
  std::vector<std::int32_t> block_of, number;  // of a member: its block, its place there

  bool within(const Arc& arc) const {
    return arc.source != TightLevel::kOutside &&
           block_of[at(arc.source)] == block_of[at(arc.target)];
  }
};

// The blocks of a level. The outermost one is entered from the root: once in all (single) or as
// often as one likes; every other level is entered once and is one block.
Level split(const TightLevel& tight, bool outermost, bool single) {
  Level level{.tight = &tight, .blocks = {}, .block_of = {}, .number = {}};
  const auto members = static_cast<std::int32_t>(tight.members.size());
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  for (const Arc& arc : tight.arcs)
    if (arc.source != TightLevel::kOutside) edges.emplace_back(arc.source, arc.target);
  StrongComponents strong = strong_components(members, edges);
  level.block_of = std::move(strong.of);
  level.number.resize(at(members));
  level.blocks.resize(at(strong.count));
  for (std::int32_t member = 0; member < members; ++member) {
    std::vector<std::int32_t>& others = level.blocks[at(level.block_of[at(member)])].members;
    level.number[at(member)] = static_cast<std::int32_t>(others.size());
    others.push_back(member);
  }
  std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> inner(level.blocks.size());
  for (std::size_t i = 0; i < level.blocks.size(); ++i)
    // Edges between blocks go to lower numbers: the highest one reaches all others, and where one
    // root edge is allowed it goes there.
    level.blocks[i].one_entry = i + 1 == level.blocks.size() && (single || !outermost);
  for (std::size_t i = 0; i < tight.arcs.size(); ++i) {
    const Arc& arc = tight.arcs[i];
    const std::size_t block = at(level.block_of[at(arc.target)]);
    const bool from_root = arc.source == TightLevel::kOutside;
    if (from_root && single && !level.blocks[block].one_entry) continue;
    level.blocks[block].arcs.push_back(i);
    if (level.within(arc))
      inner[block].emplace_back(level.number[at(arc.source)], level.number[at(arc.target)]);
  }
  for (std::size_t i = 0; i < level.blocks.size(); ++i)
    level.blocks[i].plan.build(static_cast<std::int32_t>(level.blocks[i].members.size()), inner[i]);
  return level;
}

// Of every node, in how many ways its member can be spanned from it: the product of the numbers
// that its sets had within larger ones.
template <class Field>
class Ways {
 public:
  using Number = typename Field::Number;

  Ways(std::size_t components, const Field& field)
      : field_(&field), up_(components), ways_(components, field.one()) {
    for (Component c(0); c < up_.end_index(); ++c) up_[c] = c;
  }
  Number of(Node node) {
    compress(Component(node));
    return ways_[Component(node)];
  }
  void join(Component member, Component set, const Number& ways) {
    up_[member] = set;
    ways_[member] = ways;
  }

 private:
  // Makes the outermost set the parent of all on the path to it.
  void compress(Component c) {
    path_.clear();
    for (; up_[c] != c; c = up_[c]) path_.push_back(c);
    Number product = field_->one();
    for (; !path_.empty(); path_.pop_back()) {
      const Component inner = path_.back();
      product = ways_[inner] = field_->multiply(ways_[inner], product);
      up_[inner] = c;
    }
  }

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
using engine::Level;
using engine::LevelSums;
using engine::PrimeField;
using engine::TightLevel;
using engine::WideField;

class Ties::Impl {
 public:
  Impl(Graph graph, const Which& which) {
    if (!which.rules.empty())
      throw Error(ErrorCode::bad_argument, "best trees that obey rules cannot be counted");
    if (!family_.build(graph, which)) {
      places_ = graph.dense() != nullptr ? place_of(graph.nodes()) * place_of(graph.nodes())
                                         : place_of(graph.multigraph()->edges());
      return;
    }
    places_ = family_.places;
    const bool single = which.root == RootRule::single;
    for (const TightLevel& tight : family_.levels) {
      const bool outermost = &tight == &family_.levels.back();
      levels_.push_back(engine::split(tight, outermost, single));
    }
    sums_.resize(levels_.size());
    Wide count;
    sum(WideField(), count, &sums_);
    log_count_ = count.log();
  }

  bool empty() const { return levels_.empty(); }
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
    for (const Level& level : levels_)
      for (const Block& block : level.blocks)
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
  std::vector<Level> levels_;
  std::vector<LevelSums> sums_;
  std::size_t places_ = 0;
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
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Level& level = levels_[l];
    const TightLevel& tight = *level.tight;
    const bool outermost = l + 1 == levels_.size();
    arcs.clear();
    for (const TightLevel::Arc& arc : tight.arcs) arcs.push_back(ways.of(arc.into));
    from_all.assign(tight.members.size(), field.one());
    for (const Block& block : level.blocks) {
      engine::TreeSums<Field> sums(block.plan, field);
      std::vector<Number> root_edges(block.members.size(), field.zero());
      for (std::size_t i : block.arcs) {
        const TightLevel::Arc& arc = tight.arcs[i];
        const std::int32_t target = level.number[place_of(arc.target)];
        if (level.within(arc))
          sums.add(level.number[place_of(arc.source)], target, arcs[i]);
        else if (block.one_entry)
          root_edges[place_of(target)] = field.add(root_edges[place_of(target)], arcs[i]);
        else
          sums.add_outside(target, arcs[i]);
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
      if (outermost) total = field.multiply(total, product);
    }
    for (std::size_t i = 0; i < tight.members.size(); ++i)
      ways.join(tight.members[i], tight.set, from_all[i]);
    if constexpr (std::is_same_v<Field, WideField>)
      if (kept != nullptr) (*kept)[l] = {arcs, from_all};
  }
  return true;
}

namespace {

// Sums over stretches of numbers that change (Fenwick, Softw. Pract. Exper. 1994).
class Stretches {
 public:
  explicit Stretches(std::size_t size) : sums_(size + 1, 0.0) {}
  void add(std::size_t i, double value) {
    for (++i; i < sums_.size(); i += i & (~i + 1)) sums_[i] += value;
  }
  double sum(std::size_t begin, std::size_t end) const { return before(end) - before(begin); }

 private:
  double before(std::size_t i) const {
    double sum = 0.0;
    for (; i > 0; i &= i - 1) sum += sums_[i];
    return sum;
  }
  std::vector<double> sums_;
};

// Beyond it the matrices of a distribution would not fit into memory.
constexpr std::size_t kMostForSupport = 10'000;

// The probability of every arc of a block, trees being as likely as their products of ways say;
// entries: where they come in, if they do so once.
std::vector<double> arc_probabilities(const Level& level, const Block& block, const LevelSums& sums,
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
  for (std::size_t i : block.arcs) {
    const TightLevel::Arc& arc = level.tight->arcs[i];
    const Node source = level.within(arc) ? level.number[place_of(arc.source)] + 1 : 0;
    graph.add_edge(source, level.number[place_of(arc.target)] + 1, sums.arcs[i].log());
  }
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
  Stretches entered(family_.intervals.nodes().size());
  for (std::size_t l = levels_.size(); l-- > 0;) {
    const Level& level = levels_[l];
    std::vector<double> entries;
    if (l + 1 != levels_.size())
      for (Component member : level.tight->members)
        entries.push_back(std::max(
            0.0, entered.sum(family_.intervals.begin(member), family_.intervals.end(member))));
    for (const Block& block : level.blocks) {
      const std::vector<double> found = arc_probabilities(level, block, sums_[l], entries);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const TightLevel::Arc& arc = level.tight->arcs[block.arcs[i]];
        result[arc.edge] = std::min(1.0, found[i]);
        entered.add(family_.intervals.begin(Component(arc.into)), found[i]);
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

Ties::Ties(Graph graph, const Which& which) : impl_(std::make_shared<Impl>(graph, which)) {}
bool Ties::empty() const { return impl_->empty(); }
double Ties::log_count() const { return impl_->log_count(); }
BigCount Ties::count() const { return impl_->count(); }
double Ties::count_steps() const { return impl_->count_steps(); }
std::vector<double> Ties::support() const { return impl_->support(); }

BigCount count_optimal(Graph graph, const Which& which) { return Ties(graph, which).count(); }
std::vector<double> optimal_support(Graph graph, const Which& which) {
  return Ties(graph, which).support();
}

}  // namespace coppice
