#include "decoding.hpp"

#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <coppice/distribution.hpp>
#include <coppice/diverse.hpp>
#include <coppice/undirected.hpp>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <utility>

#include "conveyor.hpp"
#include "errors.hpp"
#include "graph/phrases.hpp"
#include "graph/sentences.hpp"
#include "message.hpp"
#include "no_tree.hpp"
#include "read_ahead.hpp"
#include "rules.hpp"

namespace coppice::cli {
namespace {

// What a thread takes at a time: enough to meet others rarely, and to write at once.
constexpr std::size_t kMaxBatch = 64;
// Others would have nothing to do but to wait for them.
constexpr int kMostThreads = 1024;
// Their cost grows with the third power.
constexpr Node kMostNodesWithProbabilities = 2000;
// Of scores read and of heads found: of a batch, less its last sentence, and of all batches
// together, less the last one.
constexpr std::int64_t kMaxBatchElements = 1 << 17, kMaxElements = 3 << 22;

class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), start_(Clock::now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point start_;
};

// How much memory the sentence and its trees take, in elements.
std::int64_t weight_of(const io::Sentence& sentence, const Request& request) {
  const std::int64_t trees = request.k.value_or(1000);
  if (trees > kMaxElements || sentence.nodes > kMaxElements) return kMaxElements;
  return scores_of(sentence) + trees * sentence.nodes;
}

// Whether it has wishes of its own.
bool asks_more(const io::Sentence& sentence) {
  return !(sentence.required.empty() && sentence.forbidden.empty() &&
           sentence.required_edges.empty() && sentence.forbidden_edges.empty());
}

// The trees that the options ask for.
void find_any(Decoder& decoder, const io::Sentence& sentence, Graph graph, const Problem& problem,
              const DecodingOptions& options, TreeList& trees) {
  const Request& asked = options.request;
  const UndirectedGraph* undirected = sentence.undirected();
  if (undirected != nullptr && options.distance > 0)
    throw Error(ErrorCode::bad_argument,
                "--distance compares heads, which an undirected graph does not have");
  if (undirected != nullptr)
    trees = kbest(*undirected, problem, asked);
  else if (options.distance == 0)
    options.engine->kbest(decoder, graph, problem, asked, trees);
  else
    trees = diverse(graph, problem,
                    {asked.k.value_or(1), options.distance, options.ignored_labels, asked.budget,
                     asked.time_limit});
}

// A sentence, and what is found out about it.
struct Place {
  io::Sentence sentence;
  std::optional<Problem> own_problem;  // where something is asked of it alone
  io::Sentence::Known known;
  TreeList trees;
  std::string_view way;  // that the engine went
  std::string error;     // why there are no trees
  bool broken = false;
  bool lacks_memory = false;  // beside other threads, and is to be decoded again
  Rendered rendered;
  std::size_t text_begin = 0, text_end = 0;  // of the batch's text
};

// Sentences that one thread decodes and renders.
class Batch {
 public:
  Batch(const DecodingOptions& options, const Steps& steps) : options_(options), steps_(steps) {}

  // Ends where the input pauses: whoever waits for an answer may say nothing more before it. False
  // at the end of the input, or where is_over() while it waits.
  template <class IsOver>
  bool read(Input& input, const IsOver& is_over) {
    constexpr int kPatience = 20;  // milliseconds
    while (!input.ready(kPatience))
      if (is_over()) return false;
    size_ = 0;
    for (weight_ = 0; size_ < kMaxBatch && weight_ < kMaxBatchElements; ++size_) {
      if (size_ > 0 && !input.ready(kPatience)) break;
      if (size_ == places_.size()) places_.emplace_back();
      io::Sentence& sentence = places_[size_].sentence;
      if (!input.next(sentence)) break;
      check_labels(options_.problem.rules, sentence);
      if (!options_.ignored_labels.empty() && std::holds_alternative<io::Matrix>(sentence.scores))
        throw UsageError("--ignored-labels needs the label scores of --labels");
      places_[size_].own_problem.reset();
      std::optional<Problem>& problem =
          asks_more(sentence) ? places_[size_].own_problem : problem_[kind_of(sentence)];
      if (!problem) problem = which_of(sentence, options_.problem, options_.root_given);
      check_engine(sentence, *problem, *options_.engine);
      weight_ += weight_of(sentence, options_.request);
    }
    return size_ > 0;
  }

  // About how much memory it takes, in elements.
  std::int64_t weight() const { return weight_; }

  // Of decoding and rendering.
  const Timing& seconds() const { return seconds_; }

  // False where a sentence finds no memory beside what other threads have.
  bool decode(std::optional<Decoder>& decoder) {
    text_.clear();
    seconds_ = {};
    bool is_done = true;
    for (std::size_t i = 0; i < size_; ++i) {
      Place& place = places_[i];
      place.lacks_memory = false;
      try {
        decode(decoder, place);
      } catch (const std::bad_alloc&) {
        decoder.reset();
        place.lacks_memory = true;
        is_done = false;
      } catch (...) {
        give_up(place);
      }
    }
    return is_done;
  }

  // Where no other thread has any: what is not found now is not there.
  void decode_again(std::optional<Decoder>& decoder) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (!places_[i].lacks_memory) continue;
      try {
        decode(decoder, places_[i]);
      } catch (...) {
        decoder.reset();
        give_up(places_[i]);
      }
    }
  }

  // Calls visit(decoded) in order.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (std::size_t i = 0; i < size_; ++i) {
      Place& place = places_[i];
      place.rendered.text =
          std::string_view(text_).substr(place.text_begin, place.text_end - place.text_begin);
      visit(decoded(place, &place.rendered));
    }
  }

 private:
  static std::size_t kind_of(const io::Sentence& sentence) {
    return sentence.added_root ? 2 : sentence.named() ? 1 : 0;
  }
  const Problem& which_for(const Place& place) const {
    return place.own_problem ? *place.own_problem : *problem_[kind_of(place.sentence)];
  }

  void decode(std::optional<Decoder>& decoder, Place& place) {
    if (!decoder) decoder.emplace();
    find_trees(*decoder, place);
    render(place);
  }

  void find_trees(Decoder& decoder, Place& place) {
    const Stopwatch watch(seconds_.decoding);
    const io::Sentence& sentence = place.sentence;
    place.error = sentence.error;
    place.broken = !place.error.empty();
    place.way = {};
    const auto graph = sentence.graph(place.known);
    if (!graph) {
      place.trees = TreeList();
      if (!place.broken) place.error = why_no_tree(sentence, which_for(place));
      return;
    }
    find_any(decoder, sentence, *graph, which_for(place), options_, place.trees);
    if (options_.distance == 0 && sentence.undirected() == nullptr) place.way = decoder.way();
    if (!place.trees.empty()) return;
    place.error = place.trees.complete()
                      ? why_no_tree(sentence, which_for(place))
                      : fmt::format("{} before the first tree; none has a better score than {}",
                                    kBudgetSpent, place.trees.bound());
  }

  // What is being thrown, out of memory most likely, is this sentence's fault: the others go on.
  void give_up(Place& place) {
    place.error = Failure::current().text;
    place.broken = true;
    place.trees = TreeList();
    render(place);
  }

  void render(Place& place) {
    const Stopwatch watch(seconds_.rendering);
    const std::size_t begin = text_.size();
    place.rendered = Rendered();
    try {
      if (steps_.render) steps_.render(decoded(place, nullptr), text_, place.rendered);
    } catch (...) {
      text_.resize(begin);
      place.rendered = Rendered();
      throw;
    }
    place.text_begin = begin;
    place.text_end = text_.size();
  }

  Decoded decoded(const Place& place, const Rendered* rendered) const {
    return {place.sentence,   place.broken ? none_ : place.trees,
            place.error,      place.broken,
            which_for(place), rendered,
            place.way};
  }

  const DecodingOptions& options_;
  const Steps& steps_;
  std::vector<Place> places_;
  std::size_t size_ = 0;
  std::int64_t weight_ = 0;
  Timing seconds_;
  std::string text_;                   // rendered, of all sentences, one behind the other
  std::optional<Problem> problem_[3];  // trees are meant, of each kind of sentence
  const TreeList none_;
};

// What threads decode with. Memory that one of them keeps may be what another one lacks.
class Decoders {
 public:
  explicit Decoders(int threads) : all_(static_cast<std::size_t>(threads)) {}

  std::optional<Decoder>& of(std::size_t thread) { return all_[thread]; }

  void decode(std::optional<Decoder>& decoder, Batch& batch) {
    {
      const std::shared_lock beside_others(working_);
      if (batch.decode(decoder)) return;
    }
    // No other thread goes on for ever: the batches under way are few, and this is one of them.
    const std::unique_lock alone(working_);
    for (std::optional<Decoder>& each : all_) each.reset();
    batch.decode_again(decoder);
  }

 private:
  std::vector<std::optional<Decoder>> all_;
  std::shared_mutex working_;
};

// The allocator of glibc lets the memory of a thread grow page by page, and for each of these steps
// all threads wait for each other. Address space is asked for in larger pieces; memory is taken
// when it is written to, as before.
void grow_memory_in_large_steps() {
#ifdef __GLIBC__
  constexpr int kStep = 16 << 20;
  // What the allocator comes to by itself where no step is chosen.
  constexpr int kLargestOnHeap = 32 << 20, kMostUnused = 64 << 20;
  mallopt(M_TOP_PAD, kStep);
  mallopt(M_MMAP_THRESHOLD, kLargestOnHeap);
  mallopt(M_TRIM_THRESHOLD, kMostUnused);
#endif
}

void check_distance(const DecodingOptions& options) {
  if (options.distance < 0)
    throw UsageError(fmt::format("--distance {}: at least 0 expected", options.distance));
  if (options.distance == 0 && !options.ignored_labels.empty())
    throw UsageError(
        "--ignored-labels needs --distance: labels are ignored when heads are compared");
  if (options.distance == 0) return;
  if (options.request.max_gap) throw UsageError("--distance needs -k, and has no --max-gap");
  if (!options.engine->constraints) throw UsageError("--distance needs --engine fast");
}

[[noreturn]] void refuse_root(const Engine& engine) {
  throw UsageError(
      fmt::format("--engine {} needs --root {}", engine.name, engine.any ? "any" : "single"));
}

}  // namespace

void check_options(const DecodingOptions& options) {
  const Request& asked = options.request;
  if (options.threads < 1)
    throw UsageError(fmt::format("--threads {}: at least 0 expected", options.threads));
  if (asked.k && *asked.k < 1)
    throw UsageError(fmt::format("-k {}: at least 1 expected", *asked.k));
  if (asked.max_gap && !(*asked.max_gap >= 0)) {
    throw UsageError(fmt::format("--max-gap {}: at least 0 expected", *asked.max_gap));
  }
  if (asked.budget && *asked.budget < 1)
    throw UsageError(fmt::format("--budget {}: at least 1 expected", *asked.budget));
  if (asked.time_limit && !(*asked.time_limit > 0.0))
    throw UsageError(fmt::format("--time-limit {}: more than 0 expected", *asked.time_limit));
  check_distance(options);
  const Engine& engine = *options.engine;
  if (!engine.constraints && !options.problem.rules.empty())
    throw UsageError("--rule needs --engine fast");
  if (!engine.constraints &&
      !(options.problem.required.empty() && options.problem.forbidden.empty())) {
    throw UsageError("--require and --forbid need --engine fast");
  }
  if (options.root_given && !engine.knows(options.problem.root)) refuse_root(engine);
}

void check_engine(const io::Sentence& sentence, const Problem& problem, const Engine& engine) {
  const bool readable = !std::holds_alternative<std::monostate>(sentence.scores);
  if (sentence.undirected() != nullptr && !engine.constraints)
    throw UsageError(
        fmt::format("--engine {} is of directed graphs; undirected ones need fast", engine.name));
  if (!engine.constraints && asks_more(sentence))
    throw UsageError(fmt::format("--engine {} keeps no edges; --keep needs fast", engine.name));
  if (!readable || engine.knows(problem.root)) return;
  if (sentence.added_root)
    throw UsageError(
        fmt::format("--engine {} needs one root: name it with --root-node", engine.name));
  refuse_root(engine);
}

Problem which_of(const io::Sentence& sentence, const Problem& asked, bool root_given) {
  Problem problem = asked;
  if (sentence.named()) {
    problem.required.clear();  // known to the reader, by their names
    problem.forbidden.clear();
  }
  const auto add = [](auto& all, const auto& own) {
    all.insert(all.end(), own.begin(), own.end());
  };
  add(problem.required, sentence.required);
  add(problem.forbidden, sentence.forbidden);
  add(problem.required_edges, sentence.required_edges);
  add(problem.forbidden_edges, sentence.forbidden_edges);
  if (!sentence.named()) return problem;
  if (!root_given) problem.root = RootRule::any;
  if (sentence.added_root) {
    if (root_given && asked.root == RootRule::single)
      throw UsageError("--root single is about the edges of one root: name it with --root-node");
    problem.root = RootRule::single;
  }
  return problem;
}

void RootNote::look_at(const io::Sentence& sentence, bool labelled) {
  if (!due_ || labelled || sentence.named() || !std::holds_alternative<Multigraph>(sentence.scores))
    return;
  due_ = false;
  say(log_, "assuming --root single; pass --root to choose");
}

BatchEntry decode_one(const io::Sentence& sentence, const DecodingOptions& options) {
  check_options(options);
  check_labels(options.problem.rules, sentence);
  io::Sentence::Known known;
  const auto graph = sentence.graph(known);
  if (!graph)
    return {{}, {ErrorCode::other, sentence.error.empty() ? sentence.no_tree : sentence.error}};
  const Problem problem = which_of(sentence, options.problem, options.root_given);
  check_engine(sentence, problem, *options.engine);
  BatchEntry result;
  try {
    Decoder decoder;
    find_any(decoder, sentence, *graph, problem, options, result.trees);
  } catch (const Stopped&) {
    throw;
  } catch (...) {
    result.failure = Failure::current();
  }
  return result;
}

namespace {

std::vector<double> log_probs_of(const Decoded& decoded, Graph graph, const Problem& problem) {
  const UndirectedGraph* undirected = decoded.sentence.undirected();
  if (undirected == nullptr) return TreeDistribution(graph, problem).log_probs(decoded.trees);
  const SpanningTreeDistribution trees(*undirected, problem);
  std::vector<double> result;
  for (std::size_t rank = 0; rank < decoded.trees.size(); ++rank)
    result.push_back(trees.log_prob(decoded.trees.copy(rank)));
  return result;
}

}  // namespace

std::vector<double> probabilities(const Decoded& decoded) {
  const auto graph = decoded.sentence.graph();
  if (!graph || decoded.trees.empty() || graph->nodes() > kMostNodesWithProbabilities ||
      decoded.problem.objective == Objective::minimize) {
    return {};
  }
  try {
    Problem all = decoded.problem;  // legal or not
    all.rules.clear();
    std::vector<double> result = log_probs_of(decoded, *graph, all);
    for (double& probability : result) probability = std::exp(probability);
    return result;
  } catch (const std::invalid_argument&) {  // sums of such weights could overflow
    return {};
  }
}

std::optional<ListProbabilities> confidence_of(const Decoded& decoded, std::string& why_not) {
  io::Sentence::Known known;
  const auto graph = decoded.sentence.graph(known);
  if (!graph || decoded.trees.empty()) return std::nullopt;
  if (decoded.sentence.undirected() != nullptr) {
    why_not = "the graph is undirected; decode --probabilities and ties know such graphs";
    return std::nullopt;
  }
  if (graph->nodes() > kMostNodesWithProbabilities) {
    why_not = fmt::format("more than {} nodes", kMostNodesWithProbabilities);
    return std::nullopt;
  }
  try {
    return coppice::confidence(*graph, decoded.problem, decoded.trees);
  } catch (const std::invalid_argument& problem) {  // sums of such weights could overflow
    why_not = problem.what();
    return std::nullopt;
  }
}

static std::string what_was_found(const TreeList& trees) {
  if (!trees.empty() && trees.bound_gap() > 0.0)
    return fmt::format(
        "the budget was spent; the tree that was found scores {}, and none more than {} better",
        trees.score(0), trees.bound_gap());
  return fmt::format("the budget was spent after {}; no {} has a better score than {}",
                     counted(trees.size(), "tree"), trees.empty() ? "tree" : "other",
                     trees.bound());
}

void decode_all(Input& input, const DecodingOptions& options, std::ostream& log, Totals& totals,
                const Steps& steps) {
  check_options(options);
  RootNote root_note(log, options.root_given);
  Complaints broken_ones(log, "broken sentence", "broken sentences"),
      unfinished(log, "sentence with a spent budget", "sentences with a spent budget");
  const auto hand_on = [&](const Decoded& decoded) {
    const auto message = [&](const std::string& what) {
      return fmt::format("sentence {} ({}): {}", decoded.sentence.index, decoded.sentence.id, what);
    };
    if (!decoded.broken) root_note.look_at(decoded.sentence, input.has_labels());
    if (decoded.broken) {
      if (options.strict) throw StrictError(message(decoded.error));
      broken_ones.add(message(decoded.error));
    }
    const TreeList& trees = decoded.trees;
    totals.sentences += 1;
    totals.trees += static_cast<std::int64_t>(trees.size());
    totals.broken += decoded.broken ? 1 : 0;
    totals.without_tree += !decoded.broken && trees.empty() ? 1 : 0;
    if (!decoded.way.empty()) ++totals.ways.try_emplace(decoded.way, 0).first->second;
    if (!trees.complete()) unfinished.add(message(what_was_found(trees)));
    steps.handle(decoded);
  };
  const int threads = std::min(options.threads, kMostThreads);
  if (threads > 1) {
    grow_memory_in_large_steps();
    if (!input.has_pipes()) input.read_ahead(threads);
  }
  constexpr std::size_t kBatchesOfThread = 3;
  const std::size_t batches =
      threads == 1 ? 1 : kBatchesOfThread * static_cast<std::size_t>(threads);
  Conveyor<Batch> conveyor(batches, kMaxElements, Batch(options, steps));
  Decoders decoders(threads);
  const auto read = [&](Batch& batch) {
    const Stopwatch watch(totals.seconds.reading);
    return batch.read(input, [&] { return conveyor.is_broken(); });
  };
  const auto hand_all_on = [&](Batch& batch) {
    const Stopwatch watch(totals.seconds.handling);
    totals.seconds.decoding += batch.seconds().decoding;
    totals.seconds.rendering += batch.seconds().rendering;
    batch.for_each(hand_on);
    if (steps.end_of_batch) steps.end_of_batch();
  };
  struct Nothing {};
  for_each_sentence<Nothing>(
      static_cast<std::size_t>(threads), threads,
      [&](Nothing&, std::size_t thread) {
        const auto decode = [&](Batch& batch) { decoders.decode(decoders.of(thread), batch); };
        conveyor.run(read, decode, hand_all_on);
      },
      [](std::size_t) { throw; });
  conveyor.finish();
  if (input.is_empty()) say(log, "no sentences");
}

}  // namespace coppice::cli
