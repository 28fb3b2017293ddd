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

std::optional<Graph> Sentence::graph() const {
  if (!error.empty()) return std::nullopt;
  if (const auto* matrix = std::get_if<Matrix>(&scores)) return Graph(matrix->view());
  if (const auto* multigraph = std::get_if<Multigraph>(&scores)) return Graph(*multigraph);
  return std::nullopt;
}

void Sentence::clear() {
  index = 0;
  nodes = 0;
  id.clear();
  error.clear();
  tokens.clear();
  text.clear();
  multiword_lines.clear();
  gold_heads.clear();
  gold_labels.clear();
  edge_labels.clear();
  label_names.reset();
}

}  // namespace coppice::io
