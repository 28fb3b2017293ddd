#include "distribution/distinct.hpp"
#include "graph/poll.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace coppice::distribution {
namespace {

double log_total(const std::vector<double>& logs) {
  return std::accumulate(logs.begin(), logs.end(), kNoWeight, log_sum_exp);
}

// An index with probability proportional to exp(logs[i]), at least one of which is not 0.
std::size_t draw_index(const std::vector<double>& logs, Random& random) {
  double highest = *std::max_element(logs.begin(), logs.end());
  double total = 0.0, sum = 0.0;
  for (double log : logs) total += std::exp(log - highest);
  double target = random.uniform() * total;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (logs[i] == kNoWeight) continue;
    chosen = i;
    sum += std::exp(logs[i] - highest);
    if (target < sum) break;
  }
  return chosen;
}

// The words of `free` such that each comes after its head, if that is free too.
std::vector<Node> from_root_down(const Heads& tree, const std::vector<Node>& free,
                                 std::vector<bool> placed) {
  std::vector<Node> order, path;
  for (Node word : free) {
    for (Node up = word; !placed[at(up)]; up = tree[at(up)]) {
      placed[at(up)] = true;
      path.push_back(up);
    }
    order.insert(order.end(), path.rbegin(), path.rend());
    path.clear();
  }
  return order;
}

}  // namespace

Remainder::Branch Remainder::make_branch(const Heads& tree, std::vector<Node> free,
                                         std::vector<Arc> forbidden) const {
  Branch branch{tree,
                std::move(free),
                std::vector<bool>(tree.size(), true),
                std::move(forbidden),
                graph_.log_weights,
                graph_.single};
  for (Node word : branch.free) branch.fixed[at(word)] = false;
  for (const Arc& arc : branch.forbidden) branch.log_weights(arc.head, arc.dependent) = kNoWeight;
  if (graph_.single && branch.free.size() + 1 < tree.size()) {
    // The root edge is among the fixed ones.
    branch.single = false;
    branch.log_weights.row(0).setConstant(kNoWeight);
  }
  return branch;
}

Remainder::Branch Remainder::branch_at(const Fan& fan, std::size_t position) const {
  std::vector<Arc> forbidden = fan.forbidden;
  Node word = fan.free[position];
  forbidden.push_back({fan.tree[at(word)], word});
  return make_branch(fan.tree,
                     {fan.free.begin() + static_cast<std::ptrdiff_t>(position), fan.free.end()},
                     std::move(forbidden));
}

// The weights between the free words, all fixed nodes being one root.
Matrix<double> Remainder::reduced(const Branch& branch) {
  auto words = static_cast<Index>(branch.free.size());
  Matrix<double> log_weights = Matrix<double>::Constant(words + 1, words + 1, kNoWeight);
  log_weights.bottomRightCorner(words, words) = branch.log_weights(branch.free, branch.free);
  for (Index d = 1; d <= words; ++d) {
    poll();
    auto column = branch.log_weights.col(branch.free[at(d - 1)]);
    for (Index h = 0; h < column.size(); ++h)
      if (branch.fixed[at(h)]) log_weights(0, d) = log_sum_exp(log_weights(0, d), column(h));
  }
  return log_weights;
}

Heads Remainder::draw(Branch branch, Random& random) {
  if (branch.single) {
    // Start with a word that can be the root's: one that can have all others below it.
    Index first;
    branch.log_weights.row(0).maxCoeff(&first);
    std::iter_swap(branch.free.begin(), std::find(branch.free.begin(), branch.free.end(), first));
  }
  Matrix<double> log_weights = reduced(branch);
  auto draw_one = [&]<class T>() -> std::optional<Heads> {
    auto unfolding = Unfolding<T>::of(exp_of<T>(log_weights), branch.single);
    if (!unfolding) return std::nullopt;
    Heads heads(branch.free.size() + 1, kNoNode);
    unfolding->sample(random, heads);
    return heads;
  };
  Heads numbered = in_any_range(branch.log_weights, draw_one);
  Heads tree = std::move(branch.tree);
  for (std::size_t i = 1; i < numbered.size(); ++i) {
    Node word = branch.free[i - 1];
    if (numbered[i] > 0) {
      tree[at(word)] = branch.free[at(numbered[i] - 1)];
      continue;
    }
    std::vector<double> heads(branch.fixed.size(), kNoWeight);
    for (std::size_t h = 0; h < heads.size(); ++h)
      if (branch.fixed[h]) heads[h] = branch.log_weights(static_cast<Index>(h), word);
    tree[at(word)] = static_cast<Node>(draw_index(heads, random));
  }
  return tree;
}

// The branch at word j: the words before it have their heads in the tree, it has another one, the
// words after it have any: product of the weights, sum over the other heads, product of the D.
template <class T>
std::optional<std::vector<double>> Remainder::log_masses(const Branch& branch, const Heads& tree,
                                                         const Unfolding<T>& unfolding) {
  const Matrix<T>& eliminated = unfolding.eliminated();
  std::vector<Index> number(tree.size(), 0);  // 0 for what is fixed
  for (std::size_t i = 0; i < branch.free.size(); ++i)
    number[at(branch.free[i])] = static_cast<Index>(i) + 1;

  auto words = static_cast<Index>(branch.free.size());
  std::vector<double> log_mass(branch.free.size(), kNoWeight);
  double after = 0.0;
  for (Index j = words; j >= 1; --j) {
    poll();
    Node word = branch.free[at(j - 1)], head = tree[at(word)];
    Index own = number[at(head)];
    T others = unfolding.through_later(j, own, j), above(0.0);
    for (Index h = branch.single && j > 1 ? 1 : 0; h < j; ++h)
      if (h != own) above += eliminated(h, j);
    others += above * eliminated(j, j);
    bool possible = false;
    for (Node h = 0; h < branch.log_weights.rows(); ++h) {
      if (h == head || branch.log_weights(h, word) == kNoWeight) continue;
      possible = true;
      if (own == 0 && branch.fixed[at(h)])
        others += exp_of<T>(Parts{branch.log_weights(h, word), 0.0});
    }
    if (possible) {
      if (!in_range(others)) return std::nullopt;
      log_mass[at(j - 1)] = log_of(others) + after;
    }
    after += log_of(eliminated(j, j));
  }
  return log_mass;
}

Remainder::Fan Remainder::make_fan(Branch branch, const Heads& tree) const {
  std::vector<bool> placed = branch.fixed;
  branch.free = from_root_down(tree, branch.free, std::move(placed));
  Matrix<double> log_weights = reduced(branch);
  auto masses = [&]<class T>() -> std::optional<std::vector<double>> {
    auto unfolding = Unfolding<T>::of(exp_of<T>(log_weights), branch.single);
    return unfolding ? log_masses(branch, tree, *unfolding) : std::nullopt;
  };
  auto log_mass = in_any_range(branch.log_weights, masses);
  double before = 0.0;
  for (std::size_t word = 1; word < tree.size(); ++word)
    if (branch.fixed[word]) before += graph_.log_weights(tree[word], static_cast<Index>(word));
  for (std::size_t i = 0; i < log_mass.size(); ++i) {
    log_mass[i] += before;
    before += graph_.log_weights(tree[at(branch.free[i])], branch.free[i]);
  }
  double total = log_total(log_mass);
  std::vector<std::size_t> splits(log_mass.size(), 0);
  return {tree,
          std::move(branch.free),
          std::move(branch.forbidden),
          std::move(log_mass),
          std::move(splits),
          total};
}

void Remainder::split(std::size_t fan, std::size_t position, const Heads& tree) {
  Fan made = make_fan(branch_at(fans_[fan], position), tree);
  fans_[fan].splits[position] = fans_.size();
  fans_[fan].log_mass[position] = kNoWeight;
  fans_[fan].total = log_total(fans_[fan].log_mass);
  fans_.push_back(std::move(made));
}

void Remainder::remove(const Heads& tree) {
  if (fans_.empty()) {
    std::vector<Node> words(tree.size() - 1);
    std::iota(words.begin(), words.end(), 1);
    fans_.push_back(make_fan(make_branch(tree, std::move(words), {}), tree));
    return;
  }
  std::size_t fan = 0;
  while (true) {
    const Fan& known = fans_[fan];
    std::size_t position = 0;
    while (tree[at(known.free[position])] == known.tree[at(known.free[position])]) ++position;
    if (known.splits[position] == 0) return split(fan, position, tree);
    fan = known.splits[position];
  }
}

std::optional<Heads> Remainder::draw(Random& random) {
  std::vector<double> totals;
  for (const Fan& fan : fans_) totals.push_back(fan.total);
  if (log_total(totals) == kNoWeight) return std::nullopt;
  std::size_t fan = draw_index(totals, random);
  std::size_t position = draw_index(fans_[fan].log_mass, random);
  Heads tree = draw(branch_at(fans_[fan], position), random);
  split(fan, position, tree);
  return tree;
}

}  // namespace coppice::distribution
