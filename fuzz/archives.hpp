// Archives whose members are made of bytes: what lies behind checksums and compression, which no
// fuzzer gets through by itself.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "bytes.hpp"
#include "io/make_files.hpp"

namespace coppice::fuzz {

// A header with any type and shape, right or wrong, and any number of bytes behind it; now and then
// a header of any text.
inline std::string some_array(Bytes& bytes) {
  static constexpr std::array kTypes = {"<f4", "<f8", "<f2", "<i4", "|u1", "<i8", ">f4", ">i2",
                                        "<u8", "<U2", "|S3", ">U1", "|b1", "<c8", "|V4", ">u8"};
  const auto kind = bytes.take<std::uint8_t>();
  const std::size_t size = bytes.take<std::uint8_t>() * (kind >> 7 == 0 ? 1u : 8u);
  if ((kind & 0x70) == 0x70) {
    const std::string header(bytes.until('\n'));
    return test::npy_with_header(header + '\n', bytes.text(size));
  }
  std::string shape = "(";
  for (int dimensions = kind >> 4 & 3; dimensions > 0; --dimensions)
    shape += std::to_string(bytes.take<std::uint8_t>()) + ", ";
  return test::npy(kTypes[kind & 15], shape + ")", bytes.text(size), (kind & 0x40) != 0);
}

}  // namespace coppice::fuzz
