#include "pictures.hpp"

#include <coppice/distribution.hpp>
#include <filesystem>

#include "no_tree.hpp"

namespace coppice::cli {

namespace {

// The page says itself that there is no tree.
std::string_view reason(std::string_view error) {
  const std::string said = kNoTree + ": ";
  return error.starts_with(said) ? error.substr(said.size()) : error;
}

}  // namespace

PictureMaker::PictureMaker(const InputOptions& input) : guarantee_(input.guarantee) {
  if (!input.text_path.empty()) text_.emplace(input.text_path);
}

view::Picture PictureMaker::make(const Decoded& decoded) {
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

view::Picture PictureMaker::make_live(const Decoded& decoded) {
  view::Picture picture = make(decoded);
  if (text_) picture.conllu = text_->sentence(decoded.sentence.index);
  // The page corrects edges in one direction alone.
  if (!decoded.broken && decoded.sentence.undirected() == nullptr)
    picture.graph = decoded.sentence.graph();
  if (guarantee_ && !decoded.trees.empty()) {
    settled_ = settled_arcs(*decoded.sentence.arc_scores, *guarantee_);
    picture.settled = settled_;
  }
  picture.required = decoded.sentence.required;
  picture.forbidden = decoded.sentence.forbidden;
  picture.doubt = doubt(decoded);
  picture.root_rule = decoded.problem.root;
  return picture;
}

void PictureMaker::take_words(const io::Sentence& sentence) {
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

void PictureMaker::take_weights(const io::Sentence& sentence) {
  weights_.clear();
  const auto any = sentence.graph();
  const Multigraph* graph = any ? any->multigraph() : nullptr;
  if (graph == nullptr || !sentence.named()) return;
  for (EdgeId edge = 0; edge < graph->edges(); ++edge) weights_.push_back(graph->weight(edge));
}

double PictureMaker::doubt(const Decoded& decoded) const {
  if (probabilities_.empty() || decoded.sentence.undirected() != nullptr) return -1.0;
  Problem all = decoded.problem;  // legal or not
  all.rules.clear();
  const TreeDistribution trees(*decoded.sentence.graph(), all);
  const auto heads = decoded.trees.heads(0);
  return static_cast<double>(heads.size() - 1) - trees.expected_correct(heads);
}

std::string promise_of(const InputOptions& input) {
  if (!input.guarantee) return {};
  return "one head left; promised: " + input.guarantee->terms();
}

std::string title_of(const InputOptions& input, const std::string& title) {
  if (!title.empty()) return title;
  std::string names;
  for (const std::string& path : input.paths) {
    if (!names.empty()) names += ", ";
    names += path == "-" ? "standard input" : std::filesystem::path(path).filename().string();
  }
  return names;
}

}  // namespace coppice::cli
