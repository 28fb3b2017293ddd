/* The best trees of a sentence, from C. */
#include <coppice/coppice.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const kWords[] = {"ROOT", "she", "saw", "the", "duck"};

static void print(const int32_t* heads, double score) {
  int word;
  printf("%6.1f ", score);
  for (word = 1; word < 5; ++word) printf("  %s <- %s", kWords[word], kWords[heads[word]]);
  printf("\n");
}

/* The text names the place and the value. */
static void check(coppice_status status) {
  if (status == COPPICE_OK) return;
  fprintf(stderr, "%s\n", coppice_error());
  exit(EXIT_FAILURE);
}

int main(void) {
  /* scores[head][dependent]: how well word `dependent` hangs from word `head`; 0 is the root. */
  const float scores[] = {0, -4, -1, -9, -2, /* */
                          0, 0,  -5, -8, -7, /* */
                          0, -1, 0,  -6, -1, /* */
                          0, -9, -9, 0,  -5, /* */
                          0, -3, -2, -1, 0}; /* */
  const coppice_arc not_the_duck = {0, 4};
  coppice_options options = {.size = sizeof options, .root = COPPICE_ROOT_SINGLE, .k = 3};
  coppice_graph* graph = NULL;
  coppice_trees* trees = NULL;
  coppice_stream* stream = NULL;
  size_t rank;
  int found = 0;
  check(coppice_graph_matrix(COPPICE_FLOAT32, scores, 5, 5, 1, &graph));

  printf("The three best trees in which the duck does not hang from the root:\n");
  options.forbidden = &not_the_duck;
  options.forbidden_count = 1;
  check(coppice_kbest(graph, &options, &trees));
  for (rank = 0; rank < coppice_trees_count(trees); ++rank)
    print(coppice_trees_heads(trees, rank), coppice_trees_score(trees, rank));
  coppice_trees_free(trees);

  printf("One by one, until \"the\" hangs from \"saw\":\n");
  options = (coppice_options){.size = sizeof options, .root = COPPICE_ROOT_SINGLE};
  check(coppice_stream_new(graph, &options, &stream));
  do {
    check(coppice_stream_next(stream, &found));
    if (found) print(coppice_stream_heads(stream), coppice_stream_score(stream));
  } while (found && coppice_stream_heads(stream)[3] != 2);
  coppice_stream_free(stream);
  coppice_graph_free(graph);
  return EXIT_SUCCESS;
}
