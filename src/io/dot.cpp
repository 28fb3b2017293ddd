// DOT, the language of Graphviz: graphs with edges, attributes and groups of nodes.
#include <fmt/format.h>

#include <algorithm>
#include <coppice/io.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "io/bytes.hpp"
#include "io/graph_builder.hpp"
#include "io/names.hpp"
#include "io/table.hpp"
#include "io/text_readers.hpp"

namespace coppice::io {
namespace {

struct Token {
  enum Kind { end, name, symbol } kind = end;
  std::string text;     // of a symbol: { } [ ] ; , = : -> --
  bool quoted = false;  // "digraph" in quotes is a name

  bool is(std::string_view wanted) const { return kind == symbol && text == wanted; }
  bool is_word(std::string_view word) const { return kind == name && !quoted && text == word; }
};

class Tokens {
 public:
  Tokens(std::unique_ptr<ByteSource> source, std::string name, std::int64_t longest)
      : source_(std::move(source)),
        name_(std::move(name)),
        longest_(static_cast<std::size_t>(longest)),
        buffer_(1 << 16) {
    advance();
    advance();
    if (current_ == 0xEF) advance(), advance(), advance();  // a byte order mark
  }

  std::int64_t line() const { return line_; }
  [[noreturn]] void refuse(const std::string& what) const {
    throw FormatError(fmt::format("{}: line {}: {}", name_, line_, what));
  }

  Token next() {
    skip_blanks();
    Token token;
    if (current_ < 0) return token;
    if (current_ == '"') return quoted();
    if (current_ == '<') return html();
    if (std::string_view("{}[];,=:").find(static_cast<char>(current_)) != std::string_view::npos) {
      token = {Token::symbol, std::string(1, take())};
    } else if (current_ == '-' && (ahead_ == '>' || ahead_ == '-')) {
      token = {Token::symbol, std::string(1, take())};
      token.text += take();
    } else {
      token.kind = Token::name;
      while (is_word_character()) append(token.text, take());
      if (token.text.empty()) refuse(fmt::format("'{}' is not expected", take()));
    }
    return token;
  }

 private:
  bool is_word_character() const {
    return (current_ >= '0' && current_ <= '9') || (current_ >= 'a' && current_ <= 'z') ||
           (current_ >= 'A' && current_ <= 'Z') || current_ == '_' || current_ == '.' ||
           current_ >= 0x80 || (current_ == '-' && ahead_ != '>' && ahead_ != '-') ||
           current_ == '+';
  }

  void append(std::string& text, char c) const {
    if (text.size() >= longest_) refuse(fmt::format("a name of more than {} bytes", longest_));
    text += c;
  }

  char take() {
    const auto c = static_cast<char>(current_);
    advance();
    return c;
  }
  void advance() {
    if (current_ == '\n') ++line_;
    current_ = ahead_;
    if (at_ == size_ && ahead_ != -1) {
      size_ = source_->read(buffer_.data(), buffer_.size());
      at_ = 0;
    }
    ahead_ = at_ < size_ ? static_cast<unsigned char>(buffer_[at_++]) : -1;
  }

  void skip_blanks() {
    for (bool line_begins = current_ == -2;; advance()) {
      if (current_ == '\n') {
        line_begins = true;
        continue;
      }
      if (current_ == ' ' || current_ == '\t' || current_ == '\r') continue;
      const bool to_end_of_line =
          (current_ == '/' && ahead_ == '/') || (current_ == '#' && (line_begins || line_ == 1));
      if (to_end_of_line) {
        while (ahead_ >= 0 && ahead_ != '\n') advance();
      } else if (current_ == '/' && ahead_ == '*') {
        advance();
        do advance();
        while (current_ >= 0 && !(current_ == '*' && ahead_ == '/'));
        advance();
        if (current_ < 0) refuse("a comment that is not closed");
      } else {
        return;
      }
    }
  }

  // "one" + " and " + "two"
  Token quoted() {
    Token token{Token::name, {}, true};
    for (;;) {
      for (take(); current_ != '"';) {
        if (current_ < 0) refuse("a quote that is not closed");
        if (current_ == '\\' && ahead_ == '\n') {  // a line that goes on
          take(), take();
          continue;
        }
        if (current_ == '\\' && (ahead_ == '"' || ahead_ == '\\')) take();
        append(token.text, take());
      }
      take();
      skip_blanks();
      if (current_ != '+') return token;
      take();
      skip_blanks();
      if (current_ != '"') refuse("a quote is expected behind +");
    }
  }

  Token html() {
    Token token{Token::name, {}, true};
    int depth = 0;
    do {
      if (current_ < 0) refuse("'<' that is not closed");
      depth += current_ == '<' ? 1 : current_ == '>' ? -1 : 0;
      append(token.text, take());
    } while (depth > 0);
    return token;
  }

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::size_t longest_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, size_ = 0;
  std::int64_t line_ = 1;
  int current_ = -2, ahead_ = -2;  // -1 at the end, -2 before the beginning
};

class DotReader : public Reader {
 public:
  DotReader(std::unique_ptr<ByteSource> source, const std::string& name, const ReadOptions& options)
      : options_(options.graph),
        tokens_(std::move(source), name, options.limits.max_line_bytes),
        builder_(options_, options.limits),
        most_nodes_(static_cast<std::size_t>(options.limits.max_edges)),
        longest_value_(static_cast<std::size_t>(options.limits.max_name_bytes) + 1) {
    advance();
  }

  bool skip() override {
    Sentence passed;
    return next(passed);
  }

  bool next(Sentence& sentence) override {
    sentence.clear();
    builder_.clear();
    error_.clear();
    id_.clear();
    edges_of_groups_ = 0;
    if (token_.kind == Token::end) return false;
    read_graph();
    sentence.index = index_++;
    sentence.error = error_;
    builder_.set_id(id_, sentence);
    if (sentence.error.empty()) builder_.build(sentence);
    return true;
  }

 private:
  using Names = std::vector<std::string>;

  void advance() { token_ = tokens_.next(); }
  void expect(std::string_view symbol) {
    if (!token_.is(symbol))
      tokens_.refuse(fmt::format("'{}' where '{}' is expected", token_.text, symbol));
    advance();
  }
  bool skip_symbol(std::string_view symbol) {
    if (!token_.is(symbol)) return false;
    advance();
    return true;
  }
  std::string take_name() {
    if (token_.kind != Token::name)
      tokens_.refuse(fmt::format("'{}' where a name is expected", token_.text));
    std::string text = std::move(token_.text);
    advance();
    return text;
  }
  void fail(const std::string& what) {
    if (!what.empty() && error_.empty()) error_ = fmt::format("line {}: {}", tokens_.line(), what);
  }

  void read_graph() {
    if (token_.is_word("strict")) advance();
    const bool directed = token_.is_word("digraph");
    if (!directed && !token_.is_word("graph"))
      tokens_.refuse(fmt::format("'{}' where a digraph or graph is expected", token_.text));
    arrow_ = directed ? "->" : "--";
    if (!directed) builder_.be_undirected();
    advance();
    if (token_.kind == Token::name) id_ = take_name();
    expect("{");
    defaults_.assign(1, {});
    // Groups of statements are read in a loop, however deep they are.
    while (!defaults_.empty()) {
      if (token_.kind == Token::end) tokens_.refuse("'}' is missing");
      if (skip_symbol("}")) {
        defaults_.pop_back();
      } else if (!skip_symbol(";") && !skip_symbol(",")) {
        read_statement();
      }
    }
  }

  void read_statement() {
    if (token_.is_word("graph") || token_.is_word("node") || token_.is_word("edge")) {
      const bool of_edges = token_.is_word("edge");
      advance();
      Attributes attributes = read_attributes();
      if (!of_edges) return;
      Attributes& defaults = defaults_.back();  // the last one of a name counts
      std::erase_if(defaults, [&](const auto& old) { return has(attributes, old.first); });
      defaults.insert(defaults.begin(), attributes.begin(), attributes.end());
      if (defaults.size() > kMostAttributes) tokens_.refuse("too many attributes");
      return;
    }
    Names from;
    if (token_.is("{") || token_.is_word("subgraph")) {
      if (!begin_group(from)) return;
    } else {
      from = read_node();
      if (skip_symbol("=")) {  // an attribute of the graph
        take_name();
        return;
      }
    }
    read_edges(std::move(from));
  }

  // "a", "a:port"
  Names read_node() {
    Names names{take_name()};
    while (skip_symbol(":")) take_name();
    return names;
  }

  // A group that is one end of an edge: "{a b c}". False where it holds statements of its own,
  // which then follow as if they were outside.
  bool begin_group(Names& names) {
    if (token_.is_word("subgraph")) {
      advance();
      if (token_.kind == Token::name) take_name();
    }
    expect("{");
    std::unordered_set<std::string> seen;
    while (token_.kind == Token::name && !token_.is_word("subgraph")) {
      const bool word = token_.is_word("graph") || token_.is_word("node") || token_.is_word("edge");
      if (word) break;
      Names last = read_node();
      if (token_.is("->") || token_.is("--") || token_.is("[") || token_.is("=")) {
        defaults_.push_back(defaults_.back());
        if (defaults_.size() > kDeepest) tokens_.refuse("groups nested too deeply");
        for (const std::string& name : names) fail(builder_.add_node(name));
        if (skip_symbol("="))
          take_name();
        else
          read_edges(std::move(last));
        return false;
      }
      if (seen.insert(last[0]).second) names.push_back(std::move(last[0]));
      if (names.size() > most_nodes_) tokens_.refuse("too many nodes in a group");
      while (skip_symbol(";") || skip_symbol(",")) {
      }
    }
    if (skip_symbol("}")) return true;
    for (const std::string& name : names) fail(builder_.add_node(name));
    defaults_.push_back(defaults_.back());
    if (defaults_.size() > kDeepest) tokens_.refuse("groups nested too deeply");
    return false;
  }

  // "-> b -> {c d} [weight=5]", or nothing but attributes of the node.
  void read_edges(Names from) {
    std::vector<Names> chain;
    chain.push_back(std::move(from));
    if (!token_.is("->") && !token_.is("--"))
      for (const std::string& name : chain[0]) fail(builder_.add_node(name));
    while (token_.is("->") || token_.is("--")) {
      if (!token_.is(arrow_))
        fail(fmt::format("'{}' where {} is expected: {} in a {}", token_.text, arrow_,
                         arrow_ == "->" ? "an undirected edge" : "a directed edge",
                         arrow_ == "->" ? "digraph" : "graph"));
      advance();
      Names to;
      if (token_.is("{") || token_.is_word("subgraph")) {
        if (!begin_group(to)) tokens_.refuse("an edge to a group of statements");
      } else {
        to = read_node();
      }
      count_edges(chain.back().size(), to.size());
      chain.push_back(std::move(to));
    }
    Attributes attributes = read_attributes();
    attributes.insert(attributes.end(), defaults_.back().begin(), defaults_.back().end());
    for (std::size_t i = 1; i < chain.size() && error_.empty(); ++i)
      for (const std::string& source : chain[i - 1])
        for (const std::string& target : chain[i]) add_edge(source, target, attributes);
  }

  // A few bytes of groups may say millions of edges.
  void count_edges(std::size_t sources, std::size_t targets) {
    if (sources > 1 || targets > 1) edges_of_groups_ += sources * targets;
    if (edges_of_groups_ > kMostEdgesOfGroups)
      fail(fmt::format("edges between groups of nodes are more than {}", kMostEdgesOfGroups));
  }

  void add_edge(const std::string& source, const std::string& target,
                const Attributes& attributes) {
    if (!error_.empty()) return;
    const auto text = weight_of(attributes, options_.columns);
    if (!text) return fail(fmt::format("the edge '{}' -> '{}' has no weight", source, target));
    Weight weight;
    if (std::string what = Weight::parse(*text, weight); !what.empty()) return fail(what);
    fail(builder_.add_edge(source, target, weight, label_of(attributes, options_.columns)));
  }

  Attributes read_attributes() {
    Attributes attributes;
    while (skip_symbol("[")) {
      while (!skip_symbol("]")) {
        if (skip_symbol(";") || skip_symbol(",")) continue;
        std::string name = take_name();
        std::string value = "true";
        if (skip_symbol("=")) value = take_name();
        if (!holds_weight_or_label(name, options_.columns) || has(attributes, name)) continue;
        if (attributes.size() >= kMostAttributes) tokens_.refuse("too many attributes");
        // Every group within this one has a copy, and what is longer is refused where it is used.
        value.resize(std::min(value.size(), longest_value_));
        attributes.emplace_back(std::move(name), std::move(value));
      }
    }
    return attributes;
  }

  static bool has(const Attributes& attributes, std::string_view name) {
    return std::ranges::any_of(attributes, [&](const auto& one) { return one.first == name; });
  }

  static constexpr std::size_t kDeepest = 100, kMostAttributes = 64;
  static constexpr std::size_t kMostEdgesOfGroups = 1'000'000;

  GraphOptions options_;
  Tokens tokens_;
  Token token_;
  GraphBuilder builder_;
  std::size_t most_nodes_, longest_value_;
  std::size_t edges_of_groups_ = 0;   // of the graph
  std::vector<Attributes> defaults_;  // of edges, one for every open group
  std::string id_, error_;
  std::string_view arrow_;
  std::int64_t index_ = 0;
};

}  // namespace

std::unique_ptr<Reader> open_dot(std::unique_ptr<ByteSource> source, const std::string& name,
                                 const ReadOptions& options) {
  return std::make_unique<DotReader>(std::move(source), name, options);
}

}  // namespace coppice::io
