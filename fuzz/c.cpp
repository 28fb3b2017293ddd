// The calls of coppice.h, good ones and bad ones, against those of the C++ headers: the same lists,
// the same codes and texts of errors.
#include <coppice/coppice.h>

#include <cmath>
#include <coppice/batch.hpp>
#include <coppice/kbest.hpp>
#include <coppice/rules.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "asked.hpp"
#include "check.hpp"
#include "graphs.hpp"
#include "target.hpp"

namespace coppice::fuzz::c_target {
namespace {

template <class T, void (*free)(T*)>
struct Free {
  void operator()(T* handle) const { free(handle); }
};
using GraphHandle = std::unique_ptr<coppice_graph, Free<coppice_graph, coppice_graph_free>>;
using TreesHandle = std::unique_ptr<coppice_trees, Free<coppice_trees, coppice_trees_free>>;
using StreamHandle = std::unique_ptr<coppice_stream, Free<coppice_stream, coppice_stream_free>>;
using BatchHandle = std::unique_ptr<coppice_batch, Free<coppice_batch, coppice_batch_free>>;

coppice_graph* graph_of(Graph graph) {
  coppice_graph* made = nullptr;
  if (const DenseView* view = graph.dense()) {
    EXPECT_EQ(
        coppice_graph_matrix(static_cast<std::int32_t>(view->scalar()), view->data(), view->nodes(),
                             view->head_stride(), view->dependent_stride(), &made),
        COPPICE_OK);
    return made;
  }
  const Multigraph& edges = *graph.multigraph();
  const auto count = static_cast<std::size_t>(edges.edges());
  const coppice_status status =
      graph.scalar() == Scalar::int64
          ? coppice_graph_integer_edges(edges.nodes(), count, edges.sources().data(),
                                        edges.targets().data(), edges.integer_weights().data(),
                                        &made)
          : coppice_graph_edges(edges.nodes(), count, edges.sources().data(),
                                edges.targets().data(), edges.weights().data(), &made);
  EXPECT_EQ(status, COPPICE_OK);
  return made;
}

// What is asked for in both languages. Not copied: the options refer to what is in here.
struct AskedInC {
  AskedInC(Bytes& bytes, Graph graph) : asked(something(bytes, graph)) {
    for (Arc arc : asked.problem.required) required.push_back({arc.head, arc.dependent});
    for (Arc arc : asked.problem.forbidden) forbidden.push_back({arc.head, arc.dependent});
    if (bytes.take(0, 3) == 1) rule = some_rule_text(bytes);
    options.size = sizeof options;
    options.root = asked.problem.root == RootRule::any ? COPPICE_ROOT_ANY : COPPICE_ROOT_SINGLE;
    options.objective = static_cast<std::int32_t>(asked.problem.objective);
    options.k = asked.request.k.value_or(0);
    options.limit_gap = asked.request.max_gap ? 1 : 0;
    options.max_gap = asked.request.max_gap.value_or(0.0);
    options.required = required.data();
    options.required_count = required.size();
    options.forbidden = forbidden.data();
    options.forbidden_count = forbidden.size();
    options.required_edges = asked.problem.required_edges.data();
    options.required_edges_count = asked.problem.required_edges.size();
    options.forbidden_edges = asked.problem.forbidden_edges.data();
    options.forbidden_edges_count = asked.problem.forbidden_edges.size();
    if (rule) text = rule->c_str();
    options.rules = &text;
    options.rules_count = rule ? 1 : 0;
  }
  AskedInC(const AskedInC&) = delete;
  AskedInC& operator=(const AskedInC&) = delete;

  // Throws what the text of a rule is wrong with.
  Problem problem() const {
    Problem problem = asked.problem;
    if (rule) problem.rules.push_back(rules::parse(*rule));
    return problem;
  }

  Asked asked;
  std::vector<coppice_arc> required, forbidden;
  std::optional<std::string> rule;
  const char* text = nullptr;
  coppice_options options = {};
};

// Calls it and says what a call of C that does the same must say.
struct Outcome {
  coppice_status status = COPPICE_OK;
  std::string text = {};
};
template <class Call>
Outcome outcome_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return {static_cast<coppice_status>(error.code()), error.what()};
  }
  return {};
}

void expect_outcome(coppice_status status, const Outcome& expected) {
  ASSERT_EQ(status, expected.status) << coppice_error() << expected.text;
  if (status != COPPICE_OK) {
    EXPECT_EQ(coppice_error(), expected.text.substr(0, 1023));
  }
}

bool same(const std::int32_t* given, std::span<const std::int32_t> expected) {
  if (expected.empty()) return given == nullptr;
  return given != nullptr && std::equal(expected.begin(), expected.end(), given);
}

void expect_list(const coppice_trees* trees, const TreeList& expected) {
  ASSERT_EQ(coppice_trees_count(trees), expected.size());
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    EXPECT_EQ(coppice_trees_nodes(trees), expected.nodes());
    EXPECT_TRUE(same(coppice_trees_heads(trees, rank), expected.heads(rank)));
    EXPECT_TRUE(same(coppice_trees_edges(trees, rank), expected.edges(rank)));
    EXPECT_EQ(coppice_trees_score(trees, rank), expected.score(rank));
    EXPECT_EQ(coppice_trees_integer_score(trees, rank),
              expected.integer_scores().empty() ? 0 : expected.integer_scores()[rank]);
  }
  EXPECT_EQ(coppice_trees_heads(trees, expected.size()), nullptr);
  EXPECT_TRUE(std::isnan(coppice_trees_score(trees, expected.size())));
}

void expect_lists(const coppice_graph* handle, Graph graph, const AskedInC& asked_in_c) {
  TreeList expected;
  coppice_trees* made = nullptr;
  expect_outcome(coppice_kbest(handle, &asked_in_c.options, &made), outcome_of([&] {
                   expected = kbest(graph, asked_in_c.problem(), asked_in_c.asked.request);
                 }));
  expect_list(TreesHandle(made).get(), expected);
  std::optional<Tree> first;
  expect_outcome(coppice_best(handle, &asked_in_c.options, &made),
                 outcome_of([&] { first = best(graph, asked_in_c.problem()); }));
  const TreesHandle trees(made);
  ASSERT_EQ(coppice_trees_count(trees.get()), first ? 1u : 0u);
  if (first) {
    EXPECT_TRUE(same(coppice_trees_heads(trees.get(), 0), first->heads));
  }
}

void expect_stream(const coppice_graph* handle, Graph graph, const AskedInC& asked_in_c) {
  constexpr int kMost = 50;
  std::optional<TreeStream> expected;
  coppice_stream* made = nullptr;
  expect_outcome(coppice_stream_new(handle, &asked_in_c.options, &made), outcome_of([&] {
                   expected.emplace(graph, asked_in_c.problem(), asked_in_c.asked.request);
                 }));
  const StreamHandle stream(made);
  EXPECT_EQ(coppice_stream_heads(stream.get()), nullptr);
  for (int rank = 0; expected && rank < kMost; ++rank) {
    const auto tree = expected->next();
    int found = -1;
    ASSERT_EQ(coppice_stream_next(stream.get(), &found), COPPICE_OK);
    ASSERT_EQ(found, tree ? 1 : 0);
    if (!tree) return;
    EXPECT_TRUE(same(coppice_stream_heads(stream.get()), tree->heads));
    EXPECT_TRUE(same(coppice_stream_edges(stream.get()), tree->edges));
    EXPECT_EQ(coppice_stream_score(stream.get()), tree->score);
    EXPECT_EQ(coppice_stream_integer_score(stream.get()), tree->integer_score);
  }
}

void expect_batch(const std::vector<const coppice_graph*>& handles,
                  const std::vector<Graph>& graphs, const AskedInC& asked_in_c,
                  std::int32_t threads) {
  std::vector<BatchEntry> expected;
  coppice_batch* made = nullptr;
  expect_outcome(
      coppice_kbest_batch(handles.data(), handles.size(), &asked_in_c.options, threads, &made),
      outcome_of([&] {
        expected = kbest_batch(graphs, asked_in_c.problem(), asked_in_c.asked.request, threads);
      }));
  const BatchHandle batch(made);
  ASSERT_EQ(coppice_batch_count(batch.get()), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(coppice_batch_status(batch.get(), i),
              static_cast<coppice_status>(expected[i].failure.code));
    EXPECT_EQ(coppice_batch_error(batch.get(), i), expected[i].failure.text);
    const coppice_trees* trees = coppice_batch_trees(batch.get(), i);
    ASSERT_EQ(trees != nullptr, expected[i].failure.code == ErrorCode::none);
    if (trees != nullptr) expect_list(trees, expected[i].trees);
  }
  EXPECT_EQ(coppice_batch_status(batch.get(), expected.size()), COPPICE_BAD_ARGUMENT);
}

int already(void*) { return 1; }

// Options of which one thing makes no sense: refused, nothing made, the reason said.
void expect_refused(const coppice_graph* handle, coppice_options options, Bytes& bytes) {
  const auto number = bytes.take<std::int64_t>();
  switch (bytes.take(0, 7)) {
    case 0:
      options.size = static_cast<std::size_t>(number) % sizeof options;
      break;
    case 1:
      options.root = static_cast<std::int32_t>(number) | 4;
      break;
    case 2:
      options.objective = static_cast<std::int32_t>(number) | 2;
      break;
    case 3:
      options.k = number | std::numeric_limits<std::int64_t>::min();
      break;
    case 4:
      options.limit_gap = 1;
      options.max_gap = (number & 1) != 0 ? std::numeric_limits<double>::quiet_NaN() : -0.25;
      break;
    case 5:
      options.required = nullptr;
      options.required_count = static_cast<std::size_t>(number) | 1;
      break;
    case 6:
      options.seconds = (number & 1) != 0 ? std::numeric_limits<double>::quiet_NaN() : -1.0;
      break;
    default:
      options.reserved = static_cast<std::int32_t>(number) | 1;
  }
  coppice_trees* trees = nullptr;
  EXPECT_NE(coppice_kbest(handle, &options, &trees), COPPICE_OK);
  EXPECT_EQ(trees, nullptr);
  EXPECT_STRNE(coppice_error(), "");
}

}  // namespace

void run(Bytes bytes) {
  constexpr Node kMaxWords = 4;
  const SomeGraph first(bytes, kMaxWords);
  const AskedInC asked_in_c(bytes, first.graph());
  const SomeGraph second(bytes, kMaxWords);
  const GraphHandle handles[] = {GraphHandle(graph_of(first.graph())),
                                 GraphHandle(graph_of(second.graph()))};
  expect_lists(handles[0].get(), first.graph(), asked_in_c);
  expect_stream(handles[0].get(), first.graph(), asked_in_c);
  expect_batch({handles[0].get(), handles[1].get()}, {first.graph(), second.graph()}, asked_in_c,
               bytes.take(0, 2));
  expect_refused(handles[0].get(), asked_in_c.options, bytes);
  // Told to stop before it begins: it stops, or was done before it asked.
  coppice_options stopped = asked_in_c.options;
  stopped.stop = already;
  coppice_trees* trees = nullptr;
  coppice_kbest(handles[0].get(), &stopped, &trees);
  coppice_trees_free(trees);
}

}  // namespace coppice::fuzz::c_target
