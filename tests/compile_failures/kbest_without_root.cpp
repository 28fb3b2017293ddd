// Nor in a call.
#include <coppice/kbest.hpp>

coppice::TreeList list(const coppice::DenseView& view) {
#ifdef MUST_NOT_COMPILE
  return coppice::kbest(view, {}, {.k = 5});
#else
  return coppice::kbest(view, {.root = coppice::RootRule::single}, {.k = 5});
#endif
}
