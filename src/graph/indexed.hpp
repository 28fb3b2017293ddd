// Indices of different kinds that cannot be mixed up, and vectors that take one kind only.
//
//   using Component = Index<struct ComponentKind>;
//   Indexed<Component, double> y;   // y[c], for a Component c and nothing else
//
// Both are as small and as fast as the integers and the vectors below them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace coppice {

template <class Kind>
class Index {
 public:
  constexpr Index() = default;  // none
  constexpr explicit Index(std::int32_t value) : value_(value) {}
  constexpr std::int32_t value() const { return value_; }
  constexpr Index next() const { return Index(value_ + 1); }

  constexpr Index& operator++() {
    ++value_;
    return *this;
  }
  constexpr Index& operator--() {
    --value_;
    return *this;
  }
  friend constexpr auto operator<=>(Index, Index) = default;  // NOLINT(modernize-use-nullptr)

 private:
  std::int32_t value_ = -1;
};

// Where the element of an index stands; nodes and edge ids of the interface are plain integers.
template <class Kind>
constexpr std::size_t place_of(Index<Kind> i) {
  return static_cast<std::size_t>(i.value());
}
constexpr std::size_t place_of(std::int32_t i) { return static_cast<std::size_t>(i); }

template <class I, class T>
class Indexed : private std::vector<T> {
  using Base = std::vector<T>;

 public:
  using typename Base::const_iterator;
  using typename Base::const_reference;
  using typename Base::iterator;
  using typename Base::reference;
  using typename Base::value_type;

  using Base::assign;
  using Base::back;
  using Base::Base;
  using Base::begin;
  using Base::capacity;
  using Base::clear;
  using Base::data;
  using Base::empty;
  using Base::end;
  using Base::pop_back;
  using Base::push_back;
  using Base::reserve;
  using Base::resize;
  using Base::size;

  reference operator[](I i) { return Base::operator[](place_of(i)); }
  const_reference operator[](I i) const { return Base::operator[](place_of(i)); }
  void swap(std::vector<T>& other) { Base::swap(other); }
  // The index after that of the last element.
  I end_index() const { return I(static_cast<std::int32_t>(size())); }
};

}  // namespace coppice
