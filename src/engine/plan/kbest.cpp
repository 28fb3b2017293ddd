// The public calls: best, kbest, Decoder, TreeStream.
#include <coppice/kbest.hpp>

#include "engine/plan/planner.hpp"
#include "engine/plan/stream.hpp"
#include "graph/constraints.hpp"
#include "graph/tree_builder.hpp"

namespace coppice {
namespace {

void reset(Graph graph, TreeList& trees) { TreeBuilder(trees).reset(graph); }

}  // namespace

class Decoder::Impl : public engine::Planner {};

Decoder::Decoder() : impl_(std::make_unique<Impl>()) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

void Decoder::kbest(Graph graph, const Which& which, const HowMany& how_many, TreeList& trees) {
  reset(graph, trees);
  check_limits(how_many, true);
  if (impl_->solve(graph, which, how_many.k != 1)) impl_->kbest(how_many, trees);
}

void Decoder::best(Graph graph, const Which& which, TreeList& trees) {
  reset(graph, trees);
  if (impl_->solve(graph, which, false)) impl_->best(trees);
}

std::string_view Decoder::way() const { return engine::name_of(impl_->way()); }

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
