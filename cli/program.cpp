// The command line: what there is to type, and nothing else. The work is in one file per command.
#include "program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <coppice/io.hpp>
#include <coppice/rules.hpp>
#include <coppice/version.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "annotate.hpp"
#include "confidence.hpp"
#include "decode.hpp"
#include "describe.hpp"
#include "descriptors.hpp"
#include "errors.hpp"
#include "evaluate.hpp"
#include "interrupt.hpp"
#include "message.hpp"
#include "text/numbers.hpp"
#include "ties.hpp"
#include "usage.hpp"
#include "verify.hpp"
#include "view.hpp"
#include "violations.hpp"

namespace coppice::cli {
namespace {

// Of what was typed behind the option.
template <class T>
T number(const std::string& option, std::string_view text, std::string_view whole) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw CLI::ValidationError(option, text == whole
                                           ? fmt::format("'{}' is no number", text)
                                           : fmt::format("'{}' in '{}' is no number", text, whole));
  }
  return value;
}

// "3:5", "2/4"
template <class T>
std::pair<T, T> number_pair(const std::string& option, std::string_view text, char between) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) {
    throw CLI::ValidationError(
        option, fmt::format("'{}': two numbers with {} between expected", text, between));
  }
  return {number<T>(option, text.substr(0, at), text),
          number<T>(option, text.substr(at + 1), text)};
}

std::vector<std::int64_t> number_list(const std::string& option, std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    numbers.push_back(number<std::int64_t>(option, rest.substr(0, comma), text));
    if (comma == std::string_view::npos) return numbers;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<std::string> word_list(std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

// An option with a few words to choose from; the first is the default.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& target,
                        std::vector<std::pair<std::string, Value>> choices,
                        const std::string& help) {
  std::string words;
  for (const auto& [word, value] : choices) words += (words.empty() ? "" : "|") + word;
  return app
      .add_option_function<std::string>(
          name,
          [&target, choices, words, name](const std::string& text) {
            for (const auto& [word, value] : choices) {
              if (word != text) continue;
              target = value;
              return;
            }
            throw CLI::ValidationError(name, fmt::format("'{}' is none of {}", text, words));
          },
          fmt::format("{} [{}]", help, choices.front().first))
      ->type_name(words);
}

CLI::Option* add_texts(CLI::App& app, const std::string& name, std::vector<std::string>& texts,
                       const std::string& type, const std::string& help) {
  return app.add_option(name, texts, help)->type_name(type)->allow_extra_args(false);
}

// Edges that every tree must have, or must not.
void add_arcs(CLI::App& app, InputOptions& input) {
  add_texts(app, "--require", input.required, "H:D",
            "D must hang from H: numbers (0 is the root) or names; repeatable");
  add_texts(app, "--forbid", input.forbidden, "H:D", "D must not hang from H; repeatable");
  app.add_option("--require-file", input.required_path,
                 "File of required edges: columns source and target, and graph (an id) where they "
                 "are not of all sentences")
      ->type_name("FILE");
  app.add_option("--forbid-file", input.forbidden_path, "File of forbidden edges: the same columns")
      ->type_name("FILE");
}

// What stands in a treebank stays.
void add_keep(CLI::App& app, InputOptions& input) {
  app.add_option("--keep", input.kept_path,
                 "CoNLL-U of the same sentences: heads that stand in it stay, _ is filled")
      ->type_name("FILE");
  app.add_flag("--keep-labels", input.keep_labels, "With --keep: its labels stay, too");
}

// A promise that was calibrated.
void add_guarantee(CLI::App& app, InputOptions& input, const char* help) {
  app.add_option_function<std::string>(
         "--guarantee",
         [&input](const std::string& path) {
           input.guarantee = read_guarantee(path);
           input.guarantee_path = path;
         },
         help)
      ->type_name("FILE");
}

constexpr const char* kColumns = "SOURCE,TARGET,WEIGHT[,LABEL[,SOURCE-DATE,TARGET-DATE]]";

// Graphs with names: which node is the root, which columns and edges count.
void add_graphs(CLI::App& app, InputOptions& input) {
  io::GraphOptions& graph = input.read.graph;
  app.add_option("--root-node", graph.root_node,
                 "The root of a graph with names [any node may be the root]")
      ->type_name("NAME");
  app.add_flag("--any-root", graph.any_root,
               "Any node may be the root, even where nodes are numbers");
  app.add_flag("--undirected", graph.undirected,
               "Edges have no direction; GraphML and DOT files say so themselves");
  app.add_option_function<std::string>(
         "--columns",
         [&graph](const std::string& text) {
           graph.columns = word_list(text);
           if (const std::size_t count = graph.columns.size(); count < 3 || count == 5 || count > 6)
             throw CLI::ValidationError("--columns", fmt::format("{} expected", kColumns));
         },
         "Columns of a table, or attributes, by name or number; the dates are those of the nodes")
      ->type_name(kColumns);
  app.add_option("--dates", input.dates_path,
                 "File of nodes and dates; edges from a later node to an earlier one are left out")
      ->type_name("FILE");
  app.add_option("--min-weight", graph.min_weight, "Only edges of at least this weight")
      ->type_name("WEIGHT");
  app.add_option("--max-weight", graph.max_weight, "Only edges of at most this weight")
      ->type_name("WEIGHT");
  add_texts(app, "--only-label", graph.only_labels, "LABEL",
            "Only edges with this label; repeatable");
  add_texts(app, "--without-label", graph.without_labels, "LABEL",
            "Only edges without this label; repeatable");
}

void add_reading(CLI::App& app, InputOptions& input) {
  auto& limits = input.read.limits;
  add_choice<io::Axes>(
      app, "--axes", input.read.axes,
      {{"head,dep", io::Axes::head_dependent}, {"dep,head", io::Axes::dependent_head}},
      "Which index of a score matrix comes first");
  app.add_option("--text", input.text_path,
                 "Words, tags and gold trees of the same sentences (CoNLL-U)")
      ->type_name("FILE");
  app.add_option("--labels", input.labels_path, "Label scores of the same sentences (.npz)")
      ->type_name("FILE");
  app.add_option("--lengths", input.read.lengths_path,
                 "Words per sentence of a padded batch (.npy)")
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--temperature",
         [&input](const std::string& text) {
           input.temperature = parse_temperature(text);
           input.temperature_path = text::parse_number<double>(text) ? "" : text;
         },
         "Divide the scores by this number, or by those of a JSON file (docs/parsers.md)")
      ->type_name("T|FILE");
  app.add_option_function<std::string>(
         "--shard",
         [&input](const std::string& text) {
           const auto [part, count] = number_pair<std::int64_t>("--shard", text, '/');
           input.shard = {part, count};
         },
         "Only part I of N contiguous parts, counted from 1")
      ->type_name("I/N");
  app.add_option("--limit", input.limit, "Only the first COUNT sentences")->type_name("COUNT");
  app.add_option("--max-words", limits.max_words, "Longest sentence that is read")
      ->capture_default_str()
      ->type_name("COUNT");
}

CLI::Option* add_inputs(CLI::App& app, InputOptions& input) {
  return app
      .add_option(
          "INPUT", input.paths,
          "Score files: .npz, .npy, JSON lines; graphs: edge lists, TSV, CSV, GraphML, DOT; - "
          "is standard input")
      ->required()
      ->type_name("FILE");
}

// given: whether it was typed.
void add_root(CLI::App& app, Problem& problem, bool& given) {
  add_choice<RootChoice>(app, "--root", problem.root,
                         {{"single", RootRule::single}, {"any", RootRule::any}},
                         "How many edges may leave the root; any for graphs with names")
      ->each([&given](const std::string&) { given = true; });
}

void add_rules(CLI::App& app, Problem& problem) {
  app.add_option_function<std::vector<std::string>>(
         "--rule",
         [&problem](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) problem.rules.push_back(rules::parse(text));
         },
         fmt::format("Only trees that obey this rule: {}; repeatable", rules::kNames))
      ->type_name("RULE")
      ->allow_extra_args(false);
}

void add_budget(CLI::App& app, Request& request) {
  app.add_option("--budget", request.budget,
                 "With --rule: search a sentence for about so many solves at most")
      ->type_name("COUNT");
  app.add_option("--time-limit", request.time_limit,
                 "With --rule: search a sentence for about so many seconds at most")
      ->type_name("SECONDS");
}

void add_minimize(CLI::App& app, Problem& problem) {
  app.add_flag_callback(
      "--minimize", [&problem] { problem.objective = Objective::minimize; },
      "Weights are costs: the smallest sum is best");
}

void add_threads(CLI::App& app, DecodingOptions& decoding) {
  const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  decoding.threads = all;
  app.add_option_function<int>(
         "--threads", [&decoding, all](int count) { decoding.threads = count == 0 ? all : count; },
         "How many threads; 0: one for each processor [0]")
      ->type_name("COUNT");
  app.add_flag("--strict", decoding.strict, "Stop at the first broken sentence");
}

// How the trees are found: shared by decode and view.
void add_decoding(CLI::App& app, InputOptions& input, DecodingOptions& decoding,
                  std::int64_t default_k) {
  Request& request = decoding.request;
  app.add_option("-k", request.k,
                 fmt::format("How many trees [{}; with --max-gap all within it]", default_k))
      ->type_name("COUNT");
  add_root(app, decoding.problem, decoding.root_given);
  app.add_option("--max-gap", request.max_gap, "Only trees whose score is within this of the best")
      ->type_name("GAP");
  app.add_option("--distance", decoding.distance,
                 "Only trees of which any two differ in at least so many heads")
      ->type_name("HEADS");
  app.add_option_function<std::string>(
         "--ignored-labels",
         [&decoding](const std::string& text) { decoding.ignored_labels = word_list(text); },
         "With --distance: words with these labels do not count")
      ->type_name("LABEL,...");
  add_arcs(app, input);
  add_rules(app, decoding.problem);
  add_budget(app, request);
  std::vector<std::pair<std::string, const Engine*>> names;
  for (const Engine& engine : engines()) names.emplace_back(engine.name, &engine);
  add_choice<const Engine*>(app, "--engine", decoding.engine, names,
                            "Algorithm; all give the same trees but for ties");
  add_minimize(app, decoding.problem);
  add_threads(app, decoding);
  app.parse_complete_callback([&request, default_k] {
    if (!request.k && !request.max_gap) request.k = default_k;
  });
}

constexpr const char* kSettledHelp =
    "Mark the words that have one head left, as Guarantee.save of Python promises";

void add_ks(CLI::App& app, std::vector<std::int64_t>& ks) {
  app.add_option_function<std::string>(
         "-k", [&ks](const std::string& text) { ks = number_list("-k", text); },
         "Lengths of the lists [1,5,10,20,50]")
      ->type_name("K,K,...");
}

// Every command with its options and, once parsed, what it does.
class Program {
 public:
  Program() {
    app_.name("coppice");
    app_.set_version_flag("--version", std::string("coppice " COPPICE_VERSION));
    app_.require_subcommand(1);
    app_.footer("coppice help COMMAND shows the options of a command, with an example.");
    app_.get_formatter()->column_width(32);
    add_decode();
    add_confidence();
    add_view();
    add_annotate();
    add_violations();
    add_evaluate();
    add_verify();
    add_ties();
    add_completions();
    add_help();
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
      const int code = action_();
      flush_output();
      return code;
    } catch (const CLI::ParseError& error) {
      if (argc <= 1) {
        std::cerr << overview();
        return kUsage;
      }
      if (error.get_exit_code() != 0) return fail(UsageError(explain(app_, error)), kUsage);
      app_.exit(error);  // --help, --version
      return std::cout.flush() ? kOk : kOutput;
    } catch (const UsageError& error) {
      return fail(error, kUsage);
    } catch (const StrictError& error) {
      return fail(error, kInput);
    } catch (const io::FormatError& error) {
      return fail(error, kInput);
    } catch (const OutputError& error) {
      return fail(error, kOutput);
    } catch (const std::invalid_argument& error) {  // options that no graph can meet
      return fail(error, kUsage);
    } catch (const std::bad_alloc&) {
      return out_of_memory();
    } catch (const std::length_error&) {  // more than there could ever be
      return out_of_memory();
    } catch (const std::exception& error) {
      return fail(error, kInput);
    }
  }

 private:
  // What was printed may still wait in a buffer: only now does a full disk show.
  static void flush_output() {
    if (!std::cout.flush()) throw OutputError("standard output: cannot be written");
  }

  static int fail(const std::exception& error, ExitCode code) {
    say(std::cerr, error.what());
    return code;
  }

  static int out_of_memory() {  // and none to say it with
    std::cerr << "coppice: out of memory\n";
    return kInput;
  }

  // Of all commands, also where one is being run.
  std::string overview() const {
    return app_.get_formatter()->make_help(&app_, app_.get_name(), CLI::AppFormatMode::Normal);
  }

  CLI::App& add_command(const char* name, const char* help, const char* example,
                        std::function<int()> action) {
    CLI::App& command = *app_.add_subcommand(name, help);
    command.footer(fmt::format("Example:\n  {}", example));
    command.final_callback([this, action = std::move(action)] { action_ = action; });
    return command;
  }

  void add_decode() {
    CLI::App& command = add_command(
        "decode", "The K best trees of every sentence",
        "coppice decode scores.npz -k 50 --root single --text words.conllu -o trees.jsonl",
        [this] { return decode(decode_, std::cerr); });
    add_inputs(command, decode_.input);
    add_decoding(command, decode_.input, decode_.decoding, 1);
    add_choice<Format>(command, "--format", decode_.format,
                       {{"jsonl", Format::jsonl},
                        {"conllu", Format::conllu},
                        {"text", Format::text},
                        {"tsv", Format::tsv},
                        {"newick", Format::newick},
                        {"nexus", Format::nexus},
                        {"dot", Format::dot},
                        {"graphml", Format::graphml}},
                       "What is written");
    add_choice<Colour>(
        command, "--color", decode_.colour,
        {{"auto", Colour::when_terminal}, {"always", Colour::always}, {"never", Colour::never}},
        "Colours in --format text");
    command.add_flag("--probabilities", decode_.probabilities,
                     "Write the probability of each tree; scores are log-potentials");
    command.add_option("-o,--output", decode_.output, "Output file [standard output]")
        ->type_name("FILE");
    command.add_option("--stats", decode_.stats, "Write counts and times to this file (JSON)")
        ->type_name("FILE");
    command.add_flag("--resume", decode_.resume, "Continue an interrupted run with -o");
    add_keep(command, decode_.input);
    add_graphs(command, decode_.input);
    add_reading(command, decode_.input);
  }

  void add_confidence() {
    CLI::App& command = add_command(
        "confidence", "How sure every tree, head and label is, and what to look at first",
        "coppice confidence scores.npz --text words.conllu --worst 100 -o sure.conllu",
        [this] { return cli::confidence(confidence_, std::cout, std::cerr); });
    add_inputs(command, confidence_.input);
    DecodingOptions& decoding = confidence_.decoding;
    decoding.request.k = 1;
    command.add_option("-k", decoding.request.k, "How many trees of each sentence")
        ->capture_default_str()
        ->type_name("COUNT");
    add_root(command, decoding.problem, decoding.root_given);
    add_rules(command, decoding.problem);
    add_budget(command, decoding.request);
    add_threads(command, decoding);
    command
        .add_option("-o,--output", confidence_.output,
                    "File for the trees, as CoNLL-U [standard output]")
        ->type_name("FILE");
    command
        .add_option("--worst", confidence_.worst, "How many sentences are listed, the worst first")
        ->capture_default_str()
        ->type_name("COUNT");
    add_choice<WorstBy>(
        command, "--by", confidence_.by,
        {{"errors", WorstBy::errors},
         {"rate", WorstBy::rate},
         {"probability", WorstBy::probability}},
        "Worst: most words expected wrong, largest share of them, least likely tree");
    command
        .add_option("--worst-output", confidence_.worst_output,
                    "CoNLL-U of these sentences alone, the worst first")
        ->type_name("FILE");
    command
        .add_option("--highlight", confidence_.highlight,
                    "Mark words less sure than this for ConlluEditor; 0: none")
        ->capture_default_str()
        ->type_name("P");
    command.add_flag("--json", confidence_.json, "The summary as JSON");
    add_guarantee(command, confidence_.input,
                  "Write the heads that are left for each word, as Guarantee.save of Python "
                  "promises (docs/parsers.md)");
    add_keep(command, confidence_.input);
    add_graphs(command, confidence_.input);
    add_reading(command, confidence_.input);
  }

  void add_view() {
    CLI::App& command =
        add_command("view", "A page to walk through the K best trees, or one tree as SVG",
                    "coppice view scores.npz --text words.conllu -k 20 -o page.html",
                    [this] { return cli::view(view_, std::cerr); });
    add_inputs(command, view_.input);
    add_decoding(command, view_.input, view_.decoding, 10);
    command.add_option("-o,--output", view_.output, "Output file [standard output]")
        ->type_name("FILE");
    command.add_flag("--open", view_.open, "Show it in a browser");
    add_guarantee(command, view_.input, kSettledHelp);
    add_keep(command, view_.input);
    command.add_option("--title", view_.title, "Title of the page")->type_name("TEXT");
    command.add_flag("--svg", view_.svg, "One tree as SVG instead of the page");
    command.add_option("--sentence", view_.sentence, "With --svg: id or index of the sentence [0]")
        ->type_name("ID");
    command.add_option("--rank", view_.rank, "With --svg: which of its trees")
        ->capture_default_str()
        ->type_name("RANK");
    add_graphs(command, view_.input);
    add_reading(command, view_.input);
  }

  void add_annotate() {
    CLI::App& command = add_command(
        "annotate", "A page on which trees are corrected",
        "coppice annotate scores.npz --text words.conllu --labels labels.npz -o page.html",
        [this] { return annotate(annotate_, std::cerr); });
    add_inputs(command, annotate_.input)->required(false);
    annotate_.decoding.request.k = 10;
    command
        .add_option("-k", annotate_.decoding.request.k,
                    "How many trees are listed beside the sentence [10]")
        ->type_name("COUNT");
    add_choice<bool>(command, "--from", annotate_.from_text, {{"scores", false}, {"text", true}},
                     "Start from the best trees, or from those of --text");
    add_root(command, annotate_.decoding.problem, annotate_.decoding.root_given);
    add_rules(command, annotate_.decoding.problem);
    command.add_option("-o,--output", annotate_.output, "Output file [standard output]")
        ->type_name("FILE");
    command.add_flag("--open", annotate_.open, "Show it in a browser");
    add_guarantee(command, annotate_.input, kSettledHelp);
    command.add_option("--title", annotate_.title, "Title of the page")->type_name("TEXT");
    add_threads(command, annotate_.decoding);
    add_reading(command, annotate_.input);
  }

  void add_violations() {
    CLI::App& command = add_command(
        "violations",
        "How many of the K best trees have several root edges, where any number is allowed",
        "coppice violations *.npz -k 1,5,10,20,50",
        [this] { return violations(violations_, std::cout, std::cerr); });
    add_inputs(command, violations_.input);
    add_ks(command, violations_.ks);
    add_minimize(command, violations_.decoding.problem);
    add_threads(command, violations_.decoding);
    command.add_flag("--json", violations_.json, "One JSON object per file instead of a table");
    add_reading(command, violations_.input);
  }

  void add_evaluate() {
    CLI::App& command = add_command(
        "evaluate", "Attachment scores of the best tree and of the best among the K best",
        "coppice evaluate scores.npz -k 1,10,50",
        [this] { return evaluate(evaluate_, std::cout, std::cerr); });
    add_inputs(command, evaluate_.input);
    add_ks(command, evaluate_.ks);
    add_root(command, evaluate_.decoding.problem, evaluate_.decoding.root_given);
    add_rules(command, evaluate_.decoding.problem);
    add_budget(command, evaluate_.decoding.request);
    add_minimize(command, evaluate_.decoding.problem);
    add_threads(command, evaluate_.decoding);
    command.add_flag("--json", evaluate_.json, "JSON instead of a table");
    add_reading(command, evaluate_.input);
  }

  void add_verify() {
    CLI::App& command = add_command(
        "verify",
        "Check lists of trees: valid, in order, distinct, right scores, the first one best",
        "coppice verify trees.jsonl --scores scores.npz --text words.conllu",
        [this] { return verify(verify_, std::cout, std::cerr); });
    command
        .add_option("TREES", verify_.trees, "JSON lines as decode writes them; - is standard input")
        ->required()
        ->type_name("FILE");
    command
        .add_option("--scores", verify_.input.paths,
                    "Score file that the trees were made from; repeatable")
        ->required()
        ->allow_extra_args(false)
        ->type_name("FILE");
    add_root(command, verify_.problem, verify_.root_given);
    add_minimize(command, verify_.problem);
    add_arcs(command, verify_.input);
    add_keep(command, verify_.input);
    add_rules(command, verify_.problem);
    add_graphs(command, verify_.input);
    add_reading(command, verify_.input);
    command.add_option("--tolerance", verify_.tolerance, "Relative error allowed in a score")
        ->capture_default_str()
        ->type_name("SHARE");
  }

  void add_ties() {
    CLI::App& command = add_command(
        "ties", "How many trees share the best score, and how many of them have each edge",
        "coppice ties distances.tsv --root-node reference --minimize",
        [this] { return ties(ties_, std::cout, std::cerr); });
    add_inputs(command, ties_.input);
    add_root(command, ties_.problem, ties_.root_given);
    add_minimize(command, ties_.problem);
    add_arcs(command, ties_.input);
    add_choice<TiesFormat>(command, "--format", ties_.format,
                           {{"jsonl", TiesFormat::jsonl}, {"tsv", TiesFormat::tsv}},
                           "What is written");
    command.add_flag("--log", ties_.log_only, "Write only the logarithm of the number of trees");
    command.add_flag("--strict", ties_.strict, "Stop at the first broken graph");
    add_graphs(command, ties_.input);
    add_reading(command, ties_.input);
  }

  void add_help() {
    CLI::App& command = add_command(
        "help", "The options of a command, or all commands", "coppice help decode", [this] {
          std::cout << (topic_.empty() ? overview()
                                       : command_named(app_, topic_).help(app_.get_name()));
          return kOk;
        });
    std::vector<std::string> names;
    for (const CLI::App* other : commands_of(app_)) names.push_back(other->get_name());
    command.add_option("COMMAND", topic_, "Which")
        ->type_name(fmt::format("{}", fmt::join(names, "|")));
  }

  void add_completions() {
    using Generator = std::string (*)(const CLI::App&);
    CLI::App& command = add_command(
        "completions", "Print completions for a shell, or the manual page",
        "coppice completions bash > ~/.local/share/bash-completion/completions/coppice", [this] {
          std::cout << generator_(app_);
          return kOk;
        });
    add_choice<Generator>(command, "SHELL", generator_,
                          {{"bash", bash_completion},
                           {"zsh", zsh_completion},
                           {"fish", fish_completion},
                           {"man", manual_page}},
                          "For what")
        ->required();
  }

  CLI::App app_{
      "The K best trees of directed graphs: dependency parses and spanning arborescences."};
  std::function<int()> action_;
  DecodeCommand decode_;
  ConfidenceCommand confidence_;
  ViewCommand view_;
  AnnotateCommand annotate_;
  ViolationsCommand violations_;
  EvaluateCommand evaluate_;
  VerifyCommand verify_;
  TiesCommand ties_;
  std::string topic_;
  std::string (*generator_)(const CLI::App&) = bash_completion;
};

}  // namespace

int program(int argc, char** argv) {
  secure_descriptors();
  watch_signals();
  return Program().run(argc, argv);
}

}  // namespace coppice::cli
