// How long ids and names may be: output repeats them for every tree and every edge.
#pragma once

#include <fmt/format.h>

#include <coppice/io.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace coppice::io {

// What is wrong with the length of a name, or nothing. what: "an id", "a label" ...
inline std::string check_length(std::string_view what, std::string_view name,
                                const Limits& limits) {
  if (std::cmp_less_equal(name.size(), limits.max_name_bytes)) return {};
  return fmt::format("{} of more than {} bytes", what, limits.max_name_bytes);
}

}  // namespace coppice::io
