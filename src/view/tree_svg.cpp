// A tree from left to right: every node in the column of its depth, leaves one below the other,
// heads in the middle of their dependents. Where that gets too wide (a chain of 300 cases), an
// outline: every node in a row of its own, a little further right than its head.
#include <fmt/format.h>

#include <algorithm>
#include <coppice/view.hpp>
#include <string_view>
#include <vector>

#include "text/utf8.hpp"
#include "view/checked.hpp"
#include "view/xml.hpp"

namespace coppice::view {
namespace {

constexpr double kCharacter = 7.6;  // mean width at 13 px
constexpr double kSmall = 6.0;      // the same at 10 px
constexpr double kRow = 26;
constexpr double kGap = 46;  // between columns, for the edges and their labels
constexpr double kMargin = 16;
constexpr double kWidest = 4'000;
constexpr double kIndent = 24, kMostIndent = 1'200;  // of an outline: of one node, and of all

constexpr std::string_view kStyle = R"(<style>
text{font:13px system-ui,sans-serif;fill:#1d2430;dominant-baseline:middle}
.label{font-size:10px;fill:#667085;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3px}
path{fill:none;stroke:#5b6b86;stroke-width:1.5}rect.node{fill:#eef1f6;stroke:#c3cbd9;rx:5px}
.changed path{stroke:#d9600a;stroke-width:2}.changed .label{fill:#d9600a}.paper{fill:#fff}
@media(prefers-color-scheme:dark){text{fill:#e6e9ef}.paper{fill:#14181f}.label{fill:#98a2b3;stroke:#14181f}
path{stroke:#8b9bb8}rect.node{fill:#232a35;stroke:#3d4757}.changed path{stroke:#ff9d4d}
.changed .label{fill:#ff9d4d}}
</style>
)";

class Layout {
 public:
  Layout(const Picture& picture, std::size_t rank)
      : picture_(picture), rank_(rank), heads_(picture.trees->heads(rank)) {
    children_.resize(heads_.size());
    for (std::size_t v = 1; v < heads_.size(); ++v) children_[at(heads_[v])].push_back(v);
    if (picture.added_root) root_ = children_[0].front();
    order_.push_back(root_);
    for (std::size_t i = 0; i < order_.size(); ++i)
      order_.insert(order_.end(), children_[order_[i]].begin(), children_[order_[i]].end());
    place_columns();
    if (width_ > kWidest)
      place_outline();
    else
      place_rows();
  }

  std::string draw() const {
    const double height = 2 * kMargin + kRow * static_cast<double>(std::max<std::size_t>(rows_, 1));
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>",
        width_, height);
    append_xml(picture_.id, out);
    out += "</title>\n";
    out += kStyle;
    out += "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
    for (std::size_t v : order_)
      if (v != root_) draw_edge(v, out);
    for (std::size_t v : order_)
      if (v != root_) draw_label(v, out);
    for (std::size_t v : order_) draw_node(v, out);
    return out + "</svg>\n";
  }

 private:
  static std::size_t at(Node node) { return static_cast<std::size_t>(node); }

  std::string name(std::size_t v) const {
    if (v == 0) return picture_.root.empty() ? "root" : std::string(picture_.root);
    return v <= picture_.words.size() ? picture_.words[v - 1] : fmt::to_string(v);
  }
  double width_of(std::size_t v) const {
    return 16 + kCharacter * static_cast<double>(text::display_width(name(v)));
  }

  std::string label(std::size_t v) const {
    if (picture_.trees->edges(rank_).empty()) return {};
    const auto edge = at(picture_.trees->edges(rank_)[v]);
    if (picture_.edge_labels.empty())
      return picture_.edge_weights.empty() ? ""
                                           : fmt::format("{:.4g}", picture_.edge_weights[edge]);
    return picture_.label_names[at(picture_.edge_labels[edge])];
  }

  // The middle of the label of the edge into v.
  double label_place(std::size_t v) const {
    return outline_ ? x_[v] + width_of(v) + 6 + width_of_label(v) / 2 : x_[v] - kGap / 4;
  }
  double width_of_label(std::size_t v) const {
    return v == root_ ? 0.0 : kSmall * static_cast<double>(text::display_width(label(v)));
  }

  // A column is as wide as its widest name.
  void place_columns() {
    depth_.assign(heads_.size(), 0);
    std::vector<double> widest;
    for (std::size_t v : order_) {
      if (v != root_) depth_[v] = depth_[at(heads_[v])] + 1;
      if (widest.size() <= depth_[v]) widest.resize(depth_[v] + 1, 0.0);
      widest[depth_[v]] = std::max(widest[depth_[v]], width_of(v));
    }
    std::vector<double> left(widest.size() + 1, kMargin);
    for (std::size_t i = 0; i < widest.size(); ++i) left[i + 1] = left[i] + widest[i] + kGap;
    x_.resize(heads_.size());
    for (std::size_t v : order_) x_[v] = left[depth_[v]];
    width_ = left.back() - kGap + kMargin;
  }

  // Calls visit(v) for every node, heads before what hangs from them.
  template <class Visit>
  void walk(const Visit& visit) const {
    std::vector<std::size_t> stack(1, root_);
    while (!stack.empty()) {
      const std::size_t v = stack.back();
      stack.pop_back();
      visit(v);
      for (std::size_t i = children_[v].size(); i-- > 0;) stack.push_back(children_[v][i]);
    }
  }
  double next_row() { return kMargin + kRow * (static_cast<double>(rows_++) + 0.5); }

  void place_outline() {
    outline_ = true;
    const auto deepest = static_cast<double>(depth_[order_.back()]);
    const double indent = std::min(kIndent, kMostIndent / deepest);
    y_.assign(heads_.size(), 0.0);
    width_ = 0.0;
    walk([&](std::size_t v) {
      y_[v] = next_row();
      x_[v] = kMargin + indent * static_cast<double>(depth_[v]);
      width_ = std::max(width_, label_place(v) + width_of_label(v) / 2 + kMargin);
    });
  }

  // Leaves in the order in which a walk meets them.
  void place_rows() {
    y_.assign(heads_.size(), 0.0);
    walk([&](std::size_t v) {
      if (children_[v].empty()) y_[v] = next_row();
    });
    for (std::size_t i = order_.size(); i-- > 0;) {
      const auto& below = children_[order_[i]];
      if (!below.empty()) y_[order_[i]] = (y_[below.front()] + y_[below.back()]) / 2;
    }
  }

  bool changed(std::size_t v) const {
    const auto edges = picture_.trees->edges(rank_);
    return heads_[v] != picture_.trees->heads(0)[v] ||
           (!edges.empty() && edges[v] != picture_.trees->edges(0)[v]);
  }

  std::string_view group(std::size_t v) const {
    return changed(v) ? "<g class=\"changed\">" : "<g>";
  }

  void draw_edge(std::size_t v, std::string& out) const {
    const std::size_t head = at(heads_[v]);
    if (outline_) {  // down from below the head, and to the right
      out += fmt::format("{}<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/></g>\n", group(v),
                         x_[head] + 2, y_[head] + 10, y_[v], x_[v]);
      return;
    }
    const double from = x_[head] + width_of(head), middle = x_[v] - kGap / 2;
    out += fmt::format(
        "{}<path d=\"M{:.1f} {:.1f}H{:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\"/></g>\n",
        group(v), from, y_[head], x_[v] - kGap, middle, y_[head], middle, y_[v], x_[v], y_[v]);
  }

  void draw_label(std::size_t v, std::string& out) const {
    const std::string text = label(v);
    if (text.empty()) return;
    out += fmt::format("{}<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\">", group(v),
                       label_place(v), y_[v] - (outline_ ? 0 : 8));
    append_xml(text, out);
    out += "</text></g>\n";
  }

  void draw_node(std::size_t v, std::string& out) const {
    out += fmt::format(
        "<rect class=\"node\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"20\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">",
        x_[v], y_[v] - 10, width_of(v), x_[v] + 8, y_[v]);
    append_xml(name(v), out);
    out += "</text>\n";
  }

  const Picture& picture_;
  std::size_t rank_;
  std::span<const Node> heads_;
  std::size_t root_ = 0;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> order_;  // heads before their dependents
  std::vector<std::size_t> depth_;
  std::vector<double> x_, y_;  // left end and middle of a node
  bool outline_ = false;
  std::size_t rows_ = 0;
  double width_ = 0.0;
};

}  // namespace

std::string tree_svg(const Picture& picture, std::size_t rank) {
  check(picture, rank);
  return Layout(picture, rank).draw();
}

}  // namespace coppice::view
