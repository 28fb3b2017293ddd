#include "verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <coppice/kbest.hpp>
#include <coppice/verify.hpp>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decoding.hpp"
#include "errors.hpp"
#include "graph/phrases.hpp"
#include "io/tree_reader.hpp"
#include "message.hpp"
#include "no_tree.hpp"
#include "rules.hpp"
#include "undirected/rooting.hpp"

namespace coppice::cli {
namespace {

// The lines of one sentence after the other: ranks 1, 2, ... or a single 0. One line is in memory
// at a time, however many there are.
class Groups {
 public:
  Groups(const std::string& path, const io::Limits& limits) : reader_(path, limits) { advance(); }

  // The first line of the next group, or null at the end.
  const io::WrittenTree* front() const { return pending_ ? &*pending_ : nullptr; }
  std::int64_t line() const { return pending_ ? reader_.line() : last_line_; }

  // The next line of the group that was begun by the first call after the end of the last one;
  // false where another begins.
  bool take(io::WrittenTree& tree) {
    if (!pending_ || (begun_ && pending_->rank <= 1)) return begun_ = false;
    begun_ = true;
    last_line_ = reader_.line();
    tree = std::move(*pending_);
    advance();
    return true;
  }
  std::int64_t line_taken() const { return last_line_; }

 private:
  void advance() {
    pending_.emplace();
    if (!reader_.next(*pending_)) pending_.reset();
  }

  io::TreeReader reader_;
  std::optional<io::WrittenTree> pending_;
  std::int64_t last_line_ = 0;
  bool begun_ = false;
};

// Of a tree: what differs in one of two such numbers is another tree, and two that agree in both
// are the same but by a chance of one in 2^100.
using Digest = std::pair<std::uint64_t, std::uint64_t>;

Digest digest_of(const Tree& tree) {
  Digest digest{0x9E3779B97F4A7C15, 0xD1B54A32D192ED03};
  const auto mix = [](std::uint64_t sum, std::uint64_t value, std::uint64_t factor) {
    sum = (sum ^ value) * factor;
    return sum ^ (sum >> 29);
  };
  for (const auto* numbers : {&tree.heads, &tree.edges})
    for (const std::int32_t number : *numbers) {
      const auto value = static_cast<std::uint64_t>(number) + 2;
      digest = {mix(digest.first, value, 0xBF58476D1CE4E5B9),
                mix(digest.second, value, 0x94D049BB133111EB)};
    }
  return digest;
}

class SentenceCheck {
 public:
  SentenceCheck(const io::Sentence& sentence, const VerifyCommand& command)
      : sentence_(sentence),
        problem_(which_of(sentence, command.problem, command.root_given)),
        tolerance_(command.tolerance),
        rooting_(rooting_of(sentence, problem_)),
        graph_(rooting_ ? rooting_->graph() : *sentence.graph(known_)) {
    if (rooting_) problem_ = rooting_->problem();
    for (std::size_t v = 0; v < sentence.node_names.size(); ++v)
      numbers_.emplace(sentence.node_names[v], static_cast<Node>(v));
    for (std::size_t i = 0; i < sentence.edge_places.size(); ++i)
      if (sentence.edge_places[i] != kNoEdge)
        at_place_.emplace(sentence.edge_places[i], static_cast<EdgeId>(i));
    for (const Rule& rule : command.problem.rules) judges_.push_back(rule.prepare(graph_));
    if (const auto* multigraph = graph_.multigraph()) index_edges(*multigraph);
  }

  // What is wrong with the tree at this rank (from 1), or nothing.
  std::string check(io::WrittenTree written, std::int64_t rank) {
    if (written.id != sentence_.id) return fmt::format("the tree is of '{}'", written.id);
    if (std::string fault = find_numbers(written); !fault.empty()) return fault;
    if (written.rank != rank)
      return fmt::format("rank {} where {} is expected", written.rank, rank);
    if (static_cast<Node>(written.heads.size()) != graph_.words()) {
      return fmt::format("{} for {}", counted(written.heads.size(), "head"),
                         counted(graph_.words(), "word"));
    }
    tree_.heads.assign(1, kNoNode);
    tree_.heads.insert(tree_.heads.end(), written.heads.begin(), written.heads.end());
    if (!is_tree(tree_.heads)) return "the heads are not a tree";
    if (!obeys(tree_.heads, problem_.root)) {
      return fmt::format("{} root edges", root_edges(tree_.heads));
    }
    if (std::string fault = find_edges(written); !fault.empty()) return fault;
    if (std::string fault = check_rules(); !fault.empty()) return fault;
    if (std::string fault = check_score(written); !fault.empty()) return fault;
    if (rank > 1 && better(written.score, last_score_)) {
      return fmt::format("score {} is better than {} at the rank before", written.score,
                         last_score_);
    }
    last_score_ = written.score;
    if (!seen_.insert(digest_of(tree_)).second) return "this tree came before";
    return rank == 1 && !is_open(written) ? check_best() : std::string();
  }

  // Only rules have a budget, and whoever spent it claims nothing.
  bool is_open(const io::WrittenTree& written) const {
    return written.bound && !problem_.rules.empty();
  }

  // For a sentence that has no trees in the file, and this reason for it.
  std::string check_none(std::string_view reason) const {
    if (reason.starts_with(kNoTree)) return best(graph_, problem_) ? "there is a tree" : "";
    if (reason.starts_with(kBudgetSpent) && !problem_.rules.empty()) return {};
    best(graph_, problem_);  // throws where the sentence is at fault
    return fmt::format("it has no trees here: {}", reason);
  }

 private:
  static std::optional<Rooting> rooting_of(const io::Sentence& sentence, const Problem& problem) {
    if (sentence.undirected() == nullptr) return std::nullopt;
    return Rooting(*sentence.undirected(), problem);
  }

  void index_edges(const Multigraph& multigraph) {
    const UndirectedGraph* undirected = sentence_.undirected();
    const EdgeId edges = undirected != nullptr ? undirected->edges() : multigraph.edges();
    for (EdgeId edge = 0; edge < edges; ++edge) {
      const auto label = sentence_.edge_labels.empty()
                             ? -1
                             : sentence_.edge_labels[static_cast<std::size_t>(edge)];
      edges_.emplace(std::tuple(multigraph.source(edge), multigraph.target(edge), label), edge);
      if (undirected != nullptr)
        edges_.emplace(std::tuple(undirected->other_end(edge), undirected->end(edge), label), edge);
    }
  }

  // Names become numbers, and places of edges in the file become their ids.
  std::string find_numbers(io::WrittenTree& written) const {
    if (sentence_.named() && written.nodes.size() + 1 != sentence_.node_names.size())
      return fmt::format("{}, not {}", counted(written.nodes.size(), "node"),
                         sentence_.node_names.size() - 1);
    if (!sentence_.named() && !written.nodes.empty()) return "names of nodes that have none";
    for (std::size_t i = 0; i < written.nodes.size(); ++i) {
      const auto head = numbers_.find(written.head_names[i]);
      if (written.nodes[i] != sentence_.node_names[i + 1] || head == numbers_.end())
        return fmt::format("no such nodes: '{}' -> '{}'", written.head_names[i], written.nodes[i]);
      written.heads.push_back(head->second);
    }
    for (std::size_t i = 0; i < written.edges.size() && !sentence_.edge_places.empty(); ++i) {
      EdgeId& edge = written.edges[i];
      if (edge == kNoEdge && sentence_.added_root) {  // the last ones, one for every node
        edge = graph_.multigraph()->edges() - graph_.words() + static_cast<EdgeId>(i);
        continue;
      }
      const auto found = at_place_.find(edge);
      if (found == at_place_.end()) return fmt::format("no such edge {}", edge);
      edge = found->second;
    }
    return {};
  }

  // The edges that the tree takes in a multigraph, as it says them or by their labels.
  std::string find_edges(const io::WrittenTree& written) {
    tree_.edges.clear();
    const auto* multigraph = graph_.multigraph();
    if (multigraph == nullptr) return {};
    tree_.edges.push_back(kNoEdge);
    const bool by_id = !written.edges.empty();
    const auto given = by_id ? written.edges.size() : written.labels.size();
    if (given != written.heads.size()) return counted(given, "edge or label", "edges or labels");
    for (std::size_t i = 0; i < written.heads.size(); ++i) {
      const Node dependent = static_cast<Node>(i) + 1;
      const EdgeId edge =
          by_id ? written.edges[i] : edge_of(written.heads[i], dependent, written.labels[i]);
      if (!leads(edge, written.heads[i], dependent))
        return fmt::format("no such edge {} -> {}", written.heads[i], dependent);
      tree_.edges.push_back(edge);
    }
    if (rooting_) tree_ = rooting_->arcs_of(std::move(tree_));
    return {};
  }

  bool leads(EdgeId edge, Node head, Node dependent) const {
    const UndirectedGraph* undirected = sentence_.undirected();
    const Multigraph& arcs = undirected != nullptr ? undirected->arcs() : *graph_.multigraph();
    if (edge < 0 || edge >= (undirected != nullptr ? undirected->edges() : arcs.edges()))
      return false;
    const auto is = [&](Node from, Node to) {
      return arcs.source(edge) == from && arcs.target(edge) == to;
    };
    return is(head, dependent) || (undirected != nullptr && is(dependent, head));
  }

  EdgeId edge_of(Node head, Node dependent, const std::string& label) const {
    if (!sentence_.label_names) return kNoEdge;
    const auto& names = *sentence_.label_names;
    const auto name = std::find(names.begin(), names.end(), label);
    if (name == names.end()) return kNoEdge;
    const auto found =
        edges_.find(std::tuple(head, dependent, static_cast<std::int32_t>(name - names.begin())));
    return found == edges_.end() ? kNoEdge : found->second;
  }

  std::string check_score(const io::WrittenTree& written) {
    tree_.score = score(graph_, tree_.heads, tree_.edges);
    if (graph_.scalar() == Scalar::int64) {
      tree_.integer_score = integer_score(graph_, tree_.heads, tree_.edges);
    }
    if (!std::isfinite(tree_.score)) return "the graph lacks an edge of the tree";
    slack_ = tolerance_ * (1 + std::abs(tree_.score));
    if (!(std::abs(written.score - tree_.score) <= slack_)) {
      return fmt::format("the score is {}, not {}", tree_.score, written.score);
    }
    if (written.rank == 1) best_score_ = tree_.score;
    const double gap = std::abs(best_score_ - tree_.score);
    if (!(std::abs(written.gap - gap) <= slack_)) {
      return fmt::format("the gap is {}, not {}", gap, written.gap);
    }
    return {};
  }

  bool better(double a, double b) const {
    return problem_.objective == Objective::maximize ? a > b + slack_ : a < b - slack_;
  }

  std::string check_best() const {
    if (!problem_.rules.empty()) return check_best_legal();
    const auto certified = certified_best(graph_, problem_);
    if (!certified) return "there should be no tree";
    const std::string fault = check_certificate(graph_, problem_, tree_, certified->certificate);
    return fault.empty() ? fault : "not certified best: " + fault;
  }

  std::string check_best_legal() const {
    const auto proof = prove_best(graph_, problem_, tree_);
    if (!proof) return "there is a better legal tree";
    const std::string fault = check_proof(graph_, problem_, tree_, *proof);
    return fault.empty() ? fault : "not proved best: " + fault;
  }

  // Which rule the tree breaks, said in full, or nothing.
  std::string check_rules() {
    for (std::size_t i = 0; i < judges_.size(); ++i)
      if (judges_[i]({tree_.heads, tree_.edges}, clause_))
        return "breaks the rule " + problem_.rules[i].name();
    return {};
  }

  const io::Sentence& sentence_;
  Problem problem_;
  double tolerance_;
  io::Sentence::Known known_;
  std::optional<Rooting> rooting_;  // of an undirected graph
  Graph graph_;
  std::vector<Rule::Judge> judges_;
  Clause clause_;
  std::unordered_map<std::string, Node> numbers_;  // of nodes with names
  std::unordered_map<EdgeId, EdgeId> at_place_;    // in the file: the edge
  std::map<std::tuple<Node, Node, std::int32_t>, EdgeId> edges_;
  Tree tree_;
  double slack_ = 0.0, last_score_ = 0.0, best_score_ = 0.0;
  std::set<Digest> seen_;
};

struct Report {
  std::ostream& log;
  std::string file;
  std::int64_t faults = 0;
  std::int64_t undecided = 0;  // sentences for which the budget did not suffice

  void fault(std::int64_t line, const io::Sentence& sentence, const std::string& what) {
    ++faults;
    say(log, fmt::format("{}: line {}: sentence {} ({}): {}", file, line, sentence.index,
                         sentence.id, what));
  }
};

// Takes the lines of the sentence; returns how many trees there were.
std::int64_t check_trees(const io::Sentence& sentence, Groups& groups, const VerifyCommand& command,
                         Report& report) {
  const bool says_none = groups.front()->rank == 0;
  const std::int64_t line = groups.line();
  std::int64_t trees = 0;
  io::WrittenTree tree;
  const std::string reason = groups.front()->error;
  const auto pass_over = [&] {
    while (groups.take(tree))
      if (tree.rank > 0 && says_none)
        report.fault(groups.line_taken(), sentence, "a tree of a sentence that has none");
      else
        trees += tree.rank > 0 ? 1 : 0;
    return trees;
  };
  if (!sentence.no_tree.empty()) {
    if (!says_none) report.fault(line, sentence, "trees of a graph that has none");
    return pass_over();
  }
  if (!sentence.error.empty()) {
    if (!says_none) report.fault(line, sentence, "trees of a broken sentence: " + sentence.error);
    return pass_over();
  }
  check_labels(command.problem.rules, sentence);
  try {
    SentenceCheck check(sentence, command);
    if (says_none) {
      if (const std::string what = check.check_none(reason); !what.empty())
        report.fault(line, sentence, what);
      else if (!reason.starts_with(kNoTree))
        ++report.undecided;
      return pass_over();
    }
    while (groups.take(tree)) {
      ++trees;
      const std::string what = check.check(tree, trees);
      report.undecided += trees == 1 && check.is_open(tree) ? 1 : 0;
      if (!what.empty()) {
        report.fault(groups.line_taken(), sentence, fmt::format("rank {}: {}", trees, what));
      }
    }
  } catch (const std::invalid_argument& problem) {  // NaN and the like: there are no trees
    if (!says_none) report.fault(line, sentence, problem.what());
    return pass_over();
  }
  return trees;
}

}  // namespace

int verify(const VerifyCommand& typed, std::ostream& out, std::ostream& log) {
  VerifyCommand command = typed;
  command.input = resolved(std::move(command.input), command.problem);
  Input input(command.input);
  Groups groups(command.trees, command.input.read.limits);
  Report report{log, command.trees == "-" ? "standard input" : command.trees};
  std::int64_t sentences = 0, trees = 0;
  io::Sentence sentence;
  while (input.next(sentence)) {
    if (groups.front() == nullptr) {
      report.fault(groups.line(), sentence, "has no trees: the file ends before");
      break;
    }
    if (groups.front()->id != sentence.id) {
      report.fault(groups.line(), sentence,
                   fmt::format("the trees are of '{}'", groups.front()->id));
      break;  // all that follows would be out of step
    }
    ++sentences;
    trees += check_trees(sentence, groups, command, report);
  }
  if (report.faults == 0 && groups.front() != nullptr) {
    report.fault(groups.line(), sentence, "more trees than sentences");
  }
  std::string good =
      fmt::format("all valid, {}in order, distinct, with their scores; every first tree {} best",
                  command.problem.rules.empty() ? "" : "legal, ",
                  command.problem.rules.empty() ? "certified" : "proved");
  if (report.undecided > 0)
    good += fmt::format("; {} without a best tree, the budget being spent",
                        counted(report.undecided, "sentence"));
  const std::string verdict = report.faults > 0 ? counted(report.faults, "fault")
                              : sentences == 0  ? "no sentences, nothing to check"
                                                : good;
  out << fmt::format("{}, {}: {}\n", counted(sentences, "sentence"), counted(trees, "tree"),
                     verdict);
  return report.faults == 0 ? kOk : kNotGood;
}

}  // namespace coppice::cli
