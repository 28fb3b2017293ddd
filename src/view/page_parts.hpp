// The files below page/ and the library in JavaScript (wasm/), as text.
#pragma once

#include <array>
#include <string_view>

namespace coppice::view {

extern const std::string_view kTemplate;
extern const std::string_view kStyle;
// One script, in this order.
extern const std::array<std::string_view, 7> kScripts;

}  // namespace coppice::view
