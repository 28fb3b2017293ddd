// The algorithms that give the K best trees, by name: the engine and those of the paper.
//
//   if (const auto* engine = coppice::find_engine("paper")) engine->kbest(...);
//
// All give trees of the same scores. Trees that tie may come in another order, and where K cuts a
// tie, others of it. The paper's algorithms compare float64 sums (tree.hpp), so that trees whose
// scores differ by rounding alone may also change places.
//
// Throws: Error as kbest() does, and for a root rule or constraints that the algorithm does not
// know. Cost: that of kbest.hpp or paper.hpp. Threads: the table is for all; a decoder is for one
// at a time.
//
// Needs the library coppice::paper.
#pragma once

#include <coppice/kbest.hpp>
#include <span>
#include <string_view>

namespace coppice {

struct Engine {
  std::string_view name;
  bool any;          // knows RootRule::any
  bool single;       // knows RootRule::single
  bool constraints;  // knows required and forbidden edges, and rules
  // As Decoder::kbest; the decoder is workspace for those who can use one.
  void (*kbest)(Decoder& decoder, Graph graph, const Problem& problem, const Request& request,
                TreeList& trees);

  bool knows(RootRule rule) const { return rule == RootRule::any ? any : single; }
};

// The first one is the fast engine.
std::span<const Engine> engines();
const Engine* find_engine(std::string_view name);  // null where there is none

}  // namespace coppice
