// A user's program that compares: the paper's algorithm and the engine, with public headers only.
#include <coppice/engines.hpp>
#include <coppice/paper.hpp>
#include <vector>

int main() {
  const std::vector<float> scores = {0, 3, 1, 0, 0, 4, 0, 1, 0};
  const auto view = coppice::DenseView::head_dependent(scores.data(), 3);
  coppice::Decoder decoder;
  coppice::TreeList trees;
  coppice::find_engine("fast")->kbest(decoder, view, {.root = coppice::RootRule::single}, {.k = 1},
                                      trees);
  return coppice::paper::opt_dep(view)->heads == trees.copy(0).heads ? 0 : 1;
}
