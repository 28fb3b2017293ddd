#include "io/zip.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <coppice/io.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace coppice::io {
namespace {

// More members than any array file has; a directory of millions would only eat memory.
constexpr zip_int64_t kMaxMembers = 65'536;

[[noreturn]] void fail(const std::string& name, zip_error_t* error) {
  const std::string text = zip_error_strerror(error);
  zip_error_fini(error);
  throw FormatError(fmt::format("{}: not a readable archive: {}", name, text));
}

// Takes the source, also where it throws.
std::shared_ptr<zip> open_source(zip_source_t* source, zip_error_t* error,
                                 const std::string& name) {
  if (source == nullptr) fail(name, error);
  zip_t* archive = zip_open_from_source(source, ZIP_RDONLY, error);
  if (archive == nullptr) {
    zip_source_free(source);
    fail(name, error);
  }
  zip_error_fini(error);
  return {archive, [](zip_t* opened) { zip_discard(opened); }};
}

// Where TMPDIR says, and gone when it is closed.
std::FILE* open_temporary() {
  const char* folder = std::getenv("TMPDIR");
  std::string path =
      fmt::format("{}/coppice-XXXXXX", folder == nullptr || *folder == '\0' ? "/tmp" : folder);
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) return nullptr;
  ::unlink(path.c_str());
  std::FILE* file = ::fdopen(descriptor, "w+b");
  if (file == nullptr) ::close(descriptor);
  return file;
}

class MemberSource : public ByteSource {
 public:
  MemberSource(std::shared_ptr<zip> archive, zip_file_t* file, std::string name)
      : archive_(std::move(archive)), file_(file), name_(std::move(name)) {}
  MemberSource(const MemberSource&) = delete;
  MemberSource& operator=(const MemberSource&) = delete;
  ~MemberSource() override { zip_fclose(file_); }

  std::size_t read(char* to, std::size_t size) override {
    const zip_int64_t got = zip_fread(file_, to, size);
    if (got < 0) {
      throw FormatError(
          fmt::format("{}: damaged or truncated: {}", name_, zip_file_strerror(file_)));
    }
    return static_cast<std::size_t>(got);
  }

 private:
  std::shared_ptr<zip> archive_;
  zip_file_t* file_;
  std::string name_;
};

}  // namespace

ZipArchive::ZipArchive(std::shared_ptr<zip> archive, std::string name)
    : archive_(std::move(archive)), name_(std::move(name)) {
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  if (count > kMaxMembers) {
    throw FormatError(fmt::format("{}: an archive with {} members", name_, count));
  }
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* member = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
    if (member != nullptr) members_.emplace_back(member);
  }
}

ZipArchive ZipArchive::open(const std::string& path) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_file_create(path.c_str(), 0, -1, &error);
  return {open_source(source, &error, path), path};
}

ZipArchive ZipArchive::open_bytes(std::string_view bytes, const std::string& name) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  return {open_source(source, &error, name), name};
}

ZipArchive ZipArchive::open_spooled(ByteSource& source, const std::string& name) {
  std::FILE* spool = open_temporary();
  if (spool == nullptr) {
    throw FormatError(fmt::format("{}: no temporary file: {}", name, std::strerror(errno)));
  }
  std::vector<char> buffer(1 << 16);
  bool written = true;
  try {
    while (const std::size_t got = source.read(buffer.data(), buffer.size())) {
      written = written && std::fwrite(buffer.data(), 1, got, spool) == got;
    }
  } catch (...) {
    std::fclose(spool);
    throw;
  }
  if (!written || std::fflush(spool) != 0) {
    std::fclose(spool);
    throw FormatError(fmt::format("{}: no room for a temporary copy", name));
  }
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* spooled = zip_source_filep_create(spool, 0, -1, &error);
  if (spooled == nullptr) std::fclose(spool);
  return {open_source(spooled, &error, name), name};
}

bool ZipArchive::has(std::string_view member) const {
  return std::find(members_.begin(), members_.end(), member) != members_.end();
}

std::unique_ptr<ByteSource> ZipArchive::open_member(const std::string& member) const {
  const std::string full_name = fmt::format("{}: {}", name_, member);
  zip_file_t* file = zip_fopen(archive_.get(), member.c_str(), 0);
  if (file == nullptr) {
    throw FormatError(fmt::format("{}: {}", full_name, zip_strerror(archive_.get())));
  }
  return std::make_unique<MemberSource>(archive_, file, full_name);
}

}  // namespace coppice::io
