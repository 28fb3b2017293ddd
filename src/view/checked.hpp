// A picture is drawn of what its makers say; lists of trees may have been changed since they were
// found.
#pragma once

#include <coppice/view.hpp>

namespace coppice::view {

// Throws Error, with the place and the value, where the lists of the picture do not fit each other
// or heads are no tree.
void check(const Picture& picture);
// The same, and that the list has a tree of this rank.
void check(const Picture& picture, std::size_t rank);

}  // namespace coppice::view
