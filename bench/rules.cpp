// What rules cost: the figures of docs/rules.md, as lines KEY VALUE (tools/figures.py).
//
// One thread. Times are processor times, medians of several rounds; where two pieces of work are
// compared, they alternate.
//
//   rules_bench [rounds] [folder of score files]
#include <algorithm>
#include <coppice/io.hpp>
#include <coppice/kbest.hpp>
#include <coppice/labels.hpp>
#include <coppice/rules.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "clock.hpp"
#include "graphs.hpp"

namespace {

using namespace coppice;
using bench::median;
using bench::seconds_of;

int rounds = 5;
Decoder decoder;
TreeList trees;

template <class Work>
double time_of(const Work& work) {
  std::vector<double> times;
  work();
  for (int i = 0; i < rounds; ++i) times.push_back(seconds_of(work));
  return median(times);
}

void say(const std::string& key, double value) {
  std::printf("%s %.4g\n", key.c_str(), value);
  std::fflush(stdout);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct Labelled {
  Multigraph graph;
  std::vector<std::int32_t> labels;
};

std::vector<io::Matrix> read_matrices(const std::string& path) {
  std::vector<io::Matrix> matrices;
  auto reader = io::open(path, {});
  for (io::Sentence sentence; reader->next(sentence);)
    matrices.push_back(std::get<io::Matrix>(sentence.scores));
  return matrices;
}

// At most one subject and one object per head.
void subjects_and_objects(const std::string& folder, const std::vector<io::Matrix>& english) {
  io::LabelReader reader(folder + "/English-EWT.labels.npz",
                         std::accumulate(english.begin(), english.end(), std::int64_t{0},
                                         [](std::int64_t sum, const io::Matrix& matrix) {
                                           return sum + std::int64_t{matrix.nodes} * matrix.nodes;
                                         }),
                         {});
  std::vector<float> scores;
  std::vector<std::int32_t> labels;
  Problem free{.root = RootRule::single};
  Problem ruled{.root = RootRule::single,
                .rules = {rules::at_most(1, {"nsubj", "csubj"}), rules::at_most(1, {"obj"})}};
  std::vector<double> best, ten, unruled;
  for (const io::Matrix& matrix : english) {
    reader.next(matrix.nodes, scores, labels);
    LabelledGraph labelled =
        label_arcs(matrix.view(), {.scores = scores, .ids = labels, .per_arc = reader.per_arc()});
    SentenceFacts facts{.edge_labels = labelled.labels, .label_names = *reader.names()};
    Graph graph(labelled.graph, facts);
    decoder.best(graph, free, trees);
    Tree first = trees.copy(0);
    decoder.best(graph, ruled, trees);
    if (first == trees.copy(0)) continue;
    best.push_back(time_of([&] { decoder.best(graph, ruled, trees); }));
    ten.push_back(time_of([&] { decoder.kbest(graph, ruled, {.k = 10}, trees); }));
    unruled.push_back(time_of([&] { decoder.best(graph, free, trees); }));
  }
  say("subjects.sentences", static_cast<double>(best.size()));
  say("subjects.best.us", 1e6 * mean(best));
  say("subjects.free.us", 1e6 * mean(unruled));
  say("subjects.ten.us", 1e6 * mean(ten));
  say("subjects.ten-worst.us", 1e6 * *std::max_element(ten.begin(), ten.end()));
}

void projective_english(const std::vector<io::Matrix>& english) {
  Problem free{.root = RootRule::single};
  Problem ruled{.root = RootRule::single, .rules = {rules::projective()}};
  auto all = [&](const Problem& problem) {
    for (const io::Matrix& matrix : english)
      decoder.kbest(matrix.view(), problem, {.k = 10}, trees);
  };
  std::vector<double> with, without;
  all(free), all(ruled);
  for (int i = 0; i < rounds; ++i) {
    without.push_back(seconds_of([&] { all(free); }));
    with.push_back(seconds_of([&] { all(ruled); }));
  }
  double sentences = static_cast<double>(english.size());
  say("projective.us", 1e6 * median(with) / sentences);
  say("projective.free.us", 1e6 * median(without) / sentences);
  say("projective.ruled/free", median(with) / median(without));
}

void projective_worst(const std::string& folder) {
  Problem ruled{.root = RootRule::single, .rules = {rules::projective()}};
  double worst = 0.0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::string name = file.path().filename().string();
    if (!name.ends_with(".npz") || name.ends_with(".labels.npz")) continue;
    for (const io::Matrix& matrix : read_matrices(file.path().string())) {
      auto once = [&] { decoder.kbest(matrix.view(), ruled, {.k = 10}, trees); };
      const double time = seconds_of(once);
      if (time > worst) worst = std::max(worst, std::min(time, seconds_of(once)));
    }
  }
  say("projective.worst.us", 1e6 * worst);
}

// The best projective tree by dynamic programming over spans.
double eisner(const DenseView& view) {
  const Node n = view.nodes();
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  static std::vector<double> right, left, to_right, to_left;
  for (auto* table : {&right, &left, &to_right, &to_left}) table->assign(size, kNoWeight);
  auto at = [n](Node i, Node j) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j);
  };
  for (Node i = 0; i < n; ++i) right[at(i, i)] = left[at(i, i)] = 0.0;
  for (Node width = 1; width < n; ++width) {
    for (Node i = 0; i + width < n; ++i) {
      const Node j = i + width;
      double halves = kNoWeight;
      for (Node m = i; m < j; ++m) halves = std::max(halves, right[at(i, m)] + left[at(m + 1, j)]);
      if (i > 0) to_left[at(i, j)] = halves + view.weight(j, i);
      to_right[at(i, j)] = halves + view.weight(i, j);
      for (Node m = i; m < j; ++m)
        left[at(i, j)] = std::max(left[at(i, j)], left[at(i, m)] + to_left[at(m, j)]);
      for (Node m = i + 1; m <= j; ++m)
        right[at(i, j)] = std::max(right[at(i, j)], to_right[at(i, m)] + right[at(m, j)]);
    }
  }
  return right[at(0, n - 1)];
}

void projective_random(Node words, int count) {
  Problem ruled{.root = RootRule::any, .rules = {rules::projective()}};
  std::vector<double> ours, spans;
  for (const bench::Dense& graph : bench::uniform(words, count)) {
    ours.push_back(seconds_of([&] { decoder.best(graph.view(), ruled, trees); }));
    double score = 0.0;
    spans.push_back(seconds_of([&] { score = eisner(graph.view()); }));
    if (std::abs(score - trees.score(0)) > 1e-9)
      throw std::logic_error("not the best projective tree");
  }
  say("random.us", 1e6 * median(ours));
  say("random.worst.us", 1e6 * *std::max_element(ours.begin(), ours.end()));
  say("random.eisner.us", 1e6 * median(spans));
  say("random.ours/eisner", median(ours) / median(spans));
}

// Clones of a tumour: frequencies that a random tree explains, an edge wherever the head is at
// least as frequent in every sample, random weights.
struct Clones {
  Multigraph graph;
  std::vector<double> frequencies;
};
Clones clones(Node count, int samples, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  const auto nodes = static_cast<std::size_t>(count) + 1, width = static_cast<std::size_t>(samples);
  std::vector<std::size_t> parent(nodes, 0);
  for (std::size_t v = 2; v < nodes; ++v) parent[v] = 1 + random() % (v - 1);
  Clones made{Multigraph(count + 1), std::vector<double>(nodes * width)};
  for (std::size_t s = 0; s < width; ++s) {
    // Every clone is there with some mass of its own; a frequency is that of a clone with all that
    // descend from it.
    std::vector<double> mass(nodes);
    for (double& m : mass) m = -std::log(1.0 - uniform(random));
    double all = std::accumulate(mass.begin(), mass.end(), 0.0);
    for (std::size_t v = nodes; v-- > 0;) {
      made.frequencies[v * width + s] += mass[v] / all;
      if (v > 0) made.frequencies[parent[v] * width + s] += made.frequencies[v * width + s];
    }
  }
  for (std::size_t v = 1; v < nodes; ++v) {
    for (std::size_t h = 0; h < nodes; ++h) {
      bool dominates = h != v;
      for (std::size_t s = 0; s < width; ++s)
        dominates = dominates && made.frequencies[h * width + s] >= made.frequencies[v * width + s];
      if (dominates)
        made.graph.add_edge(static_cast<Node>(h), static_cast<Node>(v), uniform(random));
    }
  }
  return made;
}

// The rule, counting the trees that it is shown.
Rule counting(const Rule& rule, std::int64_t& count) {
  return Rule(rule.name(), Rule::Prepare([rule, &count](Graph graph) {
                return Rule::Judge(
                    [judge = rule.prepare(graph), &count](const TreeRef& tree, Clause& broken) {
                      ++count;
                      return judge(tree, broken);
                    });
              }));
}

void sum_condition(Node count) {
  constexpr int kSamples = 5, kGraphs = 5;
  constexpr std::int64_t kTrees = 100, kMost = 200'000;
  std::vector<double> looked, streamed, times;
  for (int i = 0; i < kGraphs; ++i) {
    Clones made = clones(count, kSamples, static_cast<std::uint64_t>(100 * count + i));
    Rule rule = rules::sum_condition(made.frequencies, kSamples);
    std::int64_t shown = 0;
    Problem ruled{.root = RootRule::any, .rules = {counting(rule, shown)}};
    times.push_back(seconds_of([&] { decoder.kbest(made.graph, ruled, {.k = kTrees}, trees); }));
    looked.push_back(static_cast<double>(shown));
    if (count > 10) continue;  // the stream does not get there
    const std::size_t legal = trees.size();
    TreeStream stream(made.graph, {.root = RootRule::any});
    auto judge = rule.prepare(made.graph);
    Clause clause;
    std::size_t found = 0;
    std::int64_t taken = 0;
    while (found < legal && taken < kMost) {
      auto tree = stream.next();
      if (!tree) break;
      ++taken;
      if (!judge({tree->heads, tree->edges}, clause)) ++found;
    }
    streamed.push_back(static_cast<double>(taken));
  }
  const std::string name = "clones" + std::to_string(count);
  say(name + ".us", 1e6 * median(times));
  say(name + ".looked", median(looked));
  if (!streamed.empty()) say(name + ".streamed", median(streamed));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) rounds = std::max(1, std::atoi(argv[1]));
  const std::string folder = argc > 2 ? argv[2] : COPPICE_DATA "/ud-scores";
  std::vector<io::Matrix> english = read_matrices(folder + "/English-EWT.npz");
  subjects_and_objects(folder, english);
  projective_english(english);
  projective_worst(folder);
  projective_random(20, 101);
  for (Node count : {10, 20}) sum_condition(count);
}
