// Many score matrices, on several threads, straight into the arrays that Python gets.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <coppice/kbest.hpp>
#include <coppice/legal.hpp>
#include <limits>
#include <span>
#include <string>

#include "arrays.hpp"
#include "confidence.hpp"
#include "decode.hpp"
#include "rules.hpp"
#include "sentences.hpp"

namespace coppice::python {
namespace {

using AnyOutput = nb::ndarray<nb::c_contig, nb::device::cpu>;

// How sure they are, where that is asked for; all but the first laid out as the heads.
struct ConfidenceOutput {
  Output<double> probabilities;  // [sentences, k]
  Output<double> heads;
  std::optional<Output<double>> labels;
  Output<std::int32_t> other_heads;
  Output<double> others;
};

// Where the trees go. Tree `rank` of sentence b has its heads at offsets[b] + rank * pitches[b];
// behind its words, up to the pitch, there is padding. Without `pad` there is none, and in the end
// the trees of one sentence lie behind those of the one before.
struct BatchOutput {
  Output<std::int32_t> heads;
  std::optional<Output<std::int32_t>> labels;  // laid out as heads
  Column<std::int64_t> offsets;
  Column<std::int64_t> pitches;
  AnyOutput scores;  // [sentences, k], int64 for integer weights, else float64
  Output<std::int32_t> counts;
  Output<double> bounds;  // [sentence][2]: bound and gap, NaN where the budget sufficed
  bool pad = false;       // also the rows for which there is no tree
  const ConfidenceOutput* confidence = nullptr;
};

// Label scores of all sentences, or none.
class Labels {
 public:
  // [nodes, nodes, choices] of one sentence, or [sentences, nodes, nodes, choices] of all.
  void add(LabelScoreArray scores, std::optional<LabelIdArray> ids) {
    std::size_t sentences = scores.ndim() == 4 ? scores.shape(0) : 1;
    for (std::size_t b = 0; b < sentences; ++b)
      choices_.push_back(label_choices(scores, ids, static_cast<std::int64_t>(b)));
    scores_.push_back(std::move(scores));
    if (ids) ids_.push_back(std::move(*ids));
  }

  bool empty() const { return choices_.empty(); }
  const LabelChoices& operator[](std::size_t sentence) const { return choices_[sentence]; }

 private:
  std::vector<LabelChoices> choices_;
  std::vector<LabelScoreArray> scores_;  // keep the memory of the choices alive
  std::vector<LabelIdArray> ids_;
};

struct KBestWorker {
  Decoder decoder;
  TreeList trees;
};

class KBestBatch {
 public:
  // Problems, facts and requests: one for all sentences, or one for each. Problems share their
  // objective, requests their k; facts may be null.
  KBestBatch(const Sentences& sentences, const Labels& labels, const std::vector<Problem>& problems,
             const std::vector<const KeptFacts*>& facts, const std::vector<Request>& requests,
             BatchOutput output)
      : sentences_(sentences),
        labels_(labels),
        problems_(problems),
        facts_(facts),
        requests_(requests),
        k_(static_cast<std::size_t>(*requests.front().k)),
        output_(std::move(output)),
        reasons_(sentences.size()) {}

  // Errors, and why rules leave no tree, by sentence.
  nb::tuple run(int threads) {
    nb::dict errors = decode_sentences<KBestWorker>(
        sentences_.size(), threads, [&](KBestWorker& worker, std::size_t b) { decode(b, worker); },
        [&](std::size_t b) { write(b, {}, {}); });
    if (!output_.pad) pack();
    nb::dict reasons;
    for (std::size_t b = 0; b < reasons_.size(); ++b)
      if (!reasons_[b].empty()) reasons[nb::int_(b)] = reasons_[b];
    return nb::make_tuple(errors, reasons);
  }

 private:
  static constexpr std::int32_t kPadding = -1;

  void decode(std::size_t b, KBestWorker& worker);
  void solve(std::size_t b, Graph graph, KBestWorker& worker);
  void write(std::size_t b, const TreeList& trees, std::span<const std::int32_t> edge_labels);
  void write_rows(std::size_t b, const TreeList& trees, std::int32_t* to, auto copy_row);
  void write_scores(std::size_t b, const TreeList& trees);
  void pack();
  template <class T>
  void pack(T* values) const;
  void judge(std::size_t b, Graph graph, const Problem& problem, const TreeList& trees);

  const Sentences& sentences_;
  const Labels& labels_;
  const std::vector<Problem>& problems_;
  const std::vector<const KeptFacts*>& facts_;
  const std::vector<Request>& requests_;
  std::size_t k_;
  BatchOutput output_;
  std::vector<std::string> reasons_;  // of each sentence, where rules leave no tree
};

// That of sentence b, where there is one for each; else that of all.
template <class T>
const T& own(const std::vector<T>& values, std::size_t b) {
  return values[values.size() == 1 ? 0 : b];
}

void KBestBatch::decode(std::size_t b, KBestWorker& worker) {
  DenseView view = sentences_[b].view();
  const KeptFacts* facts = own(facts_, b);
  if (labels_.empty()) {
    solve(b, known(view, facts), worker);
    write(b, worker.trees, {});
  } else {
    LabelledGraph graph = labelled(view, labels_[b]);
    const SentenceFacts all = facts == nullptr ? SentenceFacts{.edge_labels = graph.labels}
                                               : facts->with_labels(graph.labels);
    solve(b, Graph(graph.graph, all), worker);
    write(b, worker.trees, graph.labels);
  }
}

// Before anything is written: it may throw.
void KBestBatch::solve(std::size_t b, Graph graph, KBestWorker& worker) {
  const Problem& problem = own(problems_, b);
  worker.decoder.kbest(graph, problem, own(requests_, b), worker.trees);
  if (!problem.rules.empty() && worker.trees.empty() && worker.trees.complete())
    reasons_[b] = why_none_legal(graph, problem);
  judge(b, graph, problem, worker.trees);
}

void KBestBatch::judge(std::size_t b, Graph graph, const Problem& problem, const TreeList& trees) {
  if (output_.confidence == nullptr) return;
  const ListProbabilities found = confidence(graph, problem, trees);
  const ConfidenceOutput& to = *output_.confidence;
  std::copy(found.probabilities.begin(), found.probabilities.end(),
            to.probabilities.data() + b * k_);
  const auto offset = output_.offsets.data()[b];
  write_confidence(found, static_cast<std::size_t>(output_.pitches.data()[b]),
                   {to.heads.data() + offset, to.labels ? to.labels->data() + offset : nullptr,
                    to.other_heads.data() + offset, to.others.data() + offset});
}

void KBestBatch::write(std::size_t b, const TreeList& trees,
                       std::span<const std::int32_t> edge_labels) {
  output_.counts.data()[b] = static_cast<std::int32_t>(trees.size());
  double* bound = output_.bounds.data() + 2 * b;
  bound[0] = trees.complete() ? std::numeric_limits<double>::quiet_NaN() : trees.bound();
  bound[1] = trees.complete() ? bound[0] : trees.bound_gap();
  write_scores(b, trees);
  auto offset = output_.offsets.data()[b];
  write_rows(b, trees, output_.heads.data() + offset, [&](std::size_t rank, std::int32_t* row) {
    const auto heads = trees.heads(rank).subspan(1);
    std::copy(heads.begin(), heads.end(), row);
  });
  if (!output_.labels) return;
  write_rows(b, trees, output_.labels->data() + offset, [&](std::size_t rank, std::int32_t* row) {
    const auto edges = trees.edges(rank).subspan(1);
    std::transform(edges.begin(), edges.end(), row,
                   [&](EdgeId edge) { return edge_labels[static_cast<std::size_t>(edge)]; });
  });
}

// copy_row(rank, row) writes what there is of the words of a tree.
void KBestBatch::write_rows(std::size_t b, const TreeList& trees, std::int32_t* to, auto copy_row) {
  auto pitch = static_cast<std::size_t>(output_.pitches.data()[b]);
  auto nodes = static_cast<std::size_t>(trees.nodes());
  for (std::size_t rank = 0; rank < trees.size(); ++rank, to += pitch) {
    copy_row(rank, to);
    std::fill(to + nodes - 1, to + pitch, kPadding);
  }
  if (output_.pad) std::fill_n(to, (k_ - trees.size()) * pitch, kPadding);
}

void KBestBatch::pack() {
  pack(output_.heads.data());
  if (output_.labels) pack(output_.labels->data());
  if (output_.confidence == nullptr) return;
  const ConfidenceOutput& sure = *output_.confidence;
  pack(sure.heads.data());
  if (sure.labels) pack(sure.labels->data());
  pack(sure.other_heads.data());
  pack(sure.others.data());
}

template <class T>
void KBestBatch::pack(T* values) const {
  T* to = values;
  for (std::size_t b = 0; b < sentences_.size(); ++b) {
    const T* from = values + output_.offsets.data()[b];
    to = std::copy(from, from + output_.counts.data()[b] * output_.pitches.data()[b], to);
  }
}

// Padding is worse than any score.
void KBestBatch::write_scores(std::size_t b, const TreeList& trees) {
  auto write = [&](auto scores, auto worst) {
    auto* to = static_cast<decltype(worst)*>(output_.scores.data()) + b * k_;
    std::copy(scores.begin(), scores.end(), to);
    std::fill(to + scores.size(), to + k_,
              problems_.front().objective == Objective::minimize ? worst : -worst);
  };
  if (output_.scores.dtype() == nb::dtype<double>())
    write(trees.scores(), std::numeric_limits<double>::infinity());
  else
    write(trees.integer_scores(), std::numeric_limits<std::int64_t>::max());
}

nb::tuple kbest_batch(const Sentences& sentences, const Labels& labels,
                      const std::vector<Problem>& problems,
                      const std::vector<const KeptFacts*>& facts,
                      const std::vector<Request>& requests, int threads, Output<std::int32_t> heads,
                      std::optional<Output<std::int32_t>> label_rows, Column<std::int64_t> offsets,
                      Column<std::int64_t> pitches, AnyOutput scores, Output<std::int32_t> counts,
                      Output<double> bounds, bool pad, const ConfidenceOutput* confidence) {
  return KBestBatch(sentences, labels, problems, facts, requests,
                    BatchOutput{std::move(heads), std::move(label_rows), std::move(offsets),
                                std::move(pitches), std::move(scores), std::move(counts),
                                std::move(bounds), pad, confidence})
      .run(threads);
}

}  // namespace

void bind_batch(nb::module_& module) {
  nb::class_<Sentences>(module, "Sentences")
      .def(nb::init<>())
      .def("add_padded", &Sentences::add_padded, nb::arg("scores"), nb::arg("nodes"))
      .def("add_flat", &Sentences::add_flat, nb::arg("scores"), nb::arg("starts"), nb::arg("nodes"),
           nb::arg("dependents_first"))
      .def("add", &Sentences::add, nb::arg("scores"))
      .def("add_plain", &Sentences::add_plain, nb::arg("scores"), nb::arg("type"));
  nb::class_<Labels>(module, "Labels")
      .def(nb::init<>())
      .def("add", &Labels::add, nb::arg("scores"), nb::arg("ids").none());
  nb::class_<ConfidenceOutput>(module, "ConfidenceOutput")
      .def(
          "__init__",
          [](ConfidenceOutput* self, Output<double> probabilities, Output<double> heads,
             std::optional<Output<double>> labels, Output<std::int32_t> other_heads,
             Output<double> others) {
            new (self)
                ConfidenceOutput{std::move(probabilities), std::move(heads), std::move(labels),
                                 std::move(other_heads), std::move(others)};
          },
          nb::arg("probabilities"), nb::arg("heads"), nb::arg("labels").none(),
          nb::arg("other_heads"), nb::arg("others"));
  module.def("kbest_batch", &kbest_batch, nb::arg("sentences"), nb::arg("labels"),
             nb::arg("problems"), nb::arg("facts"), nb::arg("requests"), nb::arg("threads"),
             nb::arg("heads"), nb::arg("label_rows").none(), nb::arg("offsets"), nb::arg("pitches"),
             nb::arg("scores"), nb::arg("counts"), nb::arg("bounds"), nb::arg("pad"),
             nb::arg("confidence").none());
}

}  // namespace coppice::python
