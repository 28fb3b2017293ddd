// The sum condition: what the children of a clone add up to.
//
// Every node has, in every sample, a frequency between its least and its most. A tree is legal
// where frequencies can be chosen so that no node has less than its children together, less the
// tolerance. The smallest choice decides: from the leaves up, a node takes its least, or what its
// children take together less the tolerance if that is more; the tree is legal just where no node
// takes more than its most. More edges make no node take less.
#include <algorithm>
#include <bit>
#include <cmath>
#include <coppice/error.hpp>
#include <coppice/rules.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "graph/phrases.hpp"
#include "rules/edges.hpp"
#include "rules/numbers.hpp"

namespace coppice::rules {
namespace {

// As whole multiples of a unit: sums are exact, whatever the order of adding up, and those of all
// nodes are within int64.
struct Frequencies {
  std::vector<std::int64_t> least, most;  // [node][sample]
  std::size_t samples;
  std::int64_t tolerance;
  bool are_points;  // what a node takes never changes

  std::size_t place(Node v, std::size_t sample) const { return at(v) * samples + sample; }
  std::size_t nodes() const { return least.size() / samples; }
};

Frequencies in_units(const std::vector<double>& least, const std::vector<double>& most,
                     std::size_t samples, double tolerance) {
  constexpr int kBits = 61;
  const std::size_t nodes = least.size() / samples;
  const double largest = *std::max_element(most.begin(), most.end());
  int exponent = 0;
  std::frexp(largest, &exponent);  // largest < 2^exponent
  const int shift = kBits - exponent - std::bit_width(nodes);
  // A tolerance beyond that allows everything, too.
  const auto units = [shift](double value) {
    return std::llround(std::min(std::ldexp(value, shift), 0x1p61));
  };
  Frequencies made{{}, {}, samples, units(tolerance), least == most};
  for (double value : least) made.least.push_back(units(value));
  for (double value : most) made.most.push_back(units(value));
  return made;
}

class SumCondition {
 public:
  explicit SumCondition(std::shared_ptr<const Frequencies> given)
      : given_(std::move(given)), taken_(given_->least) {}

  bool operator()(const TreeRef& tree, Clause& broken) {
    broken_.clear();
    sums_.assign(taken_.size(), 0);
    if (given_->are_points) {  // what a node takes is known before what its children take
      for (Node v = 1; v < static_cast<Node>(tree.heads.size()); ++v) add(v, tree.heads[at(v)]);
      for (Node v = 0; v < static_cast<Node>(tree.heads.size()); ++v) take(v);
    } else {
      list_children(tree);
      for (std::size_t i = order_.size(); i-- > 0;) {
        take(order_[i]);
        if (i > 0) add(order_[i], tree.heads[at(order_[i])]);
      }
    }
    if (broken_.empty()) return false;
    if (given_->are_points) list_children(tree);
    std::size_t smallest = std::numeric_limits<std::size_t>::max();
    for (const auto& [head, sample] : broken_) {
      explain(head, sample);
      if (clause_.size() >= smallest) continue;
      smallest = clause_.size();
      broken.clear();
      broken.without = clause_;
    }
    return true;
  }

 private:
  void list_children(const TreeRef& tree) {
    const auto nodes = tree.heads.size();
    begin_.assign(nodes + 1, 0);
    for (std::size_t v = 1; v < nodes; ++v) ++begin_[at(tree.heads[v]) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    children_.resize(nodes - 1);
    next_.assign(begin_.begin(), begin_.end());
    for (std::size_t v = 1; v < nodes; ++v)
      children_[next_[at(tree.heads[v])]++] = static_cast<Node>(v);
    // Nodes before their children.
    order_.assign(1, 0);
    for (std::size_t i = 0; i < order_.size(); ++i)
      for (std::size_t c = begin_[at(order_[i])]; c < begin_[at(order_[i]) + 1]; ++c)
        order_.push_back(children_[c]);
  }

  // A node that would take more than its most is broken, and takes that.
  void take(Node v) {
    for (std::size_t sample = 0; sample < given_->samples; ++sample) {
      const std::size_t place = given_->place(v, sample);
      std::int64_t& takes = taken_[place];
      takes = std::max(given_->least[place], sums_[place] - given_->tolerance);
      if (takes > given_->most[place]) {
        broken_.push_back({v, sample});
        takes = given_->most[place];
      }
    }
  }

  void add(Node v, Node head) {
    const std::size_t from = given_->place(v, 0), to = given_->place(head, 0);
    for (std::size_t sample = 0; sample < given_->samples; ++sample)
      sums_[to + sample] += taken_[from + sample];
  }

  // Edges enough to break the node: into its largest children, and below those into what makes
  // them so large. `need`: what the children of a node must add up to.
  void explain(Node broken, std::size_t sample) {
    clause_.clear();
    open_.assign(1, {broken, given_->most[given_->place(broken, sample)] + given_->tolerance + 1});
    while (!open_.empty()) {
      const auto [head, need] = open_.back();
      open_.pop_back();
      largest_.assign(children_.begin() + static_cast<std::ptrdiff_t>(begin_[at(head)]),
                      children_.begin() + static_cast<std::ptrdiff_t>(begin_[at(head) + 1]));
      const auto taken = [&](Node v) { return taken_[given_->place(v, sample)]; };
      std::stable_sort(largest_.begin(), largest_.end(),
                       [&](Node a, Node b) { return taken(a) > taken(b); });
      std::int64_t sum = 0;
      std::size_t count = 0;
      while (sum < need) sum += taken(largest_[count++]);
      std::int64_t spare = sum - need;
      for (std::size_t i = 0; i < count; ++i) {
        const Node child = largest_[i];
        clause_.push_back({head, child});
        const std::int64_t least = given_->least[given_->place(child, sample)];
        const std::int64_t given_up = std::min(spare, taken(child) - least);
        spare -= given_up;
        if (taken(child) - given_up > least)
          open_.push_back({child, taken(child) - given_up + given_->tolerance});
      }
    }
  }

  struct Broken {
    Node head;
    std::size_t sample;
  };
  struct Open {
    Node head;
    std::int64_t need;
  };

  std::shared_ptr<const Frequencies> given_;
  std::vector<std::size_t> begin_, next_;
  std::vector<Node> children_, order_, largest_;
  std::vector<std::int64_t> sums_, taken_;  // [node][sample]
  std::vector<Broken> broken_;
  std::vector<Open> open_;
  std::vector<ClauseEdge> clause_;
};

// The same for trees that grow: what every node takes of the edges that are there, and how much
// more its children may take.
class SumGrowth final : public Growth {
 public:
  explicit SumGrowth(std::shared_ptr<const Frequencies> given)
      : given_(std::move(given)),
        head_(given_->nodes(), kNoNode),
        takes_(given_->least),
        room_(given_->most) {
    for (std::int64_t& room : room_) room += given_->tolerance;
  }

  bool allows(const ClauseEdge& edge) const override {
    const std::size_t from = given_->place(edge.dependent, 0), to = given_->place(edge.head, 0);
    for (std::size_t sample = 0; sample < given_->samples; ++sample)
      if (takes_[from + sample] > room_[to + sample]) return false;
    if (given_->are_points) return true;
    for (std::size_t sample = 0; sample < given_->samples; ++sample) {
      std::int64_t more = takes_[from + sample];
      for (Node up = edge.head; up != kNoNode && more > 0; up = head_[at(up)]) {
        const std::size_t place = given_->place(up, sample);
        if (more > room_[place]) return false;
        more = takes_with(place, room_[place] - more) - takes_[place];
      }
    }
    return true;
  }

  void add(const ClauseEdge& edge) override {
    head_[at(edge.dependent)] = edge.head;
    change(edge, 1);
  }

  void remove(const ClauseEdge& edge) override {
    change(edge, -1);
    head_[at(edge.dependent)] = kNoNode;
  }

 private:
  // What children take less the tolerance is the most less the room.
  std::int64_t takes_with(std::size_t place, std::int64_t room) const {
    return std::max(given_->least[place], given_->most[place] - room);
  }

  void change(const ClauseEdge& edge, std::int64_t sign) {
    for (std::size_t sample = 0; sample < given_->samples; ++sample) {
      std::int64_t more = sign * takes_[given_->place(edge.dependent, sample)];
      for (Node up = edge.head; up != kNoNode && more != 0; up = head_[at(up)]) {
        const std::size_t place = given_->place(up, sample);
        room_[place] -= more;
        more = -takes_[place];
        takes_[place] = takes_with(place, room_[place]);
        more += takes_[place];
      }
    }
  }

  std::shared_ptr<const Frequencies> given_;
  std::vector<Node> head_;
  std::vector<std::int64_t> takes_, room_;  // [node][sample]
};

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::bad_argument, "rule sum-condition: " + why);
}

void check_frequencies(const std::vector<double>& least, const std::vector<double>& most,
                       std::size_t samples) {
  for (const auto* values : {&least, &most})
    if (values->empty() || values->size() % samples != 0)
      refuse(counted(values->size(), "frequency", "frequencies") + " for " +
             counted(samples, "sample"));
  if (least.size() != most.size())
    refuse(counted(least.size(), "least frequency", "least frequencies") + " and " +
           counted(most.size(), "largest frequency", "largest frequencies"));
  for (std::size_t i = 0; i < least.size(); ++i) {
    const std::string where =
        " of node " + std::to_string(i / samples) + " in sample " + std::to_string(i % samples);
    for (double value : {least[i], most[i]})
      if (!(value >= 0.0 && value < std::numeric_limits<double>::infinity()))
        refuse("frequency " + shortest(value) + where + ", must be finite and 0 or more");
    if (least[i] > most[i])
      refuse("frequency" + where + " is at least " + shortest(least[i]) + " and at most " +
             shortest(most[i]));
  }
}

}  // namespace

Rule sum_condition(const std::vector<double>& least, const std::vector<double>& most,
                   std::int32_t samples, double tolerance) {
  if (samples < 1) refuse(std::to_string(samples) + " samples, must be at least 1");
  if (!(tolerance >= 0.0)) refuse("tolerance " + shortest(tolerance) + ", must be 0 or more");
  check_frequencies(least, most, at(samples));
  const auto given =
      std::make_shared<const Frequencies>(in_units(least, most, at(samples), tolerance));
  const auto check = [given](Graph graph) {
    need_one_per_node("sum-condition", given->nodes(), graph);
  };
  return Rule(
      "sum-condition",
      [=](Graph graph) {
        check(graph);
        return Rule::Judge(SumCondition(given));
      },
      Rule::Shape::any,
      [=](Graph graph) {
        check(graph);
        return std::make_unique<SumGrowth>(given);
      });
}

Rule sum_condition(const std::vector<double>& frequencies, std::int32_t samples, double tolerance) {
  return sum_condition(frequencies, frequencies, samples, tolerance);
}

}  // namespace coppice::rules
