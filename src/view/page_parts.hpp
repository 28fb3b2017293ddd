// The files below page/, as text.
#pragma once

#include <string_view>

namespace coppice::view {

extern const std::string_view kTemplate;
extern const std::string_view kStyle;
extern const std::string_view kScript;

}  // namespace coppice::view
