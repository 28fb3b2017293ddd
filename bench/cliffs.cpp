// Does any input make the engine fall off a cliff? Every family of the zoo (tests/zoo) at every
// size, under both root rules:
//
//   K/solves     time of K trees over that of K + 1 times one tree, the worst of K = 2, 100 and, in
//                small graphs, 1,000; at most 8
//   /paper       time of the engine over that of the paper's algorithm, the worst of K = 1, 2, 100;
//                at most 2
//   memory       what two trees need beside the graph, over what one tree needs; at most 3
//
// The K of the worst stands behind @. A number that is too large is marked *. Pieces of work take
// turns, in processes of their own; the least of their processor times counts. What runs past the
// limit is ended: then a ratio is at least (>) or at most (<) what is printed, and marked ? where
// that does not decide.
//
//   cliffs [--family PART-OF-NAME] [--size LARGEST] [--seconds LIMIT] [--misses] [--csv]
#include <malloc.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <coppice/kbest.hpp>
#include <coppice/paper.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "graphs.hpp"
#include "zoo/zoo.hpp"

namespace {

using namespace coppice;
using bench::seconds_of;

struct Arguments {
  std::string family;
  Node size = std::numeric_limits<Node>::max();
  double seconds = 5.0;
  bool only_misses = false;
  bool csv = false;
};

// --- One piece of work in a process of its own ---------------------------------------------------

struct Measured {
  double seconds = std::numeric_limits<double>::infinity();
  double mebibytes = std::numeric_limits<double>::infinity();
  bool ended = false;  // ran past the limit of time or memory: it needs at least so much

  void merge(const Measured& again) {
    seconds = std::min(seconds, again.seconds);
    mebibytes = std::min(mebibytes, again.mebibytes);
    ended = again.ended;
  }
};

double resident_mebibytes() {
  long pages = 0, ignored = 0;
  std::ifstream("/proc/self/statm") >> ignored >> pages;
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 0x1p20;
}

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// In the child: the limits, then the work, again and again while it is short: twice at least, so
// that not one of two works that are compared has to ask for its memory, and the other has it.
Measured work_within(const std::function<void()>& work, double limit) {
  const rlimit memory{rlim_t{8} << 30, rlim_t{8} << 30};
  setrlimit(RLIMIT_AS, &memory);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(limit);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>((limit - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_PROF, &timer, nullptr);  // SIGPROF ends the process
  Measured result;
  const double before = resident_mebibytes();
  constexpr double kReadable = 2e-5;  // by the clock
  int runs = 0, together = 1;
  for (double sum = 0.0; sum < 0.005 || (runs < 2 && sum < limit / 4); ++runs) {
    const double took = seconds_of([&] {
      for (int i = 0; i < together; ++i) work();
    });
    sum += std::max(took, 1e-7);
    if (took < kReadable)
      together *= 2;
    else
      result.seconds = std::min(result.seconds, took / together);
  }
  result.mebibytes = std::max(0.0, peak_mebibytes() - before);
  return result;
}

Measured measure(const std::function<void()>& work, double limit) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) std::abort();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    try {
      const Measured result = work_within(work, limit);
      _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    } catch (const std::bad_alloc&) {
      _exit(1);
    }
  }
  close(ends[1]);
  Measured result;
  const bool complete = read(ends[0], &result, sizeof result) == sizeof result;
  close(ends[0]);
  rusage usage{};
  wait4(child, nullptr, 0, &usage);
  if (!complete) {
    result.seconds = limit;
    result.mebibytes = static_cast<double>(usage.ru_maxrss) / 1024 - resident_mebibytes();
    result.ended = true;
  }
  return result;
}

// All of them in turn, until each was measured three times or long enough.
std::vector<Measured> take_turns(const std::vector<std::function<void()>>& works, double limit) {
  std::vector<Measured> best(works.size());
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < works.size(); ++i)
      if (round == 0 || best[i].seconds < 0.25) best[i].merge(measure(works[i], limit));
  return best;
}

std::function<void()> engine(Graph graph, RootRule rule, Objective objective, std::int64_t k) {
  return [=, decoder = std::make_shared<Decoder>(), trees = std::make_shared<TreeList>()] {
    decoder->kbest(graph, {.root = rule, .objective = objective}, {.k = k}, *trees);
  };
}

std::function<void()> paper(Graph graph, RootRule rule, Objective objective, std::int64_t k) {
  auto drain = [k](auto trees) {
    for (std::int64_t i = 0; i < k && trees.next(); ++i) {
    }
  };
  return [=] {
    if (rule == RootRule::any)
      drain(paper::KBest(graph, objective));
    else
      drain(paper::KBestDep(graph, objective));
  };
}

// --- One cell of the table -----------------------------------------------------------------------

// A ratio that has a largest value allowed.
struct Ratio {
  double value = 0.0;
  char bound = ' ';  // '>' at least, '<' at most the value
  double must = 0.0;
  std::int64_t k = 0;  // of the worst

  static Ratio of(const Measured& above, const Measured& below, double must) {
    Ratio ratio{above.seconds / below.seconds, ' ', must};
    if (above.ended) ratio.bound = '>';
    if (below.ended) ratio.bound = above.ended ? '?' : '<';
    return ratio;
  }
  bool misses() const { return value > must && (bound == ' ' || bound == '>'); }
  bool undecided() const {
    return bound == '?' || (bound == '>' && value <= must) || (bound == '<' && value > must);
  }
};

const char* const kRatios[] = {"K/solves", "/paper", "memory"};

struct Cell {
  std::string family;
  Node words;
  RootRule rule;
  Measured one;
  std::map<std::string, Ratio> ratios;  // by name, as in kRatios
};

// The paper's algorithms keep a matrix; and K = 1,000 is for graphs where it does not take minutes.
constexpr Node kLargestForPaper = 2001;
constexpr Node kLargestForThousand = 301;

void keep_worst(Ratio& worst, Ratio ratio, std::int64_t k) {
  ratio.k = k;
  if (worst.k == 0 || ratio.value / ratio.must > worst.value / worst.must) worst = ratio;
}

Ratio against_paper(Graph graph, RootRule rule, Objective objective,
                    const std::map<std::int64_t, Measured>& ours, double limit) {
  Ratio worst;
  for (const auto& [k, mine] : ours) {
    if (k > 100) continue;
    // Once it takes four times as long as the engine nothing is to be learned.
    const double enough = mine.ended ? limit : std::min(limit, 0.01 + 4.0 * mine.seconds);
    keep_worst(worst,
               Ratio::of(mine, take_turns({paper(graph, rule, objective, k)}, enough)[0], 2.0), k);
  }
  return worst;
}

Ratio against_solves(const std::map<std::int64_t, Measured>& ours) {
  Ratio worst;
  for (const auto& [k, mine] : ours) {
    Measured solves = ours.at(1);
    solves.seconds *= static_cast<double>(k + 1);
    if (k > 1) keep_worst(worst, Ratio::of(mine, solves, 8.0), k);
  }
  return worst;
}

// Below some pages there is nothing to compare.
Ratio memory_ratio(const Measured& two, const Measured& one) {
  Ratio ratio = Ratio::of(two, one, 3.0);
  ratio.value = std::max(two.mebibytes, 2.0) / std::max(one.mebibytes, 2.0);
  return ratio;
}

Cell measure_cell(const zoo::Family& family, Node words, RootRule rule, Graph graph, double limit) {
  std::vector<std::int64_t> counts = {1, 2, 100};
  if (graph.nodes() <= kLargestForThousand) counts.push_back(1000);
  std::vector<std::function<void()>> works;
  for (std::int64_t k : counts) works.push_back(engine(graph, rule, family.objective, k));
  const auto measured = take_turns(works, limit);
  std::map<std::int64_t, Measured> ours;
  for (std::size_t i = 0; i < counts.size(); ++i) ours[counts[i]] = measured[i];

  Cell cell{family.name, words, rule, ours[1], {}};
  cell.ratios["K/solves"] = against_solves(ours);
  cell.ratios["memory"] = memory_ratio(ours[2], ours[1]);
  if (graph.nodes() <= kLargestForPaper)
    cell.ratios["/paper"] = against_paper(graph, rule, family.objective, ours, limit);
  return cell;
}

// --- The table -----------------------------------------------------------------------------------

const char* word(RootRule rule) { return rule == RootRule::any ? "any" : "single"; }

std::string text(const Ratio& ratio) {
  std::array<char, 32> worst{};
  if (ratio.k != 0)
    std::snprintf(worst.data(), worst.size(), "@%-4lld", static_cast<long long>(ratio.k));
  std::array<char, 64> shown{};
  const char mark = ratio.misses() ? '*' : ratio.undecided() ? '?' : ' ';
  std::snprintf(shown.data(), shown.size(), "%c%.*f%c%s", ratio.bound, ratio.value < 100.0 ? 2 : 0,
                ratio.value, mark, worst.data());
  return shown.data();
}

void print_head(const Arguments& arguments) {
  if (arguments.csv) {
    std::printf("family,words,root,measure,bound,value,must,verdict\n");
    return;
  }
  std::printf("%-18s %6s %-6s %10s", "family", "words", "root", "K=1 ms");
  for (const char* name : kRatios) std::printf(" %14s", name);
  std::printf("\n");
}

void print_csv(const Cell& cell) {
  const std::string where = cell.family + "," + std::to_string(cell.words) + "," + word(cell.rule);
  std::printf("%s,K=1 ms,%s,%.6g,,\n", where.c_str(), cell.one.ended ? ">" : "",
              cell.one.seconds * 1e3);
  for (const auto& [name, ratio] : cell.ratios) {
    const char* verdict = ratio.misses() ? "miss" : ratio.undecided() ? "undecided" : "";
    std::printf("%s,%s,%c,%.6g,%.6g,%s\n", where.c_str(), name.c_str(), ratio.bound, ratio.value,
                ratio.must, verdict);
  }
}

void print(const Cell& cell, const Arguments& arguments) {
  if (arguments.csv) {
    print_csv(cell);
  } else if (!arguments.only_misses ||
             std::any_of(cell.ratios.begin(), cell.ratios.end(), [](const auto& named) {
               return named.second.misses() || named.second.undecided();
             })) {
    std::printf("%-18s %6d %-6s %c%9.3f", cell.family.c_str(), cell.words, word(cell.rule),
                cell.one.ended ? '>' : ' ', cell.one.seconds * 1e3);
    for (const char* name : kRatios) {
      const auto found = cell.ratios.find(name);
      std::printf(" %14s", found == cell.ratios.end() ? "- " : text(found->second).c_str());
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

std::vector<Cell> measure_zoo(const Arguments& arguments) {
  std::vector<Cell> cells;
  for (const zoo::Family& family : zoo::families()) {
    if (family.name.find(arguments.family) == std::string::npos) continue;
    for (Node words : family.sizes) {
      if (words > arguments.size) continue;
      const auto specimen = family.make(words, 1);
      malloc_trim(0);  // so that no child finds memory that making the graph has left
      for (RootRule rule : {RootRule::any, RootRule::single}) {
        cells.push_back(measure_cell(family, words, rule, specimen.graph(), arguments.seconds));
        print(cells.back(), arguments);
      }
    }
  }
  return cells;
}

// --- Rows of their own ---------------------------------------------------------------------------

int print_special(const char* what, const Ratio& ratio, const Arguments& arguments) {
  if (arguments.csv)
    std::printf("%s,,,,%c,%.6g,%.6g,%s\n", what, ratio.bound, ratio.value, ratio.must,
                ratio.misses()      ? "miss"
                : ratio.undecided() ? "undecided"
                                    : "");
  else
    std::printf("%-60s %14s (at most %.3g)\n", what, text(ratio).c_str(), ratio.must);
  std::fflush(stdout);
  return ratio.misses() || ratio.undecided() ? 1 : 0;
}

int alleles_thousand(const Arguments& arguments) {
  const auto& family = zoo::family("alleles");
  const auto specimen = family.make(2000, 1);
  auto run = [&](std::int64_t k) {
    return engine(specimen.graph(), RootRule::single, family.objective, k);
  };
  const auto times = take_turns({run(1), run(1000)}, arguments.seconds);
  return print_special("alleles, 2,000 words, single root: K=1000/K=1",
                       Ratio::of(times[1], times[0], 3.0), arguments);
}

int single_over_any(const char* what, Graph graph, const Arguments& arguments) {
  auto run = [&](RootRule rule) { return engine(graph, rule, Objective::maximize, 1); };
  const auto times = take_turns({run(RootRule::any), run(RootRule::single)}, arguments.seconds);
  return print_special(what, Ratio::of(times[1], times[0], 2.0), arguments);
}

// Random graphs of which few edges leave the root, and the one of the zoo, of which many do.
int large_single_over_any(const Arguments& arguments) {
  int misses = 0;
  for (unsigned seed : {1, 2, 3, 4}) {
    const Multigraph graph = bench::sparse(100'000, 1'000'000, seed);
    misses += single_over_any("sparse, 100,000 nodes: one tree, single/any root", graph, arguments);
  }
  const auto specimen = zoo::family("sparse-random").make(100'000, 1);
  return misses + single_over_any("sparse-random, 100,000 words: one tree, single/any root",
                                  specimen.graph(), arguments);
}

// At most two thirds of the time that commit 112494e took, each measured against the paper's
// algorithm, whose code has not changed since.
int peaked(Node words, double then, const Arguments& arguments) {
  constexpr int count = 20;
  const auto& family = zoo::family("peaked");
  std::vector<zoo::Specimen> specimens;
  for (int seed = 1; seed <= count; ++seed)
    specimens.push_back(family.make(words, static_cast<std::uint64_t>(seed)));
  auto all = [&](auto algorithm) {
    std::vector<std::function<void()>> works;
    for (const auto& specimen : specimens)
      works.push_back(algorithm(specimen.graph(), RootRule::single, family.objective, 50));
    return [works = std::move(works)] {
      for (const auto& work : works) work();
    };
  };
  const auto times = take_turns({all(engine), all(paper)}, arguments.seconds);
  std::array<char, 80> what{};
  std::snprintf(what.data(), what.size(), "peaked, %d words, single root, K=50: %.1f us; /paper",
                words, times[0].seconds / count * 1e6);
  return print_special(what.data(), Ratio::of(times[0], times[1], then / 1.5), arguments);
}

void print_summary(const std::vector<Cell>& cells, int special) {
  std::printf("%zu cells; too large (and undecided):", cells.size());
  for (const char* name : kRatios) {
    int misses = 0, undecided = 0;
    for (const Cell& cell : cells) {
      const auto found = cell.ratios.find(name);
      if (found == cell.ratios.end()) continue;
      misses += found->second.misses() ? 1 : 0;
      undecided += found->second.undecided() ? 1 : 0;
    }
    std::printf(" %s %d (%d);", name, misses, undecided);
  }
  std::printf(" other rows %d\n", special);
}

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const bool has_value = i + 1 < argc;
    if (option == "--misses") {
      arguments.only_misses = true;
    } else if (option == "--csv") {
      arguments.csv = true;
    } else if (option == "--family" && has_value) {
      arguments.family = argv[++i];
    } else if (option == "--size" && has_value) {
      arguments.size = static_cast<Node>(std::atoi(argv[++i]));
    } else if (option == "--seconds" && has_value) {
      arguments.seconds = std::max(0.01, std::atof(argv[++i]));
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr,
                 "usage: cliffs [--family PART-OF-NAME] [--size LARGEST] [--seconds LIMIT] "
                 "[--misses] [--csv]\n");
    return 2;
  }
  print_head(arguments);
  const auto cells = measure_zoo(arguments);
  int special = 0;
  auto asked = [&](const char* family, Node words) {
    return std::string(family).find(arguments.family) != std::string::npos &&
           words <= arguments.size;
  };
  for (auto [words, then] : {std::pair<Node, double>{5, 0.43}, {10, 0.37}, {20, 0.14}})
    if (asked("peaked", words)) special += peaked(words, then, arguments);
  if (asked("alleles", 2000)) special += alleles_thousand(arguments);
  if (asked("sparse-random", 100'000)) special += large_single_over_any(arguments);
  if (!arguments.csv) print_summary(cells, special);
}
