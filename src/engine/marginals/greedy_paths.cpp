#include "engine/marginals/greedy_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

// Dijkstra's algorithm among the places that are left, from what reaching each costs so far.
// `settled` is told each place in the order of costs, `reached` where it was best reached from.
template <class Settled, class Reached>
void settle(std::vector<std::size_t>& left, double* costs, const Steps& turned, Settled settled,
            Reached reached) {
  while (!left.empty()) {
    auto nearest = std::ranges::min_element(left, {}, [&](auto x) { return costs[x]; });
    const std::size_t from = *nearest;
    *nearest = left.back();
    left.pop_back();
    settled(from);
    const double* step = turned.into(from);
    for (std::size_t x : left) {
      const double cost = costs[from] + step[x];
      if (!(cost < costs[x])) continue;
      costs[x] = cost;
      reached(x, from);
    }
  }
}

void settle(std::vector<std::size_t>& left, double* costs, const Steps& turned) {
  settle(
      left, costs, turned, [](std::size_t) {}, [](std::size_t, std::size_t) {});
}

}  // namespace

void Walks::find(const Steps& steps, const Steps& turned, std::span<const double> start) {
  steps_ = &steps;
  turned_ = &turned;
  start_ = start;
  costs_.assign(start.begin(), start.end());
  came_from_.assign(start.size(), 0);
  order_.clear();
  left_.clear();
  for (std::size_t x = 1; x < start.size(); ++x) left_.push_back(x);
  settle(
      left_, costs_.data(), turned, [&](std::size_t x) { order_.push_back(x); },
      [&](std::size_t x, std::size_t from) { came_from_[x] = from; });
}

std::span<const double> Walks::avoiding(std::size_t place) {
  left_.clear();
  affected_.assign(costs_.size(), false);
  affected_[place] = true;
  kept_.clear();
  for (std::size_t x : order_) {
    if (came_from_[x] != 0 && affected_[came_from_[x]]) {
      affected_[x] = true;
      left_.push_back(x);
    } else if (x != place) {
      kept_.push_back(x);
    }
  }
  if (left_.empty()) return costs_;
  changed_ = costs_;
  for (std::size_t x : left_) {
    const double* step = steps_->into(x);
    double cost = start_[x];
    for (std::size_t from : kept_) cost = std::min(cost, costs_[from] + step[from]);
    changed_[x] = cost;
  }
  settle(left_, changed_.data(), *turned_);
  return changed_;
}

bool GreedyPaths::find(std::span<const double> gains, Node nodes, RootRule rule,
                       std::vector<double>& losses) {
  weights_ = gains;
  nodes_ = static_cast<std::size_t>(nodes);
  single_ = rule == RootRule::single;
  choose_heads();
  if (!find_root() || !number()) return false;
  find_steps();
  if (single_ && !find_other_roots()) return false;
  find_ways_in();
  report(losses);
  return true;
}

void GreedyPaths::choose_heads() {
  best_.assign(nodes_, kNoWeight);
  head_.assign(nodes_, nodes_);
  for (std::size_t d = 1; d < nodes_; ++d)
    for (std::size_t h = single_ ? 1 : 0; h < nodes_; ++h)
      if (h != d && weight(h, d) > best_[d]) {
        best_[d] = weight(h, d);
        head_[d] = h;
      }
}

// Without a head is only what all others are to be below of.
bool GreedyPaths::find_root() {
  const auto without = std::count(head_.begin() + 1, head_.end(), nodes_);
  root_ = 0;
  if (!single_) return without == 0;
  if (without == 0) return find_root_on_cycle();
  root_ =
      static_cast<std::size_t>(std::find(head_.begin() + 1, head_.end(), nodes_) - head_.begin());
  return without == 1 && weight(0, root_) != kNoWeight;
}

// Of the words on the cycle that is met first, the one that is best at the root.
bool GreedyPaths::find_root_on_cycle() {
  std::size_t word = 1;
  for (std::size_t step = 0; step < nodes_; ++step) word = head_[word];
  const std::size_t first = word;
  root_ = word;
  auto gain = [&](std::size_t w) { return weight(0, w) - best_[w]; };
  for (word = head_[first]; word != first; word = head_[word])
    if (gain(word) > gain(root_)) root_ = word;
  return weight(0, root_) != kNoWeight;
}

// Places in preorder. False where not all are below the root.
bool GreedyPaths::number() {
  std::vector<std::size_t> first_child(nodes_, nodes_), sibling(nodes_, nodes_);
  for (std::size_t word = nodes_ - 1; word > 0; --word) {
    if (word == root_) continue;
    sibling[word] = first_child[head_[word]];
    first_child[head_[word]] = word;
  }
  node_at_.clear();
  place_of_.assign(nodes_, 0);
  std::vector<std::size_t> stack{root_};
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    place_of_[node] = node_at_.size();
    node_at_.push_back(node);
    for (std::size_t child = first_child[node]; child != nodes_; child = sibling[child])
      stack.push_back(child);
  }
  if (node_at_.size() != nodes_ - (single_ ? 1 : 0)) return false;
  end_.resize(node_at_.size());
  for (std::size_t i = node_at_.size(); i-- > 0;) {
    end_[i] = std::max(end_[i], i + 1);
    if (i == 0) break;
    std::size_t& above = end_[place_of_[head_[node_at_[i]]]];
    above = std::max(above, end_[i]);
  }
  return true;
}

void GreedyPaths::find_steps() {
  const std::size_t places = node_at_.size();
  steps_.reset(places, kFar);
  turned_.reset(places, kFar);
  for (std::size_t i = 1; i < places; ++i) {
    const double best = best_[node_at_[i]];
    const double* from = weights_.data() + node_at_[i] * nodes_;
    double* into = steps_.into(i);
    for (std::size_t j = 0; j < places; ++j) into[j] = best - from[node_at_[j]];
    into[i] = kFar;
    for (std::size_t j = 0; j < places; ++j) turned_.into(j)[i] = into[j];
  }
}

// False where another word at the root is better.
bool GreedyPaths::find_other_roots() {
  const std::size_t places = node_at_.size();
  const double own = head_[root_] == nodes_ ? 0.0 : best_[root_];
  begin_.assign(places, kFar);
  end_cost_.assign(places, kFar);
  for (std::size_t i = 1; i < places; ++i) {
    const std::size_t word = node_at_[i];
    begin_[i] = (weight(0, root_) - own) - (weight(0, word) - best_[word]);
    end_cost_[i] = own - weight(word, root_);
  }
  from_begin_.find(steps_, turned_, begin_);
  to_end_.find(turned_, steps_, end_cost_);
  for (std::size_t i = 1; i < places; ++i)
    if (begin_[i] + to_end_.costs()[i] < 0.0) return false;
  return true;
}

// What is not below a place is reached without it at no cost; what is below, by one step from
// outside at the least.
void GreedyPaths::find_ways_in() {
  const std::size_t places = node_at_.size();
  detour_.reset(places, 0.0);
  std::vector<std::size_t> above{0};
  for (std::size_t j = 1; j < places; ++j) {
    while (end_[above.back()] <= j) above.pop_back();
    const double* step = steps_.into(j);
    double least = kFar;
    std::size_t begin = 0, end = places;
    for (std::size_t k = 1; k < above.size(); ++k) {
      const std::size_t i = above[k];
      for (; begin < i; ++begin) least = std::min(least, step[begin]);
      for (; end > end_[i]; --end) least = std::min(least, step[end - 1]);
      detour_.into(i)[j] = least;
    }
    above.push_back(j);
  }
}

// And then on among what is below.
void GreedyPaths::find_detours(std::size_t place) {
  left_.clear();
  for (std::size_t j = place + 1; j < end_[place]; ++j) left_.push_back(j);
  settle(left_, detour_.into(place), turned_);
}

void GreedyPaths::report(std::vector<double>& losses) {
  const std::size_t places = node_at_.size();
  losses.assign(nodes_ * nodes_, kFar);
  auto put = [&](std::size_t head, std::size_t dependent, double loss) {
    losses[head * nodes_ + dependent] = loss;
  };
  for (std::size_t i = 1; i < places; ++i) {
    poll();
    find_detours(i);
    const double* costs = detour_.into(i);
    const double* step = steps_.into(i);
    const std::size_t word = node_at_[i];
    if (!single_) {
      for (std::size_t j = 0; j < places; ++j) put(node_at_[j], word, step[j] + costs[j]);
      continue;
    }
    // Or another word is at the root, and the walk to the end goes by this very arc.
    const auto from = from_begin_.avoiding(i);
    const double to_end = to_end_.costs()[i];
    put(root_, word, step[0]);
    for (std::size_t j = 1; j < places; ++j)
      put(node_at_[j], word, step[j] + std::min(costs[j], from[j] + to_end));
    put(0, word, begin_[i] + to_end);
    put(word, root_, from_begin_.costs()[i] + end_cost_[i]);
  }
  if (single_) put(0, root_, 0.0);
}

}  // namespace coppice::engine
