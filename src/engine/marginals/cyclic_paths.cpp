#include "engine/marginals/cyclic_paths.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
CyclicPaths<W>::CyclicPaths(std::vector<W> gains, Node nodes)
    : gains_(std::move(gains)), nodes_(nodes) {}

template <class W>
bool CyclicPaths<W>::solve() {
  Sparse<W> lists;
  lists.begins().assign(place_of(nodes_) + 1, Slot(0));
  for (Node v = 1; v < nodes_; ++v) {
    for (Node head = 0; head < nodes_; ++head)
      if (const W& gain = gains_[at(v, head)]; gain != lowest<W>())
        lists.edges().push_back({gain, head, head});
    lists.begins()[v + 1] = lists.edges().end_index();
  }
  lists.start(RootRule::any);
  if (!lists.solve()) return false;
  best_gain_ = lists.gain();
  parent_ = lists.parents();
  y_ = lists.y();
  heads_.assign(place_of(nodes_), kNoNode);
  for (Node v = 1; v < nodes_; ++v) heads_[v] = lists.edge(lists.tree(v)).source;
  preorder_.build(nodes_, [&](Node v) { return heads_[v]; });
  members_.assign(parent_.size(), {});
  for (Node v = 1; v < nodes_; ++v)
    for (Component set(v); set != kNoComponent; set = parent_[set]) members_[set].push_back(v);
  return true;
}

// The y of the sets that an arc enters, less its gain.
template <class W>
void CyclicPaths<W>::find_reduced_costs() {
  reduced_.assign(gains_.size(), far());
  std::vector<W> inside_of(place_of(nodes_));
  std::vector<Component> around;
  for (Node dependent = 1; dependent < nodes_; ++dependent) {
    around.clear();
    W sum{};
    for (Component set(dependent); set != kNoComponent; set = parent_[set]) {
      around.push_back(set);
      sum += y_[set];
    }
    std::ranges::fill(inside_of, sum);
    for (auto set = around.rbegin(); set != around.rend(); ++set) {
      sum -= y_[*set];
      for (Node node : members(*set)) inside_of[place_of(node)] = sum;
    }
    for (Node head = 0; head < nodes_; ++head)
      if (const W& gain = gains_[at(dependent, head)]; gain != lowest<W>())
        reduced_[at(dependent, head)] = inside_of[place_of(head)] - gain;
  }
}

// A word in no cycle of greedy heads. What is not below it is reached at no cost; for the others
// the cheapest way, by Dijkstra's algorithm.
template <class W>
void CyclicPaths<W>::find_below(Node dependent, std::vector<W>& cost) {
  cost.assign(place_of(nodes_), W{});
  std::vector<Node> left;
  for (Node word = 1; word < nodes_; ++word)
    if (word != dependent && preorder_.is_below(word, dependent)) left.push_back(word);
  for (Node word : left) {
    W least = far();
    for (Node head = 0; head < nodes_; ++head)
      if (!preorder_.is_below(head, dependent)) least = std::min(least, reduced(head, word));
    cost[place_of(word)] = least;
  }
  while (!left.empty()) {
    const auto nearest = std::ranges::min_element(
        left, [&](Node a, Node b) { return cost[place_of(a)] < cost[place_of(b)]; });
    const Node head = *nearest;
    left.erase(nearest);
    if (cost[place_of(head)] == far()) return;
    for (Node word : left)
      if (reduced(head, word) != far())
        cost[place_of(word)] =
            std::min(cost[place_of(word)], cost[place_of(head)] + reduced(head, word));
  }
}

// A word in a cycle. Sets around it that a path has left may have to be entered once more, which
// costs -y. They are nested, so that the smallest one visited says which have been.
template <class W>
void CyclicPaths<W>::find_around(Node dependent, const std::vector<Component>& around,
                                 std::vector<W>& cost) {
  const std::size_t levels = around.size() + 1;
  // The smallest set around each node.
  std::vector<std::size_t> level(place_of(nodes_), around.size());
  for (std::size_t i = around.size(); i-- > 0;)
    for (Node node : members(around[i])) level[place_of(node)] = i;
  // Entering `to` from `from`, sets from `visited` on having been visited.
  auto again = [&](std::size_t from, std::size_t to, std::size_t visited) {
    W sum{};
    for (std::size_t i = std::max(to, visited); i < from; ++i) sum -= y_[around[i]];
    return sum;
  };
  using Reached = std::pair<W, std::size_t>;  // cost, and node * levels + visited
  auto dearer = [](const Reached& a, const Reached& b) {
    return b.first < a.first || (a.first == b.first && a.second > b.second);
  };
  std::vector<W> distance(place_of(nodes_) * levels, far());
  std::priority_queue<Reached, std::vector<Reached>, decltype(dearer)> queue(dearer);
  distance[around.size()] = W{};
  queue.push({W{}, around.size()});
  while (!queue.empty()) {
    const auto [reached_at, place] = queue.top();
    queue.pop();
    if (distance[place] < reached_at) continue;
    const auto head = static_cast<Node>(place / levels);
    const std::size_t visited = place % levels;
    for (Node word = 1; word < nodes_; ++word) {
      if (word == head || word == dependent || reduced(head, word) == far()) continue;
      const std::size_t own = level[place_of(word)];
      const std::size_t next = place_of(word) * levels + std::min(visited, own);
      W through = reached_at + reduced(head, word);
      if (!(through < distance[next])) continue;
      through += again(level[place_of(head)], own, visited);
      if (!(through < distance[next])) continue;
      distance[next] = through;
      queue.push({through, next});
    }
  }
  cost.assign(place_of(nodes_), far());
  for (Node head = 0; head < nodes_; ++head)
    for (std::size_t visited = 0; visited < levels; ++visited)
      if (const W& found = distance[place_of(head) * levels + visited]; found != far())
        cost[place_of(head)] = std::min(
            cost[place_of(head)], found + again(level[place_of(head)], 0, visited));
}

template <class W>
bool CyclicPaths<W>::find(std::vector<W>& losses) {
  losses.assign(gains_.size(), far());
  if (!solve()) return false;
  find_reduced_costs();
  std::vector<W> cost;
  std::vector<Component> around;
  for (Node dependent = 1; dependent < nodes_; ++dependent) {
    poll();
    around.clear();
    for (Component set = parent_[Component(dependent)]; set != kNoComponent; set = parent_[set])
      // No path comes back to a set of all words, nor pays for one that costs nothing.
      if (members(set).size() + 1 < place_of(nodes_) && y_[set] != W{}) around.push_back(set);
    if (around.empty())
      find_below(dependent, cost);
    else
      find_around(dependent, around, cost);
    for (Node head = 0; head < nodes_; ++head)
      if (head != dependent && cost[place_of(head)] != far() && reduced(head, dependent) != far())
        losses[place_of(head) * place_of(nodes_) + place_of(dependent)] =
            cost[place_of(head)] + reduced(head, dependent);
  }
  return true;
}

template class CyclicPaths<Wide128>;
template class CyclicPaths<WideAny>;

}  // namespace coppice::engine
