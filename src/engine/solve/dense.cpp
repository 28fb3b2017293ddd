#include "engine/solve/dense.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "graph/large_arrays.hpp"
#include "graph/poll.hpp"

namespace coppice::engine {
namespace {

// So many columns take less than a millisecond.
void poll_at_column(Node t) {
  if (t % 32 == 0) poll();
}
// The columns of larger graphs are made all at once: one at a time they would come from far apart
// in memory.
constexpr Node kMostLazy = 256;

// What a root edge gains over the best other edge; a node without another one gains infinitely, one
// without any nothing that counts (NaN).
double root_edge_gain(double root, double best) { return root - best; }

}  // namespace

void Dense::load(const DenseView& view, const Constraints& constraints, const Problem& problem) {
  nodes_ = view.nodes();
  single_ = problem.root == RootRule::single;
  stride_ = simd::padded(place_of(nodes_));
  no_tree_below_.reset();
  rows_.load(view, constraints, problem.objective);
  if (const std::size_t room = place_of(nodes_) + simd::kLanes; best_.size() < room) {
    for (auto* array : {&best_, &second_, &root_, &largest_, &lead_}) array->resize(room);
    for (auto* array : {&source_, &up_}) array->resize(room);
  }
  tops_ = {single_, best_.data(), source_.data(), second_.data(), root_.data()};
  rows_.find_tops(tops_);
}

Node Dense::best_root_child() const {
  Node child = 1;  // if none has a root edge
  double largest = kNoWeight;
  for (Node v = 1; v < nodes_; ++v)
    if (const double gain = root_edge_gain(root_[v], best_[v]); gain > largest)
      largest = gain, child = v;
  return child;
}

// Are the best edges into all nodes a tree, this one hanging from the root if it is a node? All go
// up in steps that double, in terms that need no jumps: for nobody can foretell how far it is.
bool Dense::is_tree_below(Node root_child) {
  Node* up = up_.data();
  Node least = 0;
  for (Node v = 1; v < nodes_; ++v) least = std::min(least, up[v] = source_[v]);
  up[0] = 0;
  if (root_child != kNoNode) up[root_child] = 0;
  if (least < 0) return false;  // nothing enters it
  for (Node steps = 1; steps < nodes_; steps *= 2) {
    Node farthest = 0;
    bool is_cycle = false;  // many are of two nodes
    for (Node v = 1; v < nodes_; ++v) {
      farthest |= up[v] = up[up[v]];
      is_cycle |= up[v] == v;
    }
    if (farthest == 0 || is_cycle) return farthest == 0;
  }
  return false;
}

bool Dense::take_greedy_heads(Indexed<Node, Node>& heads) {
  // Weights that are nearer to each other may tie as whole numbers.
  const double near = 0x1p-48 * nodes_ * tops_.largest_loss;
  if (!(tops_.nearest > near)) return false;
  const Node root_child = single_ ? tops_.root_child : kNoNode;
  if (single_ &&
      (std::isinf(tops_.root_gain) || !(tops_.root_gain - tops_.next_root_gain > 2.0 * near)))
    return false;
  if (!is_tree_below(root_child)) {
    no_tree_below_ = root_child;
    return false;
  }
  heads.assign(source_.begin(), source_.begin() + nodes_);
  heads[0] = kNoNode;
  best_[0] = 0.0;
  if (!single_) return true;
  heads[root_child] = 0;
  best_[root_child] = root_[root_child];
  return true;
}

bool Dense::choose_scale() {
  made_.assign(place_of(nodes_), 0);
  for (Node v = 1; v < nodes_; ++v) {
    const double root = single_ ? root_[v] : kNoWeight;
    largest_[v] = std::max(best_[v], root);
    lead_[v] = largest_[v] - std::max(second_[v], std::min(best_[v], root));
  }
  if (std::find(&largest_[1], &largest_[nodes_], kNoWeight) != &largest_[nodes_]) return false;
  const bool integral = rows_.integral();
  scale_ = scale_of(nodes_, tops_.largest_loss, integral);
  if ((!integral || scale_.wide) && may_be_uneven(nodes_, tops_.largest_loss, lead_, false))
    scale_ = scale_of_uneven(nodes_, tops_.largest_loss, integral, [&](auto visit) {
      for (Node s = 0; s < nodes_; ++s) {
        poll();
        for (Node t = 1; t < nodes_; ++t)
          if (const double w = s == t ? kNoWeight : rows_.weight(s, t); w != kNoWeight)
            visit(w, largest_[t]);
      }
    });
  const Scale scale = scale_;  // nothing else can be where its members are
  for (Node v = 1; v < nodes_; ++v) {
    const double root = single_ ? root_[v] : kNoWeight;
    best_[v] = scale.gain(best_[v], largest_[v]);
    second_[v] = scale.gain(second_[v], largest_[v]);
    root_[v] = scale.gain(root, largest_[v]);
  }
  // Weights that differed may tie as whole numbers: of equal edges the first is the best.
  for (Node v = 1; v < nodes_; ++v)
    if (best_[v] == kNoWeight) {
      source_[v] = kNoNode;
    } else if (second_[v] == best_[v] && !integral) {
      const double* gains = column(v);
      source_[v] = single_ ? 1 : 0;
      while (gains[source_[v]] != best_[v]) ++source_[v];
      no_tree_below_.reset();
    }
  return true;
}

bool Dense::hides_no_digits() const {
  for (Node v = 1; v < nodes_; ++v)
    if (largest_[v] - lead_[v] > -kSmallWeight * scale_.unit) return false;
  return true;
}

bool Dense::solve(CertifiedTree& tree) {
  const Node root_child = single_ ? best_root_child() : kNoNode;
  if (single_ && root_[root_child] == kNoWeight) return false;  // no root edge at all
  tree.reset(nodes_);
  if (no_tree_below_ == root_child || !is_tree_below(root_child)) return contract(tree);
  take_greedy_tree(root_child, tree);
  return true;
}

void Dense::take_greedy_tree(Node root_child, CertifiedTree& tree) const {
  for (Node v = 1; v < nodes_; ++v) {
    tree.head[v] = source_[v];
    tree.gain[v] = tree.y[Component(v)] = best_[v];
  }
  if (root_child == kNoNode) return;
  // At a price near 0 at which this node alone wants a root edge.
  const double gain = root_edge_gain(root_[root_child], best_[root_child]);
  double price = std::min(gain, 0.0);
  for (Node v = 1; v < nodes_; ++v)
    if (v != root_child) price = std::max(price, root_edge_gain(root_[v], best_[v]));
  tree.root_price = price;
  tree.head[root_child] = 0;
  tree.gain[root_child] = tree.y[Component(root_child)] = root_[root_child] - price;
}

// Makes room for so many columns.
void Dense::make_room(std::size_t columns) const {
  if (columns * stride_ <= room_) return;
  room_ = columns * stride_;
  columns_ = std::make_unique_for_overwrite<Lanes[]>(room_ / simd::kLanes);
  prefer_large_pages(columns_.get(), room_ * sizeof(double));
  made_.assign(place_of(nodes_), 0);
}

void Dense::make_column(Node t) const {
  if (nodes_ > kMostLazy) return make_columns();
  make_room(place_of(nodes_));
  made_[t] = 1;
  rows_.read_column(t, scale_, largest_[t], columns() + place_of(t) * stride_);
}

void Dense::make_columns() const {
  make_room(place_of(nodes_));
  if (std::find(made_.begin() + 1, made_.end(), 0) == made_.end()) return;
  rows_.read_columns(scale_, largest_.data(), columns(), stride_);
  std::fill(made_.begin(), made_.end(), 1);
}

bool Dense::contract(CertifiedTree& tree) {
  const std::size_t most = 2 * stride_;
  make_room(most);
  make_columns();
  simd::Contraction& room = contraction_;
  room.start(place_of(nodes_), single_, stride_, columns());
  std::copy_n(best_.begin() + 1, nodes_ - 1, room.y.begin() + 1);
  std::copy_n(root_.begin() + 1, nodes_ - 1, room.root.begin() + 1);
  std::copy_n(source_.begin() + 1, nodes_ - 1, room.source.begin() + 1);
  if (!simd::kernels().contract(room)) return false;
  tree.root_price = room.price;
  for (Node v = 1; v < nodes_; ++v) {
    const Node head = tree.head[v] = room.source[place_of(v)];
    tree.gain[v] =
        columns()[place_of(v) * stride_ + place_of(head)] - (head == 0 ? room.price : 0.0);
  }
  tree.y.assign(room.y.begin(), room.y.begin() + room.components);
  tree.parent.resize(place_of(room.components));
  for (Component c(0); c < tree.parent.end_index(); ++c)
    tree.parent[c] = Component(room.parent[place_of(c)]);
  return true;
}

bool Dense::collect(const CertifiedTree& tree, const ReducedCost& reduced, double limit,
                    std::size_t most, CandidateList& candidates) const {
  constexpr std::size_t kManyFound = 32;
  make_columns();
  found_.resize(stride_);
  const Node first = single_ ? 1 : 0;
  for (Node t = 1; t < nodes_; ++t) {
    poll_at_column(t);
    if (candidates.size() > most) return false;
    const double* gains = column(t);
    auto add = [&](Node s, double gain) {
      if (gain == kNoWeight || s == tree.head[t]) return;  // what pads a column, too
      if (const double cost = reduced(s, t, gain); cost <= limit)
        candidates.push_back({cost, tree.gain[t] - gain, s, t, kNoEdge});
    };
    const std::size_t found =
        simd::kernels().at_least(gains, reduced.least(t) - limit, stride_, found_.data());
    if (single_) add(0, gains[0] - tree.root_price);
    // Most of them may be dear by the components they enter, which is quickly seen for many at
    // once.
    if (reduced.contracted() && found > kManyFound) {
      reduced.for_each_ring(t, [&](std::span<const Node> sources, double sum) {
        for (Node s : sources)
          if (gains[s] >= sum - limit && s >= first) add(s, gains[s]);
      });
      continue;
    }
    for (const Node s : std::span(found_).first(found))
      if (s >= first) add(s, gains[s]);
  }
  return candidates.size() <= most;
}

}  // namespace coppice::engine
