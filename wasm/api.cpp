// The library as functions that JavaScript can call; coppice.js is their only caller. Numbers and
// arrays go in by pointers into the memory of the module; what comes out lies there until the next
// call. A call that fails says so by kFailed or a null pointer, and coppice_error why.
#include <algorithm>
#include <coppice/distribution.hpp>
#include <coppice/diverse.hpp>
#include <coppice/kbest.hpp>
#include <coppice/max_marginals.hpp>
#include <coppice/rules.hpp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "view/layout.hpp"

#ifndef COPPICE_EXPORT
#define COPPICE_EXPORT extern "C" __attribute__((visibility("default"), used))
#endif

namespace coppice {
namespace {

constexpr int kFailed = -1;

std::string error_text;

// Lines of text, each cut at its tabs. A text without a line has none.
std::vector<std::vector<std::string_view>> table(std::string_view text) {
  std::vector<std::vector<std::string_view>> rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto& row = rows.emplace_back();
    for (;;) {
      const std::size_t tab = line.find('\t');
      row.push_back(line.substr(0, tab));
      if (tab == std::string_view::npos) break;
      line.remove_prefix(tab + 1);
    }
  }
  return rows;
}

struct Matrix {
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>> values;
  Node nodes;

  DenseView view() const {
    return std::visit(
        [this](const auto& data) { return DenseView::head_dependent(data.data(), nodes); }, values);
  }
};

// A graph with what is known of it, and what the last call found out.
class Handle {
 public:
  template <class T>
  Handle(const T* data, Node nodes)
      : scores_(
            Matrix{std::vector<T>(data, data + std::size_t(nodes) * std::size_t(nodes)), nodes}) {}
  Handle(Multigraph multigraph, std::vector<std::int32_t> labels)
      : scores_(std::move(multigraph)), labels_(std::move(labels)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // words: tag, features, MISC of every word; names: of the labels.
  void know(std::string_view words, std::string_view names) {
    text_ = words;
    words_.clear();
    for (const auto& row : table(text_)) {
      const auto column = [&](std::size_t i) {
        return i < row.size() && row[i] != "_" ? row[i] : std::string_view();
      };
      words_.push_back({column(0), column(1), column(2)});
    }
    names_.clear();
    for (const auto& row : table(names)) names_.emplace_back(row.front());
    facts_ = {.edge_labels = labels_, .label_names = names_, .words = words_};
  }

  Graph graph() const {
    if (const auto* matrix = std::get_if<Matrix>(&scores_)) return {matrix->view(), facts_};
    return {std::get<Multigraph>(scores_), facts_};
  }

  // Every edge with these ends and this label.
  std::vector<EdgeId> edges(Node head, Node dependent, std::int32_t label) const {
    std::vector<EdgeId> found;
    const auto& multigraph = std::get<Multigraph>(scores_);
    for (EdgeId edge = 0; edge < multigraph.edges(); ++edge) {
      if (multigraph.source(edge) == head && multigraph.target(edge) == dependent &&
          labels_[static_cast<std::size_t>(edge)] == label)
        found.push_back(edge);
    }
    return found;
  }
  bool labelled() const { return !labels_.empty(); }

  TreeList trees;
  std::vector<double> numbers;

 private:
  std::variant<Matrix, Multigraph> scores_;
  std::vector<std::int32_t> labels_;
  std::string text_;
  std::vector<Word> words_;
  std::vector<std::string> names_;
  SentenceFacts facts_;
};

// Root rule, objective; how many required arcs, each head, dependent, label (-1: any); how many
// forbidden ones, likewise. Rules are lines of text.
Problem which_of(const Handle& handle, const std::int32_t* numbers, std::string_view rules) {
  Problem problem{.root = *numbers++ == 1 ? RootRule::single : RootRule::any};
  if (*numbers++ == 1) problem.objective = Objective::minimize;
  const auto take = [&](std::vector<Arc>& arcs, std::vector<EdgeId>& edges) {
    for (std::int32_t count = *numbers++; count > 0; --count, numbers += 3) {
      if (numbers[2] < 0 || !handle.labelled()) {
        arcs.push_back({numbers[0], numbers[1]});
        continue;
      }
      const auto found = handle.edges(numbers[0], numbers[1], numbers[2]);
      if (found.empty()) {
        throw Error(ErrorCode::bad_constraint, "there is no edge " + std::to_string(numbers[0]) +
                                                   " -> " + std::to_string(numbers[1]) +
                                                   " with label " + std::to_string(numbers[2]));
      }
      edges.insert(edges.end(), found.begin(), found.end());
    }
  };
  take(problem.required, problem.required_edges);
  take(problem.forbidden, problem.forbidden_edges);
  for (const auto& row : table(rules)) problem.rules.push_back(rules::parse(row.front()));
  return problem;
}

struct Stream {
  TreeStream trees;
  std::optional<Tree> tree;
};

// Runs work; what it throws becomes error_text.
template <class Work, class Result>
Result attempt(Result failed, const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    error_text = error.what();
    return failed;
  }
}

Request request(double k, double max_gap, double budget) {
  Request asked;
  if (k >= 0) asked.k = static_cast<std::int64_t>(k);
  if (max_gap >= 0) asked.max_gap = max_gap;
  if (budget >= 0) asked.budget = static_cast<std::int64_t>(budget);
  return asked;
}

}  // namespace
}  // namespace coppice

using namespace coppice;  // NOLINT: the functions below have C names

COPPICE_EXPORT void* coppice_alloc(std::size_t bytes) { return std::malloc(bytes); }
COPPICE_EXPORT void coppice_free(void* memory) { std::free(memory); }
COPPICE_EXPORT const char* coppice_error() { return error_text.c_str(); }

// scalar: as in graph.hpp.
COPPICE_EXPORT Handle* coppice_matrix(const void* data, int nodes, int scalar) {
  return attempt(static_cast<Handle*>(nullptr), [&] {
    switch (static_cast<Scalar>(scalar)) {
      case Scalar::float32:
        return new Handle(static_cast<const float*>(data), nodes);
      case Scalar::float64:
        return new Handle(static_cast<const double*>(data), nodes);
      default:
        return new Handle(static_cast<const std::int64_t*>(data), nodes);
    }
  });
}

// labels: of every edge, or null.
COPPICE_EXPORT Handle* coppice_edges(int nodes, int count, const Node* sources, const Node* targets,
                                     const double* weights, const std::int32_t* labels) {
  return attempt(static_cast<Handle*>(nullptr), [&] {
    const auto size = static_cast<std::size_t>(count);
    std::vector<std::int32_t> own;
    if (labels != nullptr) own.assign(labels, labels + size);
    return new Handle(
        Multigraph::from_edges(nodes, {sources, size}, {targets, size}, {weights, size}),
        std::move(own));
  });
}

COPPICE_EXPORT void coppice_delete(Handle* handle) { delete handle; }

COPPICE_EXPORT int coppice_know(Handle* handle, const char* words, const char* names) {
  return attempt(kFailed, [&] { return handle->know(words, names), 0; });
}

// The number of trees; a negative k, max_gap or budget is none.
COPPICE_EXPORT int coppice_kbest(Handle* handle, const std::int32_t* problem, const char* rules,
                                 double k, double max_gap, double budget) {
  return attempt(kFailed, [&] {
    static Decoder decoder;
    decoder.kbest(handle->graph(), which_of(*handle, problem, rules), request(k, max_gap, budget),
                  handle->trees);
    return static_cast<int>(handle->trees.size());
  });
}
// The same for trees of which any two differ in the heads of so many words; ignored: labels, one a
// line.
COPPICE_EXPORT int coppice_diverse(Handle* handle, const std::int32_t* problem, const char* rules,
                                   double k, double distance, const char* ignored, double budget) {
  return attempt(kFailed, [&] {
    DiverseRequest asked{.k = static_cast<std::int64_t>(k),
                         .distance = static_cast<std::int32_t>(std::min(distance, 1e9)),
                         .budget = request(-1, -1, budget).budget};
    for (const auto& row : table(ignored)) asked.ignored_labels.emplace_back(row.front());
    handle->trees = diverse(handle->graph(), which_of(*handle, problem, rules), asked);
    return static_cast<int>(handle->trees.size());
  });
}
COPPICE_EXPORT const Node* coppice_tree_heads(const Handle* handle) {
  return handle->trees.all_heads().data();
}
COPPICE_EXPORT const EdgeId* coppice_tree_edges(const Handle* handle) {
  return handle->trees.all_edges().data();
}
COPPICE_EXPORT const double* coppice_tree_scores(const Handle* handle) {
  return handle->trees.scores().data();
}
COPPICE_EXPORT const std::int64_t* coppice_tree_integers(const Handle* handle) {
  return handle->trees.integer_scores().data();
}
COPPICE_EXPORT int coppice_complete(const Handle* handle) { return handle->trees.complete(); }

COPPICE_EXPORT Stream* coppice_stream(Handle* handle, const std::int32_t* problem,
                                      const char* rules, double max_gap, double budget) {
  return attempt(static_cast<Stream*>(nullptr), [&] {
    return new Stream{TreeStream(handle->graph(), which_of(*handle, problem, rules),
                                 request(-1, max_gap, budget)),
                      std::nullopt};
  });
}
// 1: there is a tree, 0: there is none left.
COPPICE_EXPORT int coppice_next(Stream* stream) {
  return attempt(kFailed, [&] {
    stream->tree = stream->trees.next();
    return stream->tree ? 1 : 0;
  });
}
COPPICE_EXPORT const Node* coppice_next_heads(const Stream* s) { return s->tree->heads.data(); }
COPPICE_EXPORT const EdgeId* coppice_next_edges(const Stream* s) { return s->tree->edges.data(); }
COPPICE_EXPORT double coppice_next_score(const Stream* s) { return s->tree->score; }
COPPICE_EXPORT std::int64_t coppice_next_integer(const Stream* s) { return s->tree->integer_score; }
COPPICE_EXPORT void coppice_end_stream(Stream* stream) { delete stream; }

// log_partition, entropy, then the probability of every arc, then that of every edge.
COPPICE_EXPORT const double* coppice_distribution(Handle* handle, const std::int32_t* problem) {
  return attempt(static_cast<const double*>(nullptr), [&] {
    const TreeDistribution trees(handle->graph(), which_of(*handle, problem, ""));
    handle->numbers = {trees.log_partition(), trees.entropy()};
    const auto arcs = trees.marginals();
    handle->numbers.insert(handle->numbers.end(), arcs.begin(), arcs.end());
    const auto edges = trees.edge_marginals();
    handle->numbers.insert(handle->numbers.end(), edges.begin(), edges.end());
    return static_cast<const double*>(handle->numbers.data());
  });
}

COPPICE_EXPORT const double* coppice_max_marginals(Handle* handle, const std::int32_t* problem) {
  return attempt(static_cast<const double*>(nullptr), [&] {
    handle->numbers = max_marginals(handle->graph(), which_of(*handle, problem, ""));
    return static_cast<const double*>(handle->numbers.data());
  });
}

// What the validator of Universal Dependencies says of a tree with these labels (a name per word
// and line): lines of test and word. heads[0] is -1.
COPPICE_EXPORT const char* coppice_incidents(int nodes, const Node* heads, const char* words,
                                             const char* labels) {
  return attempt(static_cast<const char*>(nullptr), [&] {
    static std::string lines;
    std::string names;
    std::vector<std::int32_t> ids;
    Multigraph tree(nodes);
    Tree taken{.heads = {kNoNode}, .edges = {kNoEdge}};
    for (Node v = 1; v < nodes; ++v) {
      taken.heads.push_back(heads[v]);
      taken.edges.push_back(tree.add_edge(heads[v], v, 0.0));
      ids.push_back(v - 1);
    }
    Handle handle(std::move(tree), std::move(ids));
    handle.know(words, labels);
    lines.clear();
    for (const auto& incident :
         rules::ud_incidents(handle.graph(), TreeRef{taken.heads, taken.edges}))
      lines += std::string(incident.id) + '\t' + std::to_string(incident.node) + '\n';
    return lines.c_str();
  });
}

// Level and leg of every arc, the arcs being pairs of head and dependent.
COPPICE_EXPORT const double* coppice_layout(const Arc* arcs, int count, const double* room,
                                            int nodes, double leg_gap) {
  static std::vector<double> numbers;
  numbers.clear();
  for (const auto& place : view::place_arcs({arcs, static_cast<std::size_t>(count)},
                                            {room, static_cast<std::size_t>(nodes)}, leg_gap)) {
    numbers.push_back(place.level);
    numbers.push_back(place.leg);
  }
  return numbers.data();
}
