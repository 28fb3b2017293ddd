#include "decode.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <coppice/version.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "errors.hpp"
#include "graph/phrases.hpp"
#include "message.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

// Changed size or time: another file. What came from a pipe cannot be told apart.
std::string describe_file(const std::string& path) {
  std::error_code error;
  if (struct stat status = {};
      path == "-" && ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode))
    return fmt::format("- ({} bytes, {}.{:09})", status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec);
  if (path.empty() || !fs::is_regular_file(path, error)) return path;
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  return fmt::format("{} ({} bytes, {})", path, fs::file_size(path, error), time);
}

std::string describe(const std::vector<Arc>& arcs) {
  std::string text;
  for (const Arc& arc : arcs) text += fmt::format(" {}:{}", arc.head, arc.dependent);
  return text;
}

// What was said of graphs with names.
std::string describe(const InputOptions& input) {
  const io::GraphOptions& graph = input.read.graph;
  std::string text = fmt::format(
      " --root-node {} --any-root {} --undirected {} --columns {} --min-weight {} --max-weight {} "
      "--only-label {} "
      "--without-label {} --require-file '{}' --forbid-file '{}' --dates '{}' --require",
      graph.root_node.value_or(""), graph.any_root, graph.undirected, fmt::join(graph.columns, ","),
      graph.min_weight.value_or(kNoWeight), graph.max_weight.value_or(-kNoWeight),
      fmt::join(graph.only_labels, ","), fmt::join(graph.without_labels, ","),
      describe_file(input.required_path), describe_file(input.forbidden_path),
      describe_file(input.dates_path));
  for (const std::string& arc : input.required) text += ' ' + arc;
  text += " --forbid";
  for (const std::string& arc : input.forbidden) text += ' ' + arc;
  return text;
}

// All that the bytes of the output depend on. Not the number of threads: they do not.
std::string describe(const DecodeCommand& command, bool colour) {
  const Problem& problem = command.decoding.problem;
  const Request& request = command.decoding.request;
  std::string text = fmt::format("coppice {} decode", COPPICE_VERSION);
  for (const auto& path : command.input.paths) text += ' ' + describe_file(path);
  text += fmt::format(
      " --text '{}' --keep {}{} --labels '{}' --lengths '{}' --shard {}/{} --axes {} --max-words "
      "{}",
      describe_file(command.input.text_path), !command.input.kept_path.empty(),
      command.input.keep_labels ? " --keep-labels" : "", describe_file(command.input.labels_path),
      describe_file(command.input.read.lengths_path), command.input.shard.number,
      command.input.shard.count, static_cast<int>(command.input.read.axes),
      command.input.read.limits.max_words);
  text += fmt::format(" -k {} --max-gap {} --root {} --minimize {} --engine {} --format {}",
                      request.k.value_or(0), request.max_gap.value_or(-1),
                      static_cast<int>(problem.root.rule), static_cast<int>(problem.objective),
                      command.decoding.engine->name, static_cast<int>(command.format));
  if (command.format == Format::text) text += colour ? " --color always" : " --color never";
  if (command.probabilities) text += " --probabilities";
  if (command.input.temperature.changes_anything())
    text += fmt::format(" --temperature {}/{}", command.input.temperature.arcs,
                        command.input.temperature.labels);
  if (command.decoding.distance > 0)
    text += fmt::format(" --distance {} --ignored-labels {}", command.decoding.distance,
                        fmt::join(command.decoding.ignored_labels, ","));
  if (request.budget) text += fmt::format(" --budget {}", *request.budget);
  if (request.time_limit) text += fmt::format(" --time-limit {}", *request.time_limit);
  for (const Rule& rule : problem.rules) text += " --rule " + rule.name();
  text += " --require" + describe(problem.required) + " --forbid" + describe(problem.forbidden);
  return text + describe(command.input);
}

bool reads_pipe(const InputOptions& input) {
  struct stat status = {};
  const auto is_pipe = [&](const std::string& path) {
    return (path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) == 0 &&
           !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  };
  const std::vector<std::string> read = files_read(input);
  return std::any_of(read.begin(), read.end(), is_pipe);
}

bool wants_colour(const DecodeCommand& command) {
  if (command.colour != Colour::when_terminal) return command.colour == Colour::always;
  const bool to_terminal = command.output.empty() && ::isatty(STDOUT_FILENO) == 1;
  return to_terminal && std::getenv("NO_COLOR") == nullptr;
}

// Trees from this one on, as many as make a piece; returns the first one that is left.
std::size_t append(const DecodeCommand& command, const Decoded& decoded,
                   std::span<const double> probability, std::size_t first, bool colour,
                   std::string& out) {
  // With --labels the edges are our own making; those of an edge list are the user's.
  const bool with_edges = command.input.labels_path.empty() &&
                          (std::holds_alternative<Multigraph>(decoded.sentence.scores) ||
                           decoded.sentence.undirected() != nullptr);
  const io::Parses parses{.sentence = decoded.sentence,
                          .trees = decoded.trees,
                          .error = decoded.error,
                          .with_edges = with_edges,
                          .probabilities = probability,
                          .first = first,
                          .most_bytes = kBytesOfPiece};
  switch (command.format) {
    case Format::jsonl:
      return io::append_jsonl(parses, out);
    case Format::conllu:
      return io::append_conllu(parses, out);
    case Format::text:
      return io::append_text(parses, colour, out);
    case Format::tsv:
      return io::append_tsv(parses, out);
    case Format::newick:
      return io::append_newick(parses, out);
    case Format::nexus:
      return io::append_nexus(parses, out);
    case Format::dot:
      return io::append_dot(parses, out);
    case Format::graphml:
      return io::append_graphml(parses, out);
  }
  return decoded.trees.size();
}

// What comes before the first sentence, and after the last one.
std::string_view beginning(Format format) {
  if (format == Format::tsv) return io::kTsvBegin;
  if (format == Format::nexus) return io::kNexusBegin;
  return format == Format::graphml ? io::kGraphmlBegin : std::string_view();
}
std::string_view ending(Format format) {
  if (format == Format::nexus) return io::kNexusEnd;
  return format == Format::graphml ? io::kGraphmlEnd : std::string_view();
}

void write_stats(const DecodeCommand& command, const Totals& totals, double seconds) {
  const nlohmann::ordered_json json = {
      {"sentences", totals.sentences},
      {"trees", totals.trees},
      {"broken", totals.broken},
      {"without_tree", totals.without_tree},
      {"ways", totals.ways},
      {"threads", command.decoding.threads},
      {"seconds_reading", totals.seconds.reading},
      {"seconds_decoding", totals.seconds.decoding},
      {"seconds_formatting", totals.seconds.rendering},
      {"seconds_writing", totals.seconds.handling},
      {"seconds_total", seconds},
  };
  OutputFile file(command.stats);
  file.write(json.dump(2) + '\n');
  file.finish();
}

}  // namespace

int decode(const DecodeCommand& typed, std::ostream& log) {
  DecodeCommand command = typed;
  command.input = resolved(std::move(command.input), command.decoding.problem);
  check_options(command.decoding);
  if (command.probabilities && command.decoding.problem.objective == Objective::minimize)
    throw UsageError(
        "--probabilities takes scores for log-potentials: it does not go with --minimize");
  if (command.probabilities && command.format > Format::text)
    throw UsageError(
        "--probabilities goes with --format jsonl, conllu or text: the others have no place for "
        "it");
  refuse_clashes(command.input, {command.output, command.stats});
  if (command.resume && reads_pipe(command.input))
    throw UsageError("--resume needs files: whether a pipe brings the same again cannot be known");
  const bool colour = wants_colour(command);
  const auto start = std::chrono::steady_clock::now();
  const std::string description = describe(command, colour);
  Input input(command.input);
  OutputFile output(command.output);
  Totals totals;
  if (command.resume) {
    if (const auto done = output.resume(description)) {
      if (!input.skip(done->sentences)) {
        throw UsageError(fmt::format("--resume: the input has fewer than the {} already done",
                                     counted(done->sentences, "sentence")));
      }
      totals = {done->sentences, done->trees, done->broken, done->without_tree};
      say(log, fmt::format("going on after {}", counted(done->sentences, "sentence")));
    }
  }
  Progress progress(input.total(), totals.sentences, output.on_terminal());
  Complaints without_tree(log, "graph without a tree", "graphs without a tree");
  TextOutput out(output);
  if (totals.sentences == 0) out.add(beginning(command.format));
  Steps steps;
  const auto probability_of = [&](const Decoded& decoded) {
    return command.probabilities ? probabilities(decoded) : std::vector<double>();
  };
  steps.render = [&](const Decoded& decoded, std::string& text, Rendered& rendered) {
    rendered.trees = append(command, decoded, probability_of(decoded), 0, colour, text);
  };
  steps.handle = [&](const Decoded& decoded) {
    out.add(decoded.rendered->text);
    if (const std::size_t done = decoded.rendered->trees; done < decoded.trees.size()) {
      const std::vector<double> probability = probability_of(decoded);
      out.add_rest(done, decoded.trees.size(), [&](std::size_t rank, std::string& piece) {
        return append(command, decoded, probability, rank, colour, piece);
      });
    }
    // Newick has no place for it.
    if (command.format == Format::newick && !decoded.error.empty() && !decoded.broken)
      without_tree.add(fmt::format("graph {}: {}", decoded.sentence.id, decoded.error));
  };
  steps.end_of_batch = [&] {
    out.flush();
    output.checkpoint(description,
                      {totals.sentences, totals.trees, totals.broken, totals.without_tree, 0});
    progress.update(totals.sentences);
  };
  decode_all(input, command.decoding, log, totals, steps);
  out.add(ending(command.format));
  out.flush();
  output.finish();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!command.stats.empty()) write_stats(command, totals, seconds.count());
  return totals.sentences > 0 && totals.broken == totals.sentences ? kNotGood : kOk;
}

}  // namespace coppice::cli
