// A user's program: the best trees of three words, with public headers only.
#include <coppice/paper.hpp>
#include <cstdio>
#include <vector>

int main() {
  const std::vector<float> scores = {0, 3, 1, 1,   //
                                     0, 0, 4, 2,   //
                                     0, 1, 0, 5,   //
                                     0, 2, 2, 0};  //
  coppice::paper::KBestDep trees(coppice::DenseView::head_dependent(scores.data(), 4));
  auto best = trees.next();
  if (!best || best->heads != std::vector<coppice::Node>{-1, 0, 1, 2}) return 1;
  std::printf("best %.0f, second %.0f\n", best->score, trees.next()->score);
  return 0;
}
