// The calls of coppice.h: handles around the library's own objects.
#include <coppice/coppice.h>

#include <coppice/batch.hpp>
#include <coppice/error.hpp>
#include <coppice/kbest.hpp>
#include <coppice/version.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "c/call.hpp"
#include "c/wall.hpp"

using coppice::c::array;
using coppice::c::given;
using coppice::c::guarded;
using coppice::c::output;
using coppice::c::reject;

struct coppice_graph {
  std::variant<coppice::DenseView, coppice::Multigraph> held;

  coppice::Graph get() const {
    return std::visit([](const auto& graph) { return coppice::Graph(graph); }, held);
  }
};

struct coppice_trees {
  coppice::TreeList list;
};

struct coppice_stream {
  coppice::TreeStream trees;
  coppice::c::Patience patience;
  std::optional<coppice::Tree> tree = std::nullopt;
  coppice_status status = COPPICE_OK;  // of the call that failed
};

struct coppice_batch {
  std::vector<coppice_trees> trees;
  std::vector<coppice::Failure> failures;
};

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

coppice::DenseView matrix(std::int32_t scalar, const void* data, std::int64_t nodes,
                          std::ptrdiff_t head_stride, std::ptrdiff_t dependent_stride) {
  switch (scalar) {
    case COPPICE_FLOAT32:
      return {static_cast<const float*>(data), nodes, head_stride, dependent_stride};
    case COPPICE_FLOAT64:
      return {static_cast<const double*>(data), nodes, head_stride, dependent_stride};
    case COPPICE_INT64:
      return {static_cast<const std::int64_t*>(data), nodes, head_stride, dependent_stride};
  }
  reject("scalar is " + std::to_string(scalar) + ", not a coppice_scalar");
}

template <class Weight>
coppice_status make_graph(std::int64_t nodes, std::size_t edges, const std::int32_t* sources,
                          const std::int32_t* targets, const Weight* weights,
                          coppice_graph** graph) {
  return guarded([&] {
    auto& result = output("graph", graph);
    result = new coppice_graph{coppice::Multigraph::from_edges(
        nodes, array("sources", sources, edges), array("targets", targets, edges),
        array("weights", weights, edges))};
  });
}

// A list that solve(decoder, graph, call, list) fills.
template <class Solve>
coppice_status make_list(const coppice_graph* graph, const coppice_options* options,
                         coppice_trees** trees, const Solve& solve) {
  return guarded([&] {
    auto& result = output("trees", trees);
    const coppice::c::Call call = coppice::c::read(options);
    const coppice::Graph read = given("graph", graph).get();
    auto found = std::make_unique<coppice_trees>();
    call.patience.run([&] {
      coppice::Decoder decoder;
      solve(decoder, read, call, found->list);
    });
    result = found.release();
  });
}

// What get(list) points to, or null with the reason kept.
template <class Get>
const std::int32_t* row(const coppice_trees* trees, std::size_t rank, const Get& get) {
  const std::int32_t* found = nullptr;
  guarded([&] {
    const coppice::TreeList& list = given("trees", trees).list;
    if (rank >= list.size())
      reject("no tree of rank " + std::to_string(rank) + ", the list has " +
             std::to_string(list.size()));
    found = get(list).data();
  });
  return found;
}

bool has(const coppice_trees* trees, std::size_t rank) {
  return trees != nullptr && rank < trees->list.size();
}

bool has(const coppice_stream* stream) { return stream != nullptr && stream->tree; }

bool has(const coppice_batch* batch, std::size_t index) {
  return batch != nullptr && index < batch->trees.size();
}

const std::int32_t* data_or_null(const std::vector<std::int32_t>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

const char* coppice_version(void) { return COPPICE_VERSION; }

const char* coppice_error(void) { return coppice::c::last_error(); }

coppice_status coppice_graph_matrix(int32_t scalar, const void* data, int64_t nodes,
                                    ptrdiff_t head_stride, ptrdiff_t dependent_stride,
                                    coppice_graph** graph) {
  return guarded([&] {
    auto& result = output("graph", graph);
    result = new coppice_graph{matrix(scalar, data, nodes, head_stride, dependent_stride)};
  });
}

coppice_status coppice_graph_edges(int64_t nodes, size_t edges, const int32_t* sources,
                                   const int32_t* targets, const double* weights,
                                   coppice_graph** graph) {
  return make_graph(nodes, edges, sources, targets, weights, graph);
}

coppice_status coppice_graph_integer_edges(int64_t nodes, size_t edges, const int32_t* sources,
                                           const int32_t* targets, const int64_t* weights,
                                           coppice_graph** graph) {
  return make_graph(nodes, edges, sources, targets, weights, graph);
}

void coppice_graph_free(coppice_graph* graph) { delete graph; }

coppice_status coppice_best(const coppice_graph* graph, const coppice_options* options,
                            coppice_trees** trees) {
  return make_list(graph, options, trees,
                   [](coppice::Decoder& decoder, coppice::Graph read, const auto& call,
                      coppice::TreeList& list) { decoder.best(read, call.problem, list); });
}

coppice_status coppice_kbest(const coppice_graph* graph, const coppice_options* options,
                             coppice_trees** trees) {
  return make_list(
      graph, options, trees,
      [](coppice::Decoder& decoder, coppice::Graph read, const auto& call,
         coppice::TreeList& list) { decoder.kbest(read, call.problem, call.request, list); });
}

size_t coppice_trees_count(const coppice_trees* trees) {
  return trees == nullptr ? 0 : trees->list.size();
}

int32_t coppice_trees_nodes(const coppice_trees* trees) {
  return trees == nullptr ? 0 : trees->list.nodes();
}

const int32_t* coppice_trees_heads(const coppice_trees* trees, size_t rank) {
  return row(trees, rank, [&](const coppice::TreeList& list) { return list.heads(rank); });
}

const int32_t* coppice_trees_edges(const coppice_trees* trees, size_t rank) {
  return row(trees, rank, [&](const coppice::TreeList& list) { return list.edges(rank); });
}

double coppice_trees_score(const coppice_trees* trees, size_t rank) {
  return has(trees, rank) ? trees->list.score(rank) : kNaN;
}

int64_t coppice_trees_integer_score(const coppice_trees* trees, size_t rank) {
  if (!has(trees, rank) || trees->list.integer_scores().empty()) return 0;
  return trees->list.integer_scores()[rank];
}

void coppice_trees_free(coppice_trees* trees) { delete trees; }

coppice_status coppice_stream_new(const coppice_graph* graph, const coppice_options* options,
                                  coppice_stream** stream) {
  return guarded([&] {
    auto& result = output("stream", stream);
    const coppice::c::Call call = coppice::c::read(options);
    const coppice::Graph read = given("graph", graph).get();
    call.patience.run([&] {
      result =
          new coppice_stream{coppice::TreeStream(read, call.problem, call.request), call.patience};
    });
  });
}

coppice_status coppice_stream_next(coppice_stream* stream, int* found) {
  if (found != nullptr) *found = 0;
  if (stream == nullptr || found == nullptr)
    return coppice::c::fail(COPPICE_BAD_ARGUMENT, stream == nullptr ? "stream is a null pointer"
                                                                    : "found is a null pointer");
  stream->tree.reset();
  if (stream->status != COPPICE_OK)
    return coppice::c::fail(stream->status, "the stream has failed before");
  stream->status =
      guarded([&] { stream->patience.run([&] { stream->tree = stream->trees.next(); }); });
  *found = stream->tree ? 1 : 0;
  return stream->status;
}

const int32_t* coppice_stream_heads(const coppice_stream* stream) {
  return has(stream) ? data_or_null(stream->tree->heads) : nullptr;
}

const int32_t* coppice_stream_edges(const coppice_stream* stream) {
  return has(stream) ? data_or_null(stream->tree->edges) : nullptr;
}

double coppice_stream_score(const coppice_stream* stream) {
  return has(stream) ? stream->tree->score : kNaN;
}

int64_t coppice_stream_integer_score(const coppice_stream* stream) {
  return has(stream) ? stream->tree->integer_score : 0;
}

void coppice_stream_free(coppice_stream* stream) { delete stream; }

coppice_status coppice_kbest_batch(const coppice_graph* const* graphs, size_t count,
                                   const coppice_options* options, int32_t threads,
                                   coppice_batch** batch) {
  return guarded([&] {
    auto& result = output("batch", batch);
    const coppice::c::Call call = coppice::c::read(options);
    std::vector<coppice::Graph> read;
    for (const coppice_graph* graph : array("graphs", graphs, count)) {
      if (graph == nullptr) reject("graph " + std::to_string(read.size()) + " is a null pointer");
      read.push_back(graph->get());
    }
    auto found = std::make_unique<coppice_batch>();
    found->trees.resize(count);
    found->failures.resize(count);
    call.patience.run([&] {
      auto results = coppice::kbest_batch(read, call.problem, call.request, threads);
      for (std::size_t i = 0; i < count; ++i) {
        found->trees[i].list = std::move(results[i].trees);
        found->failures[i] = std::move(results[i].failure);
      }
    });
    result = found.release();
  });
}

size_t coppice_batch_count(const coppice_batch* batch) {
  return batch == nullptr ? 0 : batch->trees.size();
}

coppice_status coppice_batch_status(const coppice_batch* batch, size_t index) {
  if (!has(batch, index)) return coppice::c::fail(COPPICE_BAD_ARGUMENT, "no such graph in a batch");
  return coppice::c::status_of(batch->failures[index].code);
}

const char* coppice_batch_error(const coppice_batch* batch, size_t index) {
  return has(batch, index) ? batch->failures[index].text.c_str() : "no such graph in a batch";
}

const coppice_trees* coppice_batch_trees(const coppice_batch* batch, size_t index) {
  if (!has(batch, index) || batch->failures[index].code != coppice::ErrorCode::none) return nullptr;
  return &batch->trees[index];
}

void coppice_batch_free(coppice_batch* batch) { delete batch; }
