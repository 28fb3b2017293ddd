// Archives (.npz), read member by member as streams: what numpy and zipfile write, that is members
// stored or deflated, beyond 4 GB too (zip64). The format is that of PKWARE's APPNOTE.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"

namespace coppice::io {

// What the directory says of a member; nothing of it is believed before the data agrees.
struct ZipMember {
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;  // once it is inflated
  std::uint64_t at = 0;     // where its own header begins
};

class ZipArchive {
 public:
  // Throws FormatError where it is no archive. The name is for messages.
  ZipArchive(std::shared_ptr<const RandomAccess> bytes, std::string name);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& members() const { return names_; }
  bool has(std::string_view member) const;
  // Several members can be open at once. The stream throws FormatError where the data is damaged;
  // size and checksum are compared when the last byte is read.
  std::unique_ptr<ByteSource> open_member(const std::string& member) const;

 private:
  std::shared_ptr<const RandomAccess> bytes_;
  std::string name_;
  std::vector<std::string> names_;
  std::vector<ZipMember> members_;  // one for every name
  std::uint64_t directory_at_ = 0;  // behind all members
};

}  // namespace coppice::io
