// The files below page/ and the library in JavaScript (wasm/), as text.
#pragma once

#include <span>
#include <string_view>

namespace coppice::view {

extern const std::string_view kTemplate;
extern const std::string_view kStyle;
// Two scripts, each of these parts in this order: what finds trees, and the page.
extern const std::span<const std::string_view> kLibrary;
extern const std::span<const std::string_view> kScripts;

}  // namespace coppice::view
