// How much of a long series of tests is run.
#pragma once

namespace coppice::testing {

// Of a series of this length; at least one. Where everything takes some ten times as long, under a
// sanitizer, one of so many is run (COPPICE_TEST_ONE_OF of CMake).
template <class Number>
constexpr Number share(Number length) {
  return (length + (COPPICE_TEST_ONE_OF - 1)) / COPPICE_TEST_ONE_OF;
}

// Is this one, by its number, of a series not run?
template <class Number>
constexpr bool left_out(Number number) {
  return number % COPPICE_TEST_ONE_OF != 0;
}

}  // namespace coppice::testing
