// What every fuzz target defines.
#pragma once

#include "bytes.hpp"

namespace coppice::fuzz {

// Whatever the bytes are, nothing breaks.
void run(Bytes bytes);

}  // namespace coppice::fuzz
