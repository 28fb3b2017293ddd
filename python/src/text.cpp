// Trees as CoNLL-U, as a drawing, as a page.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <coppice/io.hpp>
#include <coppice/view.hpp>
#include <memory>
#include <numeric>
#include <string>

#include "arrays.hpp"
#include "decode.hpp"
#include "graph/tree_builder.hpp"

namespace coppice::python {
namespace {

using Rows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The trees of one sentence and what is known of its words.
class Sentence {
 public:
  Sentence(std::string id, std::vector<std::string> words, std::vector<std::string> tags)
      : id_(std::move(id)), words_(std::move(words)), tags_(std::move(tags)) {}

  // labels are indices into names, or there are none of both.
  void set_trees(const Rows& heads, const Array& scores, const std::optional<Rows>& labels,
                 std::vector<std::string> names) {
    auto words = heads.shape(1);
    bool integers = scalar_of(scores) == Scalar::int64;
    TreeBuilder(trees_).reset(static_cast<Node>(words + 1), labels.has_value(), integers);
    for (std::size_t rank = 0; rank < heads.shape(0); ++rank) {
      auto integer = integers ? static_cast<const std::int64_t*>(scores.data())[rank] : 0;
      auto score =
          integers ? static_cast<double>(integer) : static_cast<const double*>(scores.data())[rank];
      TreeBuilder::Row row = TreeBuilder(trees_).append(score, integer);
      row.heads[0] = kNoNode;
      std::copy_n(heads.data() + rank * words, words, row.heads.begin() + 1);
      if (!labels) continue;
      row.edges[0] = kNoEdge;
      std::copy_n(labels->data() + rank * words, words, row.edges.begin() + 1);
    }
    // An edge for every label: edge i has label i.
    names_ = std::move(names);
    edge_labels_.resize(names_.size());
    std::iota(edge_labels_.begin(), edge_labels_.end(), 0);
  }

  std::string conllu(const std::string& text) const {
    io::Sentence sentence;
    sentence.id = id_;
    sentence.text = text;
    for (std::size_t i = 0; i < words_.size(); ++i)
      sentence.tokens.push_back({.form = words_[i], .upos = tags_.empty() ? "" : tags_[i]});
    sentence.edge_labels = edge_labels_;
    sentence.label_names = std::make_shared<const std::vector<std::string>>(names_);
    std::string out;
    io::append_conllu({sentence, trees_}, out);
    return out;
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

 private:
  std::string id_;
  std::vector<std::string> words_;
  std::vector<std::string> tags_;
  std::vector<std::string> names_;
  std::vector<std::int32_t> edge_labels_;
  TreeList trees_;
};

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
      .def("conllu", &Sentence::conllu, nb::arg("text"))
      .def("svg", &Sentence::svg, nb::arg("rank"));
  module.def("page", &page, nb::arg("sentences"), nb::arg("title"), nb::arg("caption"));
}

}  // namespace coppice::python
