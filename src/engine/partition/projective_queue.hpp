// The projective trees of a graph one by one, best first (docs/rules.md): dynamic programming over
// spans (Eisner, COLING 1996), and of every span its next best derivation when it is first asked
// for (Huang and Chiang, IWPT 2005, algorithm 3). A projective tree has exactly one derivation, so
// none comes twice. O(N^3) for the first tree, O(N log N) for each that follows; O(N^2) memory.
//
// A derivation is of an item, of one of these kinds:
//   below   from, to: what hangs from `from` on the side of `to`, up to there
//   halves  from < to: what hangs from either of two neighbours, between them
//   arc     halves below an edge from -> to
//   edge    one of the edges from -> to
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/partition/tree_source.hpp"

namespace coppice::engine {

template <class W>
class ProjectiveQueue final : public TreeSource<W> {
 public:
  // All edges of the graph must be in the lists.
  void start(const ListedGraph<W>& graph, RootRule rule);

  bool next(const W& up_to) override;
  W gap() const override { return best_gain_ - score(top_, given_ - 1); }
  void list_edits(TreeEdits& trees) const override;

 private:
  enum Kind : std::uint8_t { below, halves, arc, edge };
  static constexpr std::size_t kCharts = 3;  // of all kinds but edge

  struct Item {
    Kind kind;
    Node from, to;
  };
  struct Parts {
    Item left, right;
  };
  struct Edge {
    W gain;
    Slot slot;
  };
  // Derivation number `left` of the left part with number `right` of the right one.
  struct Derivation {
    W score;
    Node split;
    std::int32_t left, right;
    bool operator<(const Derivation& other) const {
      if (score != other.score) return score < other.score;
      return split > other.split;  // any order will do, but always the same
    }
  };
  // What is known of an item's derivations beyond the score of the best one.
  struct Opened {
    Item item;
    std::vector<Derivation> found;  // the best ones, in order
    std::vector<Derivation> open;   // a heap: among them is the next one ...
    bool pending;                   // ... once those that follow the last found one have joined
  };
  struct Chosen {
    Item item;
    std::int32_t number;
  };

  std::size_t place(Node i, Node j) const { return place_of(i) * place_of(nodes_) + place_of(j); }
  std::size_t place(const Item& item) const { return place(item.from, item.to); }
  W& best(Kind kind, Node from, Node to) { return best_[kind][place(from, to)]; }

  void list_edges();
  void fill_charts();
  void join(Node i, Node j);

  W best(const Item& item) const;
  W score(const Item& item, std::int32_t number) const;
  Parts parts(const Item& item, Node split) const;
  std::int32_t& opened_of(const Item& item) { return opened_of_[item.kind][place(item)]; }
  Opened& open(const Item& item);
  // All derivations are known at once: of parallel edges, and of a node alone the only one.
  bool is_leaf(const Item& item) const { return item.kind == edge || item.from == item.to; }
  bool knows(const Item& item, std::int32_t number);
  bool may_have_more(const Item& item);
  bool offer_followers(Opened& opened);
  void advance(const Item& item);
  void choose(std::int32_t number);

  Node nodes_ = 0;
  bool single_ = false;
  const ListedGraph<W>* graph_ = nullptr;
  W best_gain_{};  // of all trees
  Item top_{};
  std::int32_t given_ = 0;

  std::vector<Edge> edges_;  // by place, the best first
  std::vector<std::uint32_t> edges_begin_;
  std::vector<W> best_[kCharts];  // the score of the best derivation, by place
  std::vector<W> below_to_;       // that of `below` by [to][from]: it is read in this order, too

  std::vector<std::int32_t> opened_of_[kCharts];  // by place; or kNotOpened
  std::deque<Opened> opened_;                     // stay where they are
  std::size_t opened_count_ = 0;                  // those behind are kept for their memory
  std::vector<std::int32_t> asked_;  // for their next derivation, each for the one before it
  std::vector<Chosen> chosen_;
  std::vector<Slot> tree_;  // the edges of the last tree
};

}  // namespace coppice::engine
