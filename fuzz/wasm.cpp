// The functions of the WebAssembly build, called as coppice.js calls them, against those of the C++
// headers.
#define COPPICE_EXPORT [[maybe_unused]] static  // beside the names of coppice.h
#include "wasm/api.cpp"                         // NOLINT(bugprone-suspicious-include)

#include <cmath>

#include "asked.hpp"
#include "check.hpp"
#include "graphs.hpp"
#include "support/engines.hpp"
#include "target.hpp"

namespace coppice::fuzz::wasm_target {
namespace {

// What coppice.js does with the memory that is not its own.
struct Delete {
  void operator()(Handle* handle) const { coppice_delete(handle); }
  void operator()(Stream* stream) const { coppice_end_stream(stream); }
};
using OwnedHandle = std::unique_ptr<Handle, Delete>;
using OwnedStream = std::unique_ptr<Stream, Delete>;

// A graph with labels, where it has edges, and what is known of its words, as tables of text.
class Known {
 public:
  Known(Bytes& bytes, Graph graph) : graph_(graph) {
    static constexpr const char* kTags[] = {"NOUN", "VERB", "PUNCT", "_", ""};
    for (Node v = 1; v < graph.nodes(); ++v)
      words_ += std::string(kTags[bytes.take(0, 4)]) + (bytes.flag() ? "\tNumber=Sing\t_\n" : "\n");
    for (const char* name : kNames) names_ += std::string(name) + '\n';
    // Now and then anything: too few, too many, empty lines.
    if (bytes.take(0, 15) == 15) words_ = bytes.until('\0');
    if (bytes.take(0, 15) == 15) names_ = bytes.until('\0');
    if (graph.multigraph() == nullptr) return;
    for (EdgeId e = 0; e < graph.multigraph()->edges(); ++e)
      labels_.push_back(bytes.take<std::int32_t>(0, kLabels - 1));
  }

  OwnedHandle handle() const {
    OwnedHandle made(graph_.dense() != nullptr ? matrix() : edges());
    if (made) {
      EXPECT_EQ(coppice_know(made.get(), words_.c_str(), names_.c_str()), 0);
    }
    return made;
  }
  const std::string& words() const { return words_; }
  std::int32_t label(EdgeId edge) const { return labels_[static_cast<std::size_t>(edge)]; }
  // Of every word of a tree, in lines.
  std::string labels_of(const Tree& tree) const {
    std::string lines;
    for (std::size_t v = 1; v < tree.heads.size(); ++v)
      lines += std::string(tree.edges.empty() ? "dep" : kNames[label(tree.edges[v])]) + '\n';
    return lines;
  }

  static constexpr std::int32_t kLabels = 6;
  static constexpr const char* kNames[kLabels] = {"nsubj", "obj",      "punct",
                                                  "cc",    "conj:and", "root"};

 private:
  Handle* edges() const {
    const Multigraph& edges = *graph_.multigraph();
    std::vector<double> weights;  // JavaScript has no others
    for (EdgeId e = 0; e < edges.edges(); ++e) weights.push_back(edges.weight(e));
    return coppice_edges(edges.nodes(), edges.edges(), edges.sources().data(),
                         edges.targets().data(), weights.data(), labels_.data());
  }
  Handle* matrix() const {
    switch (graph_.scalar()) {
      case Scalar::float32:
        return matrix<float>();
      case Scalar::float64:
        return matrix<double>();
      default:
        return matrix<std::int64_t>();
    }
  }
  template <class T>
  Handle* matrix() const {
    const Node nodes = graph_.nodes();
    std::vector<T> values(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes));
    for (Node h = 0; h < nodes; ++h)
      for (Node d = 1; d < nodes; ++d)
        if (h != d) values[static_cast<std::size_t>(h * nodes + d)] = graph_.dense()->at<T>(h, d);
    return coppice_matrix(values.data(), nodes, static_cast<int>(graph_.scalar()));
  }

  Graph graph_;
  std::string words_, names_;
  std::vector<std::int32_t> labels_;
};

struct LabelledArc {
  Arc arc;
  std::int32_t label;  // -1: any
};

// What is asked for, packed as coppice.js packs it.
struct Packed {
  std::vector<LabelledArc> required, forbidden;
  std::vector<std::int32_t> numbers;
  std::string rules;

  Packed(const Problem& problem, Bytes& bytes) {
    numbers = {problem.root == RootRule::single ? 1 : 0, static_cast<int>(problem.objective)};
    add(problem.required, bytes, required);
    add(problem.forbidden, bytes, forbidden);
    static constexpr const char* kOfLabels[] = {"ud", "at-most=1:nsubj,obj", "leaves=punct,cc"};
    const auto kind = bytes.take<std::uint8_t>();
    if (kind % 8 == 1) rules = some_rule_text(bytes) + '\n';
    if (kind % 16 == 2) rules += std::string(kOfLabels[kind / 16 % 3]) + '\n';
  }

 private:
  void add(const std::vector<Arc>& arcs, Bytes& bytes, std::vector<LabelledArc>& added) {
    numbers.push_back(static_cast<std::int32_t>(arcs.size()));
    for (Arc arc : arcs) {
      added.push_back({arc, bytes.take<std::int32_t>(0, Known::kLabels) - 1});
      numbers.insert(numbers.end(), {arc.head, arc.dependent, added.back().label});
    }
  }
};

bool has(const Tree& tree, const LabelledArc& asked, const Known& known) {
  const auto v = static_cast<std::size_t>(asked.arc.dependent);
  return tree.heads[v] == asked.arc.head &&
         (asked.label < 0 || tree.edges.empty() || known.label(tree.edges[v]) == asked.label);
}

// The list is that of C++ and keeps to what was asked for; so does the stream.
void expect_trees(Handle& handle, const Known& known, const Packed& packed,
                  const Request& request) {
  const std::int32_t* problem = packed.numbers.data();
  const char* rules = packed.rules.c_str();
  const double k = request.k ? static_cast<double>(*request.k) : -1.0;
  const double max_gap = request.max_gap.value_or(-1.0);
  TreeList expected;
  const std::string error = error_of<std::exception>(
      [&] { expected = kbest(handle.graph(), which_of(handle, problem, rules), request); });
  const int size = coppice_kbest(&handle, problem, rules, k, max_gap, -1.0);
  ASSERT_EQ(size == kFailed ? coppice_error() : "", error);
  if (size == kFailed) return;
  ASSERT_EQ(static_cast<std::size_t>(size), expected.size());
  expect_same(handle.trees, expected);
  EXPECT_EQ(coppice_complete(&handle), 1);
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    const Tree tree = expected.copy(rank);
    for (const auto& arc : packed.required) EXPECT_TRUE(has(tree, arc, known));
    for (const auto& arc : packed.forbidden) EXPECT_FALSE(has(tree, arc, known));
  }
  const OwnedStream stream(coppice_stream(&handle, problem, rules, max_gap, -1.0));
  ASSERT_NE(stream, nullptr);
  const double rounding = testing::rounding_of(handle.graph());
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    ASSERT_EQ(coppice_next(stream.get()), 1);
    EXPECT_NEAR(coppice_next_score(stream.get()), expected.score(rank), rounding);
    EXPECT_EQ(coppice_next_heads(stream.get())[0], kNoNode);
  }
}

// Every word hangs from somewhere; of the best tree's edges none has a better one.
void expect_numbers(Handle& handle, const Packed& packed, double largest) {
  const auto nodes = static_cast<std::size_t>(handle.graph().nodes());
  const double* found = coppice_distribution(&handle, packed.numbers.data());
  if (found != nullptr && std::isfinite(found[0])) {
    for (std::size_t d = 1; d < nodes; ++d) {
      double sum = 0.0;
      for (std::size_t h = 0; h < nodes; ++h) sum += found[2 + h * nodes + d];
      EXPECT_NEAR(sum, 1.0, 1e-11 * (1.0 + largest));
    }
  }
  const double* best = coppice_max_marginals(&handle, packed.numbers.data());
  if (best == nullptr) return;
  const auto first = coppice::best(handle.graph(), which_of(handle, packed.numbers.data(), ""));
  if (!first) return;
  for (std::size_t v = 1; v < nodes; ++v) {
    const std::size_t at = first->edges.empty()
                               ? static_cast<std::size_t>(first->heads[v]) * nodes + v
                               : static_cast<std::size_t>(first->edges[v]);
    EXPECT_NEAR(best[at], first->score, 0x1p-45 * largest * static_cast<double>(nodes));
  }
}

// What the page asks for to draw a tree.
void draw(const Tree& tree, const Known& known) {
  const int nodes = static_cast<int>(tree.heads.size());
  const char* lines = coppice_incidents(nodes, tree.heads.data(), known.words().c_str(),
                                        known.labels_of(tree).c_str());
  if (lines == nullptr) {
    EXPECT_STRNE(coppice_error(), "");  // not every word has a tag
  }
  std::vector<Arc> arcs;
  for (Node v = 1; v < nodes; ++v) arcs.push_back({tree.heads[static_cast<std::size_t>(v)], v});
  const std::vector<double> room(static_cast<std::size_t>(nodes), 30.0);
  const double* places = coppice_layout(arcs.data(), nodes - 1, room.data(), nodes, 8.0);
  for (std::size_t i = 0; i < arcs.size(); ++i)
    EXPECT_EQ(places[2 * i] > 0, arcs[i].head != 0);  // those of the root are drawn from above
}

}  // namespace

void run(Bytes bytes) {
  constexpr Node kMaxWords = 4;
  const SomeGraph some(bytes, kMaxWords);
  const Known known(bytes, some.graph());
  const Asked asked = something(bytes, some.graph());
  const Packed packed(asked.problem, bytes);
  const OwnedHandle handle = known.handle();
  if (!handle) {
    EXPECT_STRNE(coppice_error(), "");
    return;
  }
  expect_trees(*handle, known, packed, asked.request);
  if (!some.bad()) expect_numbers(*handle, packed, some.largest());
  if (!handle->trees.empty()) draw(handle->trees.copy(0), known);
}

}  // namespace coppice::fuzz::wasm_target
