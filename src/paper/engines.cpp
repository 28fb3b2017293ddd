#include <algorithm>
#include <array>
#include <cmath>
#include <coppice/engines.hpp>
#include <coppice/error.hpp>
#include <coppice/paper.hpp>
#include <cstdlib>
#include <limits>
#include <string>

#include "graph/constraints.hpp"
#include "graph/tree_builder.hpp"

namespace coppice {
namespace {

void fast(Decoder& decoder, Graph graph, const Problem& problem, const Request& request,
          TreeList& trees) {
  decoder.kbest(graph, problem, request, trees);
}

// By the scores that they are reported with; of integers, without rounding them.
bool is_within(Scalar scalar, const TreeRef& best, const Tree& tree, double max_gap) {
  if (scalar != Scalar::int64) return std::abs(best.score - tree.score) <= max_gap;
  const std::int64_t gap = std::abs(best.integer_score - tree.integer_score);
  return max_gap >= 0x1p63 || gap <= static_cast<std::int64_t>(std::floor(max_gap));
}

// One of the paper's algorithms, as far as it was asked for.
void drain(paper::Enumeration enumeration, Graph graph, const Request& request, TreeList& trees) {
  TreeBuilder(trees).reset(graph);
  const std::int64_t most = request.k.value_or(std::numeric_limits<std::int64_t>::max());
  for (std::int64_t rank = 0; rank < most; ++rank) {
    const auto tree = enumeration.next();
    if (!tree) break;
    if (rank > 0 && request.max_gap &&
        !is_within(graph.scalar(), trees[0], *tree, *request.max_gap))
      break;
    const auto row = TreeBuilder(trees).append(tree->score, tree->integer_score);
    std::copy(tree->heads.begin(), tree->heads.end(), row.heads.begin());
    std::copy(tree->edges.begin(), tree->edges.end(), row.edges.begin());
  }
}

template <class Any, class Single>
void published(Decoder&, Graph graph, const Problem& problem, const Request& request,
               TreeList& trees) {
  check_limits(request, true);
  if (!problem.required.empty() || !problem.forbidden.empty() || !problem.required_edges.empty() ||
      !problem.forbidden_edges.empty() || !problem.rules.empty())
    throw Error(ErrorCode::bad_constraint,
                "the published algorithms know no required or forbidden edges and no rules");
  const auto run = [&]<class Algorithm>() {
    if constexpr (std::is_void_v<Algorithm>)
      throw Error(ErrorCode::bad_argument, "this algorithm does not know the root rule");
    else
      drain(Algorithm(graph, problem.objective), graph, request, trees);
  };
  if (problem.root == RootRule::any)
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
