#include "engine/cyclic_paths.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

std::size_t at(Node node) { return static_cast<std::size_t>(node); }

constexpr Ranked kFar{std::numeric_limits<double>::infinity(), 0.0};

}  // namespace

CyclicPaths::CyclicPaths(std::vector<double> weights, Node nodes, bool single)
    : weights_(std::move(weights)), nodes_(nodes), single_(single) {}

Ranked CyclicPaths::weight(Node head, Node dependent) const {
  const double weight = weights_[at(dependent) * at(nodes_) + at(head)];
  // One root edge more than needed is worse than all edges missing.
  const double rank = single_ && head == 0 ? -static_cast<double>(nodes_) : 0.0;
  return weight == kNoWeight ? Ranked{rank - 1.0, 0.0} : Ranked{rank, weight};
}

void CyclicPaths::choose(Set set) {
  Ranked best{-std::numeric_limits<double>::infinity(), 0.0};
  for (Node dependent : members_[at(set)])
    for (Node head = 0; head < nodes_; ++head) {
      if (top_of(head) == set) continue;
      const Ranked value = weight(head, dependent) - paid_[at(dependent)];
      if (best < value) {
        best = value;
        entered_by_[at(set)] = {head, dependent};
      }
    }
  y_[at(set)] = best;
}

void CyclicPaths::contract(const std::vector<Set>& cycle) {
  const auto made = static_cast<Set>(members_.size());
  std::vector<Node> members;
  for (Set part : cycle) {
    parent_[at(part)] = made;
    for (Node node : members_[at(part)]) {
      paid_[at(node)] = paid_[at(node)] + y_[at(part)];
      top_[at(node)] = made;
      members.push_back(node);
    }
  }
  members_.push_back(std::move(members));
  parent_.push_back(kNoNode);
  y_.emplace_back();
  entered_by_.push_back({kNoNode, kNoNode});
}

// Walks from set to head until the root, or what reaches it, is met; cycles on the way become sets.
void CyclicPaths::solve() {
  std::vector<bool> reaches_root(at(2 * nodes_), false), on_path = reaches_root;
  reaches_root[0] = true;
  std::vector<Set> path;
  for (Node start = 1; start < nodes_; ++start) {
    for (Set set = top_of(start); !reaches_root[at(set)];) {
      poll();
      path.push_back(set);
      on_path[at(set)] = true;
      choose(set);
      Set next = top_of(entered_by_[at(set)].head);
      if (on_path[at(next)] && !reaches_root[at(next)]) {
        auto begin = std::find(path.begin(), path.end(), next);
        contract({begin, path.end()});
        path.erase(begin, path.end());
        next = static_cast<Set>(members_.size()) - 1;
      }
      set = next;
    }
    for (Set set : path) reaches_root[at(set)] = true;
    path.clear();
  }
}

// The tree, and its nodes in preorder.
void CyclicPaths::expand() {
  heads_.assign(at(nodes_), kNoNode);
  std::vector<bool> entered_otherwise(members_.size(), false);
  for (auto set = static_cast<Set>(members_.size()) - 1; set > 0; --set) {
    if (entered_otherwise[at(set)]) continue;
    const Arc arc = entered_by_[at(set)];
    heads_[at(arc.dependent)] = arc.head;
    for (Set inner = arc.dependent; inner != set; inner = parent_[at(inner)])
      entered_otherwise[at(inner)] = true;
  }
  std::vector<std::vector<Node>> children(at(nodes_));
  best_ = {};
  for (Node word = 1; word < nodes_; ++word) {
    children[at(heads_[at(word)])].push_back(word);
    best_ = best_ + weight(heads_[at(word)], word);
  }
  at_.assign(at(nodes_), 0);
  last_.assign(at(nodes_), 0);
  order_.clear();
  std::vector<Node> stack{0};
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    at_[at(node)] = static_cast<Node>(order_.size());
    order_.push_back(node);
    for (Node child : children[at(node)]) stack.push_back(child);
  }
  for (auto i = order_.size(); i-- > 0;) {
    const Node node = order_[i];
    last_[at(node)] = std::max(last_[at(node)], static_cast<Node>(i) + 1);
    if (node != 0)
      last_[at(heads_[at(node)])] = std::max(last_[at(heads_[at(node)])], last_[at(node)]);
  }
}

// The y of the sets that an arc enters, less its weight; never negative but for rounding.
void CyclicPaths::find_reduced_costs() {
  reduced_.resize(weights_.size());
  for (Node dependent = 1; dependent < nodes_; ++dependent) {
    Ranked* costs = reduced_.data() + at(dependent) * at(nodes_);
    std::vector<Set> around;
    Ranked inside;
    for (Set set = dependent; set != kNoNode; set = parent_[at(set)]) around.push_back(set);
    for (Set set : around) inside = inside + y_[at(set)];
    std::fill_n(costs, nodes_, inside);
    for (auto set = around.rbegin(); set != around.rend(); ++set) {
      inside = inside - y_[at(*set)];
      for (Node node : members_[at(*set)]) costs[at(node)] = inside;
    }
    for (Node head = 0; head < nodes_; ++head)
      costs[at(head)] = std::max(Ranked{}, costs[at(head)] - weight(head, dependent));
  }
}

// A word in no cycle of greedy heads. What is not below it is reached at no cost; for the others
// the cheapest way, by Dijkstra's algorithm.
void CyclicPaths::find_below(Node dependent, std::vector<Ranked>& cost) {
  cost.assign(at(nodes_), Ranked{});
  std::vector<Node> left(order_.begin() + at_[at(dependent)] + 1,
                         order_.begin() + last_[at(dependent)]);
  auto is_below = [&](Node node) {
    return at_[at(node)] >= at_[at(dependent)] && at_[at(node)] < last_[at(dependent)];
  };
  for (Node word : left) {
    cost[at(word)] = kFar;
    for (Node head = 0; head < nodes_; ++head)
      if (!is_below(head)) cost[at(word)] = std::min(cost[at(word)], reduced(head, word));
  }
  while (!left.empty()) {
    auto nearest = std::min_element(left.begin(), left.end(),
                                    [&](Node a, Node b) { return cost[at(a)] < cost[at(b)]; });
    const Node head = *nearest;
    left.erase(nearest);
    for (Node word : left)
      cost[at(word)] = std::min(cost[at(word)], cost[at(head)] + reduced(head, word));
  }
}

// A word in a cycle. Sets around it that a path has left may have to be entered once more, which
// costs -y. They are nested, so that the smallest one visited says which have been.
void CyclicPaths::find_around(Node dependent, const std::vector<Set>& around,
                              std::vector<Ranked>& cost) {
  const std::size_t levels = around.size() + 1;
  std::vector<std::size_t> level(at(nodes_), around.size());  // the smallest set around each node
  for (std::size_t i = around.size(); i-- > 0;)
    for (Node node : members_[at(around[i])]) level[at(node)] = i;
  // Entering `to` from `from`, sets from `visited` on having been visited.
  auto again = [&](std::size_t from, std::size_t to, std::size_t visited) {
    Ranked sum;
    for (std::size_t i = std::max(to, visited); i < from; ++i) sum = sum - y_[at(around[i])];
    return sum;
  };
  using Reached = std::pair<Ranked, std::size_t>;  // cost, and node * levels + visited
  std::vector<Ranked> distance(at(nodes_) * levels, kFar);
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  distance[around.size()] = {};
  queue.push({Ranked{}, around.size()});
  while (!queue.empty()) {
    const auto [reached_at, place] = queue.top();
    queue.pop();
    if (distance[place] < reached_at) continue;
    const auto head = static_cast<Node>(place / levels);
    const std::size_t visited = place % levels;
    for (Node word = 1; word < nodes_; ++word) {
      if (word == head || word == dependent) continue;
      const std::size_t next = at(word) * levels + std::min(visited, level[at(word)]);
      Ranked through = reached_at + reduced(head, word);
      if (!(through < distance[next])) continue;
      through = through + again(level[at(head)], level[at(word)], visited);
      if (!(through < distance[next])) continue;
      distance[next] = through;
      queue.push({through, next});
    }
  }
  cost.assign(at(nodes_), kFar);
  for (Node head = 0; head < nodes_; ++head)
    for (std::size_t visited = 0; visited < levels; ++visited) {
      const Ranked& found = distance[at(head) * levels + visited];
      if (found < kFar)
        cost[at(head)] = std::min(cost[at(head)], found + again(level[at(head)], 0, visited));
    }
}

double CyclicPaths::scale() const {
  double largest = 0.0;
  for (const std::vector<Ranked>* numbers : {&y_, &paid_})
    for (const Ranked& number : *numbers) largest = std::max(largest, std::abs(number.weight));
  return largest;
}

std::vector<double> CyclicPaths::find() {
  for (Node node = 0; node < nodes_; ++node) {
    top_.push_back(node);
    members_.push_back({node});
  }
  parent_.assign(at(nodes_), kNoNode);
  y_.assign(at(nodes_), {});
  entered_by_.assign(at(nodes_), {kNoNode, kNoNode});
  paid_.assign(at(nodes_), {});
  solve();
  expand();
  std::vector<double> result(weights_.size(), kNoWeight);
  if (best_.rank != (single_ ? -static_cast<double>(nodes_) : 0.0)) return result;
  find_reduced_costs();
  std::vector<Ranked> cost;
  for (Node dependent = 1; dependent < nodes_; ++dependent) {
    poll();
    std::vector<Set> around;
    for (Set set = parent_[at(dependent)]; set != kNoNode; set = parent_[at(set)])
      // No path comes back to a set of all words, nor pays for one that costs nothing.
      if (members_[at(set)].size() + 1 < at(nodes_) && y_[at(set)] != Ranked{})
        around.push_back(set);
    if (around.empty())
      find_below(dependent, cost);
    else
      find_around(dependent, around, cost);
    for (Node head = 0; head < nodes_; ++head) {
      if (head == dependent) continue;
      const Ranked loss = cost[at(head)] + reduced(head, dependent);
      if (loss.rank == 0.0)
        result[at(head) * at(nodes_) + at(dependent)] = best_.weight - loss.weight;
    }
  }
  return result;
}

}  // namespace coppice::engine
