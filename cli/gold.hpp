// Trees against gold trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "decoding.hpp"

namespace coppice::cli {

// A label without the part behind a colon: that of all languages.
std::string_view universal(std::string_view label);

// Words of one tree with the right head, and of these with the right label.
struct Right {
  std::int64_t heads = 0;
  std::int64_t labels = 0;
};

// The sentence has gold heads. Labels are compared where there are gold ones and the tree has some,
// without the part behind a colon.
Right compare_with_gold(const Decoded& decoded, std::size_t rank);

}  // namespace coppice::cli
