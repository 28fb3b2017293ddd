// An arc diagram: the words in a row, every arc above all the arcs it spans. The page's script
// (page/script.js) draws the same way.
#include <fmt/format.h>
#include <coppice/error.hpp>

#include <algorithm>
#include <coppice/view.hpp>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "text/utf8.hpp"
#include "view/xml.hpp"

namespace coppice::view {
namespace {

constexpr double kCharacter = 8.6;  // mean width at 15 px
constexpr double kSmall = 7.0;      // the same at 11 px
constexpr double kWordGap = 26;
constexpr double kLegGap = 6;  // between the legs of arcs that share a head
constexpr double kMargin = 16;
constexpr double kCorner = 8;

constexpr std::string_view kStyle = R"(<style>
text{font:15px system-ui,sans-serif;text-anchor:middle;fill:#1d2430}
.tag,.label{font-size:11px;fill:#667085}.label{paint-order:stroke;stroke:#fff;stroke-width:4px}
path{fill:none;stroke:#5b6b86;stroke-width:1.5}.head{fill:#5b6b86;stroke:none}
.changed path{stroke:#d9600a;stroke-width:2}.changed .head,.changed .label{fill:#d9600a;stroke-width:0}
.changed .label{stroke-width:4px}
.broken path{stroke:#c8102e;stroke-width:2;stroke-dasharray:5 3}.broken .head,.broken .label{fill:#c8102e}
.paper{fill:#fff}
@media(prefers-color-scheme:dark){text{fill:#e6e9ef}.paper{fill:#14181f}.tag,.label{fill:#98a2b3}
.label{stroke:#14181f}path{stroke:#8b9bb8}.head{fill:#8b9bb8}
.changed path{stroke:#ff9d4d}.changed .head,.changed .label{fill:#ff9d4d}
.broken path{stroke:#ff6b81}.broken .head,.broken .label{fill:#ff6b81}}
</style>
)";

class Diagram {
 public:
  Diagram(const Picture& picture, std::size_t rank)
      : picture_(picture), rank_(rank), heads_(picture.trees->heads(rank)) {
    place_words();
    place_arcs();
  }

  std::string draw() const {
    const double height = base() + 22 + (picture_.tags.empty() ? 0 : 18) + kMargin;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 "
        "{0:.0f} {1:.0f}\" role=\"img\">\n<title>",
        width_, height);
    append_xml(picture_.id, out);
    out += "</title>\n";
    out += kStyle;
    out += "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
    // Long arcs first, so that labels of short ones stay on top.
    for (auto v = by_span_.rbegin(); v != by_span_.rend(); ++v) draw_arc(*v, out);
    for (std::size_t v = 1; v < heads_.size(); ++v) draw_word(v, out);
    return out + "</svg>\n";
  }

 private:
  std::string word(std::size_t v) const {
    return v <= picture_.words.size() ? picture_.words[v - 1] : fmt::to_string(v);
  }

  std::string label(std::size_t v) const {
    if (picture_.edge_labels.empty()) return heads_[v] == 0 ? "root" : "";
    const auto edge = static_cast<std::size_t>(picture_.trees->edges(rank_)[v]);
    return picture_.label_names[static_cast<std::size_t>(picture_.edge_labels[edge])];
  }

  void place_words() {
    double x = kMargin;
    centre_.assign(heads_.size(), 0.0);
    room_.assign(heads_.size(), 0.0);
    for (std::size_t v = 1; v < heads_.size(); ++v) {
      double width = static_cast<double>(text::display_width(word(v))) * kCharacter;
      const auto small = std::max(text::display_width(label(v)),
                                  v <= picture_.tags.size() ? picture_.tags[v - 1].size() : 0);
      width = std::max({width, static_cast<double>(small) * kSmall, 14.0});
      centre_[v] = x + width / 2;
      room_[v] = width / 2 + kWordGap / 3;
      x += width + kWordGap;
    }
    width_ = x - kWordGap + kMargin;
  }

  static std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

  // Levels: an arc lies above every shorter arc that shares room with it. Legs: at a head the
  // longest arc on either side starts nearest to the middle, so that nested arcs do not cross.
  void place_arcs() {
    const std::size_t nodes = heads_.size();
    const auto head = [&](std::size_t v) { return static_cast<std::size_t>(heads_[v]); };
    by_span_.resize(nodes - 1);
    std::iota(by_span_.begin(), by_span_.end(), std::size_t{1});
    std::stable_sort(by_span_.begin(), by_span_.end(), [&](std::size_t a, std::size_t b) {
      return (head(a) == 0 ? nodes : distance(head(a), a)) <
             (head(b) == 0 ? nodes : distance(head(b), b));
    });
    level_.assign(nodes, 0);
    std::vector<int> above(nodes, 0);  // between word i and i + 1: the highest level so far
    for (const std::size_t v : by_span_) {
      if (head(v) == 0) continue;
      const auto first = above.begin() + static_cast<std::ptrdiff_t>(std::min(v, head(v)));
      const auto last = above.begin() + static_cast<std::ptrdiff_t>(std::max(v, head(v)));
      level_[v] = *std::max_element(first, last) + 1;
      std::fill(first, last, level_[v]);
      levels_ = std::max(levels_, level_[v]);
    }
    leg_.assign(nodes, 0.0);
    std::vector<int> left(nodes, 0), right(nodes, 0);
    for (auto v = by_span_.rbegin(); v != by_span_.rend(); ++v) {
      if (head(*v) == 0) continue;
      int& used = *v < head(*v) ? left[head(*v)] : right[head(*v)];
      leg_[*v] = ++used;
    }
    // From the middle of the head, closer where many must fit above it.
    for (const std::size_t v : by_span_) {
      if (head(v) == 0) continue;
      const int count = v < head(v) ? left[head(v)] : right[head(v)];
      leg_[v] *= std::min(kLegGap, room_[head(v)] / count) * (v < head(v) ? -1 : 1);
    }
  }

  double rise() const { return picture_.edge_labels.empty() ? 18 : 24; }
  double base() const { return kMargin + 26 + rise() * levels_; }

  void draw_arc(std::size_t v, std::string& out) const {
    const double x = centre_[v], bottom = base();
    out += fmt::format("<g{}>", marks(v));
    double label_x = x, label_y = 14;
    if (heads_[v] == 0) {
      out += fmt::format("<path d=\"M{:.1f} 20V{:.1f}\"/>", x, bottom - 6);
    } else {
      const double from = centre_[static_cast<std::size_t>(heads_[v])] + leg_[v];
      const double top = bottom - rise() * level_[v] - 4;
      const double bend = std::min(kCorner, std::abs(x - from) / 2) * (x > from ? 1 : -1);
      out += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}Q{0:.1f} {3:.1f} {4:.1f} {3:.1f}H{5:.1f}Q{6:.1f} "
          "{3:.1f} {6:.1f} {2:.1f}V{7:.1f}\"/>",
          from, bottom, top + std::abs(bend), top, from + bend, x - bend, x, bottom - 6);
      label_x = (x + from) / 2;
      label_y = top + 4;
    }
    out += fmt::format("<path class=\"head\" d=\"M{0:.1f} {1:.1f}l-4 -8h8z\"/>", x, bottom);
    if (const std::string name = label(v); !name.empty()) {
      out += fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\">", label_x, label_y);
      append_xml(name, out);
      out += "</text>";
    }
    out += "</g>\n";
  }

  std::string marks(std::size_t v) const {
    const bool broken = heads_[v] == 0 && std::count(heads_.begin(), heads_.end(), 0) > 1;
    const auto best = picture_.trees->heads(0);
    const auto edges = picture_.trees->edges(rank_);
    const bool changed =
        heads_[v] != best[v] || (!edges.empty() && edges[v] != picture_.trees->edges(0)[v]);
    if (broken) return " class=\"broken\"";
    return changed ? " class=\"changed\"" : "";
  }

  void draw_word(std::size_t v, std::string& out) const {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">", centre_[v], base() + 18);
    append_xml(word(v), out);
    out += "</text>\n";
    if (v > picture_.tags.size()) return;
    out += fmt::format("<text class=\"tag\" x=\"{:.1f}\" y=\"{:.1f}\">", centre_[v], base() + 36);
    append_xml(picture_.tags[v - 1], out);
    out += "</text>\n";
  }

  const Picture& picture_;
  std::size_t rank_;
  std::span<const Node> heads_;
  std::vector<double> centre_, room_, leg_;
  std::vector<int> level_;
  std::vector<std::size_t> by_span_;
  int levels_ = 0;
  double width_ = 0;
};

}  // namespace

std::string svg(const Picture& picture, std::size_t rank) {
  const std::size_t trees = picture.trees == nullptr ? 0 : picture.trees->size();
  if (rank >= trees) {
    throw Error(ErrorCode::bad_argument, fmt::format("tree {} of {}", rank, trees));
  }
  return Diagram(picture, rank).draw();
}

}  // namespace coppice::view
