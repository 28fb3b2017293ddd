#include "input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <coppice/labels.hpp>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "errors.hpp"
#include "gold.hpp"
#include "graph/checked.hpp"
#include "graph/phrases.hpp"
#include "no_tree.hpp"
#include "paths.hpp"
#include "read_ahead.hpp"
#include "text/numbers.hpp"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxShards = 1'000'000;

// Standard input or a pipe: what is read is gone.
bool is_stream(const std::string& path) {
  std::error_code error;  // what cannot be looked at cannot be opened either, which is said there
  return path == "-" || (fs::exists(path, error) && !fs::is_regular_file(path, error) &&
                         !fs::is_directory(path, error));
}

std::unique_ptr<io::Reader> open_scores(const std::string& path, const io::ReadOptions& options) {
  try {
    return io::open(path, options);
  } catch (const io::FormatError& problem) {
    if (problem.code() != ErrorCode::bad_argument) throw;  // CoNLL-U
    throw UsageError(
        fmt::format("{}: give it with --text, beside a file of scores", problem.what()));
  }
}

// Of all files together, where every one of them tells. Opens them all, so that a file that is not
// there is found before the work begins.
std::optional<io::Totals> totals_of(const InputOptions& options) {
  std::optional<io::Totals> sum = io::Totals();
  for (const std::string& path : options.paths) {
    if (is_stream(path)) {
      sum.reset();
      continue;
    }
    const auto totals = open_scores(path, options.read)->totals();
    if (!totals) sum.reset();
    if (!sum) continue;
    if (!add_if_it_fits(sum->sentences, totals->sentences) ||
        !add_if_it_fits(sum->arcs, totals->arcs)) {
      throw io::FormatError(
          fmt::format("{}: the files up to here have more than 2^63 scores", path));
    }
  }
  return sum;
}

std::int64_t count_sentences(const InputOptions& options) {
  std::int64_t sentences = 0;
  for (const std::string& path : options.paths) {
    const auto reader = open_scores(path, options.read);
    if (const auto totals = reader->totals()) {
      sentences += totals->sentences;
    } else {
      while (reader->skip()) ++sentences;
    }
  }
  return sentences;
}

// Where no thread can be had, it is read as it was.
void read_by_thread(std::unique_ptr<io::Reader>& reader) {
  try {
    reader = std::make_unique<ReadAhead>(reader);
  } catch (const std::system_error&) {
  }
}

struct TypedArc {
  std::string head, dependent;
  std::optional<Arc> numbers;
};

TypedArc parse_arc(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos)
    throw UsageError(fmt::format(
        "'{}': HEAD:DEPENDENT expected (names with a colon in them go into a file)", text));
  TypedArc arc{text.substr(0, colon), text.substr(colon + 1), std::nullopt};
  const auto head = text::parse_number<Node>(arc.head);
  const auto dependent = text::parse_number<Node>(arc.dependent);
  if (head && dependent) arc.numbers = {*head, *dependent};
  return arc;
}

void resolve_arcs(const std::vector<std::string>& texts, bool names, std::vector<Arc>& arcs,
                  std::vector<io::GraphOptions::EdgeName>& edges) {
  for (const std::string& text : texts) {
    TypedArc arc = parse_arc(text);
    if (arc.numbers && !names)
      arcs.push_back(*arc.numbers);
    else
      edges.push_back({std::move(arc.head), std::move(arc.dependent)});
  }
}

// The first one that was given, or "".
std::string graph_option(const io::GraphOptions& graph) {
  if (graph.root_node) return "--root-node";
  if (graph.any_root) return "--any-root";
  if (graph.undirected) return "--undirected";
  if (!graph.columns.empty()) return "--columns";
  if (graph.min_weight) return "--min-weight";
  if (graph.max_weight) return "--max-weight";
  if (!graph.only_labels.empty()) return "--only-label";
  if (!graph.without_labels.empty()) return "--without-label";
  if (graph.dates) return "--dates";
  if (!graph.required.empty()) return "--require by names";
  if (!graph.forbidden.empty()) return "--forbid by names";
  return {};
}

}  // namespace

InputOptions resolved(InputOptions options, Problem& problem) {
  if (!options.kept_path.empty()) {
    if (!options.text_path.empty() && options.text_path != options.kept_path)
      throw UsageError("--keep brings the words along: leave out --text");
    options.text_path = options.kept_path;
  } else if (options.keep_labels) {
    throw UsageError("--keep-labels needs --keep: which labels?");
  }
  const std::vector<std::string> read = files_read(options);
  if (std::count(read.begin(), read.end(), "-") > 1)
    throw UsageError("standard input (-) can be read only once");
  for (const std::string& path : {options.required_path, options.forbidden_path})
    if (!path.empty() && is_stream(path))
      throw UsageError(fmt::format("{}: edges are read twice, which needs a file", path));
  io::GraphOptions& graph = options.read.graph;
  const io::Limits& limits = options.read.limits;
  const bool names = graph.root_node || graph.any_root || graph.undirected;
  resolve_arcs(options.required, names, problem.required, graph.required);
  resolve_arcs(options.forbidden, names, problem.forbidden, graph.forbidden);
  add_edges_of_all(options.required_path, limits, graph.required);
  add_edges_of_all(options.forbidden_path, limits, graph.forbidden);
  std::unordered_map<std::string, std::string> heads;
  for (const auto& edge : graph.required) {
    const auto [found, is_new] = heads.emplace(edge.target, edge.source);
    if (!is_new && found->second != edge.source && !graph.undirected)
      throw UsageError(fmt::format("'{}' cannot hang from both '{}' and '{}'", edge.target,
                                   found->second, edge.source));
  }
  if (!options.dates_path.empty())
    graph.dates =
        std::make_shared<const io::GraphOptions::Dates>(io::read_dates(options.dates_path, limits));
  return options;
}

Input::Input(InputOptions options) : options_(std::move(options)) {
  if (options_.limit && *options_.limit < 0)
    throw UsageError(fmt::format("--limit {}: at least 0 expected", *options_.limit));
  totals_ = totals_of(options_);
  if (!options_.text_path.empty()) {
    text_ = std::make_unique<io::ConlluReader>(options_.text_path, options_.read.limits);
  }
  if (!options_.labels_path.empty()) {
    const auto arcs = totals_ ? std::optional(totals_->arcs) : std::nullopt;
    labels_ = std::make_unique<io::LabelReader>(options_.labels_path, arcs, options_.read.limits);
  }
  required_ = EdgesById::open(options_.required_path, options_.read.limits);
  forbidden_ = EdgesById::open(options_.forbidden_path, options_.read.limits);
  if (const auto& dates = options_.read.graph.dates;
      dates != nullptr && options_.shard.count == 1) {
    dates_left_.emplace();
    for (const auto& [name, date] : *dates) dates_left_->insert(name);
  }
  choose_shard();
  if (options_.limit) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    const std::int64_t end = begin_ + std::min(*options_.limit, kMost - begin_);
    end_ = end_ ? std::min(*end_, end) : end;
  }
}

Input::~Input() = default;

void Input::choose_shard() {
  const std::int64_t number = options_.shard.number;
  const std::int64_t count = options_.shard.count;
  if (number < 1 || number > count || count > kMaxShards) {
    throw UsageError(fmt::format("--shard {}/{}: I/N with 1 <= I <= N <= {} expected", number,
                                 count, kMaxShards));
  }
  if (count == 1) return;
  if (has_pipes()) {
    throw UsageError("--shard needs files: a pipe does not tell how many sentences it has");
  }
  const std::int64_t sentences = totals_ ? totals_->sentences : count_sentences(options_);
  const auto border = [&](std::int64_t shards) {
    return sentences / count * shards + sentences % count * shards / count;
  };
  is_last_part_ = number == count;
  begin_ = border(number - 1);
  end_ = border(number);
  while (index_ < begin_ && skip_of_all()) {
  }
}

bool Input::has_pipes() const {
  return std::any_of(options_.paths.begin(), options_.paths.end(), is_stream);
}

bool Input::is_empty() const { return finished_ && index_ == 0; }

bool Input::ready(int milliseconds) { return !reader_ || reader_->ready(milliseconds); }

std::optional<std::int64_t> Input::total() const {
  if (!totals_) return end_ ? std::optional(*end_ - begin_) : std::nullopt;
  return std::min(end_.value_or(totals_->sentences), totals_->sentences) - begin_;
}

void Input::read_ahead(int files) {
  files_ahead_ = static_cast<std::size_t>(std::max(files, 0));
  if (reader_) read_by_thread(reader_);
}

std::unique_ptr<io::Reader> Input::open_file() {
  auto reader = open_scores(options_.paths[files_opened_++], options_.read);
  if (files_ahead_ > 0) read_by_thread(reader);
  return reader;
}

bool Input::open_next_file() {
  const std::size_t wanted = std::max<std::size_t>(files_ahead_, 1);
  while (later_readers_.size() < wanted && files_opened_ < options_.paths.size())
    later_readers_.push_back(open_file());
  if (later_readers_.empty()) return false;
  reader_ = std::move(later_readers_.front());
  later_readers_.pop_front();
  return true;
}

bool Input::next(io::Sentence& sentence) {
  if (end_ && index_ >= *end_ && !(is_last_part_ && !options_.limit)) return false;
  if (next_of_all(sentence)) return true;
  if (!std::exchange(finished_, true)) finish();
  return false;
}

// All sentences have been read: what goes with them must be at its end, too.
void Input::finish() {
  if (text_ && text_->skip())
    throw io::FormatError(
        fmt::format("{}: more sentences than the {} of the scores", options_.text_path, index_));
  if (labels_) labels_->finish();
  if (required_) required_->finish();
  if (forbidden_) forbidden_->finish();
  if (dates_left_ && !dates_left_->empty())  // a name with a slip in it would rule nothing out
    throw io::FormatError(fmt::format("{}: '{}' has a date, and there is no such node",
                                      options_.dates_path,
                                      *std::ranges::min_element(*dates_left_)));
}

void Input::find_dated(const io::Sentence& sentence) {
  if (!sentence.error.empty() || !sentence.no_tree.empty()) return dates_left_.reset();
  for (const std::string& name : sentence.node_names) dates_left_->erase(name);
  if (sentence.named()) return;
  std::erase_if(*dates_left_, [&](const std::string& name) {
    const auto node = text::parse_number<std::int64_t>(name);
    return node && *node < sentence.nodes && fmt::to_string(*node) == name;
  });
}

bool Input::skip(std::int64_t count) {
  for (; count > 0; --count) {
    if ((end_ && index_ >= *end_) || !skip_of_all()) return false;
  }
  return true;
}

bool Input::next_of_all(io::Sentence& sentence) {
  while (!reader_ || !reader_->next(sentence)) {
    if (!open_next_file()) return false;
  }
  sentence.index = index_++;
  check_kind(sentence);
  if (dates_left_) find_dated(sentence);
  if (options_.guarantee) keep_arc_scores(sentence);
  temper(sentence, options_.temperature);
  if (text_) add_text(sentence);
  if (labels_) add_labels(sentence);
  if (!options_.kept_path.empty()) keep(sentence);
  sentence.id = sentence.name();
  if (required_) required_->add_to(sentence, sentence.required);
  if (forbidden_) forbidden_->add_to(sentence, sentence.forbidden);
  return true;
}

bool Input::skip_of_all() {
  dates_left_.reset();
  // How many label scores to pass over depends on the sentence, and so does which edges are its
  // own.
  if (labels_ || required_ || forbidden_) {
    io::Sentence passed;
    return next_of_all(passed);
  }
  while (!reader_ || !reader_->skip()) {
    if (!open_next_file()) return false;
  }
  if (text_ && !text_->skip()) refuse_text(index_);
  ++index_;
  return true;
}

// Options that this kind of input does not know would do nothing, and nobody would notice.
void Input::check_kind(const io::Sentence& sentence) const {
  const bool is_matrix = std::holds_alternative<io::Matrix>(sentence.scores);
  if (!sentence.error.empty() || sentence.nodes < 1) return;
  if (!is_matrix && options_.read.axes != io::Axes::head_dependent)
    throw UsageError("--axes is of score matrices, and this is a graph");
  if (const std::string option = graph_option(options_.read.graph); is_matrix && !option.empty())
    throw UsageError(fmt::format("{} is of graphs, and this is a score matrix", option));
}

// The text has so many sentences, and the scores more.
void Input::refuse_text(std::int64_t sentences) const {
  throw io::FormatError(
      fmt::format("{}: {}, but {} in the scores; they must be the same sentences in the same order",
                  options_.text_path, counted(sentences, "sentence"),
                  totals_ ? std::to_string(totals_->sentences) : "more"));
}

// What a guarantee was calibrated on.
void Input::keep_arc_scores(io::Sentence& sentence) {
  if (!sentence.error.empty()) return;
  const auto* matrix = std::get_if<io::Matrix>(&sentence.scores);
  if (matrix == nullptr) throw UsageError("--guarantee is of score matrices, and this is a graph");
  sentence.arc_scores = *matrix;
}

void Input::add_text(io::Sentence& sentence) {
  std::string own_id = sentence.id;
  if (!text_->next(sentence, !options_.kept_path.empty())) refuse_text(sentence.index);
  if (!own_id.empty()) sentence.id = std::move(own_id);
  const auto words = static_cast<std::int64_t>(sentence.tokens.size());
  if (sentence.error.empty() && words != sentence.nodes - 1) {
    sentence.error = fmt::format("{} in {}, but scores of {}", counted(words, "word"),
                                 options_.text_path, counted(sentence.nodes - 1, "word"));
  }
}

// The heads of the text, where it has any, are required.
void Input::keep(io::Sentence& sentence) const {
  const std::vector<Node> heads = std::exchange(sentence.gold_heads, {});
  if (!sentence.error.empty()) return;
  if (sentence.named()) throw UsageError("--keep is of sentences, and this is a graph with names");
  for (std::size_t i = 0; i < heads.size(); ++i)
    if (heads[i] != kNoNode) sentence.required.push_back({heads[i], static_cast<Node>(i + 1)});
  if (options_.keep_labels) keep_labels(sentence, heads);
}

// Edges with other labels than those of the text are forbidden. A label that the scores do not know
// is the one without the part behind a colon; written is that of the text.
void Input::keep_labels(io::Sentence& sentence, const std::vector<Node>& heads) {
  std::vector<std::string>& labels = sentence.kept_labels = std::exchange(sentence.gold_labels, {});
  for (std::string& label : labels)
    if (label == "_") label.clear();
  if (sentence.edge_labels.empty()) return;  // they are copied
  const std::vector<std::string>& names = *sentence.label_names;
  std::vector<std::string_view> wanted;
  for (const std::string& label : labels)
    wanted.push_back(std::ranges::find(names, label) == names.end() ? universal(label) : label);
  const auto& edges = std::get<Multigraph>(sentence.scores);
  std::vector<bool> has_edge(labels.size(), false);
  for (EdgeId edge = 0; edge < edges.edges(); ++edge) {
    const auto word = static_cast<std::size_t>(edges.target(edge)) - 1;  // of the root: no word
    if (word >= labels.size() || labels[word].empty()) continue;
    if (heads[word] != kNoNode && heads[word] != edges.source(edge)) continue;
    const std::int32_t label = sentence.edge_labels[static_cast<std::size_t>(edge)];
    if (names[static_cast<std::size_t>(label)] == wanted[word])
      has_edge[word] = true;
    else
      sentence.forbidden_edges.push_back(edge);
  }
  for (std::size_t word = 0; word < labels.size(); ++word) {
    if (has_edge[word] || labels[word].empty()) continue;
    const auto node = static_cast<Node>(word + 1);
    const std::string head =
        heads[word] == kNoNode ? "" : fmt::format(" with the head {}", heads[word]);
    sentence.no_tree = fmt::format("{}: no score for the label '{}' of word {} ('{}'){}", kNoTree,
                                   labels[word], node, sentence.node_name(node), head);
    return;
  }
}

void Input::add_labels(io::Sentence& sentence) {
  if (sentence.nodes < 1) {
    throw io::FormatError(
        fmt::format("sentence {}: {}; without its number of words the labels "
                    "behind it cannot be found",
                    sentence.index, sentence.error));
  }
  const auto* matrix = std::get_if<io::Matrix>(&sentence.scores);
  const std::int64_t most = options_.read.limits.max_edges;
  if (sentence.error.empty() && sentence.nodes * sentence.nodes > most / labels_->per_arc())
    sentence.error =
        fmt::format("{} with {} per arc: more than {} edges", counted(sentence.nodes - 1, "word"),
                    counted(labels_->per_arc(), "label"), most);
  if (!sentence.error.empty()) {
    labels_->skip(sentence.nodes);
    return;
  }
  if (matrix == nullptr) throw UsageError("--labels goes with score matrices, not with edge lists");
  labels_->next(sentence.nodes, label_scores_, label_ids_);
  for (float& score : label_scores_)
    score = static_cast<float>(score / options_.temperature.labels);
  try {
    LabelledGraph labelled =
        label_arcs(matrix->view(),
                   {.scores = label_scores_, .ids = label_ids_, .per_arc = labels_->per_arc()});
    sentence.edge_labels = std::move(labelled.labels);
    sentence.label_names = labels_->names();
    sentence.scores = std::move(labelled.graph);
  } catch (const std::invalid_argument& problem) {
    sentence.error = problem.what();
  }
}

}  // namespace coppice::cli
