#include "evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "errors.hpp"
#include "gold.hpp"
#include "graph/phrases.hpp"
#include "progress.hpp"

namespace coppice::cli {
namespace {

class Evaluation {
 public:
  explicit Evaluation(std::vector<std::int64_t> ks) : ks_(std::move(ks)), right_(ks_.size()) {}

  void add(const Decoded& decoded) {
    const io::Sentence& sentence = decoded.sentence;
    if (sentence.gold_heads.empty()) {
      throw io::FormatError(fmt::format(
          "sentence {} ({}) has no gold heads; give them in the score file or with --text",
          sentence.index, sentence.id));
    }
    words_ += static_cast<std::int64_t>(sentence.gold_heads.size());
    ++sentences_;
    labelled_ = labelled_ || (!sentence.gold_labels.empty() && !sentence.edge_labels.empty());
    Right best;
    std::size_t i = 0;
    const auto trees = static_cast<std::int64_t>(decoded.trees.size());
    for (std::int64_t rank = 0; rank < trees; ++rank) {
      const Right right = compare_with_gold(decoded, static_cast<std::size_t>(rank));
      best.heads = std::max(best.heads, right.heads);
      best.labels = std::max(best.labels, right.labels);
      for (; i < ks_.size() && ks_[i] == rank + 1; ++i) count(i, best);
    }
    for (; i < ks_.size(); ++i) count(i, best);  // fewer trees than K
  }

  void print_table(std::ostream& out) const {
    out << fmt::format("{}, {}\n", counted(sentences_, "sentence"), counted(words_, "word"));
    out << (labelled_ ? "     K  oracle UAS  oracle LAS\n" : "     K  oracle UAS\n");
    for (std::size_t i = 0; i < ks_.size(); ++i) {
      out << fmt::format("{:>6}  {:>8.2f} %", ks_[i], 100 * share(right_[i].heads));
      if (labelled_) out << fmt::format("  {:>8.2f} %", 100 * share(right_[i].labels));
      out << (ks_[i] == 1 ? "   (the best tree)\n" : "\n");
    }
  }

  void print_json(std::ostream& out) const {
    nlohmann::ordered_json json = {{"sentences", sentences_}, {"words", words_}};
    for (std::size_t i = 0; i < ks_.size(); ++i) {
      nlohmann::ordered_json row = {{"k", ks_[i]}, {"uas", share(right_[i].heads)}};
      if (labelled_) row["las"] = share(right_[i].labels);
      json["oracle"].push_back(row);
    }
    out << json.dump() << '\n';
  }

 private:
  void count(std::size_t i, const Right& right) {
    right_[i].heads += right.heads;
    right_[i].labels += right.labels;
  }
  double share(std::int64_t right) const {
    return words_ == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(words_);
  }

  std::vector<std::int64_t> ks_;
  std::vector<Right> right_;
  std::int64_t words_ = 0;
  std::int64_t sentences_ = 0;
  bool labelled_ = false;
};

}  // namespace

int evaluate(const EvaluateCommand& command, std::ostream& out, std::ostream& log) {
  std::vector<std::int64_t> ks = command.ks;
  std::sort(ks.begin(), ks.end());
  if (ks.empty() || ks.front() < 1) throw UsageError("-k: numbers from 1 expected");
  DecodingOptions decoding = command.decoding;
  decoding.request.k = ks.back();
  Input input(command.input);
  Progress progress(input.total());
  Evaluation evaluation(ks);
  Totals totals;
  decode_all(input, decoding, log, totals,
             {.handle =
                  [&](const Decoded& decoded) {
                    if (!decoded.broken) evaluation.add(decoded);
                  },
              .end_of_batch = [&] { progress.update(totals.sentences); }});
  wipe_bar();
  command.json ? evaluation.print_json(out) : evaluation.print_table(out);
  return totals.sentences > 0 && totals.broken == totals.sentences ? kNotGood : kOk;
}

}  // namespace coppice::cli
