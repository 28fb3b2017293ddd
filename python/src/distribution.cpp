// The distribution over all trees: of one sentence, and of many.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <coppice/distribution.hpp>
#include <memory>
#include <mutex>

#include "arrays.hpp"
#include "decode.hpp"
#include "sentences.hpp"

namespace coppice::python {
namespace {

using Heads = nb::ndarray<const Node, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const double> span_of(const Values& values) { return {values.data(), values.size()}; }

RootRule rule(bool single_root) { return single_root ? RootRule::single : RootRule::any; }

// Rows of heads for words 1..N with an entry for the root in front.
class RowsWithRoot {
 public:
  explicit RowsWithRoot(const Heads& heads) : heads_(heads), row_(heads.shape(1) + 1, kNoNode) {}
  std::size_t size() const { return heads_.shape(0); }
  std::span<const Node> operator[](std::size_t i) {
    auto words = heads_.shape(1);
    std::copy_n(heads_.data() + i * words, words, row_.begin() + 1);
    return row_;
  }

 private:
  const Heads& heads_;
  std::vector<Node> row_;
};

// f of every row.
nb::object each_row(const Heads& heads, auto f) {
  std::vector<double> values;
  {
    nb::gil_scoped_release unlock;
    RowsWithRoot rows(heads);
    for (std::size_t i = 0; i < rows.size(); ++i) values.push_back(f(rows[i]));
  }
  auto size = values.size();
  return to_numpy(std::move(values), {size});
}

nb::object marginals(const TreeDistribution& distribution) {
  std::vector<double> values;
  {
    nb::gil_scoped_release unlock;
    auto all = distribution.marginals();
    values.assign(all.begin(), all.end());
  }
  auto nodes = static_cast<std::size_t>(distribution.nodes());
  return to_numpy(std::move(values), {nodes, nodes});
}

nb::object heads_of(const Tree& tree) {
  std::vector<Node> words(tree.heads.begin() + 1, tree.heads.end());
  return to_numpy(std::move(words), {tree.heads.size() - 1});
}

nb::object sample(const TreeDistribution& distribution, std::size_t count, std::uint64_t seed,
                  bool distinct) {
  TreeList trees;
  {
    nb::gil_scoped_release unlock;
    trees = distinct ? distribution.sample_distinct(count, seed) : distribution.sample(count, seed);
  }
  auto words = static_cast<std::size_t>(distribution.words());
  std::vector<Node> rows;
  rows.reserve(trees.size() * words);
  for (std::size_t i = 0; i < trees.size(); ++i)
    rows.insert(rows.end(), trees.heads(i).begin() + 1, trees.heads(i).end());
  return to_numpy(std::move(rows), {trees.size(), words});
}

// (heads, score, expected number of correct heads), or None.
nb::object min_risk(const TreeDistribution& distribution) {
  std::optional<RiskTree> found;
  {
    nb::gil_scoped_release unlock;
    found = distribution.min_risk();
  }
  if (!found) return nb::none();
  return nb::make_tuple(heads_of(found->tree), found->tree.score, found->expected_correct);
}

class Mass {
 public:
  Mass(Array scores, bool single_root, double mass)
      : stream_(matrix_of(scores).view(), rule(single_root), mass) {}

  // (heads, score, probability, covered), or None at the end.
  nb::object next() {
    std::optional<MassStream::Item> item;
    {
      nb::gil_scoped_release unlock;
      std::lock_guard lock(mutex_);
      item = stream_.next();
    }
    if (!item) return nb::none();
    return nb::make_tuple(heads_of(item->tree), item->tree.score, item->probability, item->covered);
  }

 private:
  std::mutex mutex_;  // Python threads may share a stream
  MassStream stream_;
};

// A list with these heads and scores.
TreeList list_of(const Heads& heads, const Column<double>& scores) {
  TreeList trees;
  trees.reset(static_cast<Node>(heads.shape(1) + 1), false, false);
  RowsWithRoot rows(heads);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(rows[i], trees.append(scores.data()[i], 0).heads.begin());
  return trees;
}

struct NoWorker {};

using Functions = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Per sentence log_partition and, where there are arrays for them, entropy and marginals. The
// latter are [sentences, nodes, nodes], zero at first.
class DistributionJob : public Job {
 public:
  DistributionJob(Sentences sentences, bool single_root, Output<double> log_partition,
                  std::optional<Output<double>> entropy, std::optional<Output<double>> marginals)
      : sentences_(std::move(sentences)),
        errors_(sentences_.size()),
        rule_(rule(single_root)),
        log_partition_(std::move(log_partition)),
        entropy_(std::move(entropy)),
        marginals_(std::move(marginals)) {
    for (std::size_t b = 0; b < sentences_.size(); ++b) add_view(b);
    order_ = by_length(views_);
  }

  void work(Checkpoint& checkpoint) noexcept override {
    constexpr std::size_t kGroup = 8;
    DistributionSolver solver;
    for (std::size_t begin; (begin = next_.fetch_add(kGroup)) < order_.size();) {
      if (checkpoint.leave()) return;
      solve(solver, std::span(order_).subspan(begin, std::min(kGroup, order_.size() - begin)));
    }
  }

  SentenceErrors errors() const {
    SentenceErrors found;
    for (std::size_t b = 0; b < errors_.size(); ++b)
      if (!errors_[b].empty()) found.emplace_back(b, errors_[b]);
    return found;
  }

 private:
  // What is no graph at all has no view.
  void add_view(std::size_t b) {
    try {
      views_.push_back(sentences_[b].view());
      of_view_.push_back(b);
    } catch (const std::exception& error) {
      errors_[b] = error.what();
      log_partition_.data()[b] = kNoWeight;
    }
  }

  void solve(DistributionSolver& solver, std::span<const std::size_t> group) noexcept {
    std::vector<DistributionSolver::Task> tasks;
    try {
      for (std::size_t i : group) {
        tasks.push_back({views_[i]});
        if (!marginals_) continue;
        auto pitch = marginals_->shape(2);
        tasks.back().marginals = marginals_->data() + of_view_[i] * pitch * pitch;
        tasks.back().pitch = pitch;
      }
      solver.solve(tasks, rule_);
    } catch (const std::exception& error) {
      for (auto& task : tasks) task.error = error.what();
    }
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      const std::size_t b = of_view_[group[k]];
      log_partition_.data()[b] = tasks[k].log_partition;
      if (entropy_) entropy_->data()[b] = tasks[k].entropy;
      errors_[b] = std::move(tasks[k].error);
    }
  }

  Sentences sentences_;
  std::vector<DenseView> views_;
  std::vector<std::size_t> of_view_, order_;
  std::vector<std::string> errors_;
  RootRule rule_;
  Output<double> log_partition_;
  std::optional<Output<double>> entropy_;
  std::optional<Output<double>> marginals_;
  std::atomic<std::size_t> next_ = 0;
};

// The covariance of every arc with a function of arcs, [sentences, nodes, nodes] both.
class CovarianceJob : public SentenceJob<NoWorker> {
 public:
  CovarianceJob(Sentences sentences, bool single_root, Functions values, Output<double> result)
      : SentenceJob(std::move(sentences)),
        rule_(rule(single_root)),
        values_(std::move(values)),
        result_(std::move(result)) {}

 private:
  void decode(std::size_t b, NoWorker&) override {
    const TreeDistribution distribution(sentences()[b].view(), rule_);
    auto nodes = static_cast<std::size_t>(distribution.nodes()), pitch = values_.shape(2);
    std::vector<double> values(nodes * nodes);
    for (std::size_t h = 0; h < nodes; ++h)
      std::copy_n(values_.data() + (b * pitch + h) * pitch, nodes, values.data() + h * nodes);
    const std::vector<double> found = distribution.covariances(values);
    for (std::size_t h = 0; h < nodes; ++h)
      std::copy_n(found.data() + h * nodes, nodes, result_.data() + (b * pitch + h) * pitch);
  }
  void give_up(std::size_t, NoWorker&) noexcept override {}

  RootRule rule_;
  Functions values_;
  Output<double> result_;
};

SentenceErrors covariance_batch(const Sentences& sentences, bool single_root, int threads,
                                Functions values, Output<double> result) {
  auto job =
      std::make_shared<CovarianceJob>(sentences, single_root, std::move(values), std::move(result));
  run(job, threads, false);
  return job->errors();
}

SentenceErrors distribution_batch(const Sentences& sentences, bool single_root, int threads,
                                  Output<double> log_partition,
                                  std::optional<Output<double>> entropy,
                                  std::optional<Output<double>> marginals) {
  auto job = std::make_shared<DistributionJob>(sentences, single_root, std::move(log_partition),
                                               std::move(entropy), std::move(marginals));
  run(job, threads, false);
  return job->errors();
}

}  // namespace

void bind_distribution(nb::module_& module) {
  nb::class_<TreeDistribution>(module, "TreeDistribution")
      .def(
          "__init__",
          [](TreeDistribution* self, Array scores, bool single_root) {
            DenseView view = matrix_of(scores).view();
            nb::gil_scoped_release unlock;
            new (self) TreeDistribution(view, rule(single_root));
          },
          nb::arg("scores"), nb::arg("single_root"))
      .def("log_partition", &TreeDistribution::log_partition)
      .def("entropy", &TreeDistribution::entropy, nb::call_guard<nb::gil_scoped_release>())
      .def("marginals", &marginals)
      .def(
          "log_prob",
          [](const TreeDistribution& self, const Heads& heads) {
            return each_row(heads, [&](auto row) { return self.log_prob(row); });
          },
          nb::arg("heads"))
      .def(
          "expected_correct",
          [](const TreeDistribution& self, const Heads& heads) {
            return each_row(heads, [&](auto row) { return self.expected_correct(row); });
          },
          nb::arg("heads"))
      .def("min_risk", &min_risk)
      .def("renyi_entropy", &TreeDistribution::renyi_entropy, nb::arg("order"),
           nb::call_guard<nb::gil_scoped_release>())
      .def("cross_entropy", &TreeDistribution::cross_entropy, nb::arg("other"),
           nb::call_guard<nb::gil_scoped_release>())
      .def("kl", &TreeDistribution::kl, nb::arg("other"), nb::call_guard<nb::gil_scoped_release>())
      .def(
          "expectation",
          [](const TreeDistribution& self, const Values& values) {
            nb::gil_scoped_release unlock;
            return self.expectation(span_of(values));
          },
          nb::arg("values"))
      .def(
          "covariance",
          [](const TreeDistribution& self, const Values& values, const Values& others) {
            nb::gil_scoped_release unlock;
            return self.covariance(span_of(values), span_of(others));
          },
          nb::arg("values"), nb::arg("others"))
      .def(
          "covariances",
          [](const TreeDistribution& self, const Values& values) {
            std::vector<double> found;
            {
              nb::gil_scoped_release unlock;
              found = self.covariances(span_of(values));
            }
            auto nodes = static_cast<std::size_t>(self.nodes());
            return to_numpy(std::move(found), {nodes, nodes});
          },
          nb::arg("values"))
      .def("sample", &sample, nb::arg("count"), nb::arg("seed"), nb::arg("distinct"));

  nb::class_<Mass>(module, "Mass")
      .def(nb::init<Array, bool, double>(), nb::arg("scores"), nb::arg("single_root"),
           nb::arg("mass"))
      .def("next", &Mass::next);

  module.def(
      "list_probabilities",
      [](const Heads& heads, const Column<double>& scores) {
        return to_numpy(list_probabilities(list_of(heads, scores)), {heads.shape(0)});
      },
      nb::arg("heads"), nb::arg("scores"));
  module.def(
      "expected_attachment",
      [](const Heads& heads, const Column<double>& scores) {
        return to_numpy(expected_attachment(list_of(heads, scores)), {heads.shape(0)});
      },
      nb::arg("heads"), nb::arg("scores"));
  module.def("covariance_batch", &covariance_batch, nb::arg("sentences"), nb::arg("single_root"),
             nb::arg("threads"), nb::arg("values"), nb::arg("result"));
  module.def("distribution_batch", &distribution_batch, nb::arg("sentences"),
             nb::arg("single_root"), nb::arg("threads"), nb::arg("log_partition"),
             nb::arg("entropy").none(), nb::arg("marginals").none());
}

}  // namespace coppice::python
