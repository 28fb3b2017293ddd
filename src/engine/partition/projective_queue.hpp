// The projective trees of a graph one by one, best first (docs/rules.md): dynamic programming over
// spans (Eisner, COLING 1996), and of every span its next best derivation when it is first asked
// for (Huang and Chiang, IWPT 2005, algorithm 3). A projective tree has exactly one derivation, so
// none comes twice. O(N^3) for the first tree, O(N log N) for each that follows; O(N^2) memory.
//
// A derivation is of a span of nodes i..j, of one of these kinds:
//   by_left, by_right  what hangs from i, or from j, within the span
//   halves             by_left of i..m beside by_right of m+1..j
//   arc_right          halves below an edge i -> j
//   arc_left           halves below an edge j -> i
//   whole              single root: the root's only edge, above word r's both sides
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
  enum Kind : std::uint8_t { by_left, by_right, halves, arc_right, arc_left, whole, edge, nothing };
  static constexpr std::size_t kSpanKinds = 5;  // those with a place in tables

  struct Item {
    Kind kind;
    Node i, j;  // of an edge: head and dependent
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

  std::size_t place(Node i, Node j) const { return place_of(i) * place_of(nodes_) + place_of(j); }
  W& score(Kind kind, Node i, Node j) { return scores_[kind][place(i, j)]; }

  void list_edges();
  void fill_chart();
  void join(Node i, Node j);
  void join_root();

  W best(const Item& item) const;
  W score(const Item& item, std::int32_t number) const;
  Parts parts(const Item& item, Node split) const;
  std::int32_t& opened_of(const Item& item);
  Opened& open(const Item& item);
  bool is_leaf(const Item& item) const;
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

  std::vector<Edge> edges_;  // by head and dependent, the best first
  std::vector<std::uint32_t> edges_begin_;
  // By place: score of the best derivation. What is read along columns is there twice.
  std::vector<W> scores_[kSpanKinds];
  std::vector<W> by_left_of_, by_right_of_;  // [j][i]
  std::vector<W> arc_left_of_;               // [j][i]
  W whole_score_{};

  std::vector<std::int32_t> opened_of_[kSpanKinds];  // by place; or kNotOpened
  std::int32_t opened_whole_ = 0;
  std::deque<Opened> opened_;        // stay where they are
  std::size_t opened_count_ = 0;     // those behind are kept for their memory
  std::vector<std::int32_t> asked_;  // for their next derivation, each for the one before it
  struct Chosen {
    Item item;
    std::int32_t number;
  };
  std::vector<Chosen> chosen_;
  std::vector<Slot> tree_;  // the edges of the last tree
};

}  // namespace coppice::engine
