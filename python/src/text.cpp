// Trees as CoNLL-U, as a drawing, as a page.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <coppice/io.hpp>
#include <coppice/verify.hpp>
#include <coppice/view.hpp>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "decode.hpp"
#include "graph/tree_builder.hpp"
#include "interrupt.hpp"
#include "text/utf8.hpp"

namespace coppice::python {
namespace {

using Rows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The trees of one sentence and what is known of its words.
class Sentence {
 public:
  Sentence(std::string id, std::vector<std::string> words, std::vector<std::string> tags)
      : id_(std::move(id)), words_(std::move(words)), tags_(std::move(tags)) {
    if (!words_.empty() && !tags_.empty()) check_size(tags_.size(), words_.size(), "tags");
  }

  // labels are indices into names, or there are none of both. What draws trusts all numbers, so
  // that they are looked at here: throws std::invalid_argument for what is no tree or no label.
  void set_trees(const Rows& heads, const Array& scores, const std::optional<Rows>& labels,
                 std::vector<std::string> names) {
    auto words = heads.shape(1);
    check_shape(scores, {heads.shape(0)}, "scores");
    if (labels) check_shape(*labels, {heads.shape(0), words}, "labels");
    if (!words_.empty()) check_size(words_.size(), words, "words");
    if (!tags_.empty()) check_size(tags_.size(), words, "tags");
    bool integers = scalar_of(scores) == Scalar::int64;
    if (scalar_of(scores) == Scalar::float32)
      throw std::invalid_argument("scores of trees are float32, must be float64 or int64");
    TreeBuilder(trees_).reset(static_cast<Node>(words + 1), labels.has_value(), integers);
    for (std::size_t rank = 0; rank < heads.shape(0); ++rank) {
      auto integer = integers ? static_cast<const std::int64_t*>(scores.data())[rank] : 0;
      auto score =
          integers ? static_cast<double>(integer) : static_cast<const double*>(scores.data())[rank];
      TreeBuilder::Row row = TreeBuilder(trees_).append(score, integer);
      row.heads[0] = kNoNode;
      std::copy_n(heads.data() + rank * words, words, row.heads.begin() + 1);
      if (!is_tree(row.heads))
        throw std::invalid_argument("heads of rank " + std::to_string(rank) + " are no tree");
      if (!labels) continue;
      row.edges[0] = kNoEdge;
      std::copy_n(labels->data() + rank * words, words, row.edges.begin() + 1);
      for (std::size_t word = 1; word <= words; ++word)
        check(row.edges[word], 0, names.size(), "label", rank, word);
    }
    // An edge for every label: edge i has label i.
    names_ = std::move(names);
    edge_labels_.resize(names_.size());
    std::iota(edge_labels_.begin(), edge_labels_.end(), 0);
  }

  // How sure they are, each [trees, words] but the first.
  void set_confidence(const Column<double>& probabilities, const Values& heads,
                      const std::optional<Values>& labels, const Rows& other_heads,
                      const Values& others) {
    const std::size_t count = trees_.size();
    const auto words = static_cast<std::size_t>(trees_.nodes() - 1);
    check_shape(probabilities, {count}, "probabilities");
    check_shape(heads, {count, words}, "head_probabilities");
    if (labels) check_shape(*labels, {count, words}, "label_probabilities");
    check_shape(other_heads, {count, words}, "other_heads");
    check_shape(others, {count, words}, "other_head_probabilities");
    probabilities_.assign(probabilities.data(), probabilities.data() + probabilities.size());
    confidence_.resize(heads.size());
    for (std::size_t i = 0; i < confidence_.size(); ++i) {
      check(other_heads.data()[i], -1, words + 1, "other head", i / words, i % words + 1);
      confidence_[i] = {heads.data()[i], labels ? labels->data()[i] : 1.0, other_heads.data()[i],
                        others.data()[i]};
    }
  }

  // Why there are no trees.
  void set_error(std::string error) { error_ = std::move(error); }

  // Columns and comments of this sentence of CoNLL-U, in place of words and tags.
  void set_conllu(const std::string& block) {
    io::ConlluReader::from_bytes(block, "conllu", {}).next(known_);
    check_size(known_.tokens.size(), static_cast<std::size_t>(trees_.nodes() - 1), "conllu");
  }

  // Trees from this one on, as long as there are fewer than so many bytes; and the next tree.
  std::pair<std::string, std::size_t> conllu(const std::string& text, double highlight,
                                             std::size_t first, std::size_t most_bytes) const {
    std::string out;
    const std::size_t next = io::append_conllu({.sentence = sentence(text),
                                                .trees = trees_,
                                                .error = error_,
                                                .probabilities = probabilities_,
                                                .arcs = confidence_,
                                                .highlight = highlight,
                                                .keep_gold = true,
                                                .first = first,
                                                .most_bytes = most_bytes},
                                               out);
    return {std::move(out), next};
  }

  std::string text() const {
    return interruptible([&] {
      std::string out;
      io::append_text({.sentence = sentence({}), .trees = trees_, .error = error_}, false, out);
      return out;
    });
  }

  view::Picture picture() const {
    return {.id = id_,
            .words = words_,
            .tags = tags_,
            .trees = &trees_,
            .edge_labels = edge_labels_,
            .label_names = names_};
  }
  std::string svg(std::size_t rank) const { return view::svg(picture(), rank); }
  std::string tree_svg(std::size_t rank, const std::string& root, bool added_root) const {
    view::Picture drawn = picture();
    drawn.root = root;
    drawn.added_root = added_root;
    return view::tree_svg(drawn, rank);
  }

 private:
  // Throws std::invalid_argument unless there is one for each word.
  static void check_size(std::size_t size, std::size_t words, const char* what) {
    if (size == words) return;
    throw std::invalid_argument(std::string(what) + ": " + std::to_string(size) +
                                ", for trees of " + std::to_string(words) + " words");
  }
  // Throws std::invalid_argument unless least <= number < end.
  static void check(std::int32_t number, std::int32_t least, std::size_t end, const char* what,
                    std::size_t rank, std::size_t word) {
    if (number >= least && std::cmp_less(number, end)) return;
    throw std::invalid_argument(std::string(what) + " of word " + std::to_string(word) +
                                " in rank " + std::to_string(rank) + " is " +
                                std::to_string(number));
  }
  io::Sentence sentence(const std::string& text) const {
    io::Sentence sentence = known_;
    if (!id_.empty() || sentence.id.empty()) sentence.id = id_;
    if (!text.empty()) sentence.text = text;
    for (std::size_t i = sentence.tokens.size(); i < words_.size(); ++i)
      sentence.tokens.push_back({.form = words_[i], .upos = tags_.empty() ? "" : tags_[i]});
    sentence.edge_labels = edge_labels_;
    sentence.label_names = std::make_shared<const std::vector<std::string>>(names_);
    return sentence;
  }

  std::string id_;
  std::string error_;
  std::vector<std::string> words_;
  std::vector<std::string> tags_;
  std::vector<std::string> names_;
  std::vector<std::int32_t> edge_labels_;
  io::Sentence known_;
  TreeList trees_;
  std::vector<double> probabilities_;
  std::vector<ArcProbabilities> confidence_;
};

// (id, words, tags) of the one sentence that the text has.
nb::tuple read_conllu(const std::string& block) try {
  auto reader = io::ConlluReader::from_bytes(block, "conllu", {});
  io::Sentence sentence;
  if (!reader.next(sentence)) throw std::invalid_argument("conllu: there is no sentence");
  std::vector<std::string> words, tags;
  for (const io::Token& token : sentence.tokens) {
    words.push_back(token.form);
    tags.push_back(token.upos);
  }
  if (reader.skip()) throw std::invalid_argument("conllu: there is more than one sentence");
  return nb::make_tuple(sentence.id, words, tags);
} catch (const io::FormatError& problem) {
  throw std::invalid_argument(problem.what());
}

std::string page(const std::vector<const Sentence*>& sentences, const std::string& title,
                 const std::string& caption) {
  view::PageWriter writer({.title = title, .caption = caption});
  std::string html;
  writer.begin(html);
  for (const Sentence* sentence : sentences) writer.add(sentence->picture(), html);
  writer.end(html);
  return html;
}

}  // namespace

void bind_text(nb::module_& module) {
  nb::class_<Sentence>(module, "Sentence")
      .def(nb::init<std::string, std::vector<std::string>, std::vector<std::string>>(),
           nb::arg("id"), nb::arg("words"), nb::arg("tags"))
      .def("set_trees", &Sentence::set_trees, nb::arg("heads"), nb::arg("scores"),
           nb::arg("labels").none(), nb::arg("names"))
      .def("set_confidence", &Sentence::set_confidence, nb::arg("probabilities"), nb::arg("heads"),
           nb::arg("labels").none(), nb::arg("other_heads"), nb::arg("others"))
      .def("set_error", &Sentence::set_error, nb::arg("error"))
      .def("set_conllu", &Sentence::set_conllu, nb::arg("block"))
      .def("conllu", &Sentence::conllu, nb::arg("text"), nb::arg("highlight"), nb::arg("first"),
           nb::arg("most_bytes"))
      .def("tree_svg", &Sentence::tree_svg, nb::arg("rank"), nb::arg("root"), nb::arg("added_root"))
      .def("text", &Sentence::text)
      .def("svg", &Sentence::svg, nb::arg("rank"));
  module.def("read_conllu", &read_conllu, nb::arg("block"));
  module.def(
      "printable", [](const std::string& text) { return text::printable(text); }, nb::arg("text"));
  module.def("page", &page, nb::arg("sentences"), nb::arg("title"), nb::arg("caption"));
}

}  // namespace coppice::python
