// How fast the engine is: the table of docs/performance.md.
//
// One thread. Every row compares two pieces of work in one run: they alternate, each several times,
// and the medians of their processor times are compared. Ratios carry over to other machines, times
// do not.
//
//   engine_bench [rounds]
#include <sys/resource.h>

#include <algorithm>
#include <coppice/io.hpp>
#include <coppice/kbest.hpp>
#include <coppice/paper.hpp>
#include <cstdio>
#include <cstdlib>
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

// Both pieces of work do `units` units (sentences, say).
void row(const char* name, double units, const char* what_a, const Work& a, const char* what_b,
         const Work& b) {
  std::vector<double> times_a, times_b;
  a(), b();
  for (int i = 0; i < rounds; ++i) {
    times_a.push_back(seconds_of(a));
    times_b.push_back(seconds_of(b));
  }
  double time_a = median(times_a) / units * 1e6, time_b = median(times_b) / units * 1e6;
  std::printf("%-44s %12s %10.2f us %14s %10.2f us   ratio %8.2f\n", name, what_a, time_a, what_b,
              time_b, time_a / time_b);
  std::fflush(stdout);
}

template <class Algorithm>
void drain(Graph graph, int k) {
  Algorithm trees(graph);
  for (int i = 0; i < k && trees.next(); ++i) {
  }
}

double memory_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
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
  std::printf("memory for K = 10,000 on a 40-word sentence: %.1f MiB\n\n", memory_mib() - before);

  std::vector<io::Matrix> english;
  auto reader = io::open(COPPICE_DATA "/ud-scores/English-EWT.npz", {});
  for (io::Sentence sentence; reader->next(sentence);)
    english.push_back(std::get<io::Matrix>(sentence.scores));
  std::vector<io::Matrix> part;
  for (std::size_t i = 0; i < english.size(); i += 8) part.push_back(english[i]);
  auto sentences = [&](const std::vector<io::Matrix>& of, RootRule rule, std::int64_t k) {
    return [&, rule, k] {
      for (const auto& matrix : of) run(matrix.view(), rule, k);
    };
  };
  row(
      "English, single root, K = 50 (every 8th)", static_cast<double>(part.size()), "kbest_dep",
      [&] {
        for (const auto& matrix : part) drain<paper::KBestDep>(matrix.view(), 50);
      },
      "engine", sentences(part, RootRule::single, 50));
  auto all = static_cast<double>(english.size());
  row("English, single root, all", all, "K = 50", sentences(english, RootRule::single, 50), "K = 1",
      sentences(english, RootRule::single, 1));
  row("English, any root, all", all, "K = 50", sentences(english, RootRule::any, 50), "K = 1",
      sentences(english, RootRule::any, 1));

  auto over = [&](const std::vector<Dense>& graphs, RootRule rule, std::int64_t k) {
    return [&, rule, k] {
      for (const auto& graph : graphs) run(graph.view(), rule, k);
    };
  };
  auto eighty = uniform(80, 10);
  row(
      "uniform, N = 80, any root, K = 50", 10, "kbest",
      [&] {
        for (const auto& graph : eighty) drain<paper::KBest>(graph.view(), 50);
      },
      "engine", over(eighty, RootRule::any, 50));
  row(
      "uniform, N = 80, single root, K = 50", 10, "kbest_dep",
      [&] {
        for (const auto& graph : eighty) drain<paper::KBestDep>(graph.view(), 50);
      },
      "engine", over(eighty, RootRule::single, 50));
  auto three_hundred = uniform(300, 10);
  row("uniform, N = 300, any root", 10, "K = 50", over(three_hundred, RootRule::any, 50), "K = 1",
      over(three_hundred, RootRule::any, 1));
  for (Node words : {10, 20, 40, 80}) {
    auto graphs = uniform(words, 200);
    row(("uniform, single root, K = 1, N = " + std::to_string(words)).c_str(), 200,
        "paper::opt_dep",
        [&] {
          for (const auto& graph : graphs) paper::opt_dep(graph.view());
        },
        "engine", over(graphs, RootRule::single, 1));
  }
  std::vector<Multigraph> large;
  for (unsigned seed : {1, 2, 3, 4}) large.push_back(sparse(100'000, 1'000'000, seed));
  auto all_large = [&](std::int64_t k) {
    return [&, k] {
      for (const auto& graph : large) run(graph, RootRule::any, k);
    };
  };
  row("sparse, 1e5 nodes, 1e6 edges, any root", 4, "K = 1000", all_large(1000), "K = 1",
      all_large(1));
  row(
      "40 words, per tree (K = 10,000 against 100)", 1, "K = 10,000",
      [&] { run(forty[0].view(), RootRule::single, 10'000); }, "100 x K = 100",
      [&] {
        for (int i = 0; i < 100; ++i) run(forty[0].view(), RootRule::single, 100);
      });
  const auto& real = *std::find_if(english.begin(), english.end(),
                                   [](const io::Matrix& matrix) { return matrix.nodes == 41; });
  row(
      "40 real words, per tree (10,000 against 100)", 1, "K = 10,000",
      [&] { run(real.view(), RootRule::single, 10'000); }, "100 x K = 100",
      [&] {
        for (int i = 0; i < 100; ++i) run(real.view(), RootRule::single, 100);
      });
}
