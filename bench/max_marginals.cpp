// What max-marginals cost, in units of the best tree of the same sentences: lines KEY VALUE
// (tools/figures.py).
//
// One thread, the two alternating; processor times, medians of several rounds.
//
//   max_marginals_bench [rounds]
#include <algorithm>
#include <coppice/io.hpp>
#include <coppice/kbest.hpp>
#include <coppice/max_marginals.hpp>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "clock.hpp"

namespace {

using namespace coppice;

std::vector<io::Matrix> sentences(const std::string& treebank, Node fewest, Node most) {
  std::vector<io::Matrix> found;
  auto reader = io::open(COPPICE_DATA "/ud-scores/" + treebank + ".npz", {});
  for (io::Sentence sentence; reader->next(sentence);)
    if (sentence.nodes > fewest && sentence.nodes <= most + 1)
      found.push_back(std::get<io::Matrix>(sentence.scores));
  return found;
}

double least = std::numeric_limits<double>::infinity(), most_of_all = 0.0;

void compare(const std::string& treebank, Node fewest, Node most, RootRule rule, int rounds) {
  const std::vector<io::Matrix> corpus = sentences(treebank, fewest, most);
  if (corpus.empty()) return;
  Decoder decoder;
  TreeList trees;
  const Problem problem{.root = rule};
  std::vector<double> of_best, of_all;
  for (int round = 0; round <= rounds; ++round) {
    const double best = bench::seconds_of([&] {
      for (const io::Matrix& matrix : corpus) decoder.best(matrix.view(), problem, trees);
    });
    const double all = bench::seconds_of([&] {
      for (const io::Matrix& matrix : corpus) max_marginals(matrix.view(), problem);
    });
    if (round == 0) continue;  // warm-up
    of_best.push_back(best);
    of_all.push_back(all);
  }
  const double units = 1e6 / static_cast<double>(corpus.size());
  const double best = units * bench::median(of_best), all = units * bench::median(of_all);
  const std::string name =
      treebank + "-" + std::to_string(fewest) + (rule == RootRule::any ? "-any" : "-single");
  std::printf("%s.best.us %.4g\n%s.all.us %.4g\n%s.all/best %.4g\n", name.c_str(), best,
              name.c_str(), all, name.c_str(), all / best);
  std::fflush(stdout);
  least = std::min(least, all / best);
  most_of_all = std::max(most_of_all, all / best);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  for (const auto& [fewest, most] : {std::pair(5, 14), {15, 34}, {35, 45}, {46, 200}})
    for (RootRule rule : {RootRule::any, RootRule::single})
      compare("English-EWT", fewest, most, rule, rounds);
  for (const char* treebank : {"Uyghur-UDT", "Lithuanian-HSE"})
    for (RootRule rule : {RootRule::any, RootRule::single}) compare(treebank, 5, 100, rule, rounds);
  std::printf("least.all/best %.4g\nmost.all/best %.4g\n", least, most_of_all);
}
