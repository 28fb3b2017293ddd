// The public calls: best, kbest, Decoder, TreeStream.
#include <coppice/kbest.hpp>
#include <coppice/legal.hpp>

#include "engine/plan/planner.hpp"
#include "engine/plan/stream.hpp"
#include "graph/constraints.hpp"
#include "graph/tree_builder.hpp"

namespace coppice {

class Decoder::Impl : public engine::Planner {};

Decoder::Decoder() : impl_(std::make_unique<Impl>()) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

void Decoder::kbest(Graph graph, const Problem& problem, const Request& request, TreeList& trees) {
  TreeBuilder(trees).reset(graph);
  check_limits(request, true);
  if (!impl_->solve(graph, problem, request.k != 1)) return;
  impl_->kbest(request, trees);
  if (trees.complete() || !trees.empty()) return;
  if (const auto tree = find_legal(graph, problem, request)) TreeBuilder(trees).add_unproved(*tree);
}

void Decoder::best(Graph graph, const Problem& problem, TreeList& trees) {
  TreeBuilder(trees).reset(graph);
  if (impl_->solve(graph, problem, false)) impl_->best(trees);
}

std::string_view Decoder::way() const { return engine::name_of(impl_->way()); }

std::optional<Tree> best(Graph graph, const Problem& problem) {
  TreeList trees;
  Decoder().best(graph, problem, trees);
  if (trees.empty()) return std::nullopt;
  return trees.copy(0);
}

TreeList kbest(Graph graph, const Problem& problem, const Request& request) {
  TreeList trees;
  Decoder().kbest(graph, problem, request, trees);
  return trees;
}

class TreeStream::Impl : public engine::Stream {
 public:
  using Stream::Stream;
};

TreeStream::TreeStream(Graph graph, const Problem& problem, const Request& request)
    : impl_(std::make_unique<Impl>(graph, problem, request)) {}
TreeStream::TreeStream(TreeStream&&) noexcept = default;
TreeStream& TreeStream::operator=(TreeStream&&) noexcept = default;
TreeStream::~TreeStream() = default;

std::optional<Tree> TreeStream::next() { return impl_->next(); }
bool TreeStream::complete() const { return impl_->complete(); }
double TreeStream::bound() const { return impl_->bound(); }
double TreeStream::bound_gap() const { return impl_->bound_gap(); }

}  // namespace coppice
