#include "engine/marginals/cheapest_paths.hpp"

#include "graph/poll.hpp"

namespace coppice::engine {

template <class W>
void OpenStates<W>::reset(std::size_t size) {
  costs_.assign(size, highest<W>());
  few_ = size <= kFew;
  open_.clear();
  queue_.clear();
}

template <class W>
void OpenStates<W>::lower(std::size_t state, const W& cost) {
  if (few_) {
    if (costs_[state] == highest<W>()) open_.push_back(state);
  } else {
    queue_.emplace_back(cost, state);
    std::push_heap(queue_.begin(), queue_.end(), dearer);
  }
  costs_[state] = cost;
}

template <class W>
bool OpenStates<W>::take(std::size_t& state) {
  poll();
  if (few_) {
    if (open_.empty()) return false;
    std::size_t* nearest = open_.data();
    W least = costs_[*nearest];
    for (std::size_t& other : open_)
      if (costs_[other] < least) least = costs_[other], nearest = &other;
    state = *nearest;
    *nearest = open_.back();
    open_.pop_back();
    return true;
  }
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), dearer);
    const Reached cheapest = queue_.back();
    queue_.pop_back();
    state = cheapest.second;
    if (cheapest.first == costs_[state]) return true;  // otherwise it was taken before
  }
  return false;
}

template <class W>
void EdgeRows<W>::turn(const EdgeRows& rows) {
  costs.resize(rows.costs.size());
  others.resize(rows.others.size());
  begin.assign(rows.begin.size() + 1, 0);
  const Place end = rows.begin.end_index();
  for (const Place other : rows.others) ++begin[other.next().next()];
  for (Place p(1); p < end; ++p) begin[p.next()] += begin[p];
  for (Place p(0); p.next() < end; ++p) {
    poll_at(p.value());
    for (std::size_t i = rows.begin[p]; i < rows.begin[p.next()]; ++i) {
      const std::size_t place = begin[rows.others[i].next()]++;
      costs[place] = rows.costs[i];
      others[place] = p;
    }
  }
}

template <class W>
void CheapestPaths<W>::start(const Indexed<Node, Node>& heads,
                             const Indexed<Component, Component>& parents,
                             const Indexed<Component, W>& y, const W& root_price) {
  parents_ = &parents;
  y_ = &y;
  root_price_ = root_price;
  const auto nodes = static_cast<Node>(heads.size());
  preorder_.build(nodes, [&](Node v) { return heads[v]; });
  entering_.costs.clear();
  entering_.others.clear();
  entering_.begin.assign(2, 0);  // nothing enters the root
  ids_.clear();
  outside_.clear();
  root_edge_.assign(heads.size(), far());
  if (parents.size() == heads.size()) return;
  intervals_.build(nodes, parents);
  entry_.assign(parents.size(), Place(nodes));
  for (Component c(1); c < parents.end_index(); ++c) {
    if (c < Component(nodes)) entry_[c] = preorder_.place(c.value());
    if (parents[c] != kNoComponent) entry_[parents[c]] = std::min(entry_[parents[c]], entry_[c]);
  }
}

// The y of all sets that the edge enters, less its gain.
template <class W>
W CheapestPaths<W>::reduced_cost(Node head, Node dependent, const W& gain) const {
  W sum = (*y_)[Component(dependent)];
  for (Component set = (*parents_)[Component(dependent)];
       set != kNoComponent && !intervals_.contains(set, head); set = (*parents_)[set])
    sum += (*y_)[set];
  return sum - (head == 0 ? gain - root_price_ : gain);
}

template <class W>
void CheapestPaths<W>::add(Node v, std::vector<Edge>& entering) {
  const auto is_before = [&](const Edge& a, const Edge& b) {
    return preorder_.place(a.source) < preorder_.place(b.source);
  };
  if (!std::ranges::is_sorted(entering, is_before)) std::ranges::sort(entering, is_before);
  for (const Edge& edge : entering) {
    entering_.costs.push_back(reduced_cost(edge.source, v, edge.gain));
    entering_.others.push_back(preorder_.place(edge.source));
    ids_.push_back(edge.id);
  }
  entering_.begin.push_back(ids_.size());
  find_ways_in(preorder_.place(v));
}

template <class W>
void CheapestPaths<W>::find_ways_in(Place place) {
  const W* costs = entering_.row(place);
  const Place* sources = entering_.others_of(place);
  const std::size_t size = entering_.size(place);
  outside_.resize(entering_.costs.size(), far());
  W* outside = outside_.data() + entering_.begin[place];
  std::size_t i = 0;
  for (; i < size && sources[i] == Place(0); ++i)
    root_edge_[place] = std::min(root_edge_[place], costs[i]);
  for (W least = far(); i < size && sources[i] < place; ++i)
    outside[i] = least = std::min(least, costs[i]);
  W least = far();
  for (i = size; i > 0 && sources[i - 1] >= end(place); --i)
    outside[i - 1] = least = std::min(least, costs[i - 1]);
}

template <class W>
W CheapestPaths<W>::way_in(Place place) const {
  const std::size_t before = entering_.before(place, top_), up_to = entering_.before(place, end_);
  const W* outside = outside_.data() + entering_.begin[place];
  return std::min(before > 0 ? outside[before - 1] : far(),
                  up_to < entering_.size(place) ? outside[up_to] : far());
}

template <class W>
void CheapestPaths<W>::prepare(RootRule rule) {
  leaving_.turn(entering_);
  to_root_child_.assign(preorder_.size(), rule == RootRule::single ? far() : W{});
  if (rule == RootRule::any) return;
  reached_.reset(preorder_.size());
  reached_.reach(1, W{});
  for (std::size_t to; reached_.take(to);) {
    const Place target(static_cast<std::int32_t>(to));
    const W cost = to_root_child_[target] = reached_.cost(to);
    const Place* sources = entering_.others_of(target);
    for (std::size_t i = 0; i < entering_.size(target); ++i)
      if (sources[i] != Place(0))
        reached_.reach(place_of(sources[i]), sum(cost, entering_.row(target)[i]));
  }
}

template <class W>
void CheapestPaths<W>::find_losses(Place place) {
  poll();
  find_sets_around(place);
  W* costs = entering_.row(place);
  const Place* sources = entering_.others_of(place);
  const std::size_t size = entering_.size(place);
  for (std::size_t i = 0; i < size && sources[i] == Place(0); ++i)
    costs[i] = sum(costs[i], to_root_child_[place]);
  std::size_t i = entering_.before(place, top_);
  if (i == size || sources[i] >= end_ || top_.next() == end_) return;  // none comes from below
  search(place);
  for (; i < size && sources[i] < end_; ++i)
    costs[i] = sum(costs[i], reach(place_of(sources[i]) - place_of(top_)));
}

// No path comes back to a set of all words, nor pays for one that costs nothing.
template <class W>
void CheapestPaths<W>::find_sets_around(Place place) {
  around_.clear();
  again_.assign(1, W{});
  for (Component set = (*parents_)[Component(preorder_.node(place))]; set != kNoComponent;
       set = (*parents_)[set]) {
    if ((*y_)[set] == W{} || intervals_.end(set) - intervals_.begin(set) + 1 == preorder_.size())
      continue;
    around_.push_back(set);
    again_.push_back(again_.back() - (*y_)[set]);
  }
  top_ = around_.empty() ? place : entry_[around_.back()];
  end_ = end(top_);
}

// How far the nodes between top_ and end_ are from the dependent: how many of the sets around it
// they are outside of.
template <class W>
void CheapestPaths<W>::find_levels() {
  level_.assign(place_of(end_) - place_of(top_), around_.size());
  for (std::size_t i = around_.size(); i-- > 0;)
    for (std::size_t j = intervals_.begin(around_[i]); j < intervals_.end(around_[i]); ++j)
      level_[place_of(preorder_.place(intervals_.nodes()[j])) - place_of(top_)] = i;
}

// From what is not below top_, which costs nothing to reach, or from the root, by any path that
// avoids the dependent. A state is a node and the smallest of the sets that were visited: those
// that contain it were, too.
template <class W>
void CheapestPaths<W>::search(Place dependent) {
  find_levels();
  const std::size_t levels = around_.size() + 1, top = place_of(top_);
  reached_.reset(level_.size() * levels);
  std::vector<std::size_t> seen(levels == 1 ? 0 : level_.size(), 0);
  for (std::size_t i = 0; i < level_.size(); ++i) {
    const Place p(static_cast<std::int32_t>(top + i));
    if (p != dependent)
      reached_.reach(i * levels + level_[i],
                     std::min(way_in(p), sum(root_edge_[p], to_root_child_[dependent])));
  }
  for (std::size_t state; reached_.take(state);) {
    const std::size_t from = levels == 1 ? state : state / levels;
    const Place source(static_cast<std::int32_t>(top + from));
    const W cost = reached_.cost(state);
    const W* costs = leaving_.row(source);
    const Place* targets = leaving_.others_of(source);
    const std::size_t size = leaving_.size(source);
    std::size_t i = leaving_.before(source, top_);
    if (levels == 1) {
      for (; i < size && targets[i] < end_; ++i)
        if (targets[i] != dependent)
          reached_.reach(place_of(targets[i]) - top, sum(cost, costs[i]));
      continue;
    }
    const std::size_t visited = state % levels;
    if (visited < seen[from]) continue;  // it was reached at no more, and less had been visited
    seen[from] = visited + 1;
    for (; i < size && targets[i] < end_; ++i) {
      if (targets[i] == dependent) continue;
      const std::size_t to = place_of(targets[i]) - top, entered = std::max(level_[to], visited);
      W through = cost + costs[i];
      if (entered < level_[from]) through += again_[level_[from]] - again_[entered];
      reached_.reach(to * levels + std::min(level_[to], visited), through);
    }
  }
}

// What the path to the i-th node costs, and entering the dependent from there.
template <class W>
W CheapestPaths<W>::reach(std::size_t i) const {
  const std::size_t levels = around_.size() + 1;
  W least = far();
  for (std::size_t visited = 0; visited <= level_[i]; ++visited)
    least = std::min(least,
                     sum(reached_.cost(i * levels + visited), again_[level_[i]] - again_[visited]));
  return least;
}

template class CheapestPaths<double>;
template class CheapestPaths<Wide128>;
template class CheapestPaths<WideAny>;

}  // namespace coppice::engine
