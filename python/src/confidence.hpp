// How sure trees are, in the arrays that Python gets.
#pragma once

#include <algorithm>
#include <coppice/confidence.hpp>
#include <cstddef>
#include <cstdint>

namespace coppice::python {

// Where it goes: all of it laid out as the heads of the trees.
struct ConfidenceRows {
  double* heads;
  double* labels;  // or null
  std::int32_t* other_heads;
  double* others;
};

// Of the trees of one sentence, rows `pitch` elements apart.
inline void write_confidence(const ListProbabilities& found, std::size_t pitch, ConfidenceRows to) {
  for (std::size_t rank = 0; rank < found.probabilities.size(); ++rank) {
    const auto arcs = found.arcs(rank);
    for (std::size_t word = 0; word < arcs.size(); ++word) {
      const std::size_t at = rank * pitch + word;
      to.heads[at] = arcs[word].head;
      if (to.labels != nullptr) to.labels[at] = arcs[word].label;
      to.other_heads[at] = arcs[word].other_head;
      to.others[at] = arcs[word].other;
    }
  }
}

}  // namespace coppice::python
