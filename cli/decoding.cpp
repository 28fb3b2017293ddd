#include "decoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <coppice/distribution.hpp>
#include <future>
#include <stdexcept>
#include <utility>

#include "errors.hpp"
#include "graph/phrases.hpp"
#include "graph/sentences.hpp"
#include "message.hpp"
#include "no_tree.hpp"
#include "read_ahead.hpp"
#include "rules.hpp"

namespace coppice::cli {
namespace {

// Enough for checkpoints to cost little, and for threads to wait little for the last of them.
constexpr std::size_t kMaxBatch = 256, kMaxBatchOfThread = 64;
// Their cost grows with the third power.
constexpr Node kMostNodesWithProbabilities = 2000;
// Of scores read and of heads found, together an upper limit on the memory of a batch.
constexpr std::int64_t kMaxBatchElements = 1 << 22;

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
std::int64_t weight_of(const io::Sentence& sentence, const HowMany& how_many) {
  const std::int64_t trees = how_many.k.value_or(1000);
  if (trees > kMaxBatchElements || sentence.nodes > kMaxBatchElements) return kMaxBatchElements;
  return scores_of(sentence) + trees * sentence.nodes;
}

// A sentence, and what is found out about it.
struct Place {
  io::Sentence sentence;
  io::Sentence::Known known;
  TreeList trees;
  std::string error;  // why there are no trees
  bool broken = false;
  bool is_rendered = false;
  Rendered rendered;
};

// Sentences that are in memory together.
class Batch {
 public:
  Batch(const DecodingOptions& options, const Steps& steps, Crew<Decoder>& crew)
      : options_(options), steps_(steps), crew_(crew) {}

  // Ends where the input pauses: whoever waits for an answer may say nothing more before it. False
  // at the end of the input.
  bool read(Input& input) {
    constexpr int kPatience = 20;  // milliseconds
    const std::size_t most =
        std::max(kMaxBatch, kMaxBatchOfThread * static_cast<std::size_t>(options_.threads));
    size_ = 0;
    for (std::int64_t weight = 0; size_ < most && weight < kMaxBatchElements; ++size_) {
      if (size_ > 0 && !input.ready(kPatience)) break;
      if (size_ == places_.size()) places_.emplace_back();
      io::Sentence& sentence = places_[size_].sentence;
      if (!input.next(sentence)) break;
      check_labels(options_.which.rules, sentence);
      weight += weight_of(sentence, options_.how_many);
    }
    for (std::size_t i = 0; i < size_; ++i) {
      const io::Sentence& sentence = places_[i].sentence;
      std::optional<Which>& which = which_[kind_of(sentence)];
      if (!which) which = which_of(sentence, options_.which, options_.root_given);
      check_engine(sentence, *which, *options_.engine);
    }
    return size_ > 0;
  }

  // Finds the trees and renders them, on all threads.
  void decode() {
    crew_.for_each(
        size_,
        [&](Decoder& decoder, std::size_t i) {
          decode(decoder, places_[i]);
          if (options_.threads > 1) {
            render(places_[i], places_[i].rendered);
            places_[i].is_rendered = true;
          }
        },
        [&](std::size_t i) { give_up(places_[i]); });
  }

  // Calls visit(decoded) in order. What threads have not rendered is rendered now, one after the
  // other in the same memory.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (std::size_t i = 0; i < size_; ++i) {
      Place& place = places_[i];
      if (!place.is_rendered) render_now(place);
      visit(decoded(place, place.is_rendered ? &place.rendered : &rendered_));
    }
  }

 private:
  static std::size_t kind_of(const io::Sentence& sentence) {
    return sentence.added_root ? 2 : sentence.named() ? 1 : 0;
  }
  const Which& which_for(const io::Sentence& sentence) const { return *which_[kind_of(sentence)]; }

  void decode(Decoder& decoder, Place& place) const {
    const io::Sentence& sentence = place.sentence;
    place.is_rendered = false;
    place.error = sentence.error;
    place.broken = !place.error.empty();
    const auto graph = sentence.graph(place.known);
    if (!graph) {
      place.trees = TreeList();
      if (!place.broken) place.error = why_no_tree(sentence, which_for(sentence));
      return;
    }
    options_.engine->kbest(decoder, *graph, which_for(sentence), options_.how_many, place.trees);
    if (!place.trees.empty()) return;
    place.error =
        place.trees.complete()
            ? why_no_tree(sentence, which_for(sentence))
            : fmt::format("budget spent before the first tree; none has a better score than {}",
                          place.trees.bound());
  }

  // What is being thrown, out of memory most likely, is this sentence's fault: the others go on.
  static void give_up(Place& place) {
    place.error = Failure::current().text;
    place.broken = true;
    place.trees = TreeList();
    place.rendered = Rendered();
  }

  void render_now(Place& place) {
    try {
      render(place, rendered_);
    } catch (...) {
      give_up(place);
      rendered_ = Rendered();
      render(place, rendered_);
    }
  }

  void render(const Place& place, Rendered& rendered) const {
    rendered.clear();
    if (steps_.render) steps_.render(decoded(place, nullptr), rendered);
  }

  Decoded decoded(const Place& place, const Rendered* rendered) const {
    return {place.sentence, place.broken ? none_ : place.trees, place.error,
            place.broken,   which_for(place.sentence),          rendered};
  }

  const DecodingOptions& options_;
  const Steps& steps_;
  Crew<Decoder>& crew_;
  std::vector<Place> places_;
  std::size_t size_ = 0;
  Rendered rendered_;
  std::optional<Which> which_[3];  // trees are meant, of each kind of sentence
  const TreeList none_;
};

// Three batches go round: one is read while another is decoded and a third one is handed on. Where
// no thread can be had, the steps follow each other.
template <class Read, class Decode, class HandOn>
void side_by_side(const Read& read, const Decode& decode, const HandOn& hand_on,
                  const Batch& empty) {
  constexpr auto kPolicy = std::launch::async | std::launch::deferred;
  Batch batches[] = {empty, empty, empty};
  std::future<void> handling;
  bool more = read(batches[0]);
  for (std::size_t turn = 0; more; ++turn) {
    Batch& batch = batches[turn % 3];
    Batch& next = batches[(turn + 1) % 3];
    std::future<bool> reading = std::async(kPolicy, [&] { return read(next); });
    decode(batch);
    if (handling.valid()) handling.get();
    handling = std::async(kPolicy, [&] { hand_on(batch); });
    more = reading.get();
  }
  if (handling.valid()) handling.get();
}

[[noreturn]] void refuse_root(const Engine& engine) {
  throw UsageError(
      fmt::format("--engine {} needs --root {}", engine.name, engine.any ? "any" : "single"));
}

}  // namespace

void check_options(const DecodingOptions& options) {
  const HowMany& asked = options.how_many;
  if (options.threads < 1)
    throw UsageError(fmt::format("--threads {}: at least 0 expected", options.threads));
  if (asked.k && *asked.k < 1)
    throw UsageError(fmt::format("-k {}: at least 1 expected", *asked.k));
  if (asked.max_gap && !(*asked.max_gap >= 0)) {
    throw UsageError(fmt::format("--max-gap {}: at least 0 expected", *asked.max_gap));
  }
  if (asked.budget && *asked.budget < 1)
    throw UsageError(fmt::format("--budget {}: at least 1 expected", *asked.budget));
  const Engine& engine = *options.engine;
  if (!engine.constraints && !options.which.rules.empty())
    throw UsageError("--rule needs --engine fast");
  if (!engine.constraints && !(options.which.required.empty() && options.which.forbidden.empty())) {
    throw UsageError("--require and --forbid need --engine fast");
  }
  if (options.root_given && !engine.knows(options.which.root)) refuse_root(engine);
}

void check_engine(const io::Sentence& sentence, const Which& which, const Engine& engine) {
  const bool readable = !std::holds_alternative<std::monostate>(sentence.scores);
  if (!readable || engine.knows(which.root)) return;
  if (sentence.added_root)
    throw UsageError(
        fmt::format("--engine {} needs one root: name it with --root-node", engine.name));
  refuse_root(engine);
}

Which which_of(const io::Sentence& sentence, const Which& asked, bool root_given) {
  Which which = asked;
  if (!sentence.named()) return which;
  which.required.clear();  // known to the reader, by their names
  which.forbidden.clear();
  if (!root_given) which.root = RootRule::any;
  if (sentence.added_root) {
    if (root_given && asked.root == RootRule::single)
      throw UsageError("--root single is about the edges of one root: name it with --root-node");
    which.root = RootRule::single;
  }
  return which;
}

void RootNote::look_at(const io::Sentence& sentence, bool labelled) {
  if (!due_ || labelled || sentence.named() || !std::holds_alternative<Multigraph>(sentence.scores))
    return;
  due_ = false;
  say(log_, "one edge leaves the root, node 0, as in sentences: say --root any or --root single");
}

SentenceResult decode_one(const io::Sentence& sentence, const DecodingOptions& options) {
  check_options(options);
  check_labels(options.which.rules, sentence);
  io::Sentence::Known known;
  const auto graph = sentence.graph(known);
  if (!graph)
    return {{}, {ErrorCode::other, sentence.error.empty() ? sentence.no_tree : sentence.error}};
  const Which which = which_of(sentence, options.which, options.root_given);
  check_engine(sentence, which, *options.engine);
  std::vector<SentenceResult> results;
  kbest_batch({&*graph, 1}, which, options.how_many, 1, results, *options.engine);
  return std::move(results.front());
}

std::vector<double> probabilities(const Decoded& decoded) {
  const auto graph = decoded.sentence.graph();
  if (!graph || decoded.trees.empty() || graph->nodes() > kMostNodesWithProbabilities ||
      decoded.which.objective == Objective::minimize) {
    return {};
  }
  try {
    Which all = decoded.which;  // legal or not
    all.rules.clear();
    std::vector<double> result = log_probs(*graph, all, decoded.trees);
    for (double& probability : result) probability = std::exp(probability);
    return result;
  } catch (const std::invalid_argument&) {  // sums of such weights could overflow
    return {};
  }
}

std::optional<ListConfidence> confidence_of(const Decoded& decoded, std::string& why_not) {
  io::Sentence::Known known;
  const auto graph = decoded.sentence.graph(known);
  if (!graph || decoded.trees.empty()) return std::nullopt;
  if (graph->nodes() > kMostNodesWithProbabilities) {
    why_not = fmt::format("more than {} nodes", kMostNodesWithProbabilities);
    return std::nullopt;
  }
  try {
    return coppice::confidence(*graph, decoded.which, decoded.trees);
  } catch (const std::invalid_argument& problem) {  // sums of such weights could overflow
    why_not = problem.what();
    return std::nullopt;
  }
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
    if (!trees.complete())
      unfinished.add(message(fmt::format(
          "the budget was spent after {}; no {} has a better score than {}",
          counted(trees.size(), "tree"), trees.empty() ? "tree" : "other", trees.bound())));
    steps.handle(decoded);
  };
  Crew<Decoder> crew(options.threads);
  const auto read = [&](Batch& batch) {
    const Stopwatch watch(totals.seconds.reading);
    return batch.read(input);
  };
  const auto decode = [&](Batch& batch) {
    const Stopwatch watch(totals.seconds.decoding);
    batch.decode();
  };
  const auto hand_all_on = [&](Batch& batch) {
    const Stopwatch watch(totals.seconds.handling);
    batch.for_each(hand_on);
    if (steps.end_of_batch) steps.end_of_batch();
  };
  if (options.threads == 1 || input.has_pipes()) {
    // What was found before a pause is said before it.
    for (Batch batch(options, steps, crew); read(batch); hand_all_on(batch)) decode(batch);
  } else {
    input.read_ahead(options.threads);
    side_by_side(read, decode, hand_all_on, Batch(options, steps, crew));
  }
  if (input.is_empty()) say(log, "no sentences");
}

}  // namespace coppice::cli
