// A zoo of hostile graphs: families of inputs that are ordinary somewhere and hard for an engine
// that prunes, contracts, sweeps or queues. bench/cliffs.cpp measures them,
// tests/engine/zoo_test.cpp checks the answers.
//
// A new family is one row in the table of its file:
//   numbers.cpp  complete graphs whose weights are hard: ties, near-ties, rounding, many scales
//   shapes.cpp   structures: lines, grids, stars, layers, sparse random graphs
//   cycles.cpp   much to contract: clusters, nested cycles, metrics
//   scarce.cpp   few trees, one, none; replacements that lead nowhere
#pragma once

#include <coppice/graph.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace coppice::zoo {

// A dense matrix [head][dependent] that owns its weights.
template <class T>
struct Matrix {
  Node nodes;
  std::vector<T> weights;

  Matrix(Node words, T fill)
      : nodes(words + 1),
        weights(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes), fill) {}
  T& at(Node head, Node dependent) {
    return weights[static_cast<std::size_t>(head) * static_cast<std::size_t>(nodes) +
                   static_cast<std::size_t>(dependent)];
  }
};

// A graph of any kind.
class Specimen {
 public:
  template <class Kind>
  Specimen(Kind kind) : kind_(std::move(kind)) {}  // NOLINT: conversion intended

  // Valid as long as the specimen is.
  Graph graph() const;

 private:
  std::variant<Matrix<double>, Matrix<float>, Matrix<std::int64_t>, Multigraph> kind_;
};

struct Family {
  std::string name;
  std::string about;
  // The same graph for the same numbers; any number of words from 2 upwards.
  Specimen (*make)(Node words, std::uint64_t seed);
  // Numbers of words to measure.
  std::vector<Node> sizes;
  Objective objective = Objective::maximize;
};

// All families, each name once.
const std::vector<Family>& families();
// The one of that name; throws std::out_of_range where there is none.
const Family& family(const std::string& name);

}  // namespace coppice::zoo
