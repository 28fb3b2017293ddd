#include <cmath>
#include <coppice/error.hpp>
#include <coppice/labels.hpp>
#include <limits>
#include <string>

#include "graph/input.hpp"
#include "graph/phrases.hpp"
#include "graph/poll.hpp"

namespace coppice {

LabelledGraph label_arcs(const DenseView& arcs, const LabelScores& label_scores) {
  auto nodes = static_cast<std::size_t>(arcs.nodes());
  if (label_scores.per_arc < 1)
    throw Error(ErrorCode::bad_argument,
                "per_arc is " + std::to_string(label_scores.per_arc) + ", must be at least 1");
  auto per_arc = static_cast<std::size_t>(label_scores.per_arc);
  auto check_size = [&](const char* what, std::size_t size) {
    if (size != nodes * nodes * per_arc)
      throw Error(ErrorCode::bad_argument, std::string(what) + " has " +
                                               counted(size, "entry", "entries") + ", need " +
                                               std::to_string(nodes * nodes * per_arc));
  };
  check_size("label scores", label_scores.scores.size());
  if (!label_scores.ids.empty()) check_size("label ids", label_scores.ids.size());

  LabelledGraph labelled{Multigraph(arcs.nodes()), {}};
  labelled.graph.reserve((nodes - 1) * (nodes - 1) * per_arc);
  labelled.labels.reserve((nodes - 1) * (nodes - 1) * per_arc);
  for (Node head = 0; head < arcs.nodes(); ++head) {
    poll();
    for (Node dependent = 1; dependent < arcs.nodes(); ++dependent) {
      if (head == dependent) continue;
      double arc = arcs.weight(head, dependent);
      check_weight(head, dependent, arc);
      if (arc == kNoWeight) continue;
      for (std::size_t choice = 0; choice < per_arc; ++choice) {
        auto at = (static_cast<std::size_t>(head) * nodes + static_cast<std::size_t>(dependent)) *
                      per_arc +
                  choice;
        double label = static_cast<double>(label_scores.scores[at]);
        check_weight(head, dependent, label);
        if (label == kNoWeight) continue;
        labelled.graph.add_edge(head, dependent, arc + label);
        labelled.labels.push_back(label_scores.ids.empty() ? static_cast<std::int32_t>(choice)
                                                           : label_scores.ids[at]);
      }
    }
  }
  return labelled;
}

}  // namespace coppice
