// How much of a long series of tests is run.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace coppice::testing {

// One of so many: COPPICE_TEST_ONE_OF, a variable of the environment while tests run (`make test`)
// or, where that is not set, of CMake (under a sanitizer, where everything takes some ten times as
// long).
inline int one_of() {
  static const int value = [] {
    const char* told = std::getenv("COPPICE_TEST_ONE_OF");  // NOLINT: no test sets it
    return std::max(COPPICE_TEST_ONE_OF, told == nullptr ? 1 : std::atoi(told));
  }();
  return value;
}

// Of a series of this length; at least one.
template <class Number>
Number share(Number length) {
  const auto every = static_cast<Number>(one_of());
  return (length + (every - 1)) / every;
}

// How large a graph is that is so large where all of the series are run.
template <class Number>
Number large(Number size) {
  return one_of() == 1 ? size : size / 4;
}

// Is this one, by its number, of a series not run?
template <class Number>
bool left_out(Number number) {
  return number % static_cast<Number>(one_of()) != 0;
}

}  // namespace coppice::testing
