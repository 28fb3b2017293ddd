#include "io/zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <coppice/io.hpp>
#include <new>
#include <span>
#include <utility>

#include "text/utf8.hpp"

namespace coppice::io {
namespace {

// More members than any array file has, and more than their names take; a directory of millions
// would only eat memory.
constexpr std::uint64_t kMaxMembers = 65'536;
constexpr std::uint64_t kMaxDirectoryBytes = 1 << 26;

constexpr std::uint32_t kMemberSignature = 0x04034b50;
constexpr std::uint32_t kDirectorySignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocatorSignature = 0x07064b50;
constexpr std::size_t kMemberBytes = 30, kDirectoryBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                      kLocatorBytes = 20, kMaxCommentBytes = 0xFFFF;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1;  // a flag

// The little-endian number of type T at text[at], which must be there.
template <class T>
T number_at(std::string_view text, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(T{static_cast<unsigned char>(text[at + i])} << (8 * i));
  return value;
}
std::uint16_t short_at(std::string_view text, std::size_t at) {
  return number_at<std::uint16_t>(text, at);
}
std::uint32_t word_at(std::string_view text, std::size_t at) {
  return number_at<std::uint32_t>(text, at);
}
std::uint64_t long_at(std::string_view text, std::size_t at) {
  return number_at<std::uint64_t>(text, at);
}

// As many of the bytes as there are.
std::string read_part(const RandomAccess& bytes, std::uint64_t at, std::size_t size) {
  std::string text(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const std::size_t got = bytes.read_at(at + done, text.data() + done, size - done);
    if (got == 0) break;
    done += got;
  }
  text.resize(done);
  return text;
}

// Reads the directory, which is at the end of an archive.
class DirectoryReader {
 public:
  DirectoryReader(const RandomAccess& bytes, const std::string& name)
      : bytes_(bytes), name_(name), size_(bytes.size()) {}

  // Where the directory is, and how many members it has.
  struct Place {
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
    std::uint64_t members = 0;
  };

  Place find() const {
    const std::uint64_t tail_bytes = std::min<std::uint64_t>(size_, kEndBytes + kMaxCommentBytes);
    const std::string tail = read(size_ - tail_bytes, tail_bytes);
    // The last record whose comment ends where the file does.
    for (std::size_t at = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1; at-- > 0;) {
      if (word_at(tail, at) != kEndSignature) continue;
      if (at + kEndBytes + short_at(tail, at + 20) != tail.size()) continue;
      return checked(std::string_view(tail).substr(at), size_ - tail_bytes + at);
    }
    fail("no directory at its end; is it whole?");
  }

  void read_members(const Place& place, std::vector<std::string>& names,
                    std::vector<ZipMember>& members) const {
    const std::string directory = read(place.at, place.bytes);
    std::string_view rest = directory;
    for (std::uint64_t i = 0; i < place.members; ++i) {
      if (rest.size() < kDirectoryBytes || word_at(rest, 0) != kDirectorySignature)
        fail(fmt::format("its directory ends or is damaged at member {} of {}", i, place.members));
      const std::size_t name_bytes = short_at(rest, 28), extra_bytes = short_at(rest, 30);
      const std::size_t entry = kDirectoryBytes + name_bytes + extra_bytes + short_at(rest, 32);
      if (rest.size() < entry)
        fail(fmt::format("its directory ends within member {} of {}", i, place.members));
      names.emplace_back(rest.substr(kDirectoryBytes, name_bytes));
      members.push_back(
          member(rest, rest.substr(kDirectoryBytes + name_bytes, extra_bytes), names.back()));
      rest.remove_prefix(entry);
    }
    if (!rest.empty())
      fail(fmt::format("its directory goes on behind the last of {} members", place.members));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(fmt::format("{}: not a readable archive: {}", name_, what));
  }

  std::string read(std::uint64_t at, std::uint64_t size) const {
    std::string text = read_part(bytes_, at, static_cast<std::size_t>(size));
    if (text.size() < size) fail("it became shorter while it was read");
    return text;
  }

  // What the end record says; where a number does not fit it, what that of zip64 says.
  Place checked(std::string_view end, std::uint64_t end_at) const {
    Place place = {.at = word_at(end, 16), .bytes = word_at(end, 12), .members = short_at(end, 10)};
    if (short_at(end, 4) != 0 || short_at(end, 6) != 0) fail("it is one of several volumes");
    if (place.at == 0xFFFFFFFF || place.bytes == 0xFFFFFFFF || place.members == 0xFFFF)
      end_at = replace_by_zip64(place, end_at);
    if (place.members > kMaxMembers) fail(fmt::format("it has {} members", place.members));
    if (place.bytes > kMaxDirectoryBytes)
      fail(fmt::format("it has a directory of {} bytes", place.bytes));
    if (place.at > end_at || place.bytes > end_at - place.at)
      fail("its directory is not where its end says");
    return place;
  }

  std::uint64_t replace_by_zip64(Place& place, std::uint64_t end_at) const {
    if (end_at < kLocatorBytes) fail("the end of its zip64 directory is missing");
    const std::string locator = read(end_at - kLocatorBytes, kLocatorBytes);
    if (word_at(locator, 0) != kLocatorSignature) {
      // Numbers that happen to be the largest ones: 65,535 members.
      return end_at;
    }
    const std::uint64_t at = long_at(locator, 8);
    if (at > end_at - kLocatorBytes || end_at - kLocatorBytes - at < kEnd64Bytes)
      fail("the end of its zip64 directory is missing");
    const std::string end = read(at, kEnd64Bytes);
    if (word_at(end, 0) != kEnd64Signature) fail("the end of its zip64 directory is missing");
    if (place.members == 0xFFFF) place.members = long_at(end, 32);
    if (place.bytes == 0xFFFFFFFF) place.bytes = long_at(end, 40);
    if (place.at == 0xFFFFFFFF) place.at = long_at(end, 48);
    return at;
  }

  ZipMember member(std::string_view entry, std::string_view extra, const std::string& name) const {
    ZipMember member = {.flags = short_at(entry, 8),
                        .method = short_at(entry, 10),
                        .checksum = word_at(entry, 16),
                        .stored_bytes = word_at(entry, 20),
                        .bytes = word_at(entry, 24),
                        .at = word_at(entry, 42)};
    std::string_view wide = zip64_field(extra);
    // In this order, and only those that need it.
    for (std::uint64_t* number : {&member.bytes, &member.stored_bytes, &member.at}) {
      if (*number != 0xFFFFFFFF) continue;
      if (wide.size() < 8) fail(fmt::format("no zip64 sizes of {}", text::printable(name)));
      *number = long_at(wide, 0);
      wide.remove_prefix(8);
    }
    return member;
  }

  static std::string_view zip64_field(std::string_view extra) {
    while (extra.size() >= 4) {
      const std::string_view field = extra.substr(4, short_at(extra, 2));
      if (short_at(extra, 0) == kZip64Field) return field;
      extra.remove_prefix(4 + field.size());
    }
    return {};
  }

  const RandomAccess& bytes_;
  const std::string& name_;
  std::uint64_t size_;
};

// The data of one member, as it lies in the archive.
class StoredBytes {
 public:
  StoredBytes(std::shared_ptr<const RandomAccess> bytes, std::uint64_t at, std::uint64_t size)
      : bytes_(std::move(bytes)), at_(at), left_(size), buffer_(1 << 16) {}

  // Those that come next, read where none are waiting; none at the end, also where it is too early.
  std::span<char> next() {
    if (waiting_.empty() && left_ > 0) {
      const std::size_t wanted =
          static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_.size()));
      const std::size_t got = bytes_->read_at(at_, buffer_.data(), wanted);
      waiting_ = std::span(buffer_).first(got);
      at_ += got;
      left_ -= got;
    }
    return waiting_;
  }
  void take(std::size_t size) { waiting_ = waiting_.subspan(size); }
  bool at_end() const { return left_ == 0 && waiting_.empty(); }

 private:
  std::shared_ptr<const RandomAccess> bytes_;
  std::uint64_t at_;
  std::uint64_t left_;
  std::vector<char> buffer_;
  std::span<char> waiting_;
};

// Counts and adds up what a member gives, and compares it with what the directory said.
class MemberSource : public ByteSource {
 public:
  MemberSource(StoredBytes stored, const ZipMember& member, std::string name)
      : stored_(std::move(stored)), member_(member), name_(std::move(name)) {}

  std::size_t read(char* to, std::size_t size) final {
    if (finished_ || size == 0) return 0;
    const std::size_t got = give(to, std::min<std::size_t>(size, 1 << 30));
    if (got > member_.bytes - given_) fail("it is longer than the directory says");
    given_ += got;
    checksum_ = crc32(checksum_, reinterpret_cast<const Bytef*>(to), static_cast<uInt>(got));
    if (finished_) compare();
    return got;
  }

 protected:
  // Up to size bytes, more than 0 but for the last time; finish() says that they are the last.
  virtual std::size_t give(char* to, std::size_t size) = 0;

  void finish() { finished_ = true; }
  StoredBytes& stored() { return stored_; }
  [[noreturn]] void fail(std::string_view what) const {
    throw FormatError(fmt::format("{}: damaged or truncated: {}", name_, what));
  }

 private:
  void compare() const {
    if (given_ != member_.bytes) {
      fail(fmt::format("{} bytes, but the directory says {}", given_, member_.bytes));
    }
    if (checksum_ != member_.checksum) fail("its checksum is another");
  }

  StoredBytes stored_;
  ZipMember member_;
  std::string name_;
  std::uint64_t given_ = 0;
  uLong checksum_ = crc32(0, nullptr, 0);
  bool finished_ = false;
};

class StoredSource : public MemberSource {
 public:
  using MemberSource::MemberSource;

 private:
  std::size_t give(char* to, std::size_t size) override {
    const std::span<char> next = stored().next();
    const std::size_t got = std::min(size, next.size());
    std::copy_n(next.data(), got, to);
    stored().take(got);
    if (stored().at_end() || got == 0) finish();
    return got;
  }
};

class InflatedSource : public MemberSource {
 public:
  InflatedSource(StoredBytes stored, const ZipMember& member, std::string name)
      : MemberSource(std::move(stored), member, std::move(name)) {
    constexpr int kRaw = -MAX_WBITS;  // no header of zlib's own
    if (inflateInit2(&stream_, kRaw) != Z_OK) throw std::bad_alloc();
  }
  InflatedSource(const InflatedSource&) = delete;
  InflatedSource& operator=(const InflatedSource&) = delete;
  ~InflatedSource() override { inflateEnd(&stream_); }

 private:
  std::size_t give(char* to, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      const std::span<char> next = stored().next();
      stream_.next_in = reinterpret_cast<Bytef*>(next.data());
      stream_.avail_in = static_cast<uInt>(next.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      stored().take(next.size() - stream_.avail_in);
      if (status == Z_STREAM_END) {
        if (!stored().at_end()) fail("there is data behind its end");
        finish();
        break;
      }
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status == Z_BUF_ERROR) fail("it ends too early");
      if (status != Z_OK) fail(stream_.msg == nullptr ? "no deflated data" : stream_.msg);
    }
    return size - stream_.avail_out;
  }

  z_stream stream_ = {};
};

void check_supported(const ZipMember& member, const std::string& name) {
  if ((member.flags & kEncrypted) != 0) throw FormatError(name + ": it is encrypted");
  if (member.method == kStored || member.method == kDeflated) return;
  throw FormatError(
      fmt::format("{}: it is compressed by method {}; only stored and deflated arrays can be read",
                  name, member.method));
}

// Where the data of a member begins: behind its own header, which must be about the same member.
std::uint64_t data_begin(const RandomAccess& bytes, const ZipMember& member,
                         std::string_view member_name, const std::string& name) {
  const std::string header = read_part(bytes, member.at, kMemberBytes + member_name.size());
  if (header.size() < kMemberBytes + member_name.size() || word_at(header, 0) != kMemberSignature ||
      short_at(header, 8) != member.method || short_at(header, 26) != member_name.size() ||
      !header.ends_with(member_name)) {
    throw FormatError(name + ": damaged or truncated: its header is not what the directory says");
  }
  return member.at + header.size() + short_at(header, 28);
}

}  // namespace

ZipArchive::ZipArchive(std::shared_ptr<const RandomAccess> bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)) {
  const DirectoryReader reader(*bytes_, name_);
  const auto place = reader.find();
  reader.read_members(place, names_, members_);
  directory_at_ = place.at;
}

bool ZipArchive::has(std::string_view member) const {
  return std::find(names_.begin(), names_.end(), member) != names_.end();
}

std::unique_ptr<ByteSource> ZipArchive::open_member(const std::string& member) const {
  const std::string full_name = fmt::format("{}: {}", name_, member);
  const auto found = std::find(names_.begin(), names_.end(), member);
  if (found == names_.end()) throw FormatError(full_name + ": there is no such array");
  if (std::find(found + 1, names_.end(), member) != names_.end())
    throw FormatError(full_name + ": there are two of this name");
  const ZipMember& entry = members_[static_cast<std::size_t>(found - names_.begin())];
  check_supported(entry, full_name);
  const std::uint64_t at = data_begin(*bytes_, entry, member, full_name);
  if (at > directory_at_ || entry.stored_bytes > directory_at_ - at)
    throw FormatError(full_name + ": damaged or truncated: its end is not in the archive");
  StoredBytes stored(bytes_, at, entry.stored_bytes);
  if (entry.method == kStored)
    return std::make_unique<StoredSource>(std::move(stored), entry, full_name);
  return std::make_unique<InflatedSource>(std::move(stored), entry, full_name);
}

}  // namespace coppice::io
