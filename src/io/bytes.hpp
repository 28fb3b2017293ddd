// Where bytes come from: a file, standard input, memory, a member of an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::io {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Up to size bytes; fewer than asked for, but not 0, are no sign of the end. 0 is.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  // False where read() would have to wait longer than this.
  virtual bool ready(int /*milliseconds*/) { return true; }
};

// "-" is standard input. Throws FormatError where there is no such file, or it is a directory.
std::unique_ptr<ByteSource> open_file(const std::string& path);
// A file that can be read from any place, unlike a pipe.
bool is_regular_file(const std::string& path);
std::unique_ptr<ByteSource> open_memory(std::string_view bytes);
// First the bytes of prefix, then those of rest.
std::unique_ptr<ByteSource> prefixed(std::string prefix, std::unique_ptr<ByteSource> rest);

// Bytes that can be read from any place, by several readers at once.
class RandomAccess {
 public:
  virtual ~RandomAccess() = default;

  virtual std::uint64_t size() const = 0;
  // Up to size bytes; 0 at the end and behind it.
  virtual std::size_t read_at(std::uint64_t at, char* to, std::size_t size) const = 0;
};

// Throws FormatError where there is no such file.
std::shared_ptr<const RandomAccess> open_random_access(const std::string& path);
std::shared_ptr<const RandomAccess> random_access_to(std::string_view bytes);
// A copy of the source in a temporary file, where TMPDIR says. The name is for messages.
std::shared_ptr<const RandomAccess> spooled(ByteSource& source, const std::string& name);

// Reads until size bytes are there or the source ends; returns how many came.
std::size_t read_fully(ByteSource& source, char* to, std::size_t size);

// Text line by line, without the end of line ("\n" or "\r\n") and without a byte order mark.
class LineReader {
 public:
  LineReader(std::unique_ptr<ByteSource> source, std::int64_t max_line_bytes);

  // False at the end. Of a line longer than max_line_bytes nothing is kept, and too_long() is true.
  bool next(std::string& line);
  // False where next() would have to wait longer than this for the end of the line.
  bool ready(int milliseconds);
  bool too_long() const { return too_long_; }
  std::int64_t number() const { return number_; }  // of the last line, counted from 1

 private:
  bool fill();

  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t max_line_bytes_;
  std::int64_t number_ = 0;
  bool too_long_ = false;
};

}  // namespace coppice::io
