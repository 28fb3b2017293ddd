// The version, in one place: CMake, the Python package and the citation take it from here.
#pragma once

#define COPPICE_VERSION "0.1.0"

namespace coppice {

inline constexpr const char* kVersion = COPPICE_VERSION;

}  // namespace coppice
