#include <coppice/io.hpp>

namespace coppice::io {

DenseView Matrix::view() const {
  return std::visit(
      [this](const auto& data) {
        return axes == Axes::head_dependent ? DenseView::head_dependent(data.data(), nodes)
                                            : DenseView::dependent_head(data.data(), nodes);
      },
      values);
}

std::string Sentence::name() const { return id.empty() ? std::to_string(index) : id; }

std::string Sentence::node_name(Node node) const {
  const auto place = static_cast<std::size_t>(node);
  if (named()) return node_names[place];
  if (node > 0 && place <= tokens.size() && !tokens[place - 1].form.empty())
    return tokens[place - 1].form;
  return std::to_string(node);
}

std::optional<Graph> Sentence::graph() const {
  if (!error.empty() || !no_tree.empty()) return std::nullopt;
  if (const auto* matrix = std::get_if<Matrix>(&scores)) return Graph(matrix->view());
  if (const auto* multigraph = std::get_if<Multigraph>(&scores)) return Graph(*multigraph);
  if (undirected() != nullptr) return Graph(undirected()->arcs());
  return std::nullopt;
}

std::optional<Graph> Sentence::graph(Known& known) const {
  known.words.clear();
  for (const Token& token : tokens) known.words.push_back({token.upos, token.feats, token.misc});
  known.facts = {.edge_labels = edge_labels,
                 .label_names = {},
                 .words = known.words,
                 .added_root = added_root};
  if (label_names) known.facts.label_names = *label_names;
  const auto plain = graph();
  if (!plain || undirected() != nullptr) return plain;
  return plain->dense() ? Graph(*plain->dense(), known.facts)
                        : Graph(*plain->multigraph(), known.facts);
}

void Sentence::clear() {
  index = 0;
  nodes = 0;
  id.clear();
  error.clear();
  tokens.clear();
  text.clear();
  multiword_lines.clear();
  comments.clear();
  gold_heads.clear();
  gold_labels.clear();
  edge_labels.clear();
  label_names.reset();
  node_names.clear();
  edge_places.clear();
  added_root = false;
  required.clear();
  forbidden.clear();
  required_edges.clear();
  forbidden_edges.clear();
  arc_scores.reset();
  kept_labels.clear();
  no_tree.clear();
}

}  // namespace coppice::io
