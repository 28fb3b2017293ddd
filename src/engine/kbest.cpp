// The public calls: best, kbest, Decoder, TreeStream.
#include <coppice/kbest.hpp>
#include <variant>

#include "engine/pipeline.hpp"

namespace coppice {
namespace {

void reset(Graph graph, TreeList& trees) {
  trees.reset(graph.nodes(), graph.multigraph() != nullptr, graph.scalar() == Scalar::int64);
}

}  // namespace

class Decoder::Impl {
 public:
  engine::Pipeline pipeline;
};

Decoder::Decoder() : impl_(std::make_unique<Impl>()) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

void Decoder::kbest(Graph graph, const Which& which, const HowMany& how_many, TreeList& trees) {
  reset(graph, trees);
  check_limits(how_many, true);
  if (impl_->pipeline.solve(graph, which)) impl_->pipeline.kbest(how_many, trees);
}

void Decoder::best(Graph graph, const Which& which, TreeList& trees) {
  reset(graph, trees);
  if (impl_->pipeline.solve(graph, which)) impl_->pipeline.best(trees);
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

namespace {

// A copy of the caller's weights.
class OwnedGraph {
 public:
  explicit OwnedGraph(Graph graph) : nodes_(graph.nodes()), scalar_(graph.scalar()) {
    if (graph.multigraph() != nullptr) {
      copy_ = *graph.multigraph();
      return;
    }
    switch (scalar_) {
      case Scalar::float32:
        copy<float>(*graph.dense());
        break;
      case Scalar::float64:
        copy<double>(*graph.dense());
        break;
      case Scalar::int64:
        copy<std::int64_t>(*graph.dense());
        break;
    }
  }

  Graph get() const {
    if (auto* multigraph = std::get_if<Multigraph>(&copy_)) return *multigraph;
    if (auto* floats = std::get_if<std::vector<float>>(&copy_)) return view(*floats);
    if (auto* doubles = std::get_if<std::vector<double>>(&copy_)) return view(*doubles);
    return view(std::get<std::vector<std::int64_t>>(copy_));
  }

 private:
  template <class T>
  void copy(const DenseView& from) {
    std::vector<T> weights;
    weights.reserve(static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(nodes_));
    for (Node d = 0; d < nodes_; ++d)
      for (Node h = 0; h < nodes_; ++h)
        weights.push_back(d == 0 || d == h ? T{} : from.at<T>(h, d));
    copy_ = std::move(weights);
  }
  template <class T>
  Graph view(const std::vector<T>& weights) const {
    return DenseView::dependent_head(weights.data(), nodes_);
  }

  Node nodes_;
  Scalar scalar_;
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>, Multigraph>
      copy_;
};

}  // namespace

// Works in stages of growing gap (docs/engine.md, section 7). Each stage lists the trees that are
// worse than the last stage's gap, or gives them one by one where they are too many.
class TreeStream::Impl {
 public:
  Impl(Graph graph, const Which& which, const HowMany& how_many)
      : graph_(graph), which_(which), how_many_(how_many) {
    check_limits(how_many, false);
    left_ = how_many.k.value_or(std::numeric_limits<std::int64_t>::max());
    more_stages_ = pipeline_.solve(graph_.get(), which_);
    reset(graph_.get(), stage_);
  }

  std::optional<Tree> next() {
    if (left_ == 0) return std::nullopt;
    while (given_ == stage_.size()) {
      reset(graph_.get(), stage_);
      given_ = 0;
      if (one_by_one_) {
        one_by_one_ = pipeline_.next(above_, up_to_, stage_);
      } else if (more_stages_) {
        next_stage();
      } else {
        return std::nullopt;
      }
    }
    --left_;
    return stage_[given_++].copy();
  }

 private:
  void next_stage() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double most = how_many_.max_gap.value_or(kInfinity);
    above_ = up_to_;
    do {
      k_ *= 4;
      up_to_ = std::min(most, pipeline_.bound(k_));
    } while (up_to_ <= above_ && up_to_ < most);
    more_stages_ = up_to_ < most;
    constexpr std::int64_t kStatesPerTree = 64;
    if (pipeline_.range(above_, up_to_, kStatesPerTree * k_, stage_)) return;
    pipeline_.enumerate(up_to_);
    one_by_one_ = true;
  }

  OwnedGraph graph_;
  Which which_;
  HowMany how_many_;
  engine::Pipeline pipeline_;
  std::int64_t left_ = 0;
  std::int64_t k_ = 4;
  double above_ = 0.0;
  double up_to_ = -std::numeric_limits<double>::infinity();
  bool more_stages_ = false;
  bool one_by_one_ = false;
  TreeList stage_;
  std::size_t given_ = 0;
};

TreeStream::TreeStream(Graph graph, const Which& which, const HowMany& how_many)
    : impl_(std::make_unique<Impl>(graph, which, how_many)) {}
TreeStream::TreeStream(TreeStream&&) noexcept = default;
TreeStream& TreeStream::operator=(TreeStream&&) noexcept = default;
TreeStream::~TreeStream() = default;

std::optional<Tree> TreeStream::next() { return impl_->next(); }

}  // namespace coppice
