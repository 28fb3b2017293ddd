// Archives (.npz), read member by member as streams.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"

struct zip;

namespace coppice::io {

class ZipArchive {
 public:
  // Throws FormatError where the file is no archive.
  static ZipArchive open(const std::string& path);
  static ZipArchive open_bytes(std::string_view bytes, const std::string& name);
  // Copies the source to a temporary file first, since an archive is read from its end.
  static ZipArchive open_spooled(ByteSource& source, const std::string& name);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& members() const { return members_; }
  bool has(std::string_view member) const;
  // Several members can be open at once. The stream throws FormatError where the data is damaged;
  // the checksum is compared when the end is read.
  std::unique_ptr<ByteSource> open_member(const std::string& member) const;

 private:
  ZipArchive(std::shared_ptr<zip> archive, std::string name);

  std::shared_ptr<zip> archive_;
  std::string name_;
  std::vector<std::string> members_;
};

}  // namespace coppice::io
