// Trees of graphs in the formats of those who have graphs: Newick, DOT, GraphML, TSV.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "io/drawn_tree.hpp"
#include "io/pieces.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace coppice::io {
namespace {

template <class T>
std::string number(T value) {
  std::string text;
  text::append_number(value, text);
  return text;
}

void append_xml(std::string_view text, std::string& out) {
  std::string allowed;  // other characters are no XML
  text::append_without_controls(text, allowed);
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})  // U+FFFE, U+FFFF
    for (std::size_t at = 0; (at = allowed.find(none, at)) != std::string::npos;)
      allowed[at + 2] = '\xBD';  // U+FFFD
  for (const char c : allowed) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
}

void append_dot_name(std::string_view text, std::string& out) {
  std::string plain;
  text::append_plain(text, plain);
  out += '"';
  for (const char c : plain) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

// In single quotes unless it is a plain word: an underscore would be read as a blank.
void append_newick_name(std::string_view text, std::string& out) {
  std::string plain;
  text::append_plain(text, plain);
  if (!plain.empty() && plain.find_first_of(" ()[]{}'\"_:;,=/\\") == std::string::npos) {
    out += plain;
    return;
  }
  out += '\'';
  for (const char c : plain) {
    if (c == '\'') out += '\'';
    out += c;
  }
  out += '\'';
}

// A comment must not end early.
std::string comment_of(const Parses& parses) {
  std::string text;
  text::append_plain(parses.sentence.name() + ": " + std::string(parses.error), text);
  std::ranges::replace(text, '-', ' ');
  return text;
}

}  // namespace

DrawnTree::DrawnTree(const Parses& parses, std::size_t rank)
    : parses_(parses), rank_(rank), children_(parses.trees.heads(rank).size()) {
  const auto heads = parses.trees.heads(rank);
  for (std::size_t v = 1; v < heads.size(); ++v)
    children_[static_cast<std::size_t>(heads[v])].push_back(static_cast<Node>(v));
  if (parses.sentence.added_root) root_ = children_[0].front();
  name_nodes();
}

void DrawnTree::name_nodes() {
  const auto nodes = static_cast<Node>(children_.size());
  for (Node v = 0; v < nodes; ++v) names_.push_back(parses_.sentence.node_name(v));
  if (parses_.sentence.named()) return;
  const auto all_differ = [&] {
    return std::unordered_set<std::string_view>(names_.begin(), names_.end()).size() ==
           names_.size();
  };
  if (all_differ()) return;
  std::unordered_map<std::string, int> count;
  for (const std::string& name : names_) ++count[name];
  for (Node v = 1; v < nodes; ++v)
    if (std::string& name = names_[static_cast<std::size_t>(v)]; count[name] > 1)
      name += fmt::format("#{}", v);
  if (all_differ()) return;
  for (Node v = 0; v < nodes; ++v) names_[static_cast<std::size_t>(v)] = fmt::to_string(v);
}

EdgeId DrawnTree::edge(Node node, std::size_t rank) const {
  return parses_.trees.edges(rank)[static_cast<std::size_t>(node)];
}

std::string DrawnTree::weight(Node node) const {
  const Graph any = *parses_.sentence.graph();
  if (const Multigraph* graph = any.multigraph())
    return graph->scalar() == Scalar::int64 ? number(graph->integer_weight(edge(node, rank_)))
                                            : number(graph->weight(edge(node, rank_)));
  const DenseView view = std::get<Matrix>(parses_.sentence.scores).view();
  if (view.scalar() == Scalar::int64) return number(view.at<std::int64_t>(head(node), node));
  if (view.scalar() == Scalar::float32) return number(view.at<float>(head(node), node));
  return number(view.weight(head(node), node));
}

std::string DrawnTree::label(Node node) const {
  const Sentence& sentence = parses_.sentence;
  if (sentence.edge_labels.empty()) return {};
  const auto label = sentence.edge_labels[static_cast<std::size_t>(edge(node, rank_))];
  return (*sentence.label_names)[static_cast<std::size_t>(label)];
}

bool DrawnTree::differs_from_best(Node node) const {
  if (head(node) != parses_.trees.heads(0)[static_cast<std::size_t>(node)]) return true;
  return !parses_.trees.edges(0).empty() && edge(node, rank_) != edge(node, 0);
}

std::string DrawnTree::score() const {
  const auto integers = parses_.trees.integer_scores();
  return integers.empty() ? number(parses_.trees.score(rank_)) : number(integers[rank_]);
}

std::string DrawnTree::gap() const { return number(parses_.trees.gap(rank_)); }

std::vector<Node> DrawnTree::in_order() const {
  std::vector<Node> order(1, root_);
  for (std::size_t i = 0; i < order.size(); ++i)
    order.insert(order.end(), children(order[i]).begin(), children(order[i]).end());
  order.erase(order.begin());
  return order;
}

namespace {

void append_newick_tree(const DrawnTree& tree, std::string& out) {
  struct Open {
    Node node;
    std::size_t next;
  };
  std::vector<Open> path(1, {tree.root(), 0});
  while (!path.empty()) {
    Open& open = path.back();
    const auto& children = tree.children(open.node);
    if (open.next < children.size()) {
      out += open.next == 0 ? '(' : ',';
      path.push_back({children[open.next++], 0});
      continue;
    }
    if (!children.empty()) out += ')';
    append_newick_name(tree.name(open.node), out);
    if (path.size() > 1) out += ':' + tree.weight(open.node);
    path.pop_back();
  }
  out += ";\n";
}

}  // namespace

std::size_t append_newick(const Parses& parses, std::string& out) {
  return for_each_tree(parses, out,
                       [&](std::size_t rank) { append_newick_tree(DrawnTree(parses, rank), out); });
}

const std::string_view kNexusBegin = "#NEXUS\nbegin trees;\n";
const std::string_view kNexusEnd = "end;\n";

std::size_t append_nexus(const Parses& parses, std::string& out) {
  if (!parses.error.empty()) {
    std::string comment = comment_of(parses);
    for (char& c : comment)  // brackets may be nested, and must close
      if (c == '[' || c == ']') c = ' ';
    out += '[' + comment + "]\n";
  }
  return for_each_tree(parses, out, [&](std::size_t rank) {
    const DrawnTree tree(parses, rank);
    out += "tree ";
    append_newick_name(fmt::format("{} #{}", parses.sentence.name(), rank + 1), out);
    out += fmt::format(" = [&R] [score={}] ", tree.score());
    append_newick_tree(tree, out);
  });
}

std::size_t append_dot(const Parses& parses, std::string& out) {
  const bool undirected = parses.sentence.undirected() != nullptr;
  if (!parses.error.empty()) out += "// " + comment_of(parses) + '\n';
  return for_each_tree(parses, out, [&](std::size_t rank) {
    const DrawnTree tree(parses, rank);
    out += undirected ? "graph " : "digraph ";
    append_dot_name(fmt::format("{} #{}", parses.sentence.name(), rank + 1), out);
    out += fmt::format(" {{\n  graph [score={}, gap={}];\n  ", tree.score(), tree.gap());
    append_dot_name(tree.name(tree.root()), out);
    out += ";\n";
    for (Node node : tree.in_order()) {
      out += "  ";
      append_dot_name(tree.name(tree.head(node)), out);
      out += undirected ? " -- " : " -> ";
      append_dot_name(tree.name(node), out);
      out += fmt::format(" [weight={}", tree.weight(node));
      if (const std::string label = tree.label(node); !label.empty()) {
        out += ", label=";
        append_dot_name(label, out);
      }
      out += "];\n";
    }
    out += "}\n";
  });
}

std::size_t append_tsv(const Parses& parses, std::string& out) {
  if (!parses.error.empty()) out += "# " + comment_of(parses) + '\n';
  return for_each_tree(parses, out, [&](std::size_t rank) {
    const DrawnTree tree(parses, rank);
    std::string start;
    text::append_plain(parses.sentence.name(), start);
    start += fmt::format("\t{}\t{}\t{}\t", rank + 1, tree.score(), tree.gap());
    for (Node node : tree.in_order()) {
      out += start;
      text::append_plain(tree.name(tree.head(node)), out);
      out += '\t';
      text::append_plain(tree.name(node), out);
      out += '\t' + tree.weight(node) + '\t';
      text::append_plain(tree.label(node), out);
      out += '\n';
    }
  });
}

const std::string_view kGraphmlBegin = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="weight" for="edge" attr.name="weight" attr.type="double"/>
<key id="label" for="edge" attr.name="label" attr.type="string"/>
<key id="score" for="graph" attr.name="score" attr.type="double"/>
<key id="gap" for="graph" attr.name="gap" attr.type="double"/>
)";
const std::string_view kGraphmlEnd = "</graphml>\n";

std::size_t append_graphml(const Parses& parses, std::string& out) {
  const bool undirected = parses.sentence.undirected() != nullptr;
  if (!parses.error.empty()) {
    out += "<!-- ";
    append_xml(comment_of(parses), out);
    out += " -->\n";
  }
  return for_each_tree(parses, out, [&](std::size_t rank) {
    const DrawnTree tree(parses, rank);
    out += "<graph id=\"";
    append_xml(fmt::format("{} #{}", parses.sentence.name(), rank + 1), out);
    out += fmt::format(
        "\" edgedefault=\"{}\"><data key=\"score\">{}</data><data key=\"gap\">{}</data>\n",
        undirected ? "undirected" : "directed", tree.score(), tree.gap());
    const auto append_node = [&](Node node) {
      out += "<node id=\"";
      append_xml(tree.name(node), out);
      out += "\"/>\n";
    };
    const std::vector<Node> order = tree.in_order();
    append_node(tree.root());
    for (Node node : order) append_node(node);
    for (Node node : order) {
      out += "<edge source=\"";
      append_xml(tree.name(tree.head(node)), out);
      out += "\" target=\"";
      append_xml(tree.name(node), out);
      out += "\"><data key=\"weight\">" + tree.weight(node) + "</data>";
      if (const std::string label = tree.label(node); !label.empty()) {
        out += "<data key=\"label\">";
        append_xml(label, out);
        out += "</data>";
      }
      out += "</edge>\n";
    }
    out += "</graph>\n";
  });
}

}  // namespace coppice::io
