// The NumPy array format (.npy), read as a stream.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"

namespace coppice::io {

// What the header of an array says.
struct NpyHeader {
  char kind = 'f';     // of numpy's dtype: f, i, u, b, U, S
  int item_bytes = 4;  // of one element
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;

  std::int64_t elements() const;
  std::string dtype() const;  // as numpy writes it, for messages
};

// Parses the text of a header, a Python dictionary. Throws FormatError; name is for the message.
NpyHeader parse_npy_header(std::string_view text, const std::string& name);

// An array whose elements are read one after the other in the order of the file.
class NpyArray {
 public:
  // Reads the header. Throws FormatError for anything but numbers, booleans and strings.
  NpyArray(std::unique_ptr<ByteSource> source, std::string name);

  const NpyHeader& header() const { return header_; }
  const std::string& name() const { return name_; }
  std::int64_t position() const { return position_; }  // elements read or skipped so far

  // The next elements, converted. float16, float32, float64 and integers go to any of the types;
  // throws FormatError where the file ends early or a value does not fit an int64.
  void read(std::span<float> to);
  void read(std::span<double> to);
  void read(std::span<std::int64_t> to);
  // Strings (kind U or S) as UTF-8.
  std::vector<std::string> read_strings(std::int64_t count);
  void skip(std::int64_t elements);
  // There must be nothing behind the last element; this is also where a checksum is compared.
  void finish();

 private:
  template <class T>
  void read_as(std::span<T> to);
  std::span<const char> take(std::int64_t elements);

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  NpyHeader header_;
  std::vector<char> raw_;
  std::int64_t position_ = 0;
};

}  // namespace coppice::io
