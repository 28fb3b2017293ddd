// Weighted directed graphs with a root.
//
// Two kinds of graph, one handle for both:
//
//   coppice::DenseView   a view of an (N+1) x (N+1) score matrix that stays where it is;
//   coppice::Multigraph  an edge list, parallel edges being different choices;
//   coppice::Graph       either of them, passed by value; every algorithm takes this.
//
// Node 0 is the root, nodes 1..N are the words. The weight of head -> dependent is any finite
// number; minus infinity means "no such edge". Edges into the root and from a node to itself are in
// no tree: a DenseView never reads them, a Multigraph keeps but never uses them.
//
// Example:
//
//   std::vector<float> scores = ...;  // [head][dependent], row-major
//   auto view = coppice::DenseView::head_dependent(scores.data(), nodes);
//
// Throws: constructors, from_edges and add_edge throw Error as they say; accessors do not throw.
// Cost: O(1) for a view, a handle and every accessor; from_edges is linear, add_edge O(1)
// amortised. Threads: any number may read a view, a multigraph or a handle while none changes it.
#pragma once

#include <coppice/facts.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

namespace coppice {

using Node = std::int32_t;
using EdgeId = std::int32_t;

inline constexpr Node kNoNode = -1;
inline constexpr EdgeId kNoEdge = -1;
inline constexpr double kNoWeight = -std::numeric_limits<double>::infinity();

// The most nodes a graph can have, the root counted in.
inline constexpr std::int64_t kMaxNodes = std::numeric_limits<Node>::max();

// How the caller's weights are stored. All arithmetic is in float64, or exact for int64.
enum class Scalar : std::uint8_t { float32, float64, int64 };

// How many edges may leave the root: any number ("trees"), or exactly one ("dependency trees").
enum class RootRule : std::uint8_t { any, single };

enum class Objective : std::uint8_t { maximize, minimize };

struct Arc {
  Node head;
  Node dependent;
  friend bool operator==(const Arc&, const Arc&) = default;
};

// A matrix of weights that belongs to the caller: nothing is copied, nothing is changed.
// The element of head h and dependent d is data[h * head_stride + d * dependent_stride]; strides
// count elements and may be negative. The data must outlive the view.
class DenseView {
 public:
  // Throws Error unless 2 <= nodes <= kMaxNodes and data is not null.
  DenseView(const float* data, std::int64_t nodes, std::ptrdiff_t head_stride,
            std::ptrdiff_t dependent_stride);
  DenseView(const double* data, std::int64_t nodes, std::ptrdiff_t head_stride,
            std::ptrdiff_t dependent_stride);
  DenseView(const std::int64_t* data, std::int64_t nodes, std::ptrdiff_t head_stride,
            std::ptrdiff_t dependent_stride);

  // Contiguous row-major matrices: [head][dependent] (rycolab, SynJax, AllenNLP) ...
  template <class T>
  static DenseView head_dependent(const T* data, std::int64_t nodes) {
    return DenseView(data, nodes, static_cast<std::ptrdiff_t>(nodes), 1);
  }
  // ... and [dependent][head] (stanza, SuPar, ufal).
  template <class T>
  static DenseView dependent_head(const T* data, std::int64_t nodes) {
    return DenseView(data, nodes, 1, static_cast<std::ptrdiff_t>(nodes));
  }

  Node nodes() const { return nodes_; }
  Node words() const { return nodes_ - 1; }
  Scalar scalar() const { return scalar_; }
  const void* data() const { return data_; }
  std::ptrdiff_t head_stride() const { return head_stride_; }
  std::ptrdiff_t dependent_stride() const { return dependent_stride_; }

  // The stored element, unchecked, of the type that scalar() names.
  template <class T>
  T at(Node head, Node dependent) const {
    return static_cast<const T*>(data_)[head * head_stride_ + dependent * dependent_stride_];
  }
  // The same as float64 (int64 weights above 2^53 are rounded).
  double weight(Node head, Node dependent) const;

 private:
  DenseView(const void* data, std::int64_t nodes, std::ptrdiff_t head_stride,
            std::ptrdiff_t dependent_stride, Scalar scalar);

  const void* data_;
  std::ptrdiff_t head_stride_;
  std::ptrdiff_t dependent_stride_;
  Node nodes_;
  Scalar scalar_;
};

// An edge list. Edge ids count from 0 in the order of insertion.
class Multigraph {
 public:
  // Throws Error unless 2 <= nodes <= kMaxNodes.
  // scalar is float64 or int64; all edges of one graph have weights of that type.
  explicit Multigraph(std::int64_t nodes, Scalar scalar = Scalar::float64);

  // Whole arrays at once. Throws Error where the lengths differ, and for the first
  // node id out of range, NaN or +inf, naming the edge.
  static Multigraph from_edges(std::int64_t nodes, std::span<const Node> sources,
                               std::span<const Node> targets, std::span<const double> weights);
  static Multigraph from_edges(std::int64_t nodes, std::span<const Node> sources,
                               std::span<const Node> targets,
                               std::span<const std::int64_t> weights);

  // Throws Error for a node id out of range, NaN, +inf, a weight of the wrong type
  // for this graph, or the 2^31-th edge.
  EdgeId add_edge(Node source, Node target, double weight);
  EdgeId add_edge(Node source, Node target, std::int64_t weight);
  void reserve(std::size_t edges);

  Node nodes() const { return nodes_; }
  Node words() const { return nodes_ - 1; }
  EdgeId edges() const { return static_cast<EdgeId>(sources_.size()); }
  Scalar scalar() const { return scalar_; }

  Node source(EdgeId edge) const { return sources_[static_cast<std::size_t>(edge)]; }
  Node target(EdgeId edge) const { return targets_[static_cast<std::size_t>(edge)]; }
  double weight(EdgeId edge) const;
  std::int64_t integer_weight(EdgeId edge) const;  // of an int64 graph

  std::span<const Node> sources() const { return sources_; }
  std::span<const Node> targets() const { return targets_; }
  std::span<const double> weights() const { return weights_; }                        // float64
  std::span<const std::int64_t> integer_weights() const { return integer_weights_; }  // int64

 private:
  EdgeId add_endpoints(Node source, Node target, Scalar scalar);
  template <class W>
  static Multigraph build(std::int64_t nodes, Scalar scalar, std::span<const Node> sources,
                          std::span<const Node> targets, std::span<const W> weights);

  std::vector<Node> sources_;
  std::vector<Node> targets_;
  std::vector<double> weights_;
  std::vector<std::int64_t> integer_weights_;
  Node nodes_;
  Scalar scalar_;
};

// Either kind of graph, by reference, and what else is known of the sentence. Both kinds convert to
// it; it is never stored by an algorithm.
class Graph {
 public:
  Graph(const DenseView& view) : graph_(view) {}                // NOLINT: conversion intended
  Graph(const Multigraph& multigraph) : graph_(&multigraph) {}  // NOLINT: conversion intended
  Graph(const DenseView& view, const SentenceFacts& facts) : graph_(view), facts_(&facts) {}
  Graph(const Multigraph& multigraph, const SentenceFacts& facts)
      : graph_(&multigraph), facts_(&facts) {}
  // Temporaries would be gone when the graph is read.
  Graph(const Multigraph&&) = delete;
  Graph(const Multigraph&&, const SentenceFacts&) = delete;
  Graph(const DenseView&, const SentenceFacts&&) = delete;
  Graph(const Multigraph&, const SentenceFacts&&) = delete;

  const DenseView* dense() const { return std::get_if<DenseView>(&graph_); }
  const Multigraph* multigraph() const {
    auto* held = std::get_if<const Multigraph*>(&graph_);
    return held == nullptr ? nullptr : *held;
  }
  Node nodes() const { return dense() ? dense()->nodes() : multigraph()->nodes(); }
  Node words() const { return nodes() - 1; }
  Scalar scalar() const { return dense() ? dense()->scalar() : multigraph()->scalar(); }
  const SentenceFacts* facts() const { return facts_; }  // or null

 private:
  std::variant<DenseView, const Multigraph*> graph_;
  const SentenceFacts* facts_ = nullptr;
};

}  // namespace coppice
