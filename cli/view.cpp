#include "view.hpp"

#include <fmt/format.h>

#include <coppice/view.hpp>
#include <filesystem>
#include <vector>

#include "errors.hpp"
#include "no_tree.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"

namespace coppice::cli {
namespace {

// What a picture points to.
class PictureMaker {
 public:
  // Good until the next call.
  view::Picture make(const Decoded& decoded) {
    const io::Sentence& sentence = decoded.sentence;
    take_words(sentence);
    take_weights(sentence);
    probabilities_ = probabilities(decoded);
    view::Picture picture{
        .id = sentence.id,
        .words = words_,
        .tags = tags_,
        .trees = &decoded.trees,
        .edge_labels = sentence.edge_labels,
        .probabilities = probabilities_,
        .error = reason(decoded.error),
        .root = sentence.named() ? std::string_view(sentence.node_names[0]) : std::string_view(),
        .added_root = sentence.added_root,
        .edge_weights = weights_};
    if (sentence.label_names) picture.label_names = *sentence.label_names;
    return picture;
  }

 private:
  // The page says itself that there is no tree.
  static std::string_view reason(std::string_view error) {
    const std::string said = kNoTree + ": ";
    return error.starts_with(said) ? error.substr(said.size()) : error;
  }

  void take_words(const io::Sentence& sentence) {
    words_.clear();
    tags_.clear();
    bool tagged = false;
    if (sentence.named()) words_.assign(sentence.node_names.begin() + 1, sentence.node_names.end());
    for (const io::Token& token : sentence.tokens) {
      words_.push_back(token.form);
      tags_.push_back(token.upos == "_" ? "" : token.upos);
      tagged = tagged || !tags_.back().empty();
    }
    if (!tagged) tags_.clear();
  }

  void take_weights(const io::Sentence& sentence) {
    weights_.clear();
    const auto* graph = std::get_if<Multigraph>(&sentence.scores);
    if (graph == nullptr || !sentence.named()) return;
    for (EdgeId edge = 0; edge < graph->edges(); ++edge) weights_.push_back(graph->weight(edge));
  }

  std::vector<std::string> words_, tags_;
  std::vector<double> probabilities_, weights_;
};

std::string title_of(const ViewCommand& command) {
  if (!command.title.empty()) return command.title;
  std::string title;
  for (const std::string& path : command.input.paths) {
    if (!title.empty()) title += ", ";
    title += path == "-" ? "standard input" : std::filesystem::path(path).filename().string();
  }
  return title;
}

std::string caption_of(const DecodingOptions& decoding) {
  const HowMany& asked = decoding.how_many;
  std::string caption = asked.k ? fmt::format("{} best", *asked.k) : std::string("all trees");
  if (asked.max_gap) caption += fmt::format(" within {} of the best", *asked.max_gap);
  for (const Rule& rule : decoding.which.rules) caption += ", " + rule.name();
  return caption + (decoding.which.root == RootRule::single ? ", one root edge"
                                                            : ", any number of root edges");
}

int write_page(const ViewCommand& command, std::ostream& log) {
  Input input(command.input);
  OutputFile output(command.output);
  Progress progress(input.total());
  view::PageWriter page({title_of(command), caption_of(command.decoding)});
  PictureMaker pictures;
  std::string html;
  page.begin(html);
  Totals totals;
  decode_all(
      input, command.decoding, log, totals,
      [&](const Decoded& decoded) {
        page.add(pictures.make(decoded), html);
        output.write(html);
        html.clear();
      },
      [&] { progress.update(totals.sentences); });
  page.end(html);
  output.write(html);
  output.finish();
  return kOk;
}

// The sentence with this id or, where there is none, this index; the first one for "".
io::Sentence find_sentence(const ViewCommand& command) {
  Input input(command.input);
  io::Sentence sentence;
  while (input.next(sentence)) {
    if (command.sentence.empty() || command.sentence == sentence.id ||
        command.sentence == fmt::to_string(sentence.index)) {
      return sentence;
    }
  }
  throw UsageError(fmt::format("there is no sentence '{}'", command.sentence));
}

int write_svg(const ViewCommand& command) {
  const io::Sentence sentence = find_sentence(command);
  const SentenceResult result = decode_one(sentence, command.decoding);
  const auto trees = static_cast<std::int64_t>(result.trees.size());
  if (!result.ok())
    throw io::FormatError(fmt::format("sentence {}: {}", sentence.id, result.failure.text));
  if (command.rank < 1 || command.rank > trees) {
    throw UsageError(
        fmt::format("--rank {}: sentence {} has {} trees here", command.rank, sentence.id, trees));
  }
  PictureMaker pictures;
  const Which which = which_of(sentence, command.decoding.which, command.decoding.root_given);
  const Decoded decoded{sentence, result.trees, result.failure.text, false, which};
  OutputFile output(command.output);
  const auto rank = static_cast<std::size_t>(command.rank - 1);
  output.write(sentence.named() ? view::tree_svg(pictures.make(decoded), rank)
                                : view::svg(pictures.make(decoded), rank));
  output.finish();
  return kOk;
}

}  // namespace

int view(const ViewCommand& typed, std::ostream& log) {
  ViewCommand command = typed;
  command.input = resolved(std::move(command.input), command.decoding.which);
  refuse_clashes(command.input, {command.output});
  return command.svg ? write_svg(command) : write_page(command, log);
}

}  // namespace coppice::cli
