// Checks inside fuzz targets: GoogleTest's. What fails is an exception that nobody catches, which
// ends the program, as a fuzzer expects it.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace coppice::fuzz {

inline void use_checks() {
  static const bool once = [] {
    GTEST_FLAG_SET(throw_on_failure, true);
    return true;
  }();
  static_cast<void>(once);
}

// The message of the Error that the action throws, or an empty string; anything else gets through.
template <class Error, class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    return error.what();
  }
  return {};
}

}  // namespace coppice::fuzz
