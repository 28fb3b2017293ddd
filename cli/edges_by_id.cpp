#include "edges_by_id.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "errors.hpp"
#include "text/numbers.hpp"

namespace coppice::cli {
namespace {

// What the ends of edges are called in one sentence.
class Nodes {
 public:
  explicit Nodes(const io::Sentence& sentence) : named_(sentence.named()) {
    for (std::size_t node = 0; node < sentence.node_names.size(); ++node)
      numbers_.emplace(sentence.node_names[node], static_cast<Node>(node));
  }
  std::optional<Node> find(const std::string& text) const {
    if (!named_) return text::parse_number<Node>(text);
    const auto found = numbers_.find(text);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  bool named_;
  std::unordered_map<std::string_view, Node> numbers_;
};

}  // namespace

void add_edges_of_all(const std::string& path, const io::Limits& limits,
                      std::vector<io::GraphOptions::EdgeName>& edges) {
  if (path.empty()) return;
  if (io::EdgeNameReader(path, limits).names_graphs()) return;
  for (auto& edge : io::read_edge_names(path, limits)) edges.push_back(std::move(edge));
}

std::optional<EdgesById> EdgesById::open(const std::string& path, const io::Limits& limits) {
  if (path.empty()) return std::nullopt;
  io::EdgeNameReader reader(path, limits);
  if (!reader.names_graphs()) return std::nullopt;
  return EdgesById(path, std::move(reader));
}

EdgesById::EdgesById(std::string path, io::EdgeNameReader reader)
    : path_(std::move(path)), reader_(std::move(reader)) {
  advance();
}

void EdgesById::advance() { at_end_ = !reader_.next(next_); }

void EdgesById::add_to(io::Sentence& sentence, std::vector<Arc>& arcs) {
  if (at_end_ || reader_.graph() != sentence.id) return;
  if (sentence.undirected() != nullptr)
    throw UsageError(
        fmt::format("{}: edges of single graphs are directed, and this one is not", path_));
  const Nodes nodes(sentence);
  for (; !at_end_ && reader_.graph() == sentence.id; advance()) {
    const auto head = nodes.find(next_.source), dependent = nodes.find(next_.target);
    if (head && dependent) {
      arcs.push_back({*head, *dependent});
    } else if (sentence.error.empty()) {
      sentence.error = fmt::format("{}: line {}: there is no node '{}'", path_, reader_.line(),
                                   head ? next_.target : next_.source);
    }
  }
}

void EdgesById::finish() const {
  if (at_end_) return;
  throw io::FormatError(
      fmt::format("{}: line {}: '{}' is no sentence of the scores, or its edges stand behind those "
                  "of a later one",
                  path_, reader_.line(), reader_.graph()));
}

}  // namespace coppice::cli
