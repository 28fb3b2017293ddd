// The distribution over trees: partition function, marginals and samples, against determinant and
// inverse by LU as one would write them down (fast, and wrong where digits cancel).
//
// Scores are a parser's: log-softmax over heads of strong random logits.
#include <benchmark/benchmark.h>

#include <Eigen/LU>
#include <cmath>
#include <coppice/distribution.hpp>
#include <random>
#include <vector>

namespace {

using coppice::DenseView;
using coppice::Node;
using coppice::RootRule;
using coppice::TreeDistribution;

std::vector<double> peaked_scores(Node words) {
  auto nodes = static_cast<std::size_t>(words + 1);
  std::mt19937_64 random(1);
  std::vector<double> scores(nodes * nodes);
  for (std::size_t d = 1; d < nodes; ++d) {
    double sum = 0.0;
    for (std::size_t h = 0; h < nodes; ++h) {
      double logit = 10.0 * (static_cast<double>(random() >> 11) * 0x1p-53);
      scores[h * nodes + d] = logit;
      if (h != d) sum += std::exp(logit);
    }
    for (std::size_t h = 0; h < nodes; ++h) scores[h * nodes + d] -= std::log(sum);
  }
  return scores;
}

// Arguments: number of words, root rule.
template <class Run>
void over(benchmark::State& state, Run run) {
  auto words = static_cast<Node>(state.range(0));
  std::vector<double> scores = peaked_scores(words);
  auto view = DenseView::head_dependent(scores.data(), words + 1);
  run(view, state.range(1) == 0 ? RootRule::any : RootRule::single);
}

void LogPartition(benchmark::State& state) {
  over(state, [&](DenseView view, RootRule rule) {
    for (auto _ : state)
      benchmark::DoNotOptimize(TreeDistribution(view, {.root = rule}).log_partition());
  });
}

void Marginals(benchmark::State& state) {
  over(state, [&](DenseView view, RootRule rule) {
    for (auto _ : state)
      benchmark::DoNotOptimize(TreeDistribution(view, {.root = rule}).marginals().data());
  });
}

void Sample(benchmark::State& state) {
  over(state, [&](DenseView view, RootRule rule) {
    TreeDistribution trees(view, {.root = rule});
    std::uint64_t seed = 0;
    for (auto _ : state) benchmark::DoNotOptimize(trees.sample(100, seed++).size());
    state.SetItemsProcessed(state.iterations() * 100);
  });
}

void SampleDistinct(benchmark::State& state) {
  over(state, [&](DenseView view, RootRule rule) {
    TreeDistribution trees(view, {.root = rule});
    std::uint64_t seed = 0;
    for (auto _ : state) benchmark::DoNotOptimize(trees.sample_distinct(20, seed++).size());
    state.SetItemsProcessed(state.iterations() * 20);
  });
}

// Any number of root edges.
void TextbookMarginals(benchmark::State& state) {
  over(state, [&](DenseView view, RootRule) {
    for (auto _ : state) {
      Eigen::Index words = view.words();
      Eigen::MatrixXd laplacian(words, words), marginals(words + 1, words);
      for (Node d = 1; d <= words; ++d) {
        double sum = 0.0;
        for (Node h = 0; h <= words; ++h) {
          double weight = h == d ? 0.0 : std::exp(view.at<double>(h, d));
          marginals(h, d - 1) = weight;
          if (h > 0) laplacian(h - 1, d - 1) = -weight;
          sum += weight;
        }
        laplacian(d - 1, d - 1) = sum;
      }
      Eigen::PartialPivLU<Eigen::MatrixXd> lu(laplacian);
      benchmark::DoNotOptimize(lu.matrixLU().diagonal().array().abs().log().sum());
      Eigen::MatrixXd inverse = lu.inverse();
      for (Eigen::Index d = 0; d < words; ++d) {
        marginals(0, d) *= inverse(d, d);
        for (Eigen::Index h = 0; h < words; ++h)
          marginals(h + 1, d) *= inverse(d, d) - inverse(d, h);
      }
      benchmark::DoNotOptimize(marginals.data());
    }
  });
}

const std::vector<std::vector<std::int64_t>> kSizes = {{5, 10, 20, 40, 80, 200, 500}, {0, 1}};

BENCHMARK(LogPartition)->ArgsProduct(kSizes);
BENCHMARK(Marginals)->ArgsProduct(kSizes);
BENCHMARK(TextbookMarginals)->ArgsProduct({kSizes[0], {0}});
BENCHMARK(Sample)->ArgsProduct(kSizes);
BENCHMARK(SampleDistinct)->ArgsProduct({{5, 10, 20, 40, 80}, {0, 1}});

}  // namespace

BENCHMARK_MAIN();
