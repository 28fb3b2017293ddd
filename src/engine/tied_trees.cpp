#include "engine/tied_trees.hpp"

namespace coppice::engine {

// Counts, the choices being the digits.
bool TiedTrees::next() {
  for (Choice& choice : choices_) {
    const bool carry = ++choice.now == choice.end;
    if (carry) choice.now = choice.begin;
    head_[choice.node] = options_[choice.now];
    if (!carry) return true;
  }
  return false;
}

}  // namespace coppice::engine
