// The paper's worked example: its graph, its trees and dependency trees, and the edges deleted on
// the way to each.
#include <coppice/paper.hpp>
#include <cstdio>
#include <vector>

void print_all(const char* title, coppice::paper::Enumeration&& trees) {
  std::printf("%s\n", title);
  while (const auto tree = trees.next()) {
    std::printf("%5.0f  heads", tree->score);
    for (std::size_t word = 1; word < tree->heads.size(); ++word)
      std::printf(" %d", tree->heads[word]);
    const auto [head, dependent] = trees.deleted();
    if (head >= 0) std::printf("   by deleting %d -> %d", head, dependent);
    std::printf("\n");
  }
}

int main() {
  const double none = coppice::kNoWeight;
  const std::vector<double> weights = {0, 90,   40,   none, none,  //
                                       0, 0,    none, 10,   none,  //
                                       0, none, 0,    30,   60,    //
                                       0, none, 50,   0,    none,  //
                                       0, 20,   none, 70,   0};    //
  const auto view = coppice::DenseView::head_dependent(weights.data(), 5);
  print_all("All trees, best first:", coppice::paper::KBest(view));
  print_all("All dependency trees:", coppice::paper::KBestDep(view));
}
