#include <fmt/format.h>

#include "io/drawn_tree.hpp"
#include "io/pieces.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace coppice::io {
namespace {

// Deeper ones are not indented further: the lines of a path of a million nodes must not grow.
constexpr std::size_t kDeepest = 200;

void append_tree(const DrawnTree& tree, bool colour, std::string& out) {
  struct Open {
    Node node;
    std::size_t depth;
    bool last;
  };
  std::vector<std::string> stems(1);  // what stands before the children of a node of that depth
  out += "    " + text::printable(tree.name(tree.root())) + '\n';
  std::vector<Open> stack;
  const auto push_children = [&](Node node, std::size_t depth) {
    const auto& children = tree.children(node);
    for (std::size_t i = children.size(); i-- > 0;)
      stack.push_back({children[i], depth, i + 1 == children.size()});
  };
  push_children(tree.root(), 0);
  while (!stack.empty()) {
    const Open open = stack.back();
    stack.pop_back();
    const bool differs = tree.differs_from_best(open.node);
    const std::string label = text::printable(tree.label(open.node));
    const std::size_t depth = std::min(open.depth, kDeepest);
    if (differs && colour) out += "\x1b[33m";
    out += fmt::format("  {} {}{}─ {}  {}{}{}", differs ? '*' : ' ', stems[depth],
                       open.last ? "└" : "├", text::printable(tree.name(open.node)),
                       tree.weight(open.node), label.empty() ? "" : "  ", label);
    if (differs && colour) out += "\x1b[0m";
    out += '\n';
    if (stems.size() < depth + 2) stems.resize(depth + 2);
    stems[depth + 1] = stems[depth] + (open.last ? "   " : "│  ");
    push_children(open.node, open.depth + 1);
  }
}

}  // namespace

std::size_t append_outline(const Parses& parses, bool colour, std::string& out) {
  if (parses.first == 0) out += text::printable(parses.sentence.name()) + '\n';
  if (!parses.error.empty()) out += fmt::format("  {}\n", text::printable(parses.error));
  const std::size_t next = for_each_tree(parses, out, [&](std::size_t rank) {
    const DrawnTree tree(parses, rank);
    out += fmt::format("  #{} of {}  score {}  gap {}", rank + 1, parses.trees.size(), tree.score(),
                       tree.gap());
    if (!parses.probabilities.empty())
      out += fmt::format("  probability {:.4g}", parses.probabilities[rank]);
    out += '\n';
    append_tree(tree, colour, out);
  });
  if (next == parses.trees.size()) out += '\n';
  return next;
}

}  // namespace coppice::io
