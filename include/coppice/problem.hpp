// Which trees are meant, and how many of them.
//
//   coppice::Problem problem{.root = coppice::RootRule::single, .forbidden = {{0, 4}}};
//   auto trees = coppice::kbest(view, problem, {.k = 50});
//
// Whatever speaks of one tree or of all of them (best, certificates, distributions) takes a Problem
// alone.
//
// Throws: nothing here; who gets a Problem or a Request checks it.
// Cost: that of copying the lists in it.
// Threads: any number may read one.
#pragma once

#include <coppice/graph.hpp>
#include <coppice/rule.hpp>
#include <cstdint>
#include <optional>
#include <vector>

namespace coppice {

// A root rule that cannot be left out: Problem without .root does not compile.
struct RootChoice {
  RootRule rule;
  constexpr RootChoice(RootRule chosen) : rule(chosen) {}  // NOLINT: conversion intended
  constexpr operator RootRule() const { return rule; }     // NOLINT: conversion intended
};

struct Problem {
  RootChoice root;
  Objective objective = Objective::maximize;
  // dependent must hang from head (in a multigraph: by any parallel edge) / must not.
  std::vector<Arc> required = {};
  std::vector<Arc> forbidden = {};
  // The same for single edges of a multigraph.
  std::vector<EdgeId> required_edges = {};
  std::vector<EdgeId> forbidden_edges = {};
  // Only trees that obey all of these (rule.hpp; ready-made ones in rules.hpp).
  std::vector<Rule> rules = {};
};

struct Request {
  // Without it all trees within max_gap; lists need at least one of the two.
  std::optional<std::int64_t> k = std::nullopt;
  // Only trees whose score is within this distance of the best; 0 gives all co-optimal trees. The
  // exact gap is compared, not the difference of two rounded scores.
  std::optional<double> max_gap = std::nullopt;
  // Under rules: about so many solves at most, and about so many seconds. Where they do not
  // suffice, the trees found are right but not all, and the list says so (TreeList::complete).
  // Where none was found, the list has one legal tree that need not be the best (legal.hpp,
  // find_legal; it has the last fifth of the seconds), or is empty if that finds none either.
  std::optional<std::int64_t> budget = std::nullopt;
  std::optional<double> time_limit = std::nullopt;
};

}  // namespace coppice
