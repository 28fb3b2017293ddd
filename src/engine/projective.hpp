// The k best projective trees by dynamic programming over spans (Eisner, COLING 1996), every span
// with its k best derivations (Huang and Chiang, IWPT 2005). Each projective tree has exactly one
// derivation, so no tree comes twice. O(n^3 + n^2 k log n) for n nodes.
//
// The search of legal_queue.hpp gives the same trees: this way is for sentences in which so many
// edges cross that mending them one by one takes long.
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <vector>

#include "engine/candidate.hpp"
#include "engine/found.hpp"
#include "engine/solution.hpp"

namespace coppice::engine {

class Projective {
 public:
  // Larger charts are not worth their memory.
  static bool fits(Node nodes, std::int64_t k);

  // candidates: all edges that are not in the best tree. Fewer trees where there are fewer.
  void run(const Solution& best, const CandidateList& candidates, RootRule rule, std::int64_t k,
           FoundTrees& found);

 private:
  struct Arc {
    double weight;
    CandidateId id;  // or kNoCandidate: of the best tree
    Node head, dependent;
  };
  // A derivation: derivation `left` of the part before the split with derivation `right` of the
  // part behind it; of a span under an arc, derivation `left` of the span with arc `right`.
  struct Derivation {
    double score;
    Node split;
    std::int32_t left, right;
  };
  struct List {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t size() const { return end - begin; }
  };
  // What a span i..j is: headed by i or by j; with an arc from i to j or back; or the halves below
  // such an arc.
  enum Kind : std::uint8_t { by_left, by_right, arc_right, arc_left, halves, whole, kKinds };
  struct Item {
    Kind kind;
    Node i, j;
    std::int32_t derivation;
  };

  void list_arcs(const Solution& best, const CandidateList& candidates);
  List& list(Kind kind, Node i, Node j) {
    return lists_[static_cast<std::size_t>(kind) * span_count_ + place_of(i) * place_of(nodes_) +
                  place_of(j)];
  }
  template <class Parts>
  void combine(List& to, Node first, Node last, const Parts& parts);
  void put_arc(List& to, const List& below, const List& arcs);
  void extract(std::int32_t derivation, RootRule rule, FoundTrees& found);

  Node nodes_ = 0;
  std::size_t span_count_ = 0;
  std::uint32_t k_ = 0;
  std::vector<Arc> arcs_;  // by head and dependent, heaviest first
  std::vector<List> arc_lists_;
  std::vector<List> lists_;
  std::vector<Derivation> derivations_;
  std::vector<Derivation> heap_;
  std::vector<Item> stack_;
};

}  // namespace coppice::engine
