// What may be asked for: which trees and how many, out of bytes.
#pragma once

#include <algorithm>
#include <coppice/graph.hpp>
#include <coppice/problem.hpp>
#include <coppice/rules.hpp>
#include <coppice/tree.hpp>
#include <string>

#include "bytes.hpp"
#include "check.hpp"

namespace coppice::fuzz {

inline Arc some_arc(Bytes& bytes, Node nodes) {
  // Now and then one that is not there: it must be refused, not read.
  const Node head = bytes.take<Node>(0, nodes), dependent = bytes.take<Node>(0, nodes);
  return {head, dependent};
}

struct Asked {
  Problem problem;
  Request request;
};

inline Asked something(Bytes& bytes, Graph graph) {
  Problem problem{.root = bytes.flag() ? RootRule::any : RootRule::single};
  Request request;
  const auto given = bytes.take<std::uint8_t>();
  if ((given & 1) != 0) request.k = bytes.take(1, 40);
  if ((given & 2) != 0) request.max_gap = bytes.take(0, 32) * 0.25;
  if ((given & 4) != 0) problem.objective = Objective::minimize;
  for (int count = given >> 3 & 1; count > 0; --count)
    problem.required.push_back(some_arc(bytes, graph.nodes()));
  for (int count = given >> 4 & 3; count > 0; --count)
    problem.forbidden.push_back(some_arc(bytes, graph.nodes()));
  if ((given & 64) != 0) problem.required_edges.push_back(bytes.take<EdgeId>(0, 15));
  if ((given & 128) != 0) problem.forbidden_edges.push_back(bytes.take<EdgeId>(0, 15));
  return {problem, request};
}

// The text of a rule that needs no labels, right or wrong.
inline std::string some_rule_text(Bytes& bytes) {
  static constexpr const char* kRules[] = {"projective", "max-children=", "max-depth=", ""};
  const auto kind = bytes.take<std::uint8_t>();
  std::string text = kRules[kind & 3];
  if ((kind & 3) != 0) text += std::to_string(kind >> 2 & 3);
  if (kind >= 240) text += bytes.text(kind & 7);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\0' || c == '\n' || c == '\t'; }, ' ');
  return text;
}

inline void expect_same(const TreeList& trees, const TreeList& expected) {
  EXPECT_TRUE(std::ranges::equal(trees.all_heads(), expected.all_heads()));
  EXPECT_TRUE(std::ranges::equal(trees.all_edges(), expected.all_edges()));
  EXPECT_TRUE(std::ranges::equal(trees.scores(), expected.scores()));
  EXPECT_TRUE(std::ranges::equal(trees.integer_scores(), expected.integer_scores()));
}

}  // namespace coppice::fuzz
