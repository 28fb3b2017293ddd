// Arrays of several megabytes that are about to be written for the first time: by pages of four
// kilobytes that takes longer than what is written there.
#pragma once

#include <algorithm>
#include <cstddef>

namespace coppice {

// Asks the system for large pages, where it has them. Whether it gives them is its own business.
void prefer_large_pages(void* begin, std::size_t bytes);

// Room for so many elements of a vector.
template <class Vector>
void reserve_large(Vector& array, std::size_t size) {
  if (size <= array.capacity()) return;
  array.reserve(size);
  prefer_large_pages(array.data(), array.capacity() * sizeof(typename Vector::value_type));
}

// As resize(), which takes twice as much where an array grows: the next may be a little larger.
template <class Vector>
void resize_large(Vector& array, std::size_t size) {
  if (size > array.capacity()) reserve_large(array, std::max(size, 2 * array.size()));
  array.resize(size);
}

}  // namespace coppice
