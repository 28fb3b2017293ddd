#include <algorithm>
#include <array>
#include <coppice/engines.hpp>
#include <coppice/error.hpp>
#include <coppice/paper.hpp>
#include <limits>
#include <string>

#include "engine/scores.hpp"
#include "graph/constraints.hpp"
#include "graph/tree_builder.hpp"

namespace coppice {
namespace {

void fast(Decoder& decoder, Graph graph, const Which& which, const HowMany& how_many,
          TreeList& trees) {
  decoder.kbest(graph, which, how_many, trees);
}

// One of the paper's algorithms, as far as it was asked for.
void drain(paper::Enumeration enumeration, Graph graph, const HowMany& how_many, TreeList& trees) {
  TreeBuilder(trees).reset(graph);
  const std::int64_t most = how_many.k.value_or(std::numeric_limits<std::int64_t>::max());
  for (std::int64_t rank = 0; rank < most; ++rank) {
    const auto tree = enumeration.next();
    if (!tree) break;
    if (rank > 0 && how_many.max_gap &&
        !engine::is_within(graph.scalar(), trees[0],
                           {tree->heads, tree->edges, tree->score, tree->integer_score},
                           *how_many.max_gap))
      break;
    const auto row = TreeBuilder(trees).append(tree->score, tree->integer_score);
    std::copy(tree->heads.begin(), tree->heads.end(), row.heads.begin());
    std::copy(tree->edges.begin(), tree->edges.end(), row.edges.begin());
  }
}

template <class Any, class Single>
void published(Decoder&, Graph graph, const Which& which, const HowMany& how_many,
               TreeList& trees) {
  check_limits(how_many, true);
  if (!which.required.empty() || !which.forbidden.empty() || !which.required_edges.empty() ||
      !which.forbidden_edges.empty() || !which.rules.empty())
    throw Error(ErrorCode::bad_constraint,
                "the published algorithms know no required or forbidden edges and no rules");
  const auto run = [&]<class Algorithm>() {
    if constexpr (std::is_void_v<Algorithm>)
      throw Error(ErrorCode::bad_argument, "this algorithm does not know the root rule");
    else
      drain(Algorithm(graph, which.objective), graph, how_many, trees);
  };
  if (which.root == RootRule::any)
    run.template operator()<Any>();
  else
    run.template operator()<Single>();
}

constexpr std::array kEngines = {
    Engine{"fast", true, true, true, fast},
    Engine{"paper", true, true, false, published<paper::KBest, paper::KBestDep>},
    Engine{"camerini", true, false, false, published<paper::Camerini, void>},
    Engine{"naive", false, true, false, published<void, paper::NaiveDep>},
};

}  // namespace

std::span<const Engine> engines() { return kEngines; }

const Engine* find_engine(std::string_view name) {
  const auto found = std::ranges::find(kEngines, name, &Engine::name);
  return found == kEngines.end() ? nullptr : &*found;
}

}  // namespace coppice
