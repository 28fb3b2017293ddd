// Sentences in, trees out: the files that the coppice program reads and writes (docs/formats.md).
//
//   auto reader = coppice::io::open("scores.npz", {});
//   coppice::io::Sentence sentence;
//   std::string out;
//   while (reader->next(sentence)) {
//     if (!sentence.error.empty()) { report(sentence.index, sentence.error); continue; }
//     auto trees = coppice::kbest(*sentence.graph(), problem, {.k = 5});
//     coppice::io::append_jsonl({sentence, trees}, out);
//   }
//
// Reading is streaming: one sentence is in memory at a time, whatever the size of the file, and
// what one sentence may ask for is limited (Limits). A sentence that is broken by itself (ragged
// rows, a line that is no JSON ...) has its error said and reading goes on behind it; a file that
// is broken as a whole (truncated, sizes that contradict each other ...) throws FormatError.
//
// Throws: FormatError where a file cannot be opened or read further; writers do not throw.
// Cost: linear in what is read or written, one pass; memory that of one sentence.
// Threads: a reader is for one at a time; writers may be called by any number, each with its own
// out.
//
// Needs the library coppice::io.
#pragma once

#include <coppice/confidence.hpp>
#include <coppice/error.hpp>
#include <coppice/graph.hpp>
#include <coppice/tree.hpp>
#include <coppice/undirected.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace coppice::io {

// A file that cannot be read, or not further. The text names the file, the place and the value. The
// code is bad_argument for CoNLL-U in the place of scores, which is to be read by ConlluReader.
class FormatError : public Error {
 public:
  explicit FormatError(const std::string& text, ErrorCode code = ErrorCode::bad_file)
      : Error(code, text) {}
};

// Which index comes first in a score matrix.
enum class Axes : std::uint8_t { head_dependent, dependent_head };

// What one sentence may ask for. Beyond it there is an error, not an allocation.
struct Limits {
  std::int64_t max_words = 10'000;                       // of a score matrix
  std::int64_t max_edges = 50'000'000;                   // of an edge list, or of arcs with labels
  std::int64_t max_line_bytes = 128 << 20;               // of a line of text
  std::int64_t max_array_bytes = std::int64_t{1} << 30;  // of an array that cannot be streamed
  // Of an id, and of the name of a node or a label: output repeats them for every tree.
  std::int64_t max_name_bytes = 4'096;
};

// Graphs whose nodes have names, and which of their edges count. Edges that do not are left out as
// they are read.
struct GraphOptions {
  // The node from which all others are to be reached. Without it any node may be the root, unless
  // the nodes of an edge list are numbers: then it is node 0.
  std::optional<std::string> root_node = std::nullopt;
  bool any_root = false;  // the same for nodes that are numbers
  // Edges have no directions. So it is in GraphML and DOT files that say so, asked for or not.
  // Nodes have names then, numbers or not, and trees hang from the root node or else from the first
  // one.
  bool undirected = false;
  // Names (or numbers, from 1) of the columns or attributes with source, target, weight, perhaps
  // label, and, of tables alone, perhaps the dates of source and target, which count as `dates` do;
  // empty: the usual ones.
  std::vector<std::string> columns = {};

  struct EdgeName {
    std::string source, target;
    friend bool operator==(const EdgeName&, const EdgeName&) = default;
  };
  std::vector<EdgeName> required = {};   // the target must hang from the source
  std::vector<EdgeName> forbidden = {};  // it must not
  // A date that is a month begins with its first day and ends with its last.
  struct Date {
    double first, last;
    friend bool operator==(const Date&, const Date&) = default;
  };
  using Dates = std::unordered_map<std::string, Date>;
  // No edge goes from a node to one that is surely earlier; nodes without a date may be anywhere.
  std::shared_ptr<const Dates> dates = nullptr;
  std::optional<double> min_weight = std::nullopt, max_weight = std::nullopt;
  std::vector<std::string> only_labels = {}, without_labels = {};

  // Any of those that leave edges out.
  bool filters() const;
};

// Two columns, node and date: years, 2014-05, 2014-05-17, or any number that grows with time.
// Throws FormatError.
GraphOptions::Dates read_dates(const std::string& path, const Limits& limits);

// Edges by the names of their ends: two columns, source and target; where a header names a column
// "graph", too, every edge is of the graph with that id alone.
class EdgeNameReader {
 public:
  // Throws FormatError, as next() does.
  EdgeNameReader(const std::string& path, const Limits& limits);
  EdgeNameReader(EdgeNameReader&&) noexcept;
  EdgeNameReader& operator=(EdgeNameReader&&) noexcept;
  ~EdgeNameReader();

  // Whether edges are of single graphs.
  bool names_graphs() const;
  // False at the end.
  bool next(GraphOptions::EdgeName& edge);
  // Of the last edge: the id of its graph, or "" where it is of all of them; where it stands.
  const std::string& graph() const;
  std::int64_t line() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};
// All edges of such a file.
std::vector<GraphOptions::EdgeName> read_edge_names(const std::string& path, const Limits& limits);

struct ReadOptions {
  Axes axes = Axes::head_dependent;
  // A .npy file with the number of words of every sentence, for padded batches that do not bring
  // their own.
  std::string lengths_path = {};
  Limits limits = {};
  GraphOptions graph = {};
};

// A square score matrix, row-major.
struct Matrix {
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>> values;
  Node nodes = 0;
  Axes axes = Axes::head_dependent;

  DenseView view() const;
};

// A word and its columns in CoNLL-U; those that are not known are empty.
struct Token {
  std::string form = {}, lemma = {}, upos = {}, xpos = {}, feats = {}, misc = {}, deps = {};
};

struct Sentence {
  std::int64_t index = 0;  // counted from 0 in the file
  std::string id;          // the file's own name for it; empty where it has none
  std::variant<std::monostate, Matrix, Multigraph, UndirectedGraph> scores;
  std::string error;       // not empty: this sentence is broken, scores mean nothing
  std::int64_t nodes = 0;  // N + 1, also of a broken sentence where the file tells; else 0

  // What the file says beyond the scores; empty where it does not.
  std::vector<Token> tokens;
  std::string text;
  std::vector<std::string> multiword_lines;  // CoNLL-U "1-2 ..." lines
  std::vector<std::string> comments;         // CoNLL-U "# ..." lines but sent_id, text and our own
  std::vector<Node> gold_heads;              // of words 1..N: gold_heads[0] is word 1's
  std::vector<std::string> gold_labels;
  // Of a multigraph: the label of every edge, an index into label_names.
  std::vector<std::int32_t> edge_labels;
  std::shared_ptr<const std::vector<std::string>> label_names;

  // Of a graph with names: of nodes 0..N, and of every edge its place in the file, from 0.
  std::vector<std::string> node_names;
  std::vector<EdgeId> edge_places;
  // Any node may be the root: node 0 is not in the file, and one edge leaves it, whatever the root
  // rule. The place of such an edge is kNoEdge.
  bool added_root = false;
  // What every tree of this sentence must have, and must not, beside what all trees must. In an
  // undirected graph required arcs have no direction.
  std::vector<Arc> required, forbidden;
  std::vector<EdgeId> required_edges, forbidden_edges;
  // The matrix as the file has it, before labels are added and scores divided; where somebody asks
  // for it.
  std::optional<Matrix> arc_scores;
  // Labels of words 1..N that stay whatever the tree is, "" where there is none; or nothing.
  std::vector<std::string> kept_labels;
  // Not empty: the graph has no tree, and why; scores mean nothing.
  std::string no_tree;

  const UndirectedGraph* undirected() const { return std::get_if<UndirectedGraph>(&scores); }
  bool named() const { return !node_names.empty(); }
  // Its name, or else its word, or else its number; the root's is "" where it was added.
  std::string node_name(Node node) const;

  // What it is called in output: the id, or else the index.
  std::string name() const;
  // Nothing where the sentence is broken; of an undirected graph both directions of every edge.
  std::optional<Graph> graph() const;
  // The same with what rules may ask for: labels, tags. known must last as long as the graph.
  struct Known {
    std::vector<Word> words;
    SentenceFacts facts;
  };
  std::optional<Graph> graph(Known& known) const;
  // Forgets all, keeps the memory of the scores.
  void clear();
};

struct Totals {
  std::int64_t sentences = 0;
  std::int64_t arcs = 0;  // sum of (N+1)^2 over the sentences; 0 where there are no matrices
};

class Reader {
 public:
  virtual ~Reader() = default;

  // The next sentence, or false at the end. The memory of the last one is reused.
  virtual bool next(Sentence& sentence) = 0;
  // Passes over one sentence without converting it.
  virtual bool skip() = 0;
  // False where next() would have to wait: the file is a pipe, and nothing has come for so many
  // milliseconds.
  virtual bool ready(int /*milliseconds*/) { return true; }
  // Where the file tells before it is read.
  virtual std::optional<Totals> totals() const { return std::nullopt; }
};

// Opens .npz, .npy, JSON lines, GraphML, DOT or an edge list (between blanks, TSV, CSV), told apart
// by their first bytes. "-" is standard input. Throws FormatError.
std::unique_ptr<Reader> open(const std::string& path, const ReadOptions& options);
// The same from memory, which must outlive the reader; name is for messages.
std::unique_ptr<Reader> open_bytes(std::string_view bytes, const std::string& name,
                                   const ReadOptions& options);

// Label scores that go with the matrices of a score file, in the same order (docs/formats.md).
class LabelReader {
 public:
  // arcs: Totals::arcs of the score files, or nothing where it is not known; then the file itself
  // must say how many labels an arc has. Throws FormatError.
  LabelReader(const std::string& path, std::optional<std::int64_t> arcs, const Limits& limits);
  // From memory, which must outlive the reader.
  static LabelReader from_bytes(std::string_view bytes, const std::string& name,
                                std::optional<std::int64_t> arcs, const Limits& limits);
  LabelReader(LabelReader&&) noexcept;
  ~LabelReader();

  const std::shared_ptr<const std::vector<std::string>>& names() const;
  int per_arc() const;
  // Scores and label indices of the next sentence: nodes * nodes * per_arc of each.
  void next(std::int64_t nodes, std::vector<float>& scores, std::vector<std::int32_t>& labels);
  void skip(std::int64_t nodes);
  // Behind the last sentence: throws FormatError where there are more label scores, or where the
  // checksum of the archive is not that of what was read.
  void finish();

 private:
  class Impl;
  explicit LabelReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Words, tags and gold trees from CoNLL-U.
class ConlluReader {
 public:
  // Throws FormatError where the file cannot be opened.
  ConlluReader(const std::string& path, const Limits& limits);
  // From memory, which must outlive the reader.
  static ConlluReader from_bytes(std::string_view bytes, const std::string& name,
                                 const Limits& limits);
  ConlluReader(ConlluReader&&) noexcept;
  ~ConlluReader();

  // Fills id, text, tokens, gold heads and labels of the sentence and leaves the rest alone; false
  // at the end. Throws FormatError for a line that is no CoNLL-U.
  // Where words have no head, there is no gold tree; with partial the heads of the others stay, and
  // theirs are kNoNode and must be "_".
  bool next(Sentence& sentence, bool partial = false);
  bool skip();

 private:
  class Impl;
  explicit ConlluReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What a writer writes: the trees of one sentence, or why there are none.
struct Parses {
  const Sentence& sentence;
  const TreeList& trees;
  std::string_view error = {};
  bool with_edges = false;                     // jsonl: name the edges of a multigraph
  std::span<const double> probabilities = {};  // of the trees, or empty
  // conllu: [tree][word 1..N], or empty. Words whose head is less sure than `highlight` are named
  // in a comment, so are labels.
  std::span<const ArcProbabilities> arcs = {};
  double highlight = 0.0;
  // conllu: beside them in MISC, [word 1..N], "Name=Value|Name=Value"; or empty.
  std::span<const std::string> notes = {};
  // conllu: where trees have no labels, a word that keeps the head of the file keeps its relation;
  // a tree that is the file's keeps its DEPS, unless these name empty nodes, which are not written.
  bool keep_gold = false;
  // A long list in pieces: begin with this tree, and end behind the one with which so many bytes
  // are appended.
  std::size_t first = 0;
  std::size_t most_bytes = static_cast<std::size_t>(-1);
};

// Each appends a sentence with its trees, and returns the rank of the first tree that is left, or
// trees.size(): unless most_bytes is small, all is written. Numbers are written as the shortest
// text that reads back as the same float64.
std::size_t append_jsonl(const Parses& parses, std::string& out);
std::size_t append_conllu(const Parses& parses, std::string& out);
std::size_t append_text(const Parses& parses, bool colour, std::string& out);

// The same for graphs, by the names of their nodes. A graph without a tree is a comment that says
// so, in Newick nothing.
std::size_t append_newick(const Parses& parses, std::string& out);  // weights are branch lengths
std::size_t append_nexus(const Parses& parses, std::string& out);   // the same as a block of trees
std::size_t append_dot(const Parses& parses, std::string& out);
std::size_t append_tsv(const Parses& parses, std::string& out);
std::size_t append_graphml(const Parses& parses, std::string& out);
// What comes before the first graph of a file and after the last one.
inline constexpr std::string_view kTsvBegin =
    "graph\trank\tscore\tgap\tsource\ttarget\tweight\tlabel\n";
extern const std::string_view kGraphmlBegin, kGraphmlEnd, kNexusBegin, kNexusEnd;

}  // namespace coppice::io
