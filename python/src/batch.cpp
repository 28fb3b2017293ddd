// Many score matrices, on several threads, straight into the arrays that Python gets.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <coppice/kbest.hpp>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "decode.hpp"
#include "interrupt.hpp"

namespace coppice::python {
namespace {

using AnyOutput = nb::ndarray<nb::c_contig, nb::device::cpu>;

// Where the trees go. Tree `rank` of sentence b has its heads at offsets[b] + rank * pitches[b];
// behind its words, up to the pitch, there is padding.
struct BatchOutput {
  Output<std::int32_t> heads;
  std::optional<Output<std::int32_t>> labels;  // laid out as heads
  Column<std::int64_t> offsets;
  Column<std::int64_t> pitches;
  AnyOutput scores;  // [sentences, k], int64 for integer weights, else float64
  Output<std::int32_t> counts;
  bool pad = false;  // also the rows for which there is no tree
};

struct BatchInput {
  std::vector<Matrix> matrices;
  std::vector<LabelChoices> labels;  // one for each matrix, or none
  std::vector<Options> options;      // one for each matrix, or one for all
  // Keep all of that alive.
  std::vector<Array> arrays;
  std::vector<LabelScoreArray> label_scores;
  std::vector<LabelIdArray> label_ids;
};

class BatchJob : public Job {
 public:
  BatchJob(BatchInput input, BatchOutput output)
      : input_(std::move(input)), output_(std::move(output)), errors_(input_.matrices.size()) {}

  void work(Checkpoint& checkpoint) noexcept override;

  bool has_long_pieces() const {
    double choices =
        input_.labels.empty() ? 1.0 : static_cast<double>(input_.labels.front().choices);
    return std::any_of(input_.matrices.begin(), input_.matrices.end(), [&](const Matrix& matrix) {
      auto nodes = static_cast<double>(matrix.nodes);
      return may_take_long(nodes * nodes * choices, input_.options.front());
    });
  }

  // (sentence, what is wrong with it)
  std::vector<std::pair<std::size_t, std::string>> errors() const {
    std::vector<std::pair<std::size_t, std::string>> found;
    for (std::size_t b = 0; b < errors_.size(); ++b)
      if (!errors_[b].empty()) found.emplace_back(b, errors_[b]);
    return found;
  }

 private:
  static constexpr std::int32_t kPadding = -1;

  struct Worker {
    Decoder decoder;
    TreeList trees;
    std::vector<std::int32_t> edge_labels;
  };

  void decode(std::size_t b, Worker& worker);
  void write(std::size_t b, const Worker& worker);
  void write_rows(std::size_t b, const TreeList& trees, std::int32_t* to, auto row);
  void write_scores(std::size_t b, const TreeList& trees);

  BatchInput input_;
  BatchOutput output_;
  std::vector<std::string> errors_;
  std::atomic<std::size_t> next_ = 0;
};

void BatchJob::work(Checkpoint& checkpoint) noexcept {
  // A few sentences at a time, so that threads rarely meet and long sentences do not pile up.
  constexpr std::size_t kChunk = 8;
  Worker worker;
  std::size_t sentences = input_.matrices.size();
  for (std::size_t begin; (begin = next_.fetch_add(kChunk)) < sentences;)
    for (std::size_t b = begin; b < std::min(begin + kChunk, sentences); ++b) {
      if (checkpoint.leave()) return;
      try {
        decode(b, worker);
      } catch (const std::exception& error) {
        worker.trees.reset(1, false, false);
        errors_[b] = error.what();
      }
      write(b, worker);
    }
}

void BatchJob::decode(std::size_t b, Worker& worker) {
  DenseView view = input_.matrices[b].view();
  const Options& options = input_.options[input_.options.size() == 1 ? 0 : b];
  if (input_.labels.empty()) return worker.decoder.kbest(view, options, worker.trees);
  LabelledGraph graph = labelled(view, input_.labels[b]);
  worker.edge_labels = std::move(graph.labels);
  worker.decoder.kbest(graph.graph, options, worker.trees);
}

void BatchJob::write(std::size_t b, const Worker& worker) {
  const TreeList& trees = worker.trees;
  output_.counts.data()[b] = static_cast<std::int32_t>(trees.size());
  write_scores(b, trees);
  auto offset = output_.offsets.data()[b];
  write_rows(b, trees, output_.heads.data() + offset,
             [&](std::size_t rank, std::size_t node) { return trees.heads(rank)[node]; });
  if (!output_.labels) return;
  write_rows(b, trees, output_.labels->data() + offset, [&](std::size_t rank, std::size_t node) {
    return worker.edge_labels[static_cast<std::size_t>(trees.edges(rank)[node])];
  });
}

// row(rank, node) is what to write for a word of a tree.
void BatchJob::write_rows(std::size_t b, const TreeList& trees, std::int32_t* to, auto row) {
  auto pitch = static_cast<std::size_t>(output_.pitches.data()[b]);
  auto nodes = static_cast<std::size_t>(trees.nodes());
  for (std::size_t rank = 0; rank < trees.size(); ++rank, to += pitch) {
    for (std::size_t node = 1; node < nodes; ++node) to[node - 1] = row(rank, node);
    std::fill(to + nodes - 1, to + pitch, kPadding);
  }
  auto k = static_cast<std::size_t>(*input_.options.front().k);
  if (output_.pad) std::fill_n(to, (k - trees.size()) * pitch, kPadding);
}

// Padding is worse than any score.
void BatchJob::write_scores(std::size_t b, const TreeList& trees) {
  const Options& options = input_.options.front();
  auto write = [&](auto scores, auto worst) {
    auto k = static_cast<std::size_t>(*options.k);
    auto* to = static_cast<decltype(worst)*>(output_.scores.data()) + b * k;
    std::copy(scores.begin(), scores.end(), to);
    std::fill(to + scores.size(), to + k,
              options.objective == Objective::minimize ? worst : -worst);
  };
  if (output_.scores.dtype() == nb::dtype<double>())
    write(trees.scores(), std::numeric_limits<double>::infinity());
  else
    write(trees.integer_scores(), std::numeric_limits<std::int64_t>::max());
}

// A batch in the making: Python adds the matrices of all sentences in one of three forms, then
// perhaps labels and options for each, and runs it.
class Batch {
 public:
  explicit Batch(const Options& options) { input_.options.push_back(options); }

  // [sentences, nodes, nodes]: sentence b is the upper left corner of layer b.
  void add_padded(Array scores, Column<std::int64_t> nodes) {
    for (std::size_t b = 0; b < nodes.size(); ++b)
      input_.matrices.push_back(matrix_of(scores, static_cast<std::int64_t>(b), nodes.data()[b]));
    input_.arrays.push_back(std::move(scores));
  }
  // [elements]: the matrix of sentence b is contiguous, its first element at starts[b].
  void add_flat(Array scores, Column<std::int64_t> starts, Column<std::int64_t> nodes,
                bool dependents_first) {
    for (std::size_t b = 0; b < nodes.size(); ++b)
      input_.matrices.push_back(
          flat_matrix(scores, starts.data()[b], nodes.data()[b], dependents_first));
    input_.arrays.push_back(std::move(scores));
  }
  // [nodes, nodes]: one sentence.
  void add(Array scores) {
    input_.matrices.push_back(matrix_of(scores));
    input_.arrays.push_back(std::move(scores));
  }
  // [nodes, nodes, choices] of one sentence, or [sentences, nodes, nodes, choices] of all.
  void add_labels(LabelScoreArray scores, std::optional<LabelIdArray> labels) {
    std::size_t sentences = scores.ndim() == 4 ? scores.shape(0) : 1;
    for (std::size_t b = 0; b < sentences; ++b)
      input_.labels.push_back(label_choices(scores, labels, static_cast<std::int64_t>(b)));
    input_.label_scores.push_back(std::move(scores));
    if (labels) input_.label_ids.push_back(std::move(*labels));
  }
  void set_options(std::vector<Options> options) { input_.options = std::move(options); }

  std::vector<std::pair<std::size_t, std::string>> run(int threads, Output<std::int32_t> heads,
                                                       std::optional<Output<std::int32_t>> labels,
                                                       Column<std::int64_t> offsets,
                                                       Column<std::int64_t> pitches,
                                                       AnyOutput scores,
                                                       Output<std::int32_t> counts, bool pad) {
    auto job = std::make_shared<BatchJob>(
        std::move(input_),
        BatchOutput{std::move(heads), std::move(labels), std::move(offsets), std::move(pitches),
                    std::move(scores), std::move(counts), pad});
    input_ = {};
    python::run(job, threads, job->has_long_pieces());
    return job->errors();
  }

 private:
  BatchInput input_;
};

}  // namespace

void bind_batch(nb::module_& module) {
  nb::class_<Batch>(module, "Batch")
      .def(nb::init<const Options&>(), nb::arg("options"))
      .def("add_padded", &Batch::add_padded, nb::arg("scores"), nb::arg("nodes"))
      .def("add_flat", &Batch::add_flat, nb::arg("scores"), nb::arg("starts"), nb::arg("nodes"),
           nb::arg("dependents_first"))
      .def("add", &Batch::add, nb::arg("scores"))
      .def("add_labels", &Batch::add_labels, nb::arg("scores"), nb::arg("labels").none())
      .def("set_options", &Batch::set_options, nb::arg("options"))
      .def("run", &Batch::run, nb::arg("threads"), nb::arg("heads"), nb::arg("labels").none(),
           nb::arg("offsets"), nb::arg("pitches"), nb::arg("scores"), nb::arg("counts"),
           nb::arg("pad"));
}

}  // namespace coppice::python
