#include "decoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <coppice/distribution.hpp>
#include <stdexcept>
#include <utility>

#include "errors.hpp"
#include "message.hpp"
#include "no_tree.hpp"
#include "rules.hpp"

namespace coppice::cli {
namespace {

constexpr std::size_t kMaxBatch = 256;
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
  const auto* multigraph = std::get_if<Multigraph>(&sentence.scores);
  const std::int64_t scores =
      multigraph != nullptr ? multigraph->edges() : sentence.nodes * sentence.nodes;
  if (trees > kMaxBatchElements || sentence.nodes > kMaxBatchElements) return kMaxBatchElements;
  return scores + trees * sentence.nodes;
}

// Sentences that are in memory together. Those for which the same trees are meant are decoded
// together, on all threads.
class Batch {
 public:
  explicit Batch(const DecodingOptions& options) : options_(options) {}

  // Ends where the input pauses: whoever waits for an answer may say nothing more before it. False
  // at the end of the input.
  bool read(Input& input) {
    constexpr int kPatience = 20;  // milliseconds
    size_ = 0;
    for (std::int64_t weight = 0; size_ < kMaxBatch && weight < kMaxBatchElements; ++size_) {
      if (size_ > 0 && !input.ready(kPatience)) break;
      if (size_ == sentences_.size()) sentences_.emplace_back();
      if (!input.next(sentences_[size_])) break;
      weight += weight_of(sentences_[size_], options_.how_many);
    }
    known_.resize(size_);
    for (Group& group : groups_) group.graphs.clear();
    for (std::size_t i = 0; i < size_; ++i) {
      check_labels(options_.which.rules, sentences_[i]);
      Group& group = groups_[kind_of(sentences_[i])];
      if (group.graphs.empty())
        group.which = which_of(sentences_[i], options_.which, options_.root_given);
      if (const auto graph = sentences_[i].graph(known_[i])) group.graphs.push_back(*graph);
    }
    return size_ > 0;
  }

  void decode() {
    for (Group& group : groups_)
      if (!group.graphs.empty())
        kbest_batch(group.graphs, group.which, options_.how_many, options_.threads, group.results,
                    *options_.engine);
  }

  // Calls visit(sentence, its result or null, which) in order.
  template <class Visit>
  void for_each(const Visit& visit) {
    std::size_t next[kKinds] = {};
    for (std::size_t i = 0; i < size_; ++i) {
      const std::size_t kind = kind_of(sentences_[i]);
      const bool has_graph = sentences_[i].graph().has_value();
      visit(sentences_[i], has_graph ? &groups_[kind].results[next[kind]++] : nullptr,
            groups_[kind].which);
    }
  }

 private:
  static constexpr std::size_t kKinds = 3;
  struct Group {
    Which which{RootRule::single};
    std::vector<Graph> graphs;
    std::vector<SentenceResult> results;
  };
  static std::size_t kind_of(const io::Sentence& sentence) {
    return sentence.added_root ? 2 : sentence.named() ? 1 : 0;
  }

  const DecodingOptions& options_;
  std::vector<io::Sentence> sentences_;
  std::size_t size_ = 0;
  std::vector<io::Sentence::Known> known_;
  Group groups_[kKinds];
};

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
  if (!engine.knows(options.which.root)) {
    throw UsageError(
        fmt::format("--engine {} needs --root {}", engine.name, engine.any ? "any" : "single"));
  }
}

Which which_of(const io::Sentence& sentence, const Which& asked, bool root_given) {
  Which which = asked;
  if (!sentence.named()) return which;
  which.required.clear();  // known to the reader, by their names
  which.forbidden.clear();
  if (!root_given) which.root = RootRule::any;
  if (sentence.added_root) which.root = RootRule::single;
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
  std::vector<SentenceResult> results;
  kbest_batch({&*graph, 1}, which_of(sentence, options.which, options.root_given), options.how_many,
              1, results, *options.engine);
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

std::optional<ListConfidence> confidence_of(const Decoded& decoded, const Which& which,
                                            Complaints& complaints) {
  io::Sentence::Known known;
  const auto graph = decoded.sentence.graph(known);
  if (!graph || decoded.trees.empty()) return std::nullopt;
  const auto say_why = [&](const std::string& why) {
    complaints.add(fmt::format("sentence {} ({}): no probabilities: {}", decoded.sentence.index,
                               decoded.sentence.id, why));
  };
  if (graph->nodes() > kMostNodesWithProbabilities) {
    say_why(fmt::format("more than {} nodes", kMostNodesWithProbabilities));
    return std::nullopt;
  }
  try {
    return coppice::confidence(*graph, which, decoded.trees);
  } catch (const std::invalid_argument& problem) {  // sums of such weights could overflow
    say_why(problem.what());
    return std::nullopt;
  }
}

void decode_all(Input& input, const DecodingOptions& options, std::ostream& log, Totals& totals,
                const std::function<void(const Decoded&)>& handle,
                const std::function<void()>& end_of_batch) {
  check_options(options);
  Batch batch(options);
  const TreeList none;
  RootNote root_note(log, options.root_given);
  Complaints broken_ones(log, "broken sentences"), unfinished(log, "sentences with a spent budget");
  const auto hand_on = [&](const io::Sentence& sentence, const TreeList& trees,
                           const std::string& error, const Which& which) {
    const bool broken = !error.empty();
    if (!broken) root_note.look_at(sentence, input.has_labels());
    const bool without_tree = !broken && trees.empty();
    if (broken) {
      const std::string message =
          fmt::format("sentence {} ({}): {}", sentence.index, sentence.id, error);
      if (options.strict) throw StrictError(message);
      broken_ones.add(message);
    }
    totals.sentences += 1;
    totals.trees += static_cast<std::int64_t>(trees.size());
    totals.broken += broken ? 1 : 0;
    totals.without_tree += without_tree ? 1 : 0;
    std::string reason = error;
    if (without_tree)
      reason =
          trees.complete()
              ? why_no_tree(sentence, which)
              : fmt::format("budget spent before the first tree; none has a better score than {}",
                            trees.bound());
    if (!trees.complete())
      unfinished.add(
          fmt::format("sentence {} ({}): the budget was spent after {} trees; no {} has a better "
                      "score than {}",
                      sentence.index, sentence.id, trees.size(), trees.empty() ? "tree" : "other",
                      trees.bound()));
    handle({sentence, trees, reason, broken, which});
  };
  for (;;) {
    {
      const Stopwatch watch(totals.seconds.reading);
      if (!batch.read(input)) break;
    }
    {
      const Stopwatch watch(totals.seconds.decoding);
      batch.decode();
    }
    const Stopwatch watch(totals.seconds.handling);
    batch.for_each(
        [&](const io::Sentence& sentence, const SentenceResult* result, const Which& which) {
          if (result == nullptr)
            hand_on(sentence, none, sentence.error, which);
          else
            hand_on(sentence, result->ok() ? result->trees : none, result->failure.text, which);
        });
    if (end_of_batch) end_of_batch();
  }
  if (input.is_empty()) say(log, "no sentences");
}

}  // namespace coppice::cli
