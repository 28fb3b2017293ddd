// What the standard library of emscripten 3.1.6 lacks, as far as coppice uses it; included before
// every file of the WebAssembly build.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#ifndef __cpp_lib_bit_cast
namespace std {
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
}  // namespace std
#endif

#ifndef __cpp_lib_smart_ptr_for_overwrite
namespace std {
template <class Array>
unique_ptr<Array> make_unique_for_overwrite(size_t size) {
  return unique_ptr<Array>(new remove_extent_t<Array>[size]);
}
}  // namespace std
#endif

#ifndef __cpp_lib_ranges
namespace std::ranges {

// The order of projected values.
template <class Projection>
auto by(Projection projection) {
  return [projection](const auto& a, const auto& b) {
    return std::invoke(projection, a) < std::invoke(projection, b);
  };
}

template <class Range, class Out>
Out copy(Range&& range, Out out) {
  return std::copy(std::begin(range), std::end(range), out);
}
template <class Range, class Value>
void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}
template <class Range, class Value>
auto find(Range&& range, const Value& value) {
  return std::find(std::begin(range), std::end(range), value);
}
template <class Range, class Test>
bool any_of(Range&& range, Test test) {
  return std::any_of(std::begin(range), std::end(range), test);
}
template <class Range, class Test>
bool none_of(Range&& range, Test test) {
  return std::none_of(std::begin(range), std::end(range), test);
}
template <class Range, class Projection = identity>
auto min_element(Range&& range, less = {}, Projection projection = {}) {
  return std::min_element(std::begin(range), std::end(range), by(projection));
}
template <class Range, class Projection = identity>
auto max_element(Range&& range, less = {}, Projection projection = {}) {
  return std::max_element(std::begin(range), std::end(range), by(projection));
}
template <class Range, class Projection = identity>
void stable_sort(Range&& range, less = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), by(projection));
}
template <class Iterator, class Value, class Projection = identity>
Iterator lower_bound(Iterator begin, Iterator end, const Value& value, less = {},
                     Projection projection = {}) {
  return std::lower_bound(begin, end, value, [&](const auto& element, const Value& bound) {
    return std::invoke(projection, element) < bound;
  });
}
template <class Iterator, class Value, class Projection = identity>
Iterator upper_bound(Iterator begin, Iterator end, const Value& value, less = {},
                     Projection projection = {}) {
  return std::upper_bound(begin, end, value, [&](const Value& bound, const auto& element) {
    return bound < std::invoke(projection, element);
  });
}

}  // namespace std::ranges
#endif
