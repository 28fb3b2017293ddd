// How fast the engine is: the figures of docs/performance.md, as lines KEY VALUE
// (tools/figures.py).
//
// One thread. Pieces of work of one row alternate in one run, each several times, and the medians
// of their processor times are compared: microseconds of each, then how many times as long each
// takes as the next one. Ratios carry over to other machines, times do not.
//
//   engine_bench [rounds]
#include <algorithm>
#include <coppice/io.hpp>
#include <coppice/kbest.hpp>
#include <coppice/paper.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "clock.hpp"
#include "graphs.hpp"

namespace {

using namespace coppice;
using bench::Dense;
using bench::median;
using bench::seconds_of;
using bench::sparse;
using bench::uniform;
using Work = std::function<void()>;

int rounds = 5;

struct Piece {
  const char* name;
  Work work;
};

// All pieces do `units` units (sentences, say).
void row(const std::string& name, double units, const std::vector<Piece>& pieces) {
  std::vector<std::vector<double>> times(pieces.size());
  for (const Piece& piece : pieces) piece.work();
  for (int i = 0; i < rounds; ++i)
    for (std::size_t p = 0; p < pieces.size(); ++p) times[p].push_back(seconds_of(pieces[p].work));
  std::vector<double> us;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    us.push_back(median(times[p]) / units * 1e6);
    std::printf("%s.%s.us %.4g\n", name.c_str(), pieces[p].name, us[p]);
  }
  for (std::size_t p = 0; p + 1 < pieces.size(); ++p)
    std::printf("%s.%s/%s %.4g\n", name.c_str(), pieces[p].name, pieces[p + 1].name,
                us[p] / us[p + 1]);
  std::fflush(stdout);
}

template <class Algorithm>
void drain(Graph graph, int k) {
  Algorithm trees(graph);
  for (int i = 0; i < k && trees.next(); ++i) {
  }
}

// The peak of this process; that of getrusage() counts who started it, too.
double memory_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:" && status >> word) return std::stod(word) / 1024;
  return 0.0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) rounds = std::max(1, std::atoi(argv[1]));
  Decoder decoder;
  TreeList trees;
  auto run = [&](Graph graph, RootRule rule, std::int64_t k) {
    decoder.kbest(graph, {.root = rule}, {.k = k}, trees);
  };

  // Memory first: the peak of the process is what can be read.
  auto forty = uniform(40, 1);
  double before = memory_mib();
  run(forty[0].view(), RootRule::single, 10'000);
  std::printf("memory.mib %.2g\n", memory_mib() - before);

  std::vector<io::Matrix> english;
  auto reader = io::open(COPPICE_DATA "/ud-scores/English-EWT.npz", {});
  for (io::Sentence sentence; reader->next(sentence);)
    english.push_back(std::get<io::Matrix>(sentence.scores));
  auto sentences = [&](RootRule rule, std::int64_t k) {
    return [&, rule, k] {
      for (const auto& matrix : english) run(matrix.view(), rule, k);
    };
  };
  const auto all = static_cast<double>(english.size());
  row("english-single", all,
      {{"kbest_dep",
        [&] {
          for (const auto& matrix : english) drain<paper::KBestDep>(matrix.view(), 50);
        }},
       {"k50", sentences(RootRule::single, 50)},
       {"k1", sentences(RootRule::single, 1)}});
  row("english-any", all,
      {{"k50", sentences(RootRule::any, 50)}, {"k1", sentences(RootRule::any, 1)}});

  auto over = [&](const std::vector<Dense>& graphs, RootRule rule, std::int64_t k) {
    return [&, rule, k] {
      for (const auto& graph : graphs) run(graph.view(), rule, k);
    };
  };
  auto eighty = uniform(80, 10);
  row("uniform80-any", 10,
      {{"kbest",
        [&] {
          for (const auto& graph : eighty) drain<paper::KBest>(graph.view(), 50);
        }},
       {"k50", over(eighty, RootRule::any, 50)}});
  row("uniform80-single", 10,
      {{"kbest_dep",
        [&] {
          for (const auto& graph : eighty) drain<paper::KBestDep>(graph.view(), 50);
        }},
       {"k50", over(eighty, RootRule::single, 50)}});
  auto three_hundred = uniform(300, 10);
  row("uniform300-any", 10,
      {{"k50", over(three_hundred, RootRule::any, 50)},
       {"k1", over(three_hundred, RootRule::any, 1)}});
  for (Node words : {10, 20, 40, 80}) {
    auto graphs = uniform(words, 200);
    row("uniform" + std::to_string(words) + "-single", 200,
        {{"opt_dep",
          [&] {
            for (const auto& graph : graphs) paper::opt_dep(graph.view());
          }},
         {"k1", over(graphs, RootRule::single, 1)}});
  }
  std::vector<Multigraph> large;
  for (unsigned seed : {1, 2, 3, 4}) large.push_back(sparse(100'000, 1'000'000, seed));
  auto all_large = [&](std::int64_t k) {
    return [&, k] {
      for (const auto& graph : large) run(graph, RootRule::any, k);
    };
  };
  row("sparse-any", 4, {{"k1000", all_large(1000)}, {"k1", all_large(1)}});

  // Per tree: both pieces list ten thousand.
  const auto& real = *std::find_if(english.begin(), english.end(),
                                   [](const io::Matrix& matrix) { return matrix.nodes == 41; });
  const auto per_tree = [&](const char* name, const DenseView& view) {
    row(name, 10'000,
        {{"k10000", [&] { run(view, RootRule::single, 10'000); }}, {"k100", [&] {
                                                                      for (int i = 0; i < 100; ++i)
                                                                        run(view, RootRule::single,
                                                                            100);
                                                                    }}});
  };
  per_tree("random40", forty[0].view());
  per_tree("real40", real.view());
}
