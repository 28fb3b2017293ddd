// From a batch of sentences to their trees, by the engine that was asked for.
#pragma once

#include <coppice/batch.hpp>
#include <coppice/confidence.hpp>
#include <coppice/engines.hpp>
#include <coppice/io.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "input.hpp"
#include "message.hpp"

namespace coppice::cli {

struct DecodingOptions {
  Problem problem{RootRule::single};
  Request request;
  const Engine* engine = &engines().front();
  int threads = 1;
  bool strict = false;
  // --root was typed: otherwise any number of edges may leave the root of a graph with names.
  bool root_given = false;
  // Any two trees of a sentence differ in at least so many heads, words with these labels not
  // counted; 0: in whatever they differ.
  std::int32_t distance = 0;
  std::vector<std::string> ignored_labels = {};
};

// Which trees of a sentence: the arcs are those of graphs without names, and where any node may be
// the root, one edge leaves the root that was added. What is asked of this sentence alone is added.
Problem which_of(const io::Sentence& sentence, const Problem& problem, bool root_given);

// Says once, where nobody chose the root rule, what it is for graphs whose nodes are numbers: of
// sentences and of graphs with names everyone expects the same.
class RootNote {
 public:
  RootNote(std::ostream& log, bool root_given) : log_(log), due_(!root_given) {}
  // labelled: the edges of a multigraph are those of a score matrix with labels.
  void look_at(const io::Sentence& sentence, bool labelled);

 private:
  std::ostream& log_;
  bool due_;
};

// Of the text of a sentence so much is made side by side with others; the rest where it is written.
inline constexpr std::size_t kBytesOfPiece = 1 << 20;

// What is said of a sentence, once all is known about it.
struct Rendered {
  std::string_view text;                        // until the end of the batch
  std::size_t trees = 0;                        // of the list, that are in the text
  std::optional<ListProbabilities> confidence;  // where it is asked for,
  std::string no_confidence;                    // or why there is none
  HeadSets head_sets;                           // where a guarantee is given
};

// A sentence with its trees; error says why there are none.
struct Decoded {
  const io::Sentence& sentence;
  const TreeList& trees;
  const std::string& error;
  bool broken;  // the sentence is at fault; otherwise it just has no tree
  const Problem& problem;
  const Rendered* rendered = nullptr;  // when it is handed on
  std::string_view way = {};           // that the engine went (Decoder::way())
};

struct Timing {
  double reading = 0.0;
  double decoding = 0.0, rendering = 0.0;  // on all threads together
  double handling = 0.0;                   // in the caller's function
};

struct Totals {
  std::int64_t sentences = 0;
  std::int64_t trees = 0;
  std::int64_t broken = 0;
  std::int64_t without_tree = 0;
  Timing seconds = {};
  std::map<std::string_view, std::int64_t> ways = {};  // of the engine, by their names
};

// Throws UsageError for options that the engine does not have.
void check_options(const DecodingOptions& options);
// The same for an engine that does not know the root rule of trees of this sentence.
void check_engine(const io::Sentence& sentence, const Problem& problem, const Engine& engine);

// The trees of one sentence.
BatchEntry decode_one(const io::Sentence& sentence, const DecodingOptions& options);

// The probabilities of the trees among all that the options allow, rules left aside, the scores
// being log-potentials. Empty where there are none: costs, too large a graph, weights that are no
// exponents.
std::vector<double> probabilities(const Decoded& decoded);

// The same with how sure every edge is. Nothing where there is no such thing; where the sentence
// has trees, it is said why not.
std::optional<ListProbabilities> confidence_of(const Decoded& decoded, std::string& why_not);

// What becomes of the sentences.
struct Steps {
  // What is to be said of one, added to text; called by the threads that decode, side by side.
  std::function<void(const Decoded&, std::string& text, Rendered&)> render = {};
  // Called once per sentence, in order.
  std::function<void(const Decoded&)> handle;
  // After each batch.
  std::function<void()> end_of_batch = {};
};

// Reads, decodes and hands on every sentence in order, in batches of bounded size. Broken sentences
// are reported on log; with strict the first one throws StrictError.
// With several threads, files are read, batches are decoded and those before them are handed on at
// the same time; handle and end_of_batch may then be called on any thread, one at a time.
void decode_all(Input& input, const DecodingOptions& options, std::ostream& log, Totals& totals,
                const Steps& steps);

}  // namespace coppice::cli
