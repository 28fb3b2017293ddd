// The distribution over all trees: of one sentence, and of many.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <coppice/distribution.hpp>
#include <coppice/undirected.hpp>
#include <memory>

#include "arrays.hpp"
#include "decode.hpp"
#include "distribution/batch.hpp"
#include "graph/tree_builder.hpp"
#include "rules.hpp"
#include "sentences.hpp"
#include "shared_stream.hpp"

namespace coppice::python {
namespace {

using Heads = nb::ndarray<const Node, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const double> span_of(const Values& values) { return {values.data(), values.size()}; }

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
  auto values = interruptible([&] {
    std::vector<double> found;
    RowsWithRoot rows(heads);
    for (std::size_t i = 0; i < rows.size(); ++i) found.push_back(f(rows[i]));
    return found;
  });
  auto size = values.size();
  return to_numpy(std::move(values), {size});
}

template <class Distribution>
nb::object log_prob_rows(const Distribution& distribution, const Heads& heads,
                         const std::optional<Heads>& edges) {
  std::optional<RowsWithRoot> taken;
  if (edges) taken.emplace(*edges);
  Tree tree;
  return each_row(heads, [&, i = std::size_t{0}](auto row) mutable {
    tree.heads.assign(row.begin(), row.end());
    if (taken) {
      const auto row_edges = (*taken)[i++];
      tree.edges.assign(row_edges.begin(), row_edges.end());
    }
    return distribution.log_prob(tree);
  });
}

nb::object marginals(const TreeDistribution& distribution) {
  auto values = interruptible([&] {
    auto all = distribution.marginals();
    return std::vector<double>(all.begin(), all.end());
  });
  auto nodes = static_cast<std::size_t>(distribution.nodes());
  return to_numpy(std::move(values), {nodes, nodes});
}

// Without the entry of the root.
nb::object words_of(const std::vector<std::int32_t>& of_nodes) {
  std::vector<std::int32_t> words(of_nodes.begin() + 1, of_nodes.end());
  return to_numpy(std::move(words), {of_nodes.size() - 1});
}

// Heads (or edges) of all trees, without the entry of the root.
nb::object rows_of(const TreeList& trees, std::span<const std::int32_t> all) {
  auto nodes = static_cast<std::size_t>(trees.nodes());
  std::vector<std::int32_t> rows;
  rows.reserve(all.size());
  for (std::size_t i = 0; i < trees.size(); ++i) {
    auto row = all.subspan(i * nodes + 1, nodes - 1);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return to_numpy(std::move(rows), {trees.size(), nodes - 1});
}

// (heads, edges or None), [trees, words] each.
nb::tuple trees_of(const TreeList& trees, bool with_edges) {
  return nb::make_tuple(rows_of(trees, trees.all_heads()),
                        with_edges ? rows_of(trees, trees.all_edges()) : nb::none());
}

template <class Distribution>
nb::tuple sample(const Distribution& distribution, std::size_t count, std::uint64_t seed,
                 bool distinct, bool with_edges) {
  const TreeList trees = interruptible([&] {
    return distinct ? distribution.sample_distinct(count, seed) : distribution.sample(count, seed);
  });
  return trees_of(trees, with_edges);
}

// (heads, edges or None, number of draws); the rules are those of `legal`.
nb::tuple sample_legal(const TreeDistribution& distribution, Graph graph, const Problem& legal,
                       std::size_t count, std::size_t draws, std::uint64_t seed) {
  const auto found = interruptible(
      [&] { return distribution.sample_legal(graph, legal.rules, count, draws, seed); });
  const nb::tuple trees = trees_of(found.trees, graph.multigraph() != nullptr);
  return nb::make_tuple(trees[0], trees[1], found.drawn);
}

// (heads, edges or None, score, expected number of correct words), or None.
template <class Find>
nb::object min_risk(const Find& find) {
  const std::optional<RiskTree> found = interruptible(find);
  if (!found) return nb::none();
  const Tree& tree = found->tree;
  return nb::make_tuple(words_of(tree.heads),
                        tree.edges.empty() ? nb::none() : words_of(tree.edges), tree.score,
                        found->expected_correct);
}

class Mass {
 public:
  Mass(Graph graph, const Problem& problem, double mass)
      : stream_(std::in_place, graph, problem, mass) {}

  // (heads, edges or None, score, probability, covered), or None at the end.
  nb::object next() {
    const auto item = stream_.next();
    if (!item) return nb::none();
    const Tree& tree = item->tree;
    return nb::make_tuple(words_of(tree.heads),
                          tree.edges.empty() ? nb::none() : words_of(tree.edges), tree.score,
                          item->probability, item->covered);
  }

 private:
  SharedStream<MassStream> stream_;
};

// A list with these heads and scores.
TreeList list_of(const Heads& heads, const Column<double>& scores) {
  check_shape(scores, {heads.shape(0)}, "scores");
  TreeList trees;
  TreeBuilder(trees).reset(static_cast<Node>(heads.shape(1) + 1), false, false);
  RowsWithRoot rows(heads);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(rows[i], TreeBuilder(trees).append(scores.data()[i], 0).heads.begin());
  return trees;
}

// Per sentence log_partition and, where there are arrays for them, entropy and marginals. The
// latter are [sentences, nodes, nodes], zero at first.
nb::dict distribution_batch(const Sentences& sentences, const Problem& problem, int threads,
                            Output<double> log_partition, std::optional<Output<double>> entropy,
                            std::optional<Output<double>> marginals) {
  std::vector<Failure> failures(sentences.size());
  std::vector<distribution::Task> tasks;
  std::vector<std::size_t> of_task;
  interruptible([&] {
    for (std::size_t b = 0; b < sentences.size(); ++b) try {
        tasks.push_back({sentences[b].view()});
        of_task.push_back(b);
        if (!marginals) continue;
        tasks.back().pitch = marginals->shape(2);
        tasks.back().marginals = marginals->data() + b * marginals->shape(2) * marginals->shape(2);
      } catch (const std::invalid_argument&) {  // no graph at all
        failures[b] = Failure::current();
        log_partition.data()[b] = kNoWeight;
      }
    distribution::solve(tasks, problem, threads);
  });
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    log_partition.data()[of_task[i]] = tasks[i].log_partition;
    if (entropy) entropy->data()[of_task[i]] = tasks[i].entropy;
    failures[of_task[i]] = std::move(tasks[i].failure);
  }
  return errors_of(failures);
}

using Functions = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// The covariance of every arc with a function of arcs, [sentences, nodes, nodes] both.
nb::dict covariance_batch(const Sentences& sentences, const Problem& problem, int threads,
                          const Functions& values, Output<double> result) {
  struct NoWorker {};
  return decode_sentences<NoWorker>(
      sentences.size(), threads,
      [&](NoWorker&, std::size_t b) {
        const TreeDistribution distribution(sentences[b].view(), problem);
        auto nodes = static_cast<std::size_t>(distribution.nodes()), pitch = values.shape(2);
        std::vector<double> own(nodes * nodes);
        for (std::size_t h = 0; h < nodes; ++h)
          std::copy_n(values.data() + (b * pitch + h) * pitch, nodes, own.data() + h * nodes);
        const std::vector<double> found = distribution.covariances(own);
        for (std::size_t h = 0; h < nodes; ++h)
          std::copy_n(found.data() + h * nodes, nodes, result.data() + (b * pitch + h) * pitch);
      },
      [](std::size_t) {});
}

}  // namespace

void bind_distribution(nb::module_& module) {
  nb::class_<TreeDistribution>(module, "TreeDistribution")
      .def(
          "__init__",
          [](TreeDistribution* self, Array scores, const Problem& problem) {
            DenseView view = matrix_of(scores).view();
            interruptible([&] { new (self) TreeDistribution(view, problem); });
          },
          nb::arg("scores"), nb::arg("problem"))
      .def(
          "__init__",
          [](TreeDistribution* self, const Multigraph& graph, const Problem& problem) {
            interruptible([&] { new (self) TreeDistribution(graph, problem); });
          },
          nb::arg("graph"), nb::arg("problem"))
      .def("log_partition", &TreeDistribution::log_partition)
      .def("entropy",
           [](const TreeDistribution& self) {
             return interruptible([&] { return self.entropy(); });
           })
      .def("marginals", &marginals)
      .def("log_prob", &log_prob_rows<TreeDistribution>, nb::arg("heads"), nb::arg("edges").none())
      .def(
          "expected_correct",
          [](const TreeDistribution& self, const Heads& heads) {
            return each_row(heads, [&](auto row) { return self.expected_correct(row); });
          },
          nb::arg("heads"))
      .def(
          "min_risk",
          [](const TreeDistribution& self, bool labelled) {
            return min_risk(
                [&] { return self.min_risk(labelled ? RiskUnit::edge : RiskUnit::head); });
          },
          nb::arg("labelled"))
      .def("edge_marginals",
           [](const TreeDistribution& self) {
             auto found = interruptible([&] { return self.edge_marginals(); });
             auto edges = found.size();
             return to_numpy(std::move(found), {edges});
           })
      .def(
          "renyi_entropy",
          [](const TreeDistribution& self, double order) {
            return interruptible([&] { return self.renyi_entropy(order); });
          },
          nb::arg("order"))
      .def(
          "cross_entropy",
          [](const TreeDistribution& self, const TreeDistribution& other) {
            return interruptible([&] { return self.cross_entropy(other); });
          },
          nb::arg("other"))
      .def(
          "kl",
          [](const TreeDistribution& self, const TreeDistribution& other) {
            return interruptible([&] { return self.kl(other); });
          },
          nb::arg("other"))
      .def(
          "expectation",
          [](const TreeDistribution& self, const Values& values) {
            return interruptible([&] { return self.expectation(span_of(values)); });
          },
          nb::arg("values"))
      .def(
          "covariance",
          [](const TreeDistribution& self, const Values& values, const Values& others) {
            return interruptible([&] { return self.covariance(span_of(values), span_of(others)); });
          },
          nb::arg("values"), nb::arg("others"))
      .def(
          "covariances",
          [](const TreeDistribution& self, const Values& values) {
            auto found = interruptible([&] { return self.covariances(span_of(values)); });
            auto nodes = static_cast<std::size_t>(self.nodes());
            return to_numpy(std::move(found), {nodes, nodes});
          },
          nb::arg("values"))
      .def("sample", &sample<TreeDistribution>, nb::arg("count"), nb::arg("seed"),
           nb::arg("distinct"), nb::arg("with_edges"))
      .def(
          "sample_legal",
          [](const TreeDistribution& self, Array scores, const KeptFacts* facts,
             const Problem& legal, std::size_t count, std::size_t draws, std::uint64_t seed) {
            return sample_legal(self, known(matrix_of(scores).view(), facts), legal, count, draws,
                                seed);
          },
          nb::arg("scores"), nb::arg("facts").none(), nb::arg("legal"), nb::arg("count"),
          nb::arg("draws"), nb::arg("seed"))
      .def(
          "sample_legal",
          [](const TreeDistribution& self, const Multigraph& graph, const KeptFacts* facts,
             const Problem& legal, std::size_t count, std::size_t draws, std::uint64_t seed) {
            return sample_legal(self, known(graph, facts), legal, count, draws, seed);
          },
          nb::arg("graph"), nb::arg("facts").none(), nb::arg("legal"), nb::arg("count"),
          nb::arg("draws"), nb::arg("seed"));

  nb::class_<SpanningTreeDistribution>(module, "SpanningTreeDistribution")
      .def(
          "__init__",
          [](SpanningTreeDistribution* self, const UndirectedGraph& graph, const Problem& problem) {
            interruptible([&] { new (self) SpanningTreeDistribution(graph, problem); });
          },
          nb::arg("graph"), nb::arg("problem"))
      .def("log_partition", &SpanningTreeDistribution::log_partition)
      .def("entropy",
           [](const SpanningTreeDistribution& self) {
             return interruptible([&] { return self.entropy(); });
           })
      .def(
          "renyi_entropy",
          [](const SpanningTreeDistribution& self, double order) {
            return interruptible([&] { return self.renyi_entropy(order); });
          },
          nb::arg("order"))
      .def("edge_marginals",
           [](const SpanningTreeDistribution& self) {
             auto found = interruptible([&] { return self.edge_marginals(); });
             auto edges = found.size();
             return to_numpy(std::move(found), {edges});
           })
      .def("log_prob", &log_prob_rows<SpanningTreeDistribution>, nb::arg("heads"),
           nb::arg("edges").none())
      .def(
          "min_risk",
          [](const SpanningTreeDistribution& self, bool /*labelled*/) {
            return min_risk([&] { return self.min_risk(); });
          },
          nb::arg("labelled"))
      .def("sample", &sample<SpanningTreeDistribution>, nb::arg("count"), nb::arg("seed"),
           nb::arg("distinct"), nb::arg("with_edges"));

  nb::class_<Mass>(module, "Mass")
      .def(
          "__init__",
          [](Mass* self, Array scores, const Problem& problem, double mass) {
            DenseView view = matrix_of(scores).view();
            interruptible([&] { new (self) Mass(view, problem, mass); });
          },
          nb::arg("scores"), nb::arg("problem"), nb::arg("mass"))
      .def(
          "__init__",
          [](Mass* self, const Multigraph& graph, const Problem& problem, double mass) {
            interruptible([&] { new (self) Mass(graph, problem, mass); });
          },
          nb::arg("graph"), nb::arg("problem"), nb::arg("mass"))
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
  module.def("covariance_batch", &covariance_batch, nb::arg("sentences"), nb::arg("problem"),
             nb::arg("threads"), nb::arg("values"), nb::arg("result"));
  module.def("distribution_batch", &distribution_batch, nb::arg("sentences"), nb::arg("problem"),
             nb::arg("threads"), nb::arg("log_partition"), nb::arg("entropy").none(),
             nb::arg("marginals").none());
}

}  // namespace coppice::python
