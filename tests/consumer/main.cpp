// A user's program: the best trees of three words, with public headers only.
#include <coppice/kbest.hpp>
#include <cstdio>
#include <vector>

int main() {
  const std::vector<float> scores = {0, 3, 1, 1,   //
                                     0, 0, 4, 2,   //
                                     0, 1, 0, 5,   //
                                     0, 2, 2, 0};  //
  const auto trees = coppice::kbest(coppice::DenseView::head_dependent(scores.data(), 4),
                                    {.root = coppice::RootRule::single}, {.k = 2});
  if (trees.size() != 2 || trees[0].copy().heads != std::vector<coppice::Node>{-1, 0, 1, 2})
    return 1;
  std::printf("best %.0f, second %.0f\n", trees.score(0), trees.score(1));
  return 0;
}
