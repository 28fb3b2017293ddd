#include "io/arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <coppice/io.hpp>
#include <limits>
#include <utility>

#include "graph/checked.hpp"
#include "graph/phrases.hpp"

namespace coppice::io {
namespace {

std::string shape_text(const NpyArray& array) {
  return fmt::format("({})", fmt::join(array.header().shape, ", "));
}

// What the lengths of all sentences add up to.
struct LengthTotals {
  Totals totals;
  std::int64_t words = 0;
};

// Reads all lengths once, so that sizes that contradict each other are found before any work.
LengthTotals add_up(NpyArray lengths) {
  LengthTotals sums;
  sums.totals.sentences = lengths.header().elements();
  std::vector<std::int64_t> block(4096);
  for (std::int64_t done = 0; done < sums.totals.sentences;) {
    const auto count = std::min<std::int64_t>(4096, sums.totals.sentences - done);
    const auto part = std::span(block).first(static_cast<std::size_t>(count));
    lengths.read(part);
    for (const std::int64_t words : part) {
      if (words < 0 || words >= kMaxNodes) {
        throw FormatError(fmt::format("{}: sentence {} has {} words", lengths.name(), done, words));
      }
      if (!add_if_it_fits(sums.totals.arcs, (words + 1) * (words + 1))) {
        throw FormatError(
            fmt::format("{}: the lengths up to sentence {} add up to more than 2^63 scores",
                        lengths.name(), done));
      }
      sums.words += words;
      ++done;
    }
  }
  lengths.finish();
  return sums;
}

NpyArray one_dimensional(NpyArray array) {
  if (array.header().shape.size() != 1) {
    throw FormatError(fmt::format("{}: one dimension expected, not the shape {}", array.name(),
                                  shape_text(array)));
  }
  return array;
}

// All the arrays of one file.
struct Arrays {
  NpyArray scores;
  std::optional<NpyArray> lengths;
  std::optional<NpyArray> heads;
  LengthTotals sums;  // where there are lengths
};

class ArrayReader : public Reader {
 public:
  ArrayReader(Arrays arrays, const ReadOptions& options)
      : arrays_(std::move(arrays)), options_(options) {
    const auto& shape = arrays_.scores.header().shape;
    if (shape.size() == 1) {
      check_flat();
    } else if (shape.size() == 2 || shape.size() == 3) {
      check_square();
    } else {
      fail(fmt::format(
          "scores of shape {}; flat, [nodes, nodes] or [sentences, nodes, nodes] expected",
          shape_text(arrays_.scores)));
    }
    check_heads();
  }

  std::optional<Totals> totals() const override { return totals_; }

  bool skip() override {
    if (at_end()) return false;
    const std::int64_t words = next_length();
    skip_heads(words);
    if (!interleaved_) arrays_.scores.skip(stored_elements(words));
    ++index_;
    return true;
  }

  bool next(Sentence& sentence) override {
    sentence.clear();
    if (at_end()) return false;
    const std::int64_t words = next_length();
    sentence.index = index_;
    sentence.nodes = words + 1;
    if (const std::string error = check_length(words); !error.empty()) {
      skip_heads(words);
      if (!interleaved_) arrays_.scores.skip(stored_elements(words));
      sentence.error = error;
      sentence.scores = std::monostate();
    } else {
      read_heads(words, sentence.gold_heads);
      read_scores(words + 1, sentence);
    }
    ++index_;
    return true;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(fmt::format("{}: {}", arrays_.scores.name(), what));
  }

  void check_flat() {
    if (!arrays_.lengths) fail("scores are flat, but there are no lengths");
    totals_ = arrays_.sums.totals;
    if (totals_.arcs != arrays_.scores.header().elements()) {
      fail(fmt::format("{}, but the lengths of {} ask for {}",
                       counted(arrays_.scores.header().elements(), "score"),
                       counted(totals_.sentences, "sentence"), totals_.arcs));
    }
  }

  // A matrix or a batch of matrices, padded where there are lengths.
  void check_square() {
    const auto& shape = arrays_.scores.header().shape;
    nodes_ = shape.back();
    totals_.sentences = shape.size() == 2 ? 1 : shape[0];
    if (shape[shape.size() - 2] != nodes_) {
      fail(fmt::format("scores of shape {} are not square", shape_text(arrays_.scores)));
    }
    if (nodes_ < 1) fail("matrices without nodes");
    if (nodes_ - 1 > options_.limits.max_words) {
      fail(fmt::format("matrices of {} nodes; at most {} words are allowed", nodes_,
                       options_.limits.max_words));
    }
    if (arrays_.lengths && arrays_.sums.totals.sentences != totals_.sentences) {
      fail(fmt::format("{}, but {}", counted(totals_.sentences, "matrix", "matrices"),
                       counted(arrays_.sums.totals.sentences, "length")));
    }
    totals_.arcs = arrays_.lengths ? arrays_.sums.totals.arcs : totals_.sentences * nodes_ * nodes_;
    // In Fortran order the matrices of a batch are interleaved: no sentence is whole before the
    // end.
    if (arrays_.scores.header().fortran_order && shape.size() == 3) check_whole();
  }

  void check_whole() {
    const std::int64_t elements = arrays_.scores.header().elements();
    if (elements > options_.limits.max_array_bytes / static_cast<std::int64_t>(sizeof(double))) {
      fail(
          fmt::format("a batch of {} scores in Fortran order is too large to be held in memory; "
                      "save it in C order (numpy.ascontiguousarray)",
                      elements));
    }
    interleaved_ = true;
  }

  void load_whole() {
    const std::int64_t elements = arrays_.scores.header().elements();
    whole_.emplace();
    visit_values(*whole_, [&](auto& values) {
      // In blocks: a header that lies about the size fails at the end of the data.
      constexpr std::int64_t kBlock = 1 << 16;
      for (std::int64_t done = 0; done < elements;) {
        const std::int64_t count = std::min(kBlock, elements - done);
        values.resize(static_cast<std::size_t>(done + count));
        arrays_.scores.read(std::span(values).subspan(static_cast<std::size_t>(done)));
        done += count;
      }
    });
  }

  void check_heads() const {
    if (!arrays_.heads) return;
    const auto& shape = arrays_.heads->header().shape;
    const std::int64_t words =
        arrays_.lengths ? arrays_.sums.words : totals_.sentences * (nodes_ - 1);
    const bool flat = shape.size() == 1 && shape[0] == words;
    const bool padded = shape.size() == 2 && shape[0] == totals_.sentences && nodes_ > 0 &&
                        !arrays_.heads->header().fortran_order &&
                        (shape[1] == nodes_ || shape[1] == nodes_ - 1);
    if (!flat && !padded) {
      throw FormatError(fmt::format("{}: heads of shape {} do not fit {} with {}",
                                    arrays_.heads->name(), shape_text(*arrays_.heads),
                                    counted(totals_.sentences, "sentence"),
                                    counted(words, "word")));
    }
  }

  bool at_end() {
    if (index_ < totals_.sentences) return false;
    if (!finished_) {
      finished_ = true;
      if (!interleaved_ || whole_) arrays_.scores.finish();
      if (arrays_.lengths) arrays_.lengths->finish();
      if (arrays_.heads) arrays_.heads->finish();
    }
    return true;
  }

  std::int64_t next_length() {
    if (!arrays_.lengths) return nodes_ - 1;
    std::int64_t words = 0;
    arrays_.lengths->read(std::span(&words, 1));
    // The sums were of a first reading; a file that changed under us must not lead us astray.
    if (words < 0 || words >= kMaxNodes)
      fail(fmt::format("sentence {} has {} words", index_, words));
    return words;
  }

  std::string check_length(std::int64_t words) const {
    if (words < 1) return fmt::format("{} words", words);
    if (nodes_ > 0 && words >= nodes_) {
      return fmt::format("{} and a matrix of {} do not fit", counted(words, "word"),
                         counted(nodes_, "node"));
    }
    if (words > options_.limits.max_words) {
      return fmt::format("{} words; at most {} are allowed", words, options_.limits.max_words);
    }
    return {};
  }

  std::int64_t stored_elements(std::int64_t words) const {
    return nodes_ > 0 ? nodes_ * nodes_ : (words + 1) * (words + 1);
  }

  // Calls with the alternative of values that the type of the array asks for.
  template <class Function>
  void visit_values(decltype(Matrix::values)& values, Function function) const {
    const NpyHeader& header = arrays_.scores.header();
    const auto as = [&]<class T>(T*) {
      if (!std::holds_alternative<std::vector<T>>(values))
        values.template emplace<std::vector<T>>();
      function(std::get<std::vector<T>>(values));
    };
    if (header.kind != 'f') {
      as(static_cast<std::int64_t*>(nullptr));
    } else if (header.item_bytes == 8) {
      as(static_cast<double*>(nullptr));
    } else {
      as(static_cast<float*>(nullptr));
    }
  }

  void read_scores(std::int64_t nodes, Sentence& sentence) {
    if (!std::holds_alternative<Matrix>(sentence.scores)) sentence.scores.emplace<Matrix>();
    Matrix& matrix = std::get<Matrix>(sentence.scores);
    matrix.nodes = static_cast<Node>(nodes);
    const bool transposed = arrays_.scores.header().fortran_order;
    const bool by_head = (options_.axes == Axes::head_dependent) != transposed;
    matrix.axes = by_head ? Axes::head_dependent : Axes::dependent_head;
    visit_values(matrix.values, [&](auto& values) {
      values.resize(static_cast<std::size_t>(nodes * nodes));
      if (interleaved_) {
        if (!whole_) load_whole();
        gather(nodes, values);
      } else if (nodes_ == 0 || nodes_ == nodes) {
        arrays_.scores.read(std::span(values));
      } else {
        read_padded(nodes, values);
      }
    });
  }

  template <class T>
  void read_padded(std::int64_t nodes, std::vector<T>& values) {
    for (std::int64_t row = 0; row < nodes; ++row) {
      arrays_.scores.read(std::span(values).subspan(static_cast<std::size_t>(row * nodes),
                                                    static_cast<std::size_t>(nodes)));
      arrays_.scores.skip(nodes_ - nodes);
    }
    arrays_.scores.skip((nodes_ - nodes) * nodes_);
  }

  // Element (sentence, i, j) in Fortran order, kept transposed.
  template <class T>
  void gather(std::int64_t nodes, std::vector<T>& values) const {
    const auto& from = std::get<std::vector<T>>(*whole_);
    std::size_t to = 0;
    for (std::int64_t j = 0; j < nodes; ++j) {
      for (std::int64_t i = 0; i < nodes; ++i) {
        values[to++] =
            from[static_cast<std::size_t>(index_ + totals_.sentences * (i + nodes_ * j))];
      }
    }
  }

  void read_heads(std::int64_t words, std::vector<Node>& heads) {
    if (!arrays_.heads) return;
    const auto& shape = arrays_.heads->header().shape;
    const bool padded = shape.size() == 2;
    if (padded && shape[1] == nodes_) arrays_.heads->skip(1);
    wide_heads_.resize(static_cast<std::size_t>(words));
    arrays_.heads->read(std::span(wide_heads_));
    if (padded) arrays_.heads->skip(nodes_ - 1 - words);
    heads.resize(wide_heads_.size());
    for (std::size_t i = 0; i < heads.size(); ++i) {
      // Whether it is a word of the sentence is for those to ask who use it.
      const bool fits = wide_heads_[i] >= 0 && wide_heads_[i] < kMaxNodes;
      heads[i] = fits ? static_cast<Node>(wide_heads_[i]) : kNoNode;
    }
  }

  void skip_heads(std::int64_t words) {
    if (!arrays_.heads) return;
    const auto& shape = arrays_.heads->header().shape;
    arrays_.heads->skip(shape.size() == 2 ? shape[1] : words);
  }

  Arrays arrays_;
  ReadOptions options_;
  Totals totals_;
  std::int64_t nodes_ = 0;  // of every matrix, 0 for flat scores
  std::int64_t index_ = 0;
  bool finished_ = false;
  bool interleaved_ = false;  // the whole array is read before the first sentence
  std::optional<decltype(Matrix::values)> whole_;
  std::vector<std::int64_t> wide_heads_;
};

void check_numbers(const NpyArray& scores) {
  const char kind = scores.header().kind;
  if (kind != 'f' && kind != 'i' && kind != 'u') {
    throw FormatError(fmt::format("{}: scores of type {}", scores.name(), scores.header().dtype()));
  }
}

// Opens the lengths twice: once to add them up, once to go along with the scores.
void add_lengths(Arrays& arrays, const std::function<NpyArray()>& open_lengths) {
  arrays.sums = add_up(one_dimensional(open_lengths()));
  arrays.lengths.emplace(one_dimensional(open_lengths()));
}

// The member with the scores: "scores", or the only array there is.
std::string scores_member(const ZipArchive& archive) {
  if (archive.has("scores.npy")) return "scores";
  if (archive.members().size() == 1 && archive.members()[0].ends_with(".npy")) {
    return archive.members()[0].substr(0, archive.members()[0].size() - 4);
  }
  throw FormatError(fmt::format("{}: no array named scores; there are: {}", archive.name(),
                                fmt::join(archive.members(), ", ")));
}

}  // namespace

NpyArray open_array(const ZipArchive& archive, const std::string& name) {
  return {archive.open_member(name + ".npy"), fmt::format("{}: {}", archive.name(), name)};
}

std::unique_ptr<Reader> open_npz(ZipArchive archive, const ReadOptions& options) {
  Arrays arrays{open_array(archive, scores_member(archive)), {}, {}, {}};
  check_numbers(arrays.scores);
  if (archive.has("lengths.npy")) {
    add_lengths(arrays, [&] { return open_array(archive, "lengths"); });
  } else if (!options.lengths_path.empty()) {
    add_lengths(arrays,
                [&] { return NpyArray(open_file(options.lengths_path), options.lengths_path); });
  }
  if (archive.has("heads.npy")) arrays.heads.emplace(open_array(archive, "heads"));
  return std::make_unique<ArrayReader>(std::move(arrays), options);
}

std::unique_ptr<Reader> open_npy(std::unique_ptr<ByteSource> source, const std::string& name,
                                 const ReadOptions& options) {
  Arrays arrays{NpyArray(std::move(source), name), {}, {}, {}};
  check_numbers(arrays.scores);
  if (!options.lengths_path.empty()) {
    add_lengths(arrays,
                [&] { return NpyArray(open_file(options.lengths_path), options.lengths_path); });
  }
  return std::make_unique<ArrayReader>(std::move(arrays), options);
}

}  // namespace coppice::io
