// The timed part of the experiments (docs/experiments.md), as CSV on standard output.
//
//   experiments_timing runtime SCORES.npz ROUNDS [STRIDE]   the paper's second table
//   experiments_timing scaling SCORES.npz ROUNDS [LIMIT]    time against N and against K
//
// One thread. All algorithms of a row take turns, ROUNDS times, and medians of their processor
// times are written. STRIDE n takes every n-th sentence; LIMIT is the largest N and K.
#include <algorithm>
#include <coppice/io.hpp>
#include <coppice/kbest.hpp>
#include <coppice/paper.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "clock.hpp"
#include "graphs.hpp"

namespace {

using namespace coppice;
using bench::median;
using bench::seconds_of;
using bench::sparse;
using bench::uniform;

struct Algorithm {
  const char* name;
  std::function<paper::Counts(Graph, std::int64_t k)> run;
};

template <class Enumeration>
paper::Counts enumerate(Graph graph, std::int64_t k) {
  Enumeration trees(graph);
  for (std::int64_t i = 0; i < k && trees.next(); ++i) {
  }
  return trees.counts();
}

Algorithm engine(const char* name, RootRule rule) {
  return {name, [rule, decoder = std::make_shared<Decoder>(), trees = std::make_shared<TreeList>()](
                    Graph graph, std::int64_t k) {
            decoder->kbest(graph, {.root = rule}, {.k = k}, *trees);
            return paper::Counts{};
          }};
}

std::vector<io::Matrix> read(const char* path) {
  std::vector<io::Matrix> found;
  auto reader = io::open(path, {});
  for (io::Sentence sentence; reader->next(sentence);)
    found.push_back(std::get<io::Matrix>(sentence.scores));
  return found;
}

// Medians of each algorithm's seconds for all graphs. They take turns after every few graphs, so
// that what else the machine does hits all of them alike.
std::vector<double> take_turns(const std::vector<Algorithm>& algorithms,
                               const std::vector<Graph>& graphs, std::int64_t k, int rounds) {
  constexpr std::size_t few = 16;
  std::vector<std::vector<double>> seconds(algorithms.size());
  for (int round = 0; round <= rounds; ++round) {
    std::vector<double> took(algorithms.size());
    for (std::size_t start = 0; start < graphs.size(); start += few) {
      const std::size_t end = std::min(start + few, graphs.size());
      for (std::size_t i = 0; i < algorithms.size(); ++i) {
        took[i] += seconds_of([&] {
          for (std::size_t graph = start; graph < end; ++graph) algorithms[i].run(graphs[graph], k);
        });
      }
    }
    if (round == 0) continue;  // the first one warms up
    for (std::size_t i = 0; i < algorithms.size(); ++i) seconds[i].push_back(took[i]);
  }
  std::vector<double> medians;
  for (const auto& of_one : seconds) medians.push_back(median(of_one));
  return medians;
}

// Mean time per sentence, and what was solved: Camerini against kbest, kbest_dep against the naive
// start, and the engine on the same work.
void runtime_on(const char* name, const std::vector<Graph>& graphs, int rounds) {
  const auto count = static_cast<double>(graphs.size());
  const std::vector<std::vector<Algorithm>> tables = {{{"camerini", enumerate<paper::Camerini>},
                                                       {"kbest", enumerate<paper::KBest>},
                                                       engine("engine_any", RootRule::any)},
                                                      {{"naive_dep", enumerate<paper::NaiveDep>},
                                                       {"kbest_dep", enumerate<paper::KBestDep>},
                                                       engine("engine_single", RootRule::single)}};
  // One solve of each kind on the whole graph: what a call saved is worth.
  const std::vector<Algorithm> solves = {
      {"opt", [](Graph graph, std::int64_t) { return paper::opt(graph), paper::Counts{}; }},
      {"next", [](Graph graph, std::int64_t) { return paper::next(graph), paper::Counts{}; }}};
  const auto of_one = take_turns(solves, graphs, 1, rounds);
  for (std::size_t i = 0; i < solves.size(); ++i)
    std::printf("%s,%s,1,%.0f,%.3f,0,0,0\n", name, solves[i].name, count, of_one[i] / count * 1e6);
  for (const auto& algorithms : tables) {
    for (const std::int64_t k : {10, 20, 50}) {
      const auto seconds = take_turns(algorithms, graphs, k, rounds);
      for (std::size_t i = 0; i < algorithms.size(); ++i) {
        paper::Counts sum;
        for (const Graph& graph : graphs) {
          const auto counts = algorithms[i].run(graph, k);
          sum.opt += counts.opt;
          sum.next += counts.next;
          sum.contractions += counts.contractions;
        }
        std::printf("%s,%s,%lld,%.0f,%.3f,%.3f,%.3f,%.3f\n", name, algorithms[i].name,
                    static_cast<long long>(k), count, seconds[i] / count * 1e6,
                    static_cast<double>(sum.opt) / count, static_cast<double>(sum.next) / count,
                    static_cast<double>(sum.contractions) / count);
      }
    }
  }
}

// On the sentences, and on as many words with random weights, where much is contracted.
void runtime(const char* path, int rounds, std::size_t stride) {
  const auto sentences = read(path);
  std::vector<Graph> graphs;
  for (std::size_t i = 0; i < sentences.size(); i += stride)
    graphs.emplace_back(sentences[i].view());
  std::printf("graphs,algorithm,k,sentences,us_per_sentence,opt,next,contractions\n");
  runtime_on("english", graphs, rounds);
  const auto random = uniform(12, static_cast<int>(std::max<std::size_t>(1, 200 / stride)));
  graphs.clear();
  for (const auto& matrix : random) graphs.emplace_back(matrix.view());
  runtime_on("random", graphs, rounds);
}

class Scaling {
 public:
  Scaling(int rounds, std::int64_t limit) : rounds_(rounds), limit_(limit) {
    std::printf("experiment,graph,algorithm,root,words,edges,k,us\n");
  }

  // Against N, at K = 1 and 50. What the paper's algorithm would need beyond is not waited for.
  void against_n(std::int64_t paper_limit) {
    for (const Node words : {5, 10, 20, 50, 100, 200, 500, 1000, 2000}) {
      if (words > limit_) break;
      const int count = std::max(3, 100 / words);
      const auto matrices = uniform(words, count);
      std::vector<Multigraph> edge_lists;
      for (int i = 0; i < count; ++i)
        edge_lists.push_back(sparse(words + 1, 10 * words, static_cast<unsigned>(i)));
      std::vector<Graph> dense;
      for (const auto& matrix : matrices) dense.emplace_back(matrix.view());
      const std::vector<Graph> lists(edge_lists.begin(), edge_lists.end());
      for (const std::int64_t k : {1, 50}) {
        rows("n", "dense", dense, words, std::int64_t{words} * words, k, words <= paper_limit);
        rows("n", "sparse", lists, words, edge_lists[0].edges(), k, words <= paper_limit);
      }
    }
  }

  // Against K: 40 random words, 40 real ones, and a large sparse graph.
  void against_k(const DenseView& real, std::int64_t paper_limit) {
    const auto dense = uniform(40, 1);
    const auto large = sparse(2001, 20'000);
    for (const std::int64_t k : {1, 3, 10, 30, 100, 300, 1000, 3000, 10'000, 30'000, 100'000}) {
      if (k > limit_) break;
      const bool paper = k <= paper_limit;
      rows("k", "dense", {dense[0].view()}, 40, 1600, k, paper);
      rows("k", "real", {real}, real.words(), std::int64_t{real.words()} * real.words(), k, paper);
      rows("k", "sparse", {large}, 2000, large.edges(), k, false);
    }
  }

 private:
  void rows(const char* experiment, const char* graph, const std::vector<Graph>& graphs, Node words,
            std::int64_t edges, std::int64_t k, bool paper) {
    for (const RootRule rule : {RootRule::any, RootRule::single}) {
      const bool single = rule == RootRule::single;
      std::vector<Algorithm> algorithms = {engine("engine", rule)};
      if (paper) {
        algorithms.push_back(
            {"paper", single ? enumerate<paper::KBestDep> : enumerate<paper::KBest>});
      }
      const auto seconds = take_turns(algorithms, graphs, k, rounds_);
      for (std::size_t i = 0; i < algorithms.size(); ++i) {
        std::printf("%s,%s,%s,%s,%d,%lld,%lld,%.3f\n", experiment, graph, algorithms[i].name,
                    single ? "single" : "any", words, static_cast<long long>(edges),
                    static_cast<long long>(k),
                    seconds[i] / static_cast<double>(graphs.size()) * 1e6);
      }
    }
  }

  int rounds_;
  std::int64_t limit_;
};

void scaling(const char* path, int rounds, std::int64_t limit) {
  const auto sentences = read(path);
  const auto real = std::find_if(sentences.begin(), sentences.end(),
                                 [](const io::Matrix& matrix) { return matrix.nodes == 41; });
  if (real == sentences.end()) throw std::runtime_error("no sentence of 40 words in the file");
  Scaling measure(rounds, limit);
  measure.against_n(200);
  measure.against_k(real->view(), 1000);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 3 ? argv[1] : "";
  if (what != "runtime" && what != "scaling") {
    std::fprintf(stderr, "usage: experiments_timing runtime|scaling SCORES.npz ROUNDS [LIMIT]\n");
    return 2;
  }
  try {
    const int rounds = std::max(1, std::atoi(argv[3]));
    const long long more = argc > 4 ? std::max(1LL, std::atoll(argv[4])) : 0;
    if (what == "runtime") {
      runtime(argv[2], rounds, more > 0 ? static_cast<std::size_t>(more) : 1);
    } else {
      scaling(argv[2], rounds, more > 0 ? more : std::numeric_limits<std::int64_t>::max());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "experiments_timing: %s\n", error.what());
    return 1;
  }
  return 0;
}
