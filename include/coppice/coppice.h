/* The K best trees of a directed graph, for C and for every language that calls C.
 *
 *   const float scores[] = {0, -4, -1, -3,  0, 0, -6, -7,  0, -1, 0, -2,  0, -7, -3, 0};
 *   coppice_graph* graph = NULL;
 *   coppice_trees* trees = NULL;
 *   coppice_options options = {.size = sizeof options, .root = COPPICE_ROOT_SINGLE, .k = 3};
 *   if (coppice_graph_matrix(COPPICE_FLOAT32, scores, 4, 4, 1, &graph) != COPPICE_OK ||
 *       coppice_kbest(graph, &options, &trees) != COPPICE_OK)
 *     fprintf(stderr, "%s\n", coppice_error());
 *   ...
 *   coppice_trees_free(trees);
 *   coppice_graph_free(graph);
 *
 * What the words mean, how exact and how fast it is: graph.hpp, tree.hpp, kbest.hpp, batch.hpp, of
 * which this is a part, over the same library. The text of docs/c.md shows all of it in use.
 *
 * Every call that can fail returns a code; coppice_error() has the text, which names the place and
 * the value. What a call was to give is NULL where it fails. Nothing throws, prints, exits or
 * changes what it was given; too little memory is a code, too. A graph without a tree is no
 * failure: its list is empty.
 *
 * Threads: any number of them may use a graph, a list or a batch at once; a stream is for one at a
 * time.
 */
#ifndef COPPICE_COPPICE_H_
#define COPPICE_COPPICE_H_

#include <stddef.h> /* NOLINT(modernize-deprecated-headers) */
#include <stdint.h> /* NOLINT(modernize-deprecated-headers) */

#ifdef __cplusplus
extern "C" {
#endif

/* "MAJOR.MINOR.PATCH" */
const char* coppice_version(void);

/* --- Errors ----------------------------------------------------------------------------------- */

typedef enum coppice_status {
  COPPICE_OK = 0,
  COPPICE_BAD_WEIGHT = 1,     /* NaN, plus infinity, or so large that sums could overflow */
  COPPICE_BAD_GRAPH = 2,      /* sizes, node ids, edges that do not fit */
  COPPICE_BAD_TREE = 3,       /* heads or edges that are no tree of the graph */
  COPPICE_BAD_CONSTRAINT = 4, /* required or forbidden edges that do not exist or contradict */
  COPPICE_BAD_ARGUMENT = 5,   /* k, max_gap, threads, a null pointer ... */
  COPPICE_OUT_OF_MEMORY = 6,
  COPPICE_OTHER = 7,
  COPPICE_STOPPED = 8 /* the caller asked for it: coppice_options */
} coppice_status;

/* What went wrong in the last call on this thread that failed; never NULL. Overwritten by the next
 * one that fails. */
const char* coppice_error(void);

/* --- Graphs ----------------------------------------------------------------------------------- */

/* Node 0 is the root, nodes 1..N are the words. Minus infinity means "no such edge". */
typedef struct coppice_graph coppice_graph;

typedef enum coppice_scalar {
  COPPICE_FLOAT32 = 0,
  COPPICE_FLOAT64 = 1,
  COPPICE_INT64 = 2 /* all sums are exact */
} coppice_scalar;

/* A matrix of nodes x nodes weights that stays where it is: data must outlive the graph. The weight
 * of head -> dependent is data[head * head_stride + dependent * dependent_stride]; strides count
 * elements and may be negative; scalar is a coppice_scalar. [head][dependent] has strides nodes, 1;
 * [dependent][head] has 1, nodes. */
coppice_status coppice_graph_matrix(int32_t scalar, const void* data, int64_t nodes,
                                    ptrdiff_t head_stride, ptrdiff_t dependent_stride,
                                    coppice_graph** graph);

/* Edges sources[i] -> targets[i], which are copied. Parallel edges are different choices; trees say
 * which one they took, by its index. */
coppice_status coppice_graph_edges(int64_t nodes, size_t edges, const int32_t* sources,
                                   const int32_t* targets, const double* weights,
                                   coppice_graph** graph);
coppice_status coppice_graph_integer_edges(int64_t nodes, size_t edges, const int32_t* sources,
                                           const int32_t* targets, const int64_t* weights,
                                           coppice_graph** graph);

/* NULL is allowed, here and in all that free. */
void coppice_graph_free(coppice_graph* graph);

/* --- Which trees, and how many ---------------------------------------------------------------- */

/* How many edges may leave the root. There is no default. */
typedef enum coppice_root { COPPICE_ROOT_ANY = 1, COPPICE_ROOT_SINGLE = 2 } coppice_root;
typedef enum coppice_objective { COPPICE_MAXIMIZE = 0, COPPICE_MINIMIZE = 1 } coppice_objective;

typedef struct coppice_arc {
  int32_t head;
  int32_t dependent;
} coppice_arc;

/* Set size and root; what is not wanted is 0. */
typedef struct coppice_options {
  size_t size;       /* sizeof(coppice_options): later versions may have more members */
  int32_t root;      /* a coppice_root */
  int32_t objective; /* a coppice_objective */
  int64_t k;         /* so many trees; 0: all of them (lists then need limit_gap) */
  /* Not 0: only trees whose score is within max_gap of the best; 0.0 gives all that tie with it. */
  int32_t limit_gap;
  int32_t reserved; /* 0 */
  double max_gap;
  /* dependent must hang from head / must not. */
  const coppice_arc* required;
  size_t required_count;
  const coppice_arc* forbidden;
  size_t forbidden_count;
  /* The same for single edges of an edge list, by index. */
  const int32_t* required_edges;
  size_t required_edges_count;
  const int32_t* forbidden_edges;
  size_t forbidden_edges_count;
  /* Only trees that obey all of these: "projective", "max-children=3", "max-depth=6". */
  const char* const* rules;
  size_t rules_count;
  /* Asked some fifty times a second on the thread that calls; other than 0 ends the call with
   * COPPICE_STOPPED. It must return: no longjmp, no exception. */
  int (*stop)(void* stop_data);
  void* stop_data;
  double seconds; /* not 0: each call ends with COPPICE_STOPPED after so many */
} coppice_options;

/* --- Lists of trees --------------------------------------------------------------------------- */

/* From best to worst. It refers to nothing of the graph. */
typedef struct coppice_trees coppice_trees;

/* The best tree as a list of one, or none; k and max_gap do not count. */
coppice_status coppice_best(const coppice_graph* graph, const coppice_options* options,
                            coppice_trees** trees);
/* The K best; fewer where there are fewer. */
coppice_status coppice_kbest(const coppice_graph* graph, const coppice_options* options,
                             coppice_trees** trees);

size_t coppice_trees_count(const coppice_trees* trees);
int32_t coppice_trees_nodes(const coppice_trees* trees); /* length of each head vector */

/* heads[v] is the node that v hangs from, heads[0] = -1; edges[v] is the index of the edge, NULL
 * unless of an edge list. They live as long as the list. NULL, with coppice_error(), where there is
 * no tree of that rank (from 0), or no memory to lay out a very long list. */
const int32_t* coppice_trees_heads(const coppice_trees* trees, size_t rank);
const int32_t* coppice_trees_edges(const coppice_trees* trees, size_t rank);
/* NaN where there is no such tree. */
double coppice_trees_score(const coppice_trees* trees, size_t rank);
/* The exact sum of int64 weights; 0 of others, and where there is no such tree. */
int64_t coppice_trees_integer_score(const coppice_trees* trees, size_t rank);

void coppice_trees_free(coppice_trees* trees);

/* --- One by one ------------------------------------------------------------------------------- */

/* Trees from best to worst with no k in advance. Keeps a copy of the weights and of the options,
 * but for what stop_data points to. */
typedef struct coppice_stream coppice_stream;

coppice_status coppice_stream_new(const coppice_graph* graph, const coppice_options* options,
                                  coppice_stream** stream);
/* Sets *found to 1 where there was another tree, to 0 where all have been given. A stream that
 * failed fails again. */
coppice_status coppice_stream_next(coppice_stream* stream, int* found);

/* Of the tree found last, until the next one is asked for; NULL, NaN and 0 where there is none. */
const int32_t* coppice_stream_heads(const coppice_stream* stream);
const int32_t* coppice_stream_edges(const coppice_stream* stream); /* NULL unless of an edge list */
double coppice_stream_score(const coppice_stream* stream);
int64_t coppice_stream_integer_score(const coppice_stream* stream);

void coppice_stream_free(coppice_stream* stream);

/* --- Many graphs on several threads ----------------------------------------------------------- */

typedef struct coppice_batch coppice_batch;

/* Lists in the order of the graphs; they do not depend on the number of threads. A graph that
 * cannot be decoded has its own code, and the others are decoded. */
coppice_status coppice_kbest_batch(const coppice_graph* const* graphs, size_t count,
                                   const coppice_options* options, int32_t threads,
                                   coppice_batch** batch);

size_t coppice_batch_count(const coppice_batch* batch);
/* COPPICE_BAD_ARGUMENT where there is no such graph. */
coppice_status coppice_batch_status(const coppice_batch* batch, size_t index);
/* What is wrong with it, or "". */
const char* coppice_batch_error(const coppice_batch* batch, size_t index);
/* It belongs to the batch; NULL where that graph failed. */
const coppice_trees* coppice_batch_trees(const coppice_batch* batch, size_t index);

void coppice_batch_free(coppice_batch* batch);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COPPICE_COPPICE_H_ */
