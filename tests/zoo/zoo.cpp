#include "zoo/zoo.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "zoo/groups.hpp"

namespace coppice::zoo {

Graph Specimen::graph() const {
  return std::visit(
      [](const auto& kind) -> Graph {
        if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, Multigraph>)
          return kind;
        else
          return DenseView::head_dependent(kind.weights.data(), kind.nodes);
      },
      kind_);
}

const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> found;
    for (auto group : {hard_numbers, hard_shapes, many_cycles, scarce_trees})
      for (Family& one : group()) found.push_back(std::move(one));
    return found;
  }();
  return all;
}

const Family& family(const std::string& name) {
  const auto& all = families();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Family& one) { return one.name == name; });
  if (found == all.end()) throw std::out_of_range("no family of the name " + name);
  return *found;
}

}  // namespace coppice::zoo
