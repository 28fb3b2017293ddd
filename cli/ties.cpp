#include "ties.hpp"

#include <fmt/format.h>

#include <cmath>
#include <coppice/kbest.hpp>
#include <coppice/ties.hpp>
#include <string>
#include <vector>

#include "decoding.hpp"
#include "errors.hpp"
#include "message.hpp"
#include "no_tree.hpp"
#include "text/json.hpp"
#include "text/numbers.hpp"
#include "undirected/rooting.hpp"

namespace coppice::cli {
namespace {

// About a minute.
constexpr double kMostSteps = 2e10;

struct Answer {
  std::string error;  // or no tree, and why
  double score = 0.0;
  double log10_count = 0.0;
  std::string count;  // empty: only the logarithm
  std::vector<double> support;
};

Answer find_ties(const io::Sentence& sentence, const TiesCommand& command) {
  Answer answer;
  const Problem problem = which_of(sentence, command.problem, command.root_given);
  const auto graph = sentence.graph();
  if (graph) {
    std::optional<Rooting> rooting;
    if (const UndirectedGraph* undirected = sentence.undirected())
      rooting.emplace(*undirected, problem);
    const Graph meant = rooting ? rooting->graph() : *graph;
    const Problem& asked = rooting ? rooting->problem() : problem;
    const Ties ties(meant, asked);
    if (!ties.empty()) {
      answer.score = best(meant, asked)->score;
      answer.log10_count = ties.log_count() / std::log(10.0);
      if (!command.log_only && ties.count_steps() <= kMostSteps)
        answer.count = ties.count().decimal();
      answer.support = rooting ? rooting->shares(ties.support()) : ties.support();
      return answer;
    }
  }
  answer.error = why_no_tree(sentence, problem);
  return answer;
}

struct SupportedEdge {
  std::string source, target, weight, label;
  double support;
};

// The edges that some best tree has, in the order of the file.
std::vector<SupportedEdge> supported_edges(const io::Sentence& sentence,
                                           const std::vector<double>& support) {
  std::vector<SupportedEdge> edges;
  const Graph graph = *sentence.graph();
  const auto add = [&](Node head, Node dependent, std::string weight, std::string label,
                       double share) {
    if (share <= 0.0) return;
    edges.push_back({sentence.node_name(head), sentence.node_name(dependent), std::move(weight),
                     std::move(label), share});
  };
  std::string weight;
  if (const Multigraph* multigraph = graph.multigraph()) {
    for (EdgeId edge = 0; edge < static_cast<EdgeId>(support.size()); ++edge) {
      const auto place = static_cast<std::size_t>(edge);
      weight.clear();
      if (multigraph->scalar() == Scalar::int64)
        text::append_number(multigraph->integer_weight(edge), weight);
      else
        text::append_number(multigraph->weight(edge), weight);
      const bool labelled = !sentence.edge_labels.empty();
      add(multigraph->source(edge), multigraph->target(edge), weight,
          labelled ? (*sentence.label_names)[static_cast<std::size_t>(sentence.edge_labels[place])]
                   : std::string(),
          support[place]);
    }
    return edges;
  }
  for (Node head = 0; head < graph.nodes(); ++head)
    for (Node dependent = 1; dependent < graph.nodes(); ++dependent) {
      weight.clear();
      text::append_number(graph.dense()->weight(head, dependent), weight);
      add(head, dependent, weight, {},
          support[static_cast<std::size_t>(head) * static_cast<std::size_t>(graph.nodes()) +
                  static_cast<std::size_t>(dependent)]);
    }
  return edges;
}

std::string to_json(const io::Sentence& sentence, const Answer& answer) {
  std::string out = "{\"id\": ";
  text::append_json_string(sentence.name(), out);
  if (!answer.error.empty()) {
    out += ", \"error\": ";
    text::append_json_string(answer.error, out);
    return out + "}\n";
  }
  out += ", \"score\": ";
  text::append_json_number(answer.score, out);
  out += ", \"count\": ";
  out += answer.count.empty() ? "null" : '"' + answer.count + '"';
  out += ", \"log10_count\": ";
  text::append_json_number(answer.log10_count, out);
  out += ", \"edges\": [";
  bool first = true;
  for (const SupportedEdge& edge : supported_edges(sentence, answer.support)) {
    out += first ? "" : ", ";
    first = false;
    out += "{\"source\": ";
    // The edge from a root that was added says which share of the trees has that root.
    if (edge.source.empty())
      out += "null";
    else
      text::append_json_string(edge.source, out);
    out += ", \"target\": ";
    text::append_json_string(edge.target, out);
    out += ", \"weight\": " + edge.weight;
    if (!edge.label.empty()) {
      out += ", \"label\": ";
      text::append_json_string(edge.label, out);
    }
    out += ", \"support\": ";
    text::append_json_number(edge.support, out);
    out += '}';
  }
  return out + "]}\n";
}

std::string to_tsv(const io::Sentence& sentence, const Answer& answer) {
  if (!answer.error.empty()) return fmt::format("# {}: {}\n", sentence.name(), answer.error);
  std::string out;
  for (const SupportedEdge& edge : supported_edges(sentence, answer.support)) {
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t", sentence.name(), edge.source, edge.target,
                       edge.weight, edge.label);
    text::append_number(edge.support, out);
    out += '\n';
  }
  return out;
}

}  // namespace

int ties(const TiesCommand& typed, std::ostream& out, std::ostream& log) {
  TiesCommand command = typed;
  command.input = resolved(std::move(command.input), command.problem);
  Input input(command.input);
  if (command.format == TiesFormat::tsv) out << "graph\tsource\ttarget\tweight\tlabel\tsupport\n";
  std::int64_t graphs = 0, broken = 0;
  RootNote root_note(log, command.root_given);
  Complaints complaints(log, "broken graph", "broken graphs");
  io::Sentence sentence;
  for (; input.next(sentence); ++graphs) {
    Answer answer;
    std::string fault = sentence.error;
    if (fault.empty()) root_note.look_at(sentence, input.has_labels());
    try {
      if (fault.empty()) answer = find_ties(sentence, command);
    } catch (const std::invalid_argument& problem) {  // NaN and the like
      fault = problem.what();
    }
    if (!fault.empty()) {
      const std::string message =
          fmt::format("graph {} ({}): {}", sentence.index, sentence.id, fault);
      if (command.strict) throw StrictError(message);
      complaints.add(message);
      answer.error = fault;
      ++broken;
    }
    out << (command.format == TiesFormat::tsv ? to_tsv(sentence, answer)
                                              : to_json(sentence, answer));
    if (!out) throw OutputError("the output cannot be written");
  }
  return graphs > 0 && broken == graphs ? kNotGood : kOk;
}

}  // namespace coppice::cli
