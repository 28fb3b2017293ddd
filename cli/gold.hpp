// Trees against gold trees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decoding.hpp"

namespace coppice::cli {

// Words of one tree with the right head, and of these with the right label.
struct Right {
  std::int64_t heads = 0;
  std::int64_t labels = 0;
};

// The sentence has gold heads. Labels are compared where there are gold ones and the tree has some,
// without the part behind a colon.
Right compare_with_gold(const Decoded& decoded, std::size_t rank);

}  // namespace coppice::cli
