// The version, in one place: CMake and the Python package take it from here, and a test
// compares the others (docs/release.md).
#pragma once

#define COPPICE_VERSION "0.9.0"

namespace coppice {

inline constexpr const char* kVersion = COPPICE_VERSION;

}  // namespace coppice
