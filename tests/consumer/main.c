/* A user's program in C: the best trees of three words. */
#include <coppice/coppice.h>
#include <stdio.h>

int main(void) {
  const float scores[] = {0, 3, 1, 1, 0, 0, 4, 2, 0, 1, 0, 5, 0, 2, 2, 0};
  coppice_options options = {.size = sizeof options, .root = COPPICE_ROOT_SINGLE, .k = 2};
  coppice_graph* graph = NULL;
  coppice_trees* trees = NULL;
  if (coppice_graph_matrix(COPPICE_FLOAT32, scores, 4, 4, 1, &graph) != COPPICE_OK ||
      coppice_kbest(graph, &options, &trees) != COPPICE_OK || coppice_trees_count(trees) != 2) {
    fprintf(stderr, "%s\n", coppice_error());
    return 1;
  }
  printf("best %.0f, second %.0f\n", coppice_trees_score(trees, 0), coppice_trees_score(trees, 1));
  coppice_trees_free(trees);
  coppice_graph_free(graph);
  return 0;
}
