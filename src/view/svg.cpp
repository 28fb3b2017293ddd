// An arc diagram as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <coppice/view.hpp>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "text/utf8.hpp"
#include "view/checked.hpp"
#include "view/layout.hpp"
#include "view/xml.hpp"

namespace coppice::view {
namespace {

constexpr double kCharacter = 8.6;  // mean width at 15 px
constexpr double kSmall = 7.0;      // the same at 11 px
constexpr double kWordGap = 26;
constexpr double kLegGap = 6;  // between the legs of arcs that share a head
constexpr double kMargin = 16;
constexpr double kCorner = 8;

// Scoped, for drawings inside other documents, and of whatever colour the text around them has.
constexpr std::string_view kStyle = R"(<style>
.coppice text{font:15px system-ui,sans-serif;text-anchor:middle;fill:currentColor;stroke:none}
.coppice .tag,.coppice .label{font-size:11px;fill-opacity:.72}
.coppice path{fill:none;stroke:currentColor;stroke-opacity:.6;stroke-width:1.5}
.coppice .head{fill:currentColor;fill-opacity:.6;stroke:none}
.coppice .changed path{stroke:#d9600a;stroke-opacity:1;stroke-width:2.2}
.coppice .changed .head{fill:#d9600a;fill-opacity:1;stroke:none}
.coppice .changed .label{fill:#d9600a;fill-opacity:1;font-weight:600}
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
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"coppice\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" "
        "viewBox=\"0 0 "
        "{0:.0f} {1:.0f}\" role=\"img\">\n<title>",
        width_, height);
    append_xml(picture_.id, out);
    out += "</title>\n";
    out += kStyle;
    // Long arcs first, so that labels of short ones stay on top.
    for (const std::size_t v : from_above_) draw_arc(v, out);
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

  // The arcs of all trees of the list: what they share stays in its place from tree to tree.
  void place_arcs() {
    std::vector<Arc> arcs;
    std::map<std::pair<Node, Node>, std::size_t> number;
    const auto add = [&](std::span<const Node> heads) {
      for (std::size_t v = 1; v < heads.size(); ++v) {
        const Arc arc{heads[v], static_cast<Node>(v)};
        if (number.try_emplace({arc.head, arc.dependent}, arcs.size()).second) arcs.push_back(arc);
      }
    };
    for (std::size_t rank = 0; rank < picture_.trees->size(); ++rank)
      add(picture_.trees->heads(rank));
    const auto places = view::place_arcs(arcs, room_, kLegGap);
    for (const ArcPlace& place : places) levels_ = std::max(levels_, place.level);
    place_.resize(heads_.size());
    for (std::size_t v = 1; v < heads_.size(); ++v) {
      place_[v] = places[number.at({heads_[v], static_cast<Node>(v)})];
      from_above_.push_back(v);
    }
    std::stable_sort(from_above_.begin(), from_above_.end(), [&](std::size_t a, std::size_t b) {
      return place_[a].level > place_[b].level;
    });
  }

  double rise() const { return picture_.edge_labels.empty() ? 18 : 26; }
  double base() const { return kMargin + 26 + rise() * levels_; }

  void draw_arc(std::size_t v, std::string& out) const {
    const double x = centre_[v], bottom = base();
    out += fmt::format("<g{}>", marks(v));
    double label_x = x, label_y = 14;
    if (heads_[v] == 0) {
      out += fmt::format("<path d=\"M{:.1f} 20V{:.1f}\"/>", x, bottom - 6);
    } else {
      const double from = centre_[static_cast<std::size_t>(heads_[v])] + place_[v].leg;
      const double top = bottom - rise() * place_[v].level - 4;
      const double bend = std::min(kCorner, std::abs(x - from) / 2) * (x > from ? 1 : -1);
      out += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}Q{0:.1f} {3:.1f} {4:.1f} {3:.1f}H{5:.1f}Q{6:.1f} "
          "{3:.1f} {6:.1f} {2:.1f}V{7:.1f}\"/>",
          from, bottom, top + std::abs(bend), top, from + bend, x - bend, x, bottom - 6);
      label_x = (x + from) / 2;
      label_y = top - 4;
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
    const auto best = picture_.trees->heads(0);
    const auto edges = picture_.trees->edges(rank_);
    const bool changed =
        heads_[v] != best[v] || (!edges.empty() && edges[v] != picture_.trees->edges(0)[v]);
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
  std::vector<double> centre_, room_;
  std::vector<ArcPlace> place_;          // of the arc into each word
  std::vector<std::size_t> from_above_;  // the words, those with the highest arcs first
  int levels_ = 0;
  double width_ = 0;
};

}  // namespace

std::string svg(const Picture& picture, std::size_t rank) {
  check(picture, rank);
  return Diagram(picture, rank).draw();
}

}  // namespace coppice::view
