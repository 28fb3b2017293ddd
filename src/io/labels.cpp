#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <coppice/io.hpp>
#include <utility>

#include "graph/phrases.hpp"
#include "io/arrays.hpp"
#include "io/names.hpp"

namespace coppice::io {
namespace {

constexpr std::int64_t kMaxNames = 65'536;
// The square of this times kMaxNames is below 2^63.
constexpr std::int64_t kMaxSkippedNodes = 1 << 23;

// An archive of some kilobytes may hold any number of equal bytes: the sum of the lengths counts.
std::vector<std::string> read_names(NpyArray array, const Limits& limits) {
  constexpr std::size_t kMostBytes = 16 << 20;
  const std::int64_t count = array.header().elements();
  const auto refuse = [&](const std::string& what) {
    throw FormatError(fmt::format("{}: {}", array.name(), what));
  };
  if (count > kMaxNames) refuse(fmt::format("{} names", count));
  if (array.header().item_bytes > 4 * limits.max_name_bytes)  // four for each character
    refuse(fmt::format("names of {} bytes", array.header().item_bytes));
  std::vector<std::string> names;
  std::size_t bytes = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::string name = array.read_strings(1)[0];
    if (std::string what = check_length("a name", name, limits); !what.empty()) refuse(what);
    if ((bytes += name.size()) > kMostBytes)
      refuse(fmt::format("names of more than {} bytes together", kMostBytes));
    names.push_back(std::move(name));
  }
  array.finish();
  return names;
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw FormatError(
      fmt::format("{}: not label scores, which are an archive (.npz) of the arrays lp (scores), id "
                  "(which labels) and names (of the labels): {}",
                  name, what));
}

const ZipArchive& checked(const ZipArchive& archive) {
  for (const char* member : {"lp.npy", "id.npy", "names.npy"})
    if (!archive.has(member))
      refuse(archive.name(), fmt::format("there are: {}", fmt::join(archive.members(), ", ")));
  return archive;
}

// Is it an archive at all?
void look_at(const RandomAccess& bytes, const std::string& name) {
  char start[2] = {};
  if (bytes.read_at(0, start, sizeof(start)) < 2 || std::string_view(start, 2) != "PK")
    refuse(name, "it is no archive");
}

}  // namespace

class LabelReader::Impl {
 public:
  Impl(const ZipArchive& archive, std::optional<std::int64_t> arcs, const Limits& limits)
      : limits_(limits),
        scores_(open_array(checked(archive), "lp")),
        ids_(open_array(archive, "id")) {
    names_ = std::make_shared<std::vector<std::string>>(
        read_names(open_array(archive, "names"), limits));
    const auto& shape = scores_.header().shape;
    if (shape != ids_.header().shape || scores_.header().fortran_order ||
        ids_.header().fortran_order) {
      fail(fmt::format("lp has shape ({}), id has ({}): they must be the same, in C order",
                       fmt::join(shape, ", "), fmt::join(ids_.header().shape, ", ")));
    }
    const std::int64_t elements = scores_.header().elements();
    std::int64_t per_arc = 0;
    if (shape.size() > 1) {
      per_arc = shape.back();
    } else if (arcs && *arcs > 0 && elements % *arcs == 0) {
      per_arc = elements / *arcs;
    } else {
      fail(
          arcs
              ? fmt::format("{} cannot be divided among {}", counted(elements, "label score"),
                            counted(*arcs, "arc"))
              : "how many labels an arc has is not known: give lp and id the shape [arcs, labels]");
    }
    if (per_arc < 1 || per_arc > kMaxNames) fail(fmt::format("{} labels per arc", per_arc));
    if (arcs && (elements % per_arc != 0 || elements / per_arc != *arcs)) {
      fail(fmt::format("{} for {} with {} each", counted(elements, "label score"),
                       counted(*arcs, "arc"), counted(per_arc, "label")));
    }
    per_arc_ = static_cast<int>(per_arc);
  }

  void next(std::int64_t nodes, std::vector<float>& scores, std::vector<std::int32_t>& labels) {
    if (nodes - 1 > limits_.max_words) fail(fmt::format("{} words", nodes - 1));
    const auto count = static_cast<std::size_t>(nodes * nodes * per_arc_);
    scores.clear();
    labels.clear();
    // Block by block: no memory before the data for it is there.
    constexpr std::size_t kBlock = 1 << 14;
    for (std::size_t done = 0; done < count;) {
      const std::size_t block = std::min(kBlock, count - done);
      scores.resize(done + block);
      scores_.read(std::span(scores).subspan(done));
      read_ids(block, labels);
      done += block;
    }
  }

  // There must be nothing behind what was read, and the checksums must be right.
  void finish() {
    for (NpyArray* array : {&scores_, &ids_}) {
      if (array->position() != array->header().elements())
        throw FormatError(fmt::format("{}: {}, but the sentences have {}", array->name(),
                                      counted(array->header().elements(), "element"),
                                      array->position()));
      array->finish();
    }
  }

  void skip(std::int64_t nodes) {
    if (nodes > kMaxSkippedNodes) fail(fmt::format("{} words", nodes - 1));
    scores_.skip(nodes * nodes * per_arc_);
    ids_.skip(nodes * nodes * per_arc_);
  }

  std::shared_ptr<const std::vector<std::string>> names_;
  int per_arc_ = 1;

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(fmt::format("{}: {}", scores_.name(), what));
  }

  void read_ids(std::size_t count, std::vector<std::int32_t>& labels) {
    const std::int64_t first = ids_.position();
    wide_.resize(count);
    ids_.read(std::span(wide_));
    for (std::size_t i = 0; i < count; ++i) {
      if (wide_[i] < 0 || wide_[i] >= static_cast<std::int64_t>(names_->size())) {
        fail(fmt::format("label {} at element {}, but there are names for {}", wide_[i],
                         first + static_cast<std::int64_t>(i), names_->size()));
      }
      labels.push_back(static_cast<std::int32_t>(wide_[i]));
    }
  }

  Limits limits_;
  NpyArray scores_;
  NpyArray ids_;
  std::vector<std::int64_t> wide_;
};

LabelReader::LabelReader(const std::string& path, std::optional<std::int64_t> arcs,
                         const Limits& limits) {
  auto bytes = is_regular_file(path) ? open_random_access(path) : spooled(*open_file(path), path);
  look_at(*bytes, path);
  impl_ = std::make_unique<Impl>(ZipArchive(std::move(bytes), path), arcs, limits);
}
LabelReader::LabelReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LabelReader LabelReader::from_bytes(std::string_view bytes, const std::string& name,
                                    std::optional<std::int64_t> arcs, const Limits& limits) {
  return LabelReader(
      std::make_unique<Impl>(ZipArchive(random_access_to(bytes), name), arcs, limits));
}
LabelReader::LabelReader(LabelReader&&) noexcept = default;
LabelReader::~LabelReader() = default;

const std::shared_ptr<const std::vector<std::string>>& LabelReader::names() const {
  return impl_->names_;
}
int LabelReader::per_arc() const { return impl_->per_arc_; }
void LabelReader::next(std::int64_t nodes, std::vector<float>& scores,
                       std::vector<std::int32_t>& labels) {
  impl_->next(nodes, scores, labels);
}
void LabelReader::skip(std::int64_t nodes) { impl_->skip(nodes); }
void LabelReader::finish() { impl_->finish(); }

}  // namespace coppice::io
