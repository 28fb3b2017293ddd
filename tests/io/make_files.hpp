// Score files made in memory, right or wrong as a test wants them.
#pragma once

#include <zip.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::test {

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The elements of width bytes each, the other way round.
inline std::string swapped(std::string bytes, std::size_t width) {
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
  }
  return bytes;
}

inline std::string npy_with_header(const std::string& header, std::string_view data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + std::string(data);
}

// shape as Python writes it: "(3, 3)".
inline std::string npy(const std::string& dtype, const std::string& shape, std::string_view data,
                       bool fortran = false) {
  return npy_with_header("{'descr': '" + dtype + "', 'fortran_order': " +
                             (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n",
                         data);
}

// Members name -> bytes. The archive is built in a temporary file, which is how libzip writes.
inline std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& members,
                               bool compressed = true) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("coppice-test-" + std::to_string(::getpid()) + ".npz");
  std::filesystem::remove(path);
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  for (const auto& [name, bytes] : members) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const auto index = zip_file_add(archive, name.c_str(), source, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                             compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  zip_close(archive);
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::filesystem::remove(path);
  return bytes;
}

}  // namespace coppice::test
