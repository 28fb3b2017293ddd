// Graphs with names, written as TSV, CSV, DOT and GraphML and read back with any options: the trees
// of each are those of the edges themselves, by trying all of them.
#include <algorithm>
#include <coppice/kbest.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "check.hpp"
#include "reading.hpp"
#include "target.hpp"

namespace coppice::fuzz::names_target {
namespace {

struct NamedEdge {
  std::string source, target;
  double weight;  // a small whole number or half of one, or minus infinity
  std::string label;
};

struct Drawn {
  std::vector<NamedEdge> edges;
  bool labelled = false;
  io::GraphOptions options;
};

// Whatever a name may have to be quoted for; numbers, which are nodes by themselves.
std::string some_name(Bytes& bytes) {
  static constexpr const char* kNames[] = {"a", "b c", "q\"uote", "<&>", "0",    "1",   "2",  "007",
                                           "é", "x,y", "source",  "->",  "it's", "n#1", "\\", "3"};
  return kNames[bytes.take<std::uint8_t>() % std::size(kNames)];
}

Drawn draw(Bytes& bytes) {
  Drawn drawn;
  const auto given = bytes.take<std::uint16_t>();
  drawn.labelled = (given & 1) != 0;
  std::vector<std::string> names;
  for (int count = bytes.take(2, 5); count > 0; --count) names.push_back(some_name(bytes));
  const auto name = [&] { return names[bytes.take<std::uint8_t>() % names.size()]; };
  const auto label = [&] { return std::string(bytes.flag() ? "kin" : "a \"b\""); };
  for (int count = bytes.take(1, 9); count > 0; --count) {
    const int eighth = bytes.take<std::int8_t>();
    const double weight = eighth == -128 ? kNoWeight : (given & 2) != 0 ? eighth * 0.5 : eighth;
    const std::string source = name(), target = name();
    drawn.edges.push_back({source, target, weight, drawn.labelled ? label() : ""});
  }
  io::GraphOptions& options = drawn.options;
  if ((given & 4) != 0) options.root_node = name();
  if ((given & 8) != 0) options.any_root = true;
  if ((given & 16) != 0) options.min_weight = bytes.take<std::int8_t>() * 0.25;
  if ((given & 32) != 0) options.max_weight = bytes.take<std::int8_t>() * 0.25;
  if ((given & 64) != 0) options.required.push_back({name(), name()});
  if ((given & 128) != 0) options.forbidden.push_back({name(), name()});
  if ((given & 256) != 0) options.only_labels.push_back(label());
  if ((given & 512) != 0) options.without_labels.push_back(label());
  if ((given & 1024) != 0) {
    io::GraphOptions::Dates dates;
    for (int count = bytes.take(1, 4); count > 0; --count) {
      const double first = bytes.take(0, 3);
      dates[name()] = {first, first + bytes.take(0, 1)};
    }
    options.dates = std::make_shared<const io::GraphOptions::Dates>(dates);
  }
  return drawn;
}

// --- as text ---

std::string replaced(const std::string& text, const std::map<char, std::string>& replacements) {
  std::string result;
  for (char c : text) result += replacements.contains(c) ? replacements.at(c) : std::string(1, c);
  return result;
}

std::string number(double weight) {
  return weight == kNoWeight              ? "-inf"
         : weight == std::int64_t(weight) ? std::to_string(std::int64_t(weight))
                                          : std::to_string(weight);
}

std::string table(const Drawn& drawn, char separator) {
  const auto cell = [&](const std::string& text) {
    return separator == '\t' ? text : '"' + replaced(text, {{'"', "\"\""}}) + '"';
  };
  const std::string between(1, separator);
  std::string text = std::string("source").append(between).append("target").append(between);
  text.append("weight").append(drawn.labelled ? between + "label\n" : "\n");
  for (const NamedEdge& edge : drawn.edges) {
    text.append(cell(edge.source)).append(between).append(cell(edge.target)).append(between);
    text.append(number(edge.weight));
    if (drawn.labelled) text.append(between).append(cell(edge.label));
    text += '\n';
  }
  return text;
}

std::string dot(const Drawn& drawn) {
  const auto quoted = [](const std::string& text) {
    return '"' + replaced(text, {{'"', "\\\""}, {'\\', "\\\\"}}) + '"';
  };
  std::string text = "digraph {\n";
  for (const NamedEdge& edge : drawn.edges) {
    text += quoted(edge.source) + " -> " + quoted(edge.target) +
            " [weight=" + quoted(number(edge.weight));
    text += drawn.labelled ? ", label=" + quoted(edge.label) + "];\n" : "];\n";
  }
  return text + "}\n";
}

std::string graphml(const Drawn& drawn) {
  const auto escaped = [](const std::string& text) {
    return replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
  };
  std::string text =
      "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>"
      "<key id=\"l\" for=\"edge\" attr.name=\"label\" attr.type=\"string\"/>"
      "<graph edgedefault=\"directed\">\n";
  for (const NamedEdge& edge : drawn.edges) {
    text += "<edge source=\"" + escaped(edge.source) + "\" target=\"" + escaped(edge.target) +
            "\"><data key=\"w\">" + number(edge.weight) + "</data>";
    if (drawn.labelled) text += "<data key=\"l\">" + escaped(edge.label) + "</data>";
    text += "</edge>\n";
  }
  return text + "</graph></graphml>\n";
}

// --- the truth ---

bool is_number(const std::string& name) {
  return name.find_first_not_of("0123456789") == std::string::npos &&
         (name[0] != '0' || name.size() == 1);
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::ranges::find(list, text) != list.end();
}

bool counts(const NamedEdge& edge, const Drawn& drawn) {
  const io::GraphOptions& options = drawn.options;
  if (edge.weight == kNoWeight || edge.source == edge.target) return false;
  if (options.min_weight && edge.weight < *options.min_weight) return false;
  if (options.max_weight && edge.weight > *options.max_weight) return false;
  if (!options.only_labels.empty() && !contains(options.only_labels, edge.label)) return false;
  if (drawn.labelled && contains(options.without_labels, edge.label)) return false;
  for (const auto& one : options.required)
    if (one.target == edge.target && one.source != edge.source) return false;
  for (const auto& one : options.forbidden)
    if (one.target == edge.target && one.source == edge.source) return false;
  if (!options.dates || !options.dates->contains(edge.source) ||
      !options.dates->contains(edge.target))
    return true;
  return options.dates->at(edge.source).first <= options.dates->at(edge.target).last;
}

// Of all trees with this root, one edge for each of the other nodes.
class AllTrees {
 public:
  AllTrees(const Drawn& drawn, const std::set<std::string>& nodes, std::string root)
      : drawn_(drawn), rest_(nodes.begin(), nodes.end()), root_(std::move(root)) {
    std::erase(rest_, root_);
    choose(0, 0.0);
  }
  const std::vector<double>& scores() const { return scores_; }

 private:
  void choose(std::size_t at, double score) {
    if (at == rest_.size()) {
      if (is_tree()) scores_.push_back(score);
      return;
    }
    for (const NamedEdge& edge : drawn_.edges) {
      if (edge.target != rest_[at] || !counts(edge, drawn_)) continue;
      head_[edge.target] = edge.source;
      choose(at + 1, score + edge.weight);
    }
  }
  bool is_tree() const {
    return std::ranges::all_of(rest_, [&](std::string node) {
      for (std::size_t steps = 0; steps <= rest_.size() && node != root_; ++steps)
        node = head_.at(node);
      return node == root_;
    });
  }

  const Drawn& drawn_;
  std::vector<std::string> rest_;
  std::string root_;
  std::map<std::string, std::string> head_;
  std::vector<double> scores_;
};

struct Truth {
  bool is_error = false;
  std::vector<double> scores;
};

Truth truth(const Drawn& drawn) {
  const io::GraphOptions& options = drawn.options;
  std::set<std::string> nodes;
  for (const NamedEdge& edge : drawn.edges) nodes.insert({edge.source, edge.target});
  const bool numbered =
      !options.root_node && !options.any_root && std::ranges::all_of(nodes, is_number);
  if (numbered) {
    const int last = std::stoi(*std::ranges::max_element(
        nodes, {}, [](const std::string& name) { return std::stoi(name); }));
    for (int node = 0; node <= last; ++node) nodes.insert(std::to_string(node));
  }
  Truth truth;
  for (const auto& one : options.required)
    truth.is_error |= std::ranges::none_of(drawn.edges, [&](const NamedEdge& edge) {
      return edge.source == one.source && edge.target == one.target;
    });
  truth.is_error |= options.root_node && !nodes.contains(*options.root_node);
  truth.is_error |= nodes.size() < 2 && (numbered || options.root_node);
  for (const std::string& root : nodes) {
    if (numbered ? root != "0" : options.root_node && root != *options.root_node) continue;
    const AllTrees all(drawn, nodes, root);
    truth.scores.insert(truth.scores.end(), all.scores().begin(), all.scores().end());
  }
  std::ranges::sort(truth.scores, std::greater());
  return truth;
}

// The edges of a tree are edges of the file, of the nodes that are named, and have its score.
void expect_edges(const Drawn& drawn, const io::Sentence& sentence, const Tree& tree) {
  double sum = 0.0;
  for (std::size_t v = 1; v < tree.heads.size(); ++v) {
    const auto edge = static_cast<std::size_t>(tree.edges[v]);
    const EdgeId place = sentence.edge_places.empty() ? tree.edges[v] : sentence.edge_places[edge];
    if (place == kNoEdge) continue;  // from the root that was added
    ASSERT_LT(static_cast<std::size_t>(place), drawn.edges.size());
    const NamedEdge& taken = drawn.edges[static_cast<std::size_t>(place)];
    EXPECT_EQ(sentence.node_name(static_cast<Node>(v)), taken.target);
    EXPECT_EQ(sentence.node_name(tree.heads[v]), taken.source);
    sum += taken.weight;
  }
  EXPECT_EQ(sum, tree.score);
}

void expect_truth(const Drawn& drawn, const std::string& text, const Truth& expected) {
  SCOPED_TRACE(text);
  const auto reader = io::open_bytes(text, "written", {.limits = kLimits, .graph = drawn.options});
  io::Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  ASSERT_EQ(!sentence.error.empty(), expected.is_error) << sentence.error;
  TreeList trees;
  const auto graph = sentence.graph();
  if (graph)
    trees = kbest(*graph, {.root = sentence.added_root ? RootRule::single : RootRule::any},
                  {.k = 10'000});
  const std::vector<double> scores(trees.scores().begin(), trees.scores().end());
  EXPECT_EQ(scores, expected.is_error ? std::vector<double>() : expected.scores);
  for (std::size_t rank = 0; rank < trees.size(); ++rank)
    expect_edges(drawn, sentence, trees.copy(rank));
  EXPECT_FALSE(reader->next(sentence));
}

}  // namespace

void run(Bytes bytes) {
  const Drawn drawn = draw(bytes);
  const Truth expected = truth(drawn);
  expect_truth(drawn, table(drawn, '\t'), expected);
  expect_truth(drawn, table(drawn, ','), expected);
  expect_truth(drawn, dot(drawn), expected);
  expect_truth(drawn, graphml(drawn), expected);
}

}  // namespace coppice::fuzz::names_target
