#include "io/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <coppice/io.hpp>
#include <cstring>
#include <type_traits>
#include <utility>

#include "graph/checked.hpp"
#include "text/utf8.hpp"

namespace coppice::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeaderBytes = 1 << 16;
constexpr std::int64_t kBlockBytes = 1 << 16;

// The few Python literals that a header is made of.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        has_descr = true;
        set_dtype(string(), header);
      } else if (key == "fortran_order") {
        has_order = true;
        header.fortran_order = boolean();
      } else if (key == "shape") {
        has_shape = true;
        header.shape = tuple();
      } else {
        fail(fmt::format("the key '{}' is not known", key));
      }
      if (!accept(',') && peek() != '}') fail("expected , or }");
    }
    if (!has_descr || !has_order || !has_shape) fail("descr, fortran_order or shape is missing");
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw FormatError(fmt::format("{}: bad array header at byte {}: {}", name_, at_, what));
  }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("expected {}", wanted));
  }
  std::string string() {
    if (peek() == '[') fail("arrays of records are not supported");
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a string does not end");
    std::string value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }
  bool boolean() {
    peek();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += std::strlen(word);
        return value;
      }
    }
    fail("expected True or False");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t value = 0;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0) fail("expected a size below 2^63");
      at_ = static_cast<std::size_t>(end - text_.data());
      values.push_back(value);
      if (!accept(',') && peek() != ')') fail("expected , or )");
    }
    return values;
  }
  void set_dtype(const std::string& text, NpyHeader& header) const {
    std::int64_t width = 0;
    const char* end = text.data() + text.size();
    if (text.size() < 3 || std::string_view("<>|=").find(text[0]) == std::string_view::npos ||
        std::from_chars(text.data() + 2, end, width).ptr != end) {
      fail(fmt::format("the dtype '{}' is not supported", text));
    }
    header.kind = text[1];
    header.big_endian = text[0] == '>';
    header.item_bytes = static_cast<int>(header.kind == 'U' ? 4 * width : width);
    const bool number = (header.kind == 'f' && (width == 2 || width == 4 || width == 8)) ||
                        ((header.kind == 'i' || header.kind == 'u') &&
                         (width == 1 || width == 2 || width == 4 || width == 8)) ||
                        (header.kind == 'b' && width == 1);
    const bool string = (header.kind == 'U' || header.kind == 'S') && width > 0 && width <= 4096;
    if (!number && !string) fail(fmt::format("the dtype '{}' is not supported", text));
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0) {  // zero and subnormals: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const std::uint32_t widened = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | (widened << 23) | (mantissa << 13));
}

// The unsigned integer of the same width, in this machine's byte order.
template <class Bits>
Bits load(const char* from, bool big_endian) {
  Bits bits = 0;
  std::memcpy(&bits, from, sizeof(Bits));
  if constexpr (sizeof(Bits) > 1) {
    if (big_endian != (std::endian::native == std::endian::big)) {
      Bits swapped = 0;
      for (std::size_t byte = 0; byte < sizeof(Bits); ++byte) {
        swapped = static_cast<Bits>((swapped << 8) | ((bits >> (8 * byte)) & 0xff));
      }
      bits = swapped;
    }
  }
  return bits;
}

template <class Bits, class T, class Value>
void convert(std::span<const char> from, bool big_endian, std::span<T> to, Value value) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<T>(value(load<Bits>(from.data() + i * sizeof(Bits), big_endian)));
  }
}

template <class T>
void convert_floats(std::span<const char> raw, const NpyHeader& header, std::span<T> out) {
  const bool big = header.big_endian;
  if (header.item_bytes == 2) {
    convert<std::uint16_t>(raw, big, out, half_to_float);
  } else if (header.item_bytes == 4) {
    convert<std::uint32_t>(raw, big, out, std::bit_cast<float, std::uint32_t>);
  } else {
    convert<std::uint64_t>(raw, big, out, std::bit_cast<double, std::uint64_t>);
  }
}

// Booleans count as 0 and 1.
template <class T>
void convert_integers(std::span<const char> raw, const NpyHeader& header, std::span<T> out,
                      const std::string& name) {
  const auto as = [&]<class Bits>(Bits) {
    convert<Bits>(raw, header.big_endian, out, [&](Bits x) -> std::int64_t {
      if (header.kind == 'i') return static_cast<std::make_signed_t<Bits>>(x);
      if (sizeof(Bits) == 8 && static_cast<std::uint64_t>(x) >> 63) {
        throw FormatError(fmt::format("{}: {} does not fit an int64", name, x));
      }
      return static_cast<std::int64_t>(x);
    });
  };
  switch (header.item_bytes) {
    case 1:
      return as(std::uint8_t{});
    case 2:
      return as(std::uint16_t{});
    case 4:
      return as(std::uint32_t{});
    default:
      return as(std::uint64_t{});
  }
}

}  // namespace

std::int64_t NpyHeader::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (!multiply_if_it_fits(product, size)) return -1;
  }
  return product;
}

std::string NpyHeader::dtype() const {
  return fmt::format("{}{}{}",
                     item_bytes == 1 ? '|'
                     : big_endian    ? '>'
                                     : '<',
                     kind, kind == 'U' ? item_bytes / 4 : item_bytes);
}

NpyHeader parse_npy_header(std::string_view text, const std::string& name) {
  NpyHeader header = HeaderParser(text, name).parse();
  std::int64_t bytes = header.elements();
  if (bytes < 0 || !multiply_if_it_fits(bytes, header.item_bytes)) {
    throw FormatError(fmt::format("{}: an array of shape ({}) cannot exist", name,
                                  fmt::join(header.shape, ", ")));
  }
  return header;
}

NpyArray::NpyArray(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {
  char start[8];
  if (read_fully(*source_, start, sizeof(start)) != sizeof(start) ||
      std::string_view(start, 6) != kMagic) {
    throw FormatError(fmt::format("{}: not a NumPy array: the first bytes are wrong", name_));
  }
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) {
    throw FormatError(
        fmt::format("{}: version {} of the array format is not known", name_, version));
  }
  char length[4] = {};
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (read_fully(*source_, length, length_bytes) != length_bytes) {
    throw FormatError(fmt::format("{}: ends inside the array header", name_));
  }
  const std::size_t size = load<std::uint32_t>(length, false);
  if (size > kMaxHeaderBytes) {
    throw FormatError(fmt::format("{}: an array header of {} bytes", name_, size));
  }
  std::string text(size, '\0');
  if (read_fully(*source_, text.data(), size) != size) {
    throw FormatError(fmt::format("{}: ends inside the array header", name_));
  }
  header_ = parse_npy_header(text, name_);
}

std::span<const char> NpyArray::take(std::int64_t elements) {
  const auto bytes = static_cast<std::size_t>(elements * header_.item_bytes);
  raw_.resize(bytes);
  const std::size_t got = read_fully(*source_, raw_.data(), bytes);
  if (got != bytes) {
    throw FormatError(fmt::format("{}: truncated: the data ends at element {} of {}", name_,
                                  position_ + static_cast<std::int64_t>(got) / header_.item_bytes,
                                  header_.elements()));
  }
  position_ += elements;
  return raw_;
}

template <class T>
void NpyArray::read_as(std::span<T> to) {
  const char kind = header_.kind;
  if (kind == 'U' || kind == 'S') {
    throw FormatError(fmt::format("{}: numbers expected, not {}", name_, header_.dtype()));
  }
  if (kind == 'f' && std::is_integral_v<T>) {
    throw FormatError(fmt::format("{}: whole numbers expected, not {}", name_, header_.dtype()));
  }
  const std::int64_t block = kBlockBytes / header_.item_bytes;
  while (!to.empty()) {
    const auto count = std::min(block, static_cast<std::int64_t>(to.size()));
    const std::span<const char> raw = take(count);
    const std::span<T> out = to.first(static_cast<std::size_t>(count));
    kind == 'f' ? convert_floats(raw, header_, out) : convert_integers(raw, header_, out, name_);
    to = to.subspan(static_cast<std::size_t>(count));
  }
}

void NpyArray::read(std::span<float> to) { read_as(to); }
void NpyArray::read(std::span<double> to) { read_as(to); }
void NpyArray::read(std::span<std::int64_t> to) { read_as(to); }

std::vector<std::string> NpyArray::read_strings(std::int64_t count) {
  if (header_.kind != 'U' && header_.kind != 'S') {
    throw FormatError(fmt::format("{}: strings expected, not {}", name_, header_.dtype()));
  }
  std::vector<std::string> strings;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::span<const char> raw = take(1);
    std::string& text = strings.emplace_back();
    if (header_.kind == 'S') {
      text.assign(raw.begin(), std::find(raw.begin(), raw.end(), '\0'));
      continue;
    }
    for (std::size_t at = 0; at < raw.size(); at += 4) {
      const auto code = load<std::uint32_t>(raw.data() + at, header_.big_endian);
      if (code == 0) break;
      text::append_utf8(code, text);
    }
  }
  return strings;
}

void NpyArray::skip(std::int64_t elements) {
  const std::int64_t block = kBlockBytes / header_.item_bytes;
  while (elements > 0) {
    const std::int64_t count = std::min(block, elements);
    take(count);
    elements -= count;
  }
}

void NpyArray::finish() {
  char extra = 0;
  if (source_->read(&extra, 1) != 0) {
    throw FormatError(
        fmt::format("{}: there is data behind the last of {} elements", name_, header_.elements()));
  }
}

}  // namespace coppice::io
