// Score files made in memory, right or wrong as a test wants them.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
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

// The lowest bytes of a number, the lowest one first.
inline std::string little(std::uint64_t number, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

inline std::string deflated(const std::string& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// What the directory and the member's own header have in common, from the method on.
inline std::string zip_member(const std::string& name, const std::string& bytes,
                              const std::string& data, bool compressed, bool wide,
                              std::size_t extra_bytes) {
  const auto checksum =
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  return little(0, 2) + little(compressed ? 8 : 0, 2) + little(0, 4) + little(checksum, 4) +
         little(wide ? ~0u : data.size(), 4) + little(wide ? ~0u : bytes.size(), 4) +
         little(name.size(), 2) + little(extra_bytes, 2);
}

// Members name -> bytes; with zip64 all numbers are where those of archives beyond 4 GB are.
inline std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& members,
                               bool compressed = true, bool zip64 = false) {
  std::string archive, directory;
  for (const auto& [name, bytes] : members) {
    const std::uint64_t at = archive.size();
    const std::string data = compressed ? deflated(bytes) : bytes;
    std::string extra;
    if (zip64) {
      extra = little(1, 2) + little(24, 2) + little(bytes.size(), 8) + little(data.size(), 8) +
              little(at, 8);
    }
    archive += "PK\x03\x04" + little(45, 2);
    archive += zip_member(name, bytes, data, compressed, zip64, 0);
    archive.append(name).append(data);
    directory += "PK\x01\x02" + little(45, 2) + little(45, 2);
    directory += zip_member(name, bytes, data, compressed, zip64, extra.size());
    directory.append(10, '\0').append(little(zip64 ? ~0u : at, 4)).append(name).append(extra);
  }
  const std::uint64_t at = archive.size(), count = members.size();
  const bool end64 = zip64 || count >= 0xFFFF;
  archive += directory;
  if (end64) {
    const std::uint64_t end = archive.size();
    archive += "PK\x06\x06" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
               little(count, 8) + little(count, 8) + little(directory.size(), 8) + little(at, 8) +
               "PK\x06\x07" + little(0, 4) + little(end, 8) + little(1, 4);
  }
  const std::string count16 = little(end64 ? 0xFFFF : count, 2);
  return archive + "PK\x05\x06" + little(0, 4) + count16 + count16 +
         little(zip64 ? ~0u : directory.size(), 4) + little(zip64 ? ~0u : at, 4) + little(0, 2);
}

}  // namespace coppice::test
