// The bytes that a fuzzer gives, taken one value at a time. When they have run out all values are
// 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace coppice::fuzz {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }

  template <class T>
  T take() {
    T value{};
    const std::size_t got = std::min(sizeof(T), rest_.size());
    if (got > 0) std::memcpy(&value, rest_.data(), got);
    rest_ = rest_.subspan(got);
    return value;
  }
  // A number from first to last, both possible.
  template <class T>
  T take(T first, T last) {
    return static_cast<T>(first + take<std::uint8_t>() % (last - first + 1));
  }
  bool flag() { return (take<std::uint8_t>() & 1) != 0; }

  // The next size bytes, or all that are left.
  std::string_view text(std::size_t size) {
    const std::size_t got = std::min(size, rest_.size());
    const std::string_view taken(reinterpret_cast<const char*>(rest_.data()), got);
    rest_ = rest_.subspan(got);
    return taken;
  }
  std::string_view text() { return text(rest_.size()); }
  // Up to the next mark, which is dropped, or all that are left.
  std::string_view until(char mark) {
    const std::string_view all(reinterpret_cast<const char*>(rest_.data()), rest_.size());
    const std::string_view taken = text(std::min(all.find(mark), all.size()));
    take<std::uint8_t>();
    return taken;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace coppice::fuzz
