// The best tree, the K best trees, and trees one by one: the whole interface in one sentence.
#include <algorithm>
#include <coppice/kbest.hpp>
#include <cstdio>
#include <span>
#include <vector>

const char* const kWords[] = {"ROOT", "she", "saw", "the", "duck"};

void print(std::span<const coppice::Node> heads, double score) {
  std::printf("%6.1f ", score);
  for (std::size_t word = 1; word < heads.size(); ++word)
    std::printf("  %s <- %s", kWords[word], kWords[heads[word]]);
  std::printf("\n");
}

int main() {
  // scores[head][dependent]: how well word `dependent` hangs from word `head`; 0 is the root.
  const std::vector<float> scores = {0, -4, -1, -9, -2,  //
                                     0, 0,  -5, -8, -7,  //
                                     0, -1, 0,  -6, -1,  //
                                     0, -9, -9, 0,  -5,  //
                                     0, -3, -2, -1, 0};  //
  const auto view = coppice::DenseView::head_dependent(scores.data(), 5);

  std::printf("The best tree:\n");
  const auto best = coppice::best(view, {.root = coppice::RootRule::single});
  if (best) print(best->heads, best->score);

  std::printf("The three best trees in which the duck does not hang from the root:\n");
  const auto trees = coppice::kbest(
      view, {.root = coppice::RootRule::single, .forbidden = {{.head = 0, .dependent = 4}}},
      {.k = 3});
  for (std::size_t rank = 0; rank < trees.size(); ++rank)
    print(trees.heads(rank), trees.score(rank));

  std::printf("Best first, until one in which 'she' is a head:\n");
  coppice::TreeStream stream(view, {.root = coppice::RootRule::single});
  while (const auto tree = stream.next()) {
    print(tree->heads, tree->score);
    if (std::find(tree->heads.begin(), tree->heads.end(), 1) != tree->heads.end()) break;
  }
}
