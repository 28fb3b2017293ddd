#include "confidence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <coppice/confidence.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "gold.hpp"
#include "graph/phrases.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "text/utf8.hpp"

namespace coppice::cli {
namespace {

// What is kept of a sentence that may be among the worst.
struct Suspect {
  std::string id;
  std::size_t words = 0;
  double wrong = 0.0;  // how many words are expected to be
  double probability = 0.0;
  std::size_t least_word = 0;
  std::string least_name;  // of a graph with names
  ArcProbabilities least;
  double badness = 0.0;
  std::string text;  // as CoNLL-U
};

// That head and label are right.
double sure(const ArcProbabilities& arc) { return arc.head * arc.label; }

Suspect judge(const Decoded& decoded, const ListProbabilities& found, WorstBy by) {
  Suspect suspect;
  suspect.id = decoded.sentence.name();
  suspect.probability = found.probabilities[0];
  const auto arcs = found.arcs(0);
  suspect.words = arcs.size();
  const auto least = std::min_element(
      arcs.begin(), arcs.end(), [](const auto& a, const auto& b) { return sure(a) < sure(b); });
  suspect.least = *least;
  suspect.least_word = static_cast<std::size_t>(least - arcs.begin()) + 1;
  if (decoded.sentence.named())
    suspect.least_name = decoded.sentence.node_names[suspect.least_word];
  for (const ArcProbabilities& arc : arcs) suspect.wrong += 1.0 - sure(arc);
  switch (by) {
    case WorstBy::errors:
      suspect.badness = suspect.wrong;
      break;
    case WorstBy::rate:
      suspect.badness = suspect.wrong / static_cast<double>(suspect.words);
      break;
    case WorstBy::probability:
      suspect.badness = -suspect.probability;
      break;
  }
  return suspect;
}

// The worst so far; of those that are equally bad the earlier ones.
class Worst {
 public:
  explicit Worst(std::int64_t most) : most_(static_cast<std::size_t>(most)) {}

  // The text is made only for those that stay.
  template <class MakeText>
  void add(Suspect suspect, const MakeText& make_text) {
    if (most_ == 0 || (found_.size() == most_ && suspect.badness <= found_.back().badness)) return;
    suspect.text = make_text();
    const auto worse = [](const Suspect& a, const Suspect& b) { return a.badness > b.badness; };
    const auto place = std::upper_bound(found_.begin(), found_.end(), suspect, worse);
    found_.insert(place, std::move(suspect));
    if (found_.size() > most_) found_.pop_back();
  }
  const std::vector<Suspect>& found() const { return found_; }

 private:
  std::size_t most_;
  std::vector<Suspect> found_;  // the worst first
};

// Of every word what MISC says of the heads that are left.
std::vector<std::string> notes_of(const HeadSets& sets) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < sets.tree.size(); ++i)
    notes.push_back(fmt::format("TreeHeads={}|WordHeads={}", fmt::join(sets.tree[i], ","),
                                fmt::join(sets.word[i], ",")));
  return notes;
}

// How large the sets of one kind are, and, where gold heads are known, how often these are left.
struct SetSizes {
  std::int64_t words = 0, heads = 0, settled = 0;
  std::int64_t sentences = 0, whole = 0;  // with gold heads; with all of them left
  double shares = 0.0;                    // of their words with the gold head left

  void add(const std::vector<std::vector<Node>>& sets, const std::vector<Node>& gold) {
    std::size_t covered = 0;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      heads += static_cast<std::int64_t>(sets[i].size());
      settled += sets[i].size() == 1 ? 1 : 0;
      if (i < gold.size()) covered += std::ranges::count(sets[i], gold[i]);
    }
    words += static_cast<std::int64_t>(sets.size());
    if (gold.empty()) return;
    ++sentences;
    whole += covered == gold.size() ? 1 : 0;
    shares += static_cast<double>(covered) / static_cast<double>(gold.size());
  }
  double heads_of_word() const { return part(static_cast<double>(heads), words); }
  double settled_share() const { return part(static_cast<double>(settled), words); }
  double whole_share() const { return part(static_cast<double>(whole), sentences); }
  double word_share() const { return part(shares, sentences); }
  static double part(double sum, std::int64_t of) {
    return of == 0 ? 0.0 : sum / static_cast<double>(of);
  }
};

// What became of a promise.
class Promise {
 public:
  explicit Promise(const std::optional<Guarantee>& guarantee) : guarantee_(guarantee) {}

  void add(const HeadSets& sets, const std::vector<Node>& gold) {
    tree_.add(sets.tree, gold);
    word_.add(sets.word, gold);
  }

  void add_to(nlohmann::ordered_json& json) const {
    if (!guarantee_) return;
    const auto of = [](const SetSizes& sizes, double covered) {
      nlohmann::ordered_json made = {{"heads", sizes.heads_of_word()},
                                     {"settled", sizes.settled_share()}};
      if (sizes.sentences > 0) made["covered"] = covered;
      return made;
    };
    json["guarantee"] = {{"coverage", guarantee_->coverage},
                         {"sentences", guarantee_->sentences},
                         {"tree", of(tree_, tree_.whole_share())},
                         {"word", of(word_, word_.word_share())}};
  }

  void add_to(std::string& text) const {
    if (!guarantee_) return;
    text += fmt::format("\npromised: {}\n", guarantee_->terms());
    const auto line = [&](const char* what, const SetSizes& sizes, double covered,
                          const char* of_what) {
      text += fmt::format("{} {:.2f} heads a word, {:.2f} % of the words settled", what,
                          sizes.heads_of_word(), 100 * sizes.settled_share());
      if (sizes.sentences > 0)
        text += fmt::format("; gold: {:.2f} % of {}", 100 * covered, of_what);
      text += '\n';
    };
    line("whole trees: ", tree_, tree_.whole_share(), "the sentences have all heads left");
    line("single words:", word_, word_.word_share(), "a sentence's words have theirs left");
    constexpr double kUseful = 0.1;  // as Guarantee.useful has it
    if (guarantee_->settled < kUseful)
      text += "the parser is too weak for sets of whole trees to be of use\n";
  }

 private:
  const std::optional<Guarantee>& guarantee_;
  SetSizes tree_, word_;
};

class Summary {
 public:
  explicit Summary(double threshold) : threshold_(threshold) {}

  void add(const Decoded& decoded, const ListProbabilities& found) {
    const io::Sentence& sentence = decoded.sentence;
    labelled_ = labelled_ || !sentence.edge_labels.empty();
    ++sentences_;
    trees_ += found.probabilities[0];
    const auto arcs = found.arcs(0);
    words_ += static_cast<std::int64_t>(arcs.size());
    for (const ArcProbabilities& arc : arcs) {
      heads_ += arc.head;
      labels_ += sure(arc);
      unsure_ += arc.head < threshold_ ? 1 : 0;
    }
    if (sentence.gold_heads.empty()) {
      with_gold_ = false;
    } else {
      add_gold(decoded);
    }
  }
  void add_unjudged() { ++unjudged_; }

  nlohmann::ordered_json json(const std::vector<Suspect>& worst) const {
    nlohmann::ordered_json json = {{"sentences", sentences_},
                                   {"words", words_},
                                   {"without_probabilities", unjudged_},
                                   {"expected_uas", share(heads_)},
                                   {"expected_trees", per_sentence(trees_)},
                                   {"threshold", threshold_},
                                   {"below", unsure_}};
    if (labelled_) json["expected_las"] = share(labels_);
    if (has_gold()) {
      json["uas"] = share(right_heads_);
      json["trees"] = per_sentence(right_trees_);
      if (labelled_) json["las"] = share(right_labels_);
    }
    json["worst"] = nlohmann::ordered_json::array();
    for (const Suspect& suspect : worst) {
      json["worst"].push_back({{"id", suspect.id},
                               {"words", suspect.words},
                               {"expected_errors", suspect.wrong},
                               {"probability", suspect.probability},
                               {"least_sure", least_sure(suspect)},
                               {"head_probability", suspect.least.head}});
      if (labelled_) json["worst"].back()["label_probability"] = suspect.least.label;
    }
    return json;
  }

  std::string table(const std::vector<Suspect>& worst) const {
    std::string text =
        fmt::format("{}, {}\n", counted(sentences_, "sentence"), counted(words_, "word"));
    const auto line = [&](const char* what, double heads, double labels, double trees) {
      text += fmt::format("{:<9} UAS {:>6.2f} %", what, 100 * share(heads));
      if (labelled_) text += fmt::format("   LAS {:>6.2f} %", 100 * share(labels));
      text += fmt::format("   whole trees {:>6.2f} %\n", 100 * per_sentence(trees));
    };
    line("expected:", heads_, labels_, trees_);
    if (has_gold()) line("gold:", right_heads_, right_labels_, right_trees_);
    text += fmt::format("heads less sure than {}: {} ({:.2f} %)\n", threshold_, unsure_,
                        100 * share(static_cast<double>(unsure_)));
    if (unjudged_ > 0) text += fmt::format("sentences without probabilities: {}\n", unjudged_);
    if (worst.empty()) return text;
    text += "\nlook at these first:\n  errors expected  words  P(tree)  least sure  sentence\n";
    for (const Suspect& suspect : worst) {
      std::string id, least;
      text::append_printable(suspect.id, id);
      text::append_printable(
          suspect.least_name.empty() ? fmt::to_string(suspect.least_word) : suspect.least_name,
          least);
      text += fmt::format("{:>17.2f} {:>6} {:>8.4f}  {:>10}  {}\n", suspect.wrong, suspect.words,
                          suspect.probability,
                          fmt::format("{}: {:.2f}", least, sure(suspect.least)), id);
    }
    return text;
  }

 private:
  // By its name, where nodes have names.
  static nlohmann::ordered_json least_sure(const Suspect& suspect) {
    if (suspect.least_name.empty()) return suspect.least_word;
    return suspect.least_name;
  }
  void add_gold(const Decoded& decoded) {
    const Right right = compare_with_gold(decoded, 0);
    right_heads_ += static_cast<double>(right.heads);
    right_labels_ += static_cast<double>(right.labels);
    const bool labelled = !decoded.sentence.edge_labels.empty();
    right_trees_ +=
        (labelled ? right.labels : right.heads) == decoded.trees.nodes() - 1 ? 1.0 : 0.0;
  }
  bool has_gold() const { return with_gold_ && words_ > 0; }
  double share(double words) const {
    return words_ == 0 ? 0.0 : words / static_cast<double>(words_);
  }
  double per_sentence(double count) const {
    return sentences_ == 0 ? 0.0 : count / static_cast<double>(sentences_);
  }

  double threshold_;
  std::int64_t sentences_ = 0, words_ = 0, unsure_ = 0, unjudged_ = 0;
  double heads_ = 0.0, labels_ = 0.0, trees_ = 0.0;  // expected to be right
  double right_heads_ = 0.0, right_labels_ = 0.0, right_trees_ = 0.0;
  bool labelled_ = false, with_gold_ = true;
};

void check(const ConfidenceCommand& command) {
  check_options(command.decoding);
  if (command.decoding.problem.objective == Objective::minimize)
    throw UsageError("confidence takes scores for log-potentials: it has no --minimize");
  if (command.worst < 0) throw UsageError(fmt::format("--worst {}", command.worst));
  if (!(command.highlight >= 0.0 && command.highlight <= 1.0))
    throw UsageError(fmt::format("--highlight {}: 0 to 1 expected", command.highlight));
}

}  // namespace

int confidence(const ConfidenceCommand& typed, std::ostream& out, std::ostream& log) {
  ConfidenceCommand command = typed;
  command.input = resolved(std::move(command.input), command.decoding.problem);
  check(command);
  const auto& guarantee = command.input.guarantee;
  if (guarantee) promise_root(*guarantee, command.decoding.problem, command.decoding.root_given);
  refuse_clashes(command.input, {command.output, command.worst_output});
  Input input(command.input);
  OutputFile output(command.output);
  std::optional<OutputFile> worst_output;
  if (!command.worst_output.empty()) worst_output.emplace(command.worst_output);
  Progress progress(input.total(), 0, output.on_terminal());
  Summary summary(command.highlight);
  Promise promise(guarantee);
  Worst worst(command.worst);
  Totals totals;
  Complaints complaints(log, "sentence without probabilities", "sentences without probabilities");
  TextOutput trees(output);
  Steps steps;
  const auto append = [&](const Decoded& decoded, const Rendered& rendered, std::size_t first,
                          std::string& text) {
    io::Parses parses{decoded.sentence, decoded.trees, decoded.error};
    parses.first = first;
    if (!worst_output) parses.most_bytes = kBytesOfPiece;
    const std::vector<std::string> notes = notes_of(rendered.head_sets);
    parses.notes = notes;
    if (rendered.confidence) {
      parses.probabilities = rendered.confidence->probabilities;
      parses.arcs = rendered.confidence->all;
      parses.highlight = command.highlight;
    }
    return io::append_conllu(parses, text);
  };
  steps.render = [&](const Decoded& decoded, std::string& text, Rendered& rendered) {
    rendered.confidence = confidence_of(decoded, rendered.no_confidence);
    if (rendered.confidence && guarantee)
      rendered.head_sets = head_sets(*decoded.sentence.arc_scores, *guarantee);
    rendered.trees = append(decoded, rendered, 0, text);
  };
  steps.handle = [&](const Decoded& decoded) {
    const Rendered& rendered = *decoded.rendered;
    trees.add(rendered.text);
    trees.add_rest(rendered.trees, decoded.trees.size(), [&](std::size_t rank, std::string& piece) {
      return append(decoded, rendered, rank, piece);
    });
    if (!rendered.no_confidence.empty())
      complaints.add(fmt::format("sentence {} ({}): no probabilities: {}", decoded.sentence.index,
                                 decoded.sentence.id, rendered.no_confidence));
    // Where there are no sets, gold heads are in none of them.
    if (!decoded.broken) promise.add(rendered.head_sets, decoded.sentence.gold_heads);
    if (!rendered.confidence) return summary.add_unjudged();
    summary.add(decoded, *rendered.confidence);
    worst.add(judge(decoded, *rendered.confidence, command.by),
              [&] { return std::string(worst_output ? rendered.text : std::string_view()); });
  };
  steps.end_of_batch = [&] {
    trees.flush();
    progress.update(totals.sentences);
  };
  decode_all(input, command.decoding, log, totals, steps);
  output.finish();
  if (worst_output) {
    for (const Suspect& suspect : worst.found()) worst_output->write(suspect.text);
    worst_output->finish();
  }
  wipe_bar();
  std::ostream& to = command.output.empty() || command.output == "-" ? log : out;
  using Replace = nlohmann::ordered_json::error_handler_t;
  if (command.json) {
    auto json = summary.json(worst.found());
    promise.add_to(json);
    to << json.dump(-1, ' ', false, Replace::replace) << '\n';
  } else {
    std::string table = summary.table(worst.found());
    promise.add_to(table);
    to << table;
  }
  return totals.sentences > 0 && totals.broken == totals.sentences ? kNotGood : kOk;
}

}  // namespace coppice::cli
