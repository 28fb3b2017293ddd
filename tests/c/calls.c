/* The C interface as C sees it: good calls, and all the bad ones. */
#include <coppice/coppice.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "calls.c:%d: %s\n  the last error: %s\n", line, what, coppice_error());
}
#define CHECK(condition) check((condition), #condition, __LINE__)
/* A call that fails with that code and those words. */
#define CHECK_FAILS(call, code, words) \
  check((call) == (code) && strstr(coppice_error(), (words)) != NULL, #call, __LINE__)

static const float kScores[] = {0, -4, -1, -3, 0, 0, -6, -7, 0, -1, 0, -2, 0, -7, -3, 0};

static coppice_options some_options(int64_t k) {
  coppice_options options = {0};
  options.size = sizeof options;
  options.root = COPPICE_ROOT_SINGLE;
  options.k = k;
  return options;
}

static coppice_graph* ducks(void) {
  coppice_graph* graph = NULL;
  CHECK(coppice_graph_matrix(COPPICE_FLOAT32, kScores, 4, 4, 1, &graph) == COPPICE_OK);
  return graph;
}

static void lists(void) {
  const int32_t second[] = {-1, 2, 3, 0};
  coppice_graph* graph = ducks();
  coppice_options options = some_options(3);
  coppice_trees* trees = NULL;
  CHECK(coppice_kbest(graph, &options, &trees) == COPPICE_OK);
  coppice_graph_free(graph); /* the list needs it no more */
  CHECK(coppice_trees_count(trees) == 3);
  CHECK(coppice_trees_nodes(trees) == 4);
  CHECK(memcmp(coppice_trees_heads(trees, 1), second, sizeof second) == 0);
  CHECK(coppice_trees_edges(trees, 1) == NULL);
  CHECK(coppice_trees_score(trees, 0) == -4 && coppice_trees_score(trees, 2) == -9);
  CHECK(coppice_trees_heads(trees, 3) == NULL && strstr(coppice_error(), "rank 3") != NULL);
  CHECK(isnan(coppice_trees_score(trees, 3)));
  CHECK(coppice_trees_integer_score(trees, 3) == 0);
  coppice_trees_free(trees);
}

static void no_tree_is_no_failure(void) {
  const double none[] = {0, -HUGE_VAL, 0, 0};
  coppice_graph* graph = NULL;
  coppice_trees* trees = NULL;
  coppice_options options = some_options(1);
  CHECK(coppice_graph_matrix(COPPICE_FLOAT64, none, 2, 2, 1, &graph) == COPPICE_OK);
  CHECK(coppice_best(graph, &options, &trees) == COPPICE_OK);
  CHECK(trees != NULL && coppice_trees_count(trees) == 0);
  coppice_trees_free(trees);
  coppice_graph_free(graph);
}

static void bad_graphs(void) {
  const int32_t ends[] = {0, 1}, far_away[] = {1, 7};
  const double weights[] = {1, NAN};
  coppice_graph* graph = (coppice_graph*)&failures; /* anything but NULL */
  CHECK_FAILS(coppice_graph_matrix(COPPICE_FLOAT32, NULL, 4, 4, 1, &graph), COPPICE_BAD_GRAPH,
              "null pointer");
  CHECK(graph == NULL);
  CHECK_FAILS(coppice_graph_matrix(COPPICE_FLOAT32, kScores, 1, 1, 1, &graph), COPPICE_BAD_GRAPH,
              "1 node");
  CHECK_FAILS(coppice_graph_matrix(COPPICE_FLOAT32, kScores, -3, 1, 1, &graph), COPPICE_BAD_GRAPH,
              "-3 nodes");
  CHECK_FAILS(coppice_graph_matrix(COPPICE_FLOAT32, kScores, INT64_MAX, 1, 1, &graph),
              COPPICE_BAD_GRAPH, "too large");
  CHECK_FAILS(coppice_graph_matrix(9, kScores, 4, 4, 1, &graph), COPPICE_BAD_ARGUMENT,
              "scalar is 9");
  CHECK_FAILS(coppice_graph_matrix(COPPICE_FLOAT32, kScores, 4, 4, 1, NULL), COPPICE_BAD_ARGUMENT,
              "graph is a null pointer");
  CHECK_FAILS(coppice_graph_edges(3, 2, ends, ends, NULL, &graph), COPPICE_BAD_ARGUMENT,
              "weights is a null pointer");
  CHECK_FAILS(coppice_graph_edges(3, 2, ends, far_away, weights, &graph), COPPICE_BAD_WEIGHT,
              "edge 1 (1 -> 7): weight is NaN");
  CHECK_FAILS(coppice_graph_integer_edges(3, 2, ends, far_away, (const int64_t[]){1, 2}, &graph),
              COPPICE_BAD_GRAPH, "edge 1: target 7");
  CHECK(graph == NULL);
}

static void bad_options(void) {
  const coppice_arc twice[] = {{1, 2}, {3, 2}};
  const char* const rules[] = {"straight"};
  const char* const no_text[] = {NULL};
  struct {
    coppice_options known;
    int64_t later;
  } newer;
  coppice_graph* graph = ducks();
  coppice_trees* trees = NULL;
  coppice_options options = some_options(3);

  CHECK_FAILS(coppice_kbest(NULL, &options, &trees), COPPICE_BAD_ARGUMENT, "graph is a null");
  CHECK_FAILS(coppice_kbest(graph, NULL, &trees), COPPICE_BAD_ARGUMENT, "options is a null");
  CHECK_FAILS(coppice_kbest(graph, &options, NULL), COPPICE_BAD_ARGUMENT, "trees is a null");
  options.size = 8;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT, "options.size is 8");
  options = some_options(3);
  options.root = 0;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT, "options.root is 0");
  options = some_options(3);
  options.objective = 5;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT, "objective is 5");
  options = some_options(3);
  options.reserved = 1;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT, "reserved");
  options = some_options(-1);
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT, "-1");
  options = some_options(0);
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT, "max_gap");
  options.limit_gap = 1;
  options.max_gap = NAN;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT, "max_gap");
  options = some_options(3);
  options.required_count = 2;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT,
              "options.required is a null pointer, but said to have 2");
  options.required = twice;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_CONSTRAINT, "2");
  options = some_options(3);
  options.rules = rules;
  options.rules_count = 1;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT, "straight");
  options.rules = no_text;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT, "null pointer");
  options = some_options(3);
  options.seconds = -1;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_BAD_ARGUMENT, "seconds");
  CHECK(trees == NULL);

  /* Options of a later version: what is not known must be 0. */
  memset(&newer, 0, sizeof newer);
  newer.known = some_options(2);
  newer.known.size = sizeof newer;
  CHECK(coppice_kbest(graph, &newer.known, &trees) == COPPICE_OK);
  CHECK(coppice_trees_count(trees) == 2);
  coppice_trees_free(trees);
  newer.later = 1;
  CHECK_FAILS(coppice_kbest(graph, &newer.known, &trees), COPPICE_BAD_ARGUMENT, "does not know");
  coppice_graph_free(graph);
}

static void bad_weights_name_their_place(void) {
  double weights[] = {0, 1, 2, 0, 0, 3, 0, NAN, 0};
  coppice_graph* graph = NULL;
  coppice_trees* trees = NULL;
  coppice_options options = some_options(3);
  CHECK(coppice_graph_matrix(COPPICE_FLOAT64, weights, 3, 3, 1, &graph) == COPPICE_OK);
  CHECK_FAILS(coppice_best(graph, &options, &trees), COPPICE_BAD_WEIGHT, "2");
  CHECK(trees == NULL);
  coppice_graph_free(graph);
}

static int at_once(void* calls) {
  ++*(int*)calls;
  return 1;
}

static int when_asked_for(void* wanted) { return *(int*)wanted; }

/* More trees than can be listed before somebody asks. */
static void stopping(void) {
  enum { kNodes = 41 };
  double* weights = calloc((size_t)kNodes * kNodes, sizeof *weights);
  coppice_graph* graph = NULL;
  coppice_trees* trees = NULL;
  coppice_stream* stream = NULL;
  coppice_batch* batch = NULL;
  const coppice_graph* graphs[2];
  coppice_options options = some_options(100000000);
  int calls = 0, found = 1, wanted = 0;
  coppice_status status = COPPICE_OK;
  CHECK(coppice_graph_matrix(COPPICE_FLOAT64, weights, kNodes, kNodes, 1, &graph) == COPPICE_OK);
  graphs[0] = graphs[1] = graph;
  options.stop = at_once;
  options.stop_data = &calls;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_STOPPED, "stopped");
  CHECK(calls > 0 && trees == NULL);
  CHECK_FAILS(coppice_kbest_batch(graphs, 2, &options, 2, &batch), COPPICE_STOPPED, "stopped");
  CHECK(batch == NULL);
  options.stop = NULL;
  options.seconds = 1e-3;
  CHECK_FAILS(coppice_kbest(graph, &options, &trees), COPPICE_STOPPED, "stopped");

  options = some_options(0);
  CHECK(coppice_stream_new(graph, &options, &stream) == COPPICE_OK);
  CHECK(coppice_stream_next(stream, &found) == COPPICE_OK && found == 1);
  coppice_stream_free(stream);
  options.stop = when_asked_for;
  options.stop_data = &wanted;
  CHECK(coppice_stream_new(graph, &options, &stream) == COPPICE_OK);
  wanted = 1;
  while (status == COPPICE_OK) status = coppice_stream_next(stream, &found);
  CHECK(status == COPPICE_STOPPED && found == 0);
  CHECK(coppice_stream_heads(stream) == NULL);
  CHECK_FAILS(coppice_stream_next(stream, &found), COPPICE_STOPPED, "failed before");
  coppice_stream_free(stream);
  coppice_graph_free(graph);
  free(weights);
}

static void batches(void) {
  const double bad[] = {0, NAN, 0, 0};
  const coppice_graph* graphs[3] = {NULL, NULL, NULL};
  coppice_graph *good = ducks(), *broken = NULL;
  coppice_batch* batch = NULL;
  coppice_options options = some_options(2);
  CHECK(coppice_graph_matrix(COPPICE_FLOAT64, bad, 2, 2, 1, &broken) == COPPICE_OK);
  graphs[0] = graphs[2] = good;
  CHECK_FAILS(coppice_kbest_batch(graphs, 3, &options, 2, &batch), COPPICE_BAD_ARGUMENT,
              "graph 1 is a null pointer");
  CHECK_FAILS(coppice_kbest_batch(NULL, 3, &options, 2, &batch), COPPICE_BAD_ARGUMENT, "graphs");
  graphs[1] = broken;
  CHECK_FAILS(coppice_kbest_batch(graphs, 3, &options, 0, &batch), COPPICE_BAD_ARGUMENT, "threads");
  CHECK(coppice_kbest_batch(graphs, 3, &options, 2, &batch) == COPPICE_OK);
  CHECK(coppice_batch_count(batch) == 3);
  CHECK(coppice_batch_status(batch, 1) == COPPICE_BAD_WEIGHT);
  CHECK(strstr(coppice_batch_error(batch, 1), "NaN") != NULL);
  CHECK(coppice_batch_trees(batch, 1) == NULL);
  CHECK(coppice_batch_status(batch, 2) == COPPICE_OK && *coppice_batch_error(batch, 2) == '\0');
  CHECK(coppice_trees_count(coppice_batch_trees(batch, 2)) == 2);
  CHECK(coppice_batch_status(batch, 3) == COPPICE_BAD_ARGUMENT);
  CHECK(coppice_batch_trees(batch, 3) == NULL);
  coppice_batch_free(batch);
  CHECK(coppice_kbest_batch(NULL, 0, &options, 1, &batch) == COPPICE_OK);
  CHECK(coppice_batch_count(batch) == 0);
  coppice_batch_free(batch);
  coppice_graph_free(good);
  coppice_graph_free(broken);
}

static void nothing_at_all(void) {
  int found = 1;
  CHECK_FAILS(coppice_stream_new(NULL, NULL, NULL), COPPICE_BAD_ARGUMENT, "stream is a null");
  CHECK_FAILS(coppice_stream_next(NULL, &found), COPPICE_BAD_ARGUMENT, "stream is a null");
  CHECK(found == 0);
  CHECK(coppice_stream_heads(NULL) == NULL && coppice_stream_edges(NULL) == NULL);
  CHECK(isnan(coppice_stream_score(NULL)) && coppice_stream_integer_score(NULL) == 0);
  CHECK(coppice_trees_count(NULL) == 0 && coppice_trees_nodes(NULL) == 0);
  CHECK(coppice_trees_heads(NULL, 0) == NULL && coppice_trees_edges(NULL, 0) == NULL);
  CHECK(isnan(coppice_trees_score(NULL, 0)));
  CHECK(coppice_batch_count(NULL) == 0 && coppice_batch_trees(NULL, 0) == NULL);
  CHECK(coppice_batch_status(NULL, 0) == COPPICE_BAD_ARGUMENT);
  CHECK(coppice_batch_error(NULL, 0) != NULL);
  coppice_graph_free(NULL);
  coppice_trees_free(NULL);
  coppice_stream_free(NULL);
  coppice_batch_free(NULL);
}

int main(void) {
  CHECK(*coppice_error() == '\0');
  CHECK(strchr(coppice_version(), '.') != NULL);
  lists();
  no_tree_is_no_failure();
  bad_graphs();
  bad_options();
  bad_weights_name_their_place();
  stopping();
  batches();
  nothing_at_all();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
