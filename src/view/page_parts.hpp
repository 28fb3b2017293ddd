// The files below page/ and the library in JavaScript (wasm/), as text.
#pragma once

#include <string_view>
#include <vector>

namespace coppice::view {

extern const std::string_view kTemplate;
extern const std::string_view kStyle;
// One script, in this order.
extern const std::vector<std::string_view> kScripts;

}  // namespace coppice::view
