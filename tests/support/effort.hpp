// How much of a long series of tests is run.
#pragma once

namespace coppice::testing {

// Under a sanitizer everything takes some ten times as long: one of so many is run there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kOneOf = 7;
#else
inline constexpr int kOneOf = 1;
#endif

// Of a series of this length; at least one.
template <class Number>
constexpr Number share(Number length) {
  return (length + (kOneOf - 1)) / kOneOf;
}

}  // namespace coppice::testing
