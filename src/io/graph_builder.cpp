#include "io/graph_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/names.hpp"
#include "io/table.hpp"
#include "text/numbers.hpp"

namespace coppice::io {
namespace {

// A name that cannot be mistaken for two.
std::string edge_key(const std::string& source, const std::string& target) {
  return fmt::format("{} {}{}", source.size(), source, target);
}

// The number that a name is, if it is written as numbers are.
std::optional<Node> as_number(std::string_view name) {
  if (name.empty() || name[0] < '0' || name[0] > '9' || (name[0] == '0' && name.size() > 1))
    return std::nullopt;
  const auto number = text::parse_number<std::int64_t>(name);
  if (!number || *number >= kMaxNodes) return std::nullopt;
  return static_cast<Node>(*number);
}

// Surely so: neither date is missing.
bool is_earlier(const GraphOptions::Dates& dates, const std::string& one,
                const std::string& other) {
  const auto first = dates.find(one), second = dates.find(other);
  return first != dates.end() && second != dates.end() && first->second.last < second->second.first;
}

bool contains(const std::vector<std::string>& list, const std::optional<std::string>& text) {
  return text && std::ranges::find(list, *text) != list.end();
}

}  // namespace

bool GraphOptions::filters() const {
  return !required.empty() || !forbidden.empty() || dates != nullptr || min_weight || max_weight ||
         !only_labels.empty() || !without_labels.empty();
}

std::string Weight::parse(std::string_view text, Weight& weight) {
  const auto value = text::parse_number<double>(text);
  if (!value || std::isnan(*value) || *value == -kNoWeight)
    return fmt::format("'{}' is no weight: a finite number or -inf expected", text);
  weight = {*value, text::parse_number<std::int64_t>(text)};
  // Numbers that are whole are exact.
  if (!weight.whole && text.find_first_not_of("+-0123456789") == std::string_view::npos)
    return fmt::format("'{}' is beyond int64; with a decimal point it is rounded to float64", text);
  return {};
}

GraphBuilder::Filter::Filter(const GraphOptions& graph) : options(&graph) {
  for (const auto& edge : graph.required) {
    required.emplace(edge.target, edge.source);
    required_keys.insert(edge_key(edge.source, edge.target));
  }
  for (const auto& edge : graph.forbidden) forbidden.insert(edge_key(edge.source, edge.target));
}

bool GraphBuilder::Filter::leaves_out(const std::string& source, const std::string& target,
                                      double weight, const std::optional<std::string>& label,
                                      bool directed) const {
  if (options->min_weight && weight < *options->min_weight) return true;
  if (options->max_weight && weight > *options->max_weight) return true;
  if (!options->only_labels.empty() && !contains(options->only_labels, label)) return true;
  if (contains(options->without_labels, label)) return true;
  if (forbidden.contains(edge_key(source, target))) return true;
  if (!directed) return forbidden.contains(edge_key(target, source));
  if (const auto found = required.find(target); found != required.end() && found->second != source)
    return true;
  return options->dates != nullptr && is_earlier(*options->dates, target, source);
}

GraphBuilder::GraphBuilder(const GraphOptions& options, const Limits& limits)
    : filter_(options), limits_(limits) {
  clear();
}

void GraphBuilder::clear() {
  const GraphOptions& options = *filter_.options;
  undirected_ = options.undirected;
  numbered_ = !options.root_node && !options.any_root && !undirected_;
  last_node_ = 0;
  file_edges_ = 0;
  names_.clear(), ids_.clear(), sources_.clear(), targets_.clear(), weights_.clear();
  integers_.clear(), places_.clear(), labels_.clear(), label_names_.clear(), label_ids_.clear();
  left_out_numbers_.clear(), required_seen_.clear(), dates_.clear(), calendar_.reset();
}

void GraphBuilder::be_undirected() {
  undirected_ = true;
  numbered_ = false;
}

// The first name that is no number: those before it get names as well.
void GraphBuilder::name_numbers() {
  numbered_ = false;
  for (std::vector<Node>* ends : {&sources_, &targets_})
    for (Node& node : *ends) name_id(fmt::to_string(node), node);
  for (Node node : std::exchange(left_out_numbers_, {})) name_id(fmt::to_string(node), node);
}

std::string GraphBuilder::name_id(std::string_view name, Node& node) {
  const auto [found, is_new] =
      ids_.try_emplace(std::string(name), static_cast<Node>(names_.size()));
  if (is_new) {
    if (static_cast<std::int64_t>(names_.size()) >= 2 * limits_.max_edges)
      return fmt::format("more than {} nodes", 2 * limits_.max_edges);
    names_.emplace_back(name);
  }
  node = found->second;
  return {};
}

std::string GraphBuilder::number(std::string_view name, Node& node) {
  if (name.empty()) return "a node without a name";
  if (std::string what = check_length("the name of a node", name, limits_); !what.empty())
    return what;
  if (numbered_) {
    if (const auto known = as_number(name)) {
      node = *known;
      last_node_ = std::max(last_node_, node);
      return {};
    }
    name_numbers();
  }
  return name_id(name, node);
}

std::string GraphBuilder::add_node(std::string_view name) {
  Node node = 0;
  if (numbered_) name_numbers();
  return number(name, node);
}

std::string GraphBuilder::add_edge(std::string_view source, std::string_view target,
                                   const Weight& weight, const std::optional<std::string>& label) {
  if (file_edges_ >= limits_.max_edges) return fmt::format("more than {} edges", limits_.max_edges);
  const bool was_numbered = numbered_;
  Node ends[2];
  if (std::string what = number(source, ends[0]); !what.empty()) return what;
  if (std::string what = number(target, ends[1]); !what.empty()) return what;
  if (was_numbered && !numbered_) name_id(source, ends[0]);  // it may have been a number before
  const EdgeId place = file_edges_++;
  if (filter_.options->filters()) {
    const std::string from(source), to(target);
    see_required(edge_key(from, to));
    if (undirected_) see_required(edge_key(to, from));
    if (filter_.leaves_out(from, to, weight.value, label, !undirected_)) {
      if (numbered_) left_out_numbers_.insert({ends[0], ends[1]});
      return {};
    }
  }
  if (integers_.size() == weights_.size() && weight.whole) integers_.push_back(*weight.whole);
  weights_.push_back(weight.value);
  sources_.push_back(ends[0]);
  targets_.push_back(ends[1]);
  places_.push_back(place);
  return add_label(label);
}

std::string GraphBuilder::add_date(const std::string& name, std::string_view date) {
  if (filter_.options->dates != nullptr) return "dates in columns, and dates in a file (--dates)";
  GraphOptions::Date own{};
  if (std::string what = read_date(date, calendar_, own); !what.empty()) return what;
  if (dates_.emplace(name, own).first->second != own)
    return fmt::format("'{}' has another date in a line before", name);
  return {};
}

std::string GraphBuilder::add_label(const std::optional<std::string>& label) {
  if (sources_.size() > 1 && label.has_value() == labels_.empty())
    return "either all edges of a graph have a label or none has";
  if (!label) return {};
  if (std::string what = check_length("a label", *label, limits_); !what.empty()) return what;
  const auto [name, is_new] =
      label_ids_.try_emplace(*label, static_cast<std::int32_t>(label_names_.size()));
  if (is_new) label_names_.push_back(*label);
  labels_.push_back(name->second);
  return {};
}

void GraphBuilder::see_required(const std::string& key) {
  if (filter_.required_keys.contains(key)) required_seen_.insert(key);
}

void GraphBuilder::set_id(std::string id, Sentence& sentence) const {
  if (std::string what = check_length("an id", id, limits_); what.empty())
    sentence.id = std::move(id);
  else if (sentence.error.empty())
    sentence.error = std::move(what);
}

std::string GraphBuilder::missing_required() const {
  for (const auto& [source, target] : filter_.options->required)
    if (!required_seen_.contains(edge_key(source, target)))
      return fmt::format("the required edge '{}' {} '{}' is not in the graph", source,
                         undirected_ ? "-" : "->", target);
  return {};
}

void GraphBuilder::keep_required(Sentence& sentence) const {
  std::unordered_map<std::string_view, Node> numbers;
  for (std::size_t v = 0; v < names_.size(); ++v) numbers.emplace(names_[v], static_cast<Node>(v));
  for (const auto& [source, target] : filter_.options->required)
    sentence.required.push_back({numbers.at(source), numbers.at(target)});
}

// Why an undirected graph has no tree, if it has none.
std::string GraphBuilder::parts_of(const Sentence& sentence) {
  const std::vector<Node> firsts = sentence.undirected()->first_of_each_part();
  if (firsts.size() == 1) return {};
  return fmt::format("no tree: the graph has {} parts; no edges connect '{}' and '{}'",
                     firsts.size(), sentence.node_name(firsts[0]), sentence.node_name(firsts[1]));
}

// Not before all dates are known.
void GraphBuilder::leave_out_by_dates() {
  if (dates_.empty()) return;
  const auto name_of = [&](Node node) {
    return numbered_ ? fmt::to_string(node) : names_[static_cast<std::size_t>(node)];
  };
  std::vector<bool> left_out(sources_.size());
  for (std::size_t edge = 0; edge < left_out.size(); ++edge)
    left_out[edge] = is_earlier(dates_, name_of(targets_[edge]), name_of(sources_[edge]));
  const auto shorten = [&](auto& of_edges) {
    std::size_t kept = 0;
    for (std::size_t edge = 0; edge < of_edges.size(); ++edge)
      if (!left_out[edge]) of_edges[kept++] = of_edges[edge];
    of_edges.resize(kept);
  };
  const bool whole = integers_.size() == weights_.size();
  shorten(sources_), shorten(targets_), shorten(weights_), shorten(places_), shorten(labels_);
  if (whole) shorten(integers_);
}

// Names become numbers: the root is 0, be it one of the nodes or added to them.
void GraphBuilder::place_root(Sentence& sentence) {
  const auto& root = filter_.options->root_node;
  if (undirected_ && !root) return;
  sentence.added_root = !root;
  if (!root) {
    for (std::vector<Node>* ends : {&sources_, &targets_})
      for (Node& node : *ends) ++node;
    names_.insert(names_.begin(), std::string());
    return;
  }
  const auto found = ids_.find(*root);
  if (found == ids_.end()) {
    sentence.error = fmt::format("the root node '{}' is not in the graph", *root);
    return;
  }
  const Node first = found->second;
  for (std::vector<Node>* ends : {&sources_, &targets_})
    for (Node& node : *ends) node = node == first ? 0 : node < first ? node + 1 : node;
  std::rotate(names_.begin(), names_.begin() + first, names_.begin() + first + 1);
}

// Any node may be the root: the root rule sees to it that one of these is used.
void GraphBuilder::add_root_edges(Node nodes) {
  if (!labels_.empty()) label_names_.emplace_back();
  for (Node node = 1; node < nodes; ++node) {
    if (integers_.size() == weights_.size()) integers_.push_back(0);
    weights_.push_back(0.0);
    sources_.push_back(0);
    targets_.push_back(node);
    places_.push_back(kNoEdge);
    if (!labels_.empty()) labels_.push_back(static_cast<std::int32_t>(label_names_.size()) - 1);
  }
}

std::int64_t GraphBuilder::count_nodes(Sentence& sentence) {
  if (!numbered_) return static_cast<std::int64_t>(names_.size());
  const std::int64_t nodes = std::int64_t{last_node_} + 1;
  // Also keeps a single line from asking for a graph of a billion nodes.
  if (nodes - 1 > static_cast<std::int64_t>(sources_.size())) {
    std::vector<Node> entered = targets_;
    std::ranges::sort(entered);
    Node free = 1;
    for (Node node : entered) free += node == free ? 1 : 0;
    sentence.no_tree = fmt::format(
        "no tree: no edge enters node {}, and the nodes are 0 to {}; with --any-root or "
        "--root-node numbers are names",
        free, last_node_);
  }
  return nodes;
}

void GraphBuilder::build(Sentence& sentence) {
  sentence.scores = std::monostate();
  sentence.error = missing_required();
  if (undirected_ && (filter_.options->dates != nullptr || !dates_.empty()))
    sentence.error = "dates are of directed graphs, and this one is undirected";
  leave_out_by_dates();
  if (!numbered_ && sentence.error.empty()) place_root(sentence);
  if (!sentence.error.empty()) return;
  const std::int64_t nodes = count_nodes(sentence);
  if (nodes < 2) sentence.error = "a graph of one node";
  if (!sentence.error.empty() || !sentence.no_tree.empty()) return;
  const bool whole = integers_.size() == weights_.size();
  if (sentence.added_root) add_root_edges(static_cast<Node>(nodes));
  sentence.nodes = nodes;
  if (!numbered_) sentence.node_names = names_;
  if (undirected_) {
    sentence.scores = whole ? UndirectedGraph::from_edges(nodes, sources_, targets_, integers_)
                            : UndirectedGraph::from_edges(nodes, sources_, targets_, weights_);
    keep_required(sentence);
    sentence.no_tree = parts_of(sentence);
  } else {
    sentence.scores = whole ? Multigraph::from_edges(nodes, sources_, targets_, integers_)
                            : Multigraph::from_edges(nodes, sources_, targets_, weights_);
  }
  if (!numbered_ || filter_.options->filters() || !dates_.empty() || !labels_.empty())
    sentence.edge_places = places_;
  if (labels_.empty()) return;
  sentence.edge_labels = labels_;
  sentence.label_names = std::make_shared<std::vector<std::string>>(label_names_);
}

}  // namespace coppice::io
