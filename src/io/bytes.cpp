#include "io/bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <coppice/io.hpp>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace coppice::io {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(int descriptor, bool owned, std::string name)
      : descriptor_(descriptor), owned_(owned), name_(std::move(name)) {}
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;
  ~DescriptorSource() override {
    if (owned_) ::close(descriptor_);
  }

  std::size_t read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, to, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) {
        throw FormatError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
      }
    }
  }

  bool ready(int milliseconds) override {
    // Errors and the end count: they are read at once. So do regular files.
    pollfd wanted = {descriptor_, POLLIN, 0};
    return ::poll(&wanted, 1, milliseconds) != 0;
  }

 private:
  int descriptor_;
  bool owned_;
  std::string name_;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = std::min(size, bytes_.size());
    std::copy_n(bytes_.data(), got, to);
    bytes_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view bytes_;
};

class PrefixedSource : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  std::size_t read(char* to, std::size_t size) override {
    if (used_ == prefix_.size()) return rest_->read(to, size);
    const std::size_t got = std::min(size, prefix_.size() - used_);
    std::copy_n(prefix_.data() + used_, got, to);
    used_ += got;
    return got;
  }

  bool ready(int milliseconds) override {
    return used_ < prefix_.size() || rest_->ready(milliseconds);
  }

 private:
  std::string prefix_;
  std::size_t used_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

// Closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

class FileAccess : public RandomAccess {
 public:
  FileAccess(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

  std::uint64_t size() const override {
    struct stat status = {};
    if (::fstat(descriptor_.number(), &status) != 0) fail();
    return static_cast<std::uint64_t>(status.st_size);
  }

  std::size_t read_at(std::uint64_t at, char* to, std::size_t size) const override {
    for (;;) {
      const ssize_t got = ::pread(descriptor_.number(), to, size, static_cast<off_t>(at));
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail();
    }
  }

  // Behind what was written before.
  bool append(const char* from, std::size_t size) {
    while (size > 0) {
      const ssize_t put = ::write(descriptor_.number(), from, size);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      from += put;
      size -= static_cast<std::size_t>(put);
    }
    return true;
  }

 private:
  [[noreturn]] void fail() const {
    throw FormatError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
  }

  Descriptor descriptor_;
  std::string name_;
};

class MemoryAccess : public RandomAccess {
 public:
  explicit MemoryAccess(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }

  std::size_t read_at(std::uint64_t at, char* to, std::size_t size) const override {
    if (at >= bytes_.size()) return 0;
    const std::string_view part = bytes_.substr(static_cast<std::size_t>(at), size);
    std::copy_n(part.data(), part.size(), to);
    return part.size();
  }

 private:
  std::string_view bytes_;
};

// Gone when it is closed; negative where there can be none.
int open_temporary() {
  const char* folder = std::getenv("TMPDIR");
  std::string path =
      fmt::format("{}/coppice-XXXXXX", folder == nullptr || *folder == '\0' ? "/tmp" : folder);
  const int descriptor = ::mkstemp(path.data());
  if (descriptor >= 0) ::unlink(path.c_str());
  return descriptor;
}

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  if (path == "-") {
    return std::make_unique<DescriptorSource>(STDIN_FILENO, false, "standard input");
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw FormatError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  }
  auto source = std::make_unique<DescriptorSource>(descriptor, true, path);
  struct stat status = {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    throw FormatError(fmt::format("{}: is a directory", path));
  }
  return source;
}

bool is_regular_file(const std::string& path) {
  struct stat status = {};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::unique_ptr<ByteSource> open_memory(std::string_view bytes) {
  return std::make_unique<MemorySource>(bytes);
}

std::unique_ptr<ByteSource> prefixed(std::string prefix, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<PrefixedSource>(std::move(prefix), std::move(rest));
}

std::shared_ptr<const RandomAccess> open_random_access(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw FormatError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  }
  return std::make_shared<FileAccess>(descriptor, path);
}

std::shared_ptr<const RandomAccess> random_access_to(std::string_view bytes) {
  return std::make_shared<MemoryAccess>(bytes);
}

std::shared_ptr<const RandomAccess> spooled(ByteSource& source, const std::string& name) {
  const int descriptor = open_temporary();
  if (descriptor < 0) {
    throw FormatError(fmt::format("{}: no temporary file: {}", name, std::strerror(errno)));
  }
  auto copy = std::make_shared<FileAccess>(descriptor, name);
  std::vector<char> buffer(kBufferBytes);
  bool written = true;
  // Read to the end in any case: whoever writes to a pipe is not to be cut off.
  while (const std::size_t got = source.read(buffer.data(), buffer.size())) {
    written = written && copy->append(buffer.data(), got);
  }
  if (!written) throw FormatError(fmt::format("{}: no room for a temporary copy", name));
  return copy;
}

std::size_t read_fully(ByteSource& source, char* to, std::size_t size) {
  std::size_t total = 0;
  while (total < size) {
    const std::size_t got = source.read(to + total, size - total);
    if (got == 0) break;
    total += got;
  }
  return total;
}

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::int64_t max_line_bytes)
    : source_(std::move(source)),
      buffer_(kBufferBytes),
      max_line_bytes_(static_cast<std::size_t>(std::max<std::int64_t>(max_line_bytes, 0))) {}

bool LineReader::fill() {
  begin_ = 0;
  end_ = source_->read(buffer_.data(), buffer_.size());
  return end_ > 0;
}

bool LineReader::ready(int milliseconds) {
  const char* start = buffer_.data() + begin_;
  return std::memchr(start, '\n', end_ - begin_) != nullptr || source_->ready(milliseconds);
}

bool LineReader::next(std::string& line) {
  line.clear();
  too_long_ = false;
  if (begin_ == end_ && !fill()) return false;
  ++number_;
  for (bool ended = false; !ended;) {
    const char* start = buffer_.data() + begin_;
    const auto* newline = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const std::size_t size = newline ? static_cast<std::size_t>(newline - start) : end_ - begin_;
    const std::size_t total = line.size() + size;
    too_long_ |= total > max_line_bytes_;
    if (!too_long_) {
      // No growth beyond the limit, not even in reserve.
      if (total > line.capacity()) line.reserve(std::min(2 * total, max_line_bytes_));
      line.append(start, size);
    }
    begin_ += size + (newline ? 1 : 0);
    ended = newline != nullptr || (begin_ == end_ && !fill());
  }
  if (too_long_) std::string().swap(line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  return true;
}

}  // namespace coppice::io
