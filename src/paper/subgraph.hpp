// G - e and G + e: the graphs that the K-best algorithms explore.
//
// A subgraph is a chain of single steps back to the whole graph, and chains share their beginnings,
// so one step is stored per subgraph.
#pragma once

#include <cstdint>
#include <vector>

#include "paper/edge_table.hpp"

namespace coppice::paper {

using SubgraphId = std::int32_t;
inline constexpr SubgraphId kWholeGraph = -1;

enum class StepKind : std::uint8_t {
  exclude,            // G - e
  include,            // G + e: no other edge enters the target of e
  include_root_edge,  // G + e for dependency trees, e a root edge: nor does another leave the root
};

struct Step {
  SubgraphId parent;
  EdgeIndex edge;
  StepKind kind;
};

class Subgraphs {
 public:
  SubgraphId add(SubgraphId parent, EdgeIndex edge, StepKind kind) {
    steps_.push_back({parent, edge, kind});
    return static_cast<SubgraphId>(steps_.size() - 1);
  }
  const Step& operator[](SubgraphId id) const { return steps_[static_cast<std::size_t>(id)]; }

 private:
  std::vector<Step> steps_;
};

}  // namespace coppice::paper
