// The public calls: best, kbest, Decoder, TreeStream.
#include <coppice/kbest.hpp>

#include <limits>

#include "engine/best_alone.hpp"
#include "engine/pipeline.hpp"
#include "engine/stream.hpp"
#include "graph/constraints.hpp"
#include "graph/tree_builder.hpp"

namespace coppice {
namespace {

using Wanted = engine::Solver::Wanted;

void reset(Graph graph, TreeList& trees) { TreeBuilder(trees).reset(graph); }

}  // namespace

class Decoder::Impl {
 public:
  engine::BestAlone best_alone;
  engine::Pipeline pipeline;
};

Decoder::Decoder() : impl_(std::make_unique<Impl>()) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

void Decoder::kbest(Graph graph, const Which& which, const HowMany& how_many, TreeList& trees) {
  reset(graph, trees);
  check_limits(how_many, true);
  if (how_many.k == 1 && impl_->best_alone.run(graph, which, trees)) return;
  const double max_gap = how_many.max_gap.value_or(std::numeric_limits<double>::infinity());
  if (how_many.k == 2 && impl_->best_alone.run_two(graph, which, max_gap, trees)) return;
  const auto wanted = how_many.k == 1 ? Wanted::tree : Wanted::certificate;
  if (impl_->pipeline.solve(graph, which, wanted)) impl_->pipeline.kbest(how_many, trees);
}

void Decoder::best(Graph graph, const Which& which, TreeList& trees) {
  reset(graph, trees);
  if (impl_->best_alone.run(graph, which, trees)) return;
  if (impl_->pipeline.solve(graph, which, Wanted::tree)) impl_->pipeline.best(trees);
}

std::optional<Tree> best(Graph graph, const Which& which) {
  TreeList trees;
  Decoder().best(graph, which, trees);
  if (trees.empty()) return std::nullopt;
  return trees.copy(0);
}

TreeList kbest(Graph graph, const Which& which, const HowMany& how_many) {
  TreeList trees;
  Decoder().kbest(graph, which, how_many, trees);
  return trees;
}

class TreeStream::Impl : public engine::Stream {
 public:
  using Stream::Stream;
};

TreeStream::TreeStream(Graph graph, const Which& which, const HowMany& how_many)
    : impl_(std::make_unique<Impl>(graph, which, how_many)) {}
TreeStream::TreeStream(TreeStream&&) noexcept = default;
TreeStream& TreeStream::operator=(TreeStream&&) noexcept = default;
TreeStream::~TreeStream() = default;

std::optional<Tree> TreeStream::next() { return impl_->next(); }
bool TreeStream::complete() const { return impl_->complete(); }
double TreeStream::bound() const { return impl_->bound(); }

}  // namespace coppice
