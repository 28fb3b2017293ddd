// Ours, by the rules for all (driver.hpp): one Decoder, which reads the matrices where they are.
#include <coppice/kbest.hpp>
#include <coppice/version.hpp>

#include "driver.hpp"

namespace {

using namespace coppice;

class Ours {
 public:
  static constexpr const char* version = kVersion;
  static constexpr double step = 0;

  explicit Ours(const bench::Work& work)
      : work_(work),
        problem_{.root = work.single ? RootRule::single : RootRule::any},
        how_many_{.k = work.k} {}

  void solve(std::size_t graph) {
    const auto& [nodes, values] = work_.graphs[graph];
    decoder_.kbest(DenseView::head_dependent(values.data(), nodes), problem_, how_many_, trees_);
  }

  bench::HeadsList answer(std::size_t graph) {
    solve(graph);
    bench::HeadsList found;
    for (std::size_t rank = 0; rank < trees_.size(); ++rank) {
      const auto heads = trees_.heads(rank).subspan(1);
      found.emplace_back(heads.begin(), heads.end());
    }
    return found;
  }

 private:
  const bench::Work& work_;
  Problem problem_;
  Request how_many_;
  Decoder decoder_;
  TreeList trees_;
};

}  // namespace

int main(int argc, char** argv) { return coppice::bench::drive<Ours>(argc, argv); }
