// Every ready-made rule alone, on all trees of tiny graphs: it must agree with a check that is
// obviously right, and keep the promise of rule.hpp.
#include <coppice/rules.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>

#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/generate.hpp"
#include "support/labelled.hpp"

namespace coppice::testing {
namespace {

using Legal = std::function<bool(const TreeRef&)>;

struct Seen {
  std::size_t legal = 0, illegal = 0;
};

TreeRef ref(const Tree& tree) { return {tree.heads, tree.edges, tree.score, tree.integer_score}; }

using Edges = std::set<std::tuple<Node, Node, EdgeId>>;

Edges as_set(const std::vector<ClauseEdge>& edges) {
  Edges set;
  for (const ClauseEdge& edge : edges) set.insert({edge.head, edge.dependent, edge.edge});
  EXPECT_EQ(set.size(), edges.size()) << "an edge twice";
  return set;
}

// What the tests below rest on: legal trees obey all clauses, illegal ones break the one they get.
void expect_promise(Graph graph, const Rule& rule, const Legal& legal, Seen& seen) {
  auto trees = brute_force(graph, {.root = RootRule::any});
  auto judge = rule.prepare(graph);
  std::vector<const Tree*> legal_trees;
  std::set<std::pair<Edges, Edges>> different;
  std::vector<Clause> clauses;
  Clause clause;
  for (const Tree& tree : trees) {
    bool broken = judge(ref(tree), clause);
    ASSERT_EQ(!broken, legal(ref(tree))) << rule.name();
    if (!broken) {
      legal_trees.push_back(&tree);
      continue;
    }
    ASSERT_TRUE(breaks(ref(tree), clause)) << rule.name();
    if (different.insert({as_set(clause.without), as_set(clause.with)}).second)
      clauses.push_back(clause);
  }
  for (const Tree* tree : legal_trees)
    for (const Clause& returned : clauses)
      ASSERT_FALSE(breaks(ref(*tree), returned)) << rule.name();
  seen.legal += legal_trees.size();
  seen.illegal += trees.size() - legal_trees.size();
}

int children(const TreeRef& tree, Node head) {
  return static_cast<int>(std::count(tree.heads.begin() + 1, tree.heads.end(), head));
}

// On matrices and on multigraphs.
void expect_on_all_kinds(const std::function<Rule(Node)>& rule, const Legal& legal) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Node words = 1 + static_cast<Node>(seed % 6);
    auto matrix = random_matrix(words, Weights::continuous, words == 6 ? 0.6 : 0.9, seed);
    expect_promise(matrix.view(), rule(words), legal, seen);
    auto edges = random_multigraph(std::min(words, 5), 4 * words, Weights::continuous, seed);
    expect_promise(edges, rule(std::min(words, 5)), legal, seen);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(seen.legal, 40U);
  EXPECT_GT(seen.illegal, 100U);
}

TEST(Rules, MaxChildren) {
  for (int d : {1, 2})
    expect_on_all_kinds([d](Node) { return rules::max_children(d); },
                        [d](const TreeRef& tree) {
                          for (Node v = 0; v < static_cast<Node>(tree.heads.size()); ++v)
                            if (children(tree, v) > d) return false;
                          return true;
                        });
}

TEST(Rules, MaxChildrenPerNode) {
  auto most = [](Node v) { return (v * 5 + 1) % 3; };
  expect_on_all_kinds(
      [&](Node words) {
        std::vector<std::int32_t> d;
        for (Node v = 0; v <= words; ++v) d.push_back(most(v));
        return rules::max_children(d);
      },
      [&](const TreeRef& tree) {
        for (Node v = 0; v < static_cast<Node>(tree.heads.size()); ++v)
          if (children(tree, v) > most(v)) return false;
        return true;
      });
}

TEST(Rules, MinChildren) {
  auto least = [](Node v) { return v == 1 ? 2 : v == 2 ? 1 : 0; };
  expect_on_all_kinds(
      [&](Node words) {
        std::vector<std::int32_t> d;
        for (Node v = 0; v <= words; ++v) d.push_back(least(v));
        return rules::min_children(d);
      },
      [&](const TreeRef& tree) {
        for (Node v = 0; v < static_cast<Node>(tree.heads.size()); ++v)
          if (children(tree, v) < least(v)) return false;
        return true;
      });
}

TEST(Rules, MaxDepth) {
  for (int d : {1, 2, 3})
    expect_on_all_kinds([d](Node) { return rules::max_depth(d); },
                        [d](const TreeRef& tree) {
                          for (Node v = 1; v < static_cast<Node>(tree.heads.size()); ++v) {
                            int depth = 0;
                            for (Node up = v; up != 0;
                                 up = tree.heads[static_cast<std::size_t>(up)])
                              ++depth;
                            if (depth > d) return false;
                          }
                          return true;
                        });
}

TEST(Rules, Projective) {
  expect_on_all_kinds([](Node) { return rules::projective(); },
                      [](const TreeRef& tree) {
                        auto n = static_cast<Node>(tree.heads.size());
                        for (Node v = 1; v < n; ++v) {
                          for (Node w = 1; w < n; ++w) {
                            auto [a, b] = std::minmax(v, tree.heads[static_cast<std::size_t>(v)]);
                            auto [c, d] = std::minmax(w, tree.heads[static_cast<std::size_t>(w)]);
                            if (a < c && c < b && b < d) return false;
                          }
                        }
                        return true;
                      });
}

TEST(Rules, SumCondition) {
  auto frequency = [](Node v, int sample) {
    return v == 0 ? 2.0 : (1 + (v * 5 + sample * 3) % 9) / 8.0;
  };
  expect_on_all_kinds(
      [&](Node words) {
        std::vector<double> frequencies;
        for (Node v = 0; v <= words; ++v)
          for (int sample = 0; sample < 2; ++sample) frequencies.push_back(frequency(v, sample));
        return rules::sum_condition(frequencies, 2);
      },
      [&](const TreeRef& tree) {
        for (Node v = 0; v < static_cast<Node>(tree.heads.size()); ++v) {
          for (int sample = 0; sample < 2; ++sample) {
            double sum = 0.0;
            for (Node w = 1; w < static_cast<Node>(tree.heads.size()); ++w)
              if (tree.heads[static_cast<std::size_t>(w)] == v) sum += frequency(w, sample);
            if (sum > frequency(v, sample)) return false;
          }
        }
        return true;
      });
}

// Are there frequencies, whole numbers here, that the tree obeys? All are tried.
bool fits(const TreeRef& tree, const std::vector<int>& least, const std::vector<int>& most,
          int tolerance) {
  std::vector<int> chosen = least;
  while (true) {
    std::vector<int> sum(chosen.size(), 0);
    for (std::size_t v = 1; v < chosen.size(); ++v)
      sum[static_cast<std::size_t>(tree.heads[v])] += chosen[v];
    bool all = true;
    for (std::size_t v = 0; v < chosen.size(); ++v) all = all && sum[v] <= chosen[v] + tolerance;
    if (all) return true;
    std::size_t v = 0;
    while (v < chosen.size() && chosen[v] == most[v]) chosen[v] = least[v], ++v;
    if (v == chosen.size()) return false;
    ++chosen[v];
  }
}

TEST(Rules, SumConditionOfIntervals) {
  Seen seen;
  std::mt19937_64 random(1);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  for (int round = 0; round < 300; ++round) {
    const Node words = 1 + round % 4;
    const int tolerance = round % 3 == 0 ? 1 : 0;
    std::vector<std::vector<int>> least(2), most(2);
    std::vector<double> from, to;
    for (Node v = 0; v <= words; ++v)
      for (std::size_t sample = 0; sample < 2; ++sample) {
        least[sample].push_back(v == 0 ? 4 : below(4));
        most[sample].push_back(least[sample].back() + below(3));
        from.push_back(least[sample].back() / 10.0);
        to.push_back(most[sample].back() / 10.0);
      }
    const Rule rule = rules::sum_condition(from, to, 2, tolerance / 10.0 + 1e-9);
    const auto matrix = random_matrix(words, Weights::continuous, 0.9, random());
    expect_promise(
        matrix.view(), rule,
        [&](const TreeRef& tree) {
          return fits(tree, least[0], most[0], tolerance) &&
                 fits(tree, least[1], most[1], tolerance);
        },
        seen);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(seen.legal, 1000U);
  EXPECT_GT(seen.illegal, 1000U);
}

// The edges of a clause break the condition by themselves, however deep what they add up to lies.
TEST(Rules, SumConditionsClausesAreEnough) {
  constexpr Node kWords = 12;
  constexpr int kTolerance = 1;
  std::mt19937_64 random(1);
  std::size_t deep = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<double> least, most;
    Tree tree{.heads = {kNoNode}, .edges = {}};
    for (Node v = 0; v <= kWords; ++v) {
      least.push_back(static_cast<double>(random() % 6));
      most.push_back(least.back() + static_cast<double>(random() % 12));
      if (v > 0)
        tree.heads.push_back(static_cast<Node>(random() % static_cast<std::uint64_t>((v + 1) / 2)));
    }
    const Matrix matrix = random_matrix(kWords, Weights::continuous, 1.0, 1);
    Clause clause;
    if (!rules::sum_condition(least, most, 1, kTolerance).prepare(matrix.view())(ref(tree), clause))
      continue;
    const Edges edges = as_set(clause.without);
    std::vector<double> sum(least.size(), 0.0);
    bool broken = false;
    for (Node v = kWords; v >= 0; --v) {  // children come after their heads
      const auto i = static_cast<std::size_t>(v);
      const double takes = std::max(least[i], sum[i] - kTolerance);
      broken = broken || takes > most[i];
      if (v > 0 && edges.contains({tree.heads[i], v, kNoEdge}))
        sum[static_cast<std::size_t>(tree.heads[i])] += std::min(takes, most[i]);
    }
    ASSERT_TRUE(broken) << round;
    std::set<Node> heads;
    for (const ClauseEdge& edge : clause.without) heads.insert(edge.head);
    deep += heads.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(deep, 100U);
}

TEST(Rules, SixDigitsAreEnough) {
  const std::vector<double> thirds = {1.0, 0.333334, 0.333333, 0.333334};
  const Matrix matrix = random_matrix(3, Weights::continuous, 1.0, 1);
  const Tree star{.heads = {-1, 0, 0, 0}, .edges = {}};
  Clause clause;
  EXPECT_FALSE(rules::sum_condition(thirds, 1).prepare(matrix.view())(ref(star), clause));
  EXPECT_TRUE(rules::sum_condition(thirds, 1, 1e-9).prepare(matrix.view())(ref(star), clause));
  // Any magnitude, and a tolerance beyond all sums.
  for (double scale : {1e-300, 1.0, 1e308}) {
    std::vector<double> scaled;
    for (double f : thirds) scaled.push_back(f * scale);
    EXPECT_TRUE(rules::sum_condition(scaled, 1, 0.0).prepare(matrix.view())(ref(star), clause));
    for (double tolerance : {1e308, std::numeric_limits<double>::infinity()})
      EXPECT_FALSE(
          rules::sum_condition(scaled, 1, tolerance).prepare(matrix.view())(ref(star), clause));
  }
}

void expect_on_labelled(const LabelledKind& kind, const Rule& rule,
                        const std::function<Legal(const LabelledSentence&)>& legal) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < testing::large(200U); ++seed) {
    LabelledSentence sentence(1 + static_cast<Node>(seed % 5), kind, seed);
    expect_promise(sentence.graph(), rule, legal(sentence), seen);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(seen.legal, testing::share(100U));
  EXPECT_GT(seen.illegal, testing::share(100U));
}

TEST(Rules, AtMost) {
  LabelledKind kind{.labels = {"nsubj", "nsubj:pass", "csubj", "obj", "nsubjx"}, .tags = {}};
  const auto truth = [](int n, bool subtypes) {
    return [n, subtypes](const LabelledSentence& sentence) {
      return [&sentence, n, subtypes](const TreeRef& tree) {
        std::vector<int> subjects(tree.heads.size(), 0);
        for (std::size_t v = 1; v < tree.heads.size(); ++v) {
          const std::string& label = sentence.label(tree, v);
          if (label == "nsubj" || label == "csubj" || (subtypes && label == "nsubj:pass"))
            ++subjects[static_cast<std::size_t>(tree.heads[v])];
        }
        return std::all_of(subjects.begin(), subjects.end(), [n](int count) { return count <= n; });
      };
    };
  };
  for (int n : {0, 1, 2}) {
    expect_on_labelled(kind, rules::at_most(n, {"nsubj", "csubj"}), truth(n, true));
    expect_on_labelled(kind, rules::at_most(n, {"nsubj", "csubj"}, rules::Subtypes::apart),
                       truth(n, false));
  }
}

TEST(Rules, Leaves) {
  LabelledKind kind{.labels = {"punct", "cc:preconj", "dep", "root"}, .tags = {}};
  expect_on_labelled(kind, rules::leaves({"punct", "cc"}), [](const LabelledSentence& sentence) {
    return [&sentence](const TreeRef& tree) {
      for (std::size_t v = 1; v < tree.heads.size(); ++v) {
        if (tree.heads[v] == 0) continue;
        const std::string& label = sentence.label(tree, static_cast<std::size_t>(tree.heads[v]));
        if (label == "punct" || label == "cc:preconj") return false;
      }
      return true;
    };
  });
}

// Whether ud() reports what the validator reports is tested beside the validator itself
// (tests/rules/validator_test.py). Here: its clauses keep the promise.
TEST(Rules, Ud) {
  const std::vector<LabelledKind> kinds = {
      {.labels = {"punct", "dep", "dep"}, .tags = {"PUNCT", "VERB", "VERB"}},
      {.labels = {"punct", "goeswith", "goeswith", "advmod", "dep"},
       .tags = {"X", "NOUN", "PUNCT"}},
      {.labels = {"nsubj", "csubj", "nsubj:outer", "obj", "dep"}, .tags = {"NOUN"}},
      {.labels = {"obl", "nmod", "nsubj", "cop", "dep"}, .tags = {"NOUN", "AUX", "PRON"}},
      {.labels = {"det", "case", "advmod", "nmod", "dep", "aux"}, .tags = {"DET", "ADV", "AUX"}},
      {.labels = {"fixed", "conj", "flat", "<unk>", "strange", "dep"}, .tags = {"PROPN", "ADV"}},
      {.labels = {"mark", "cc", "clf", "cop", "expl", "nummod", "appos"}, .tags = {"NUM", "PART"}},
  };
  for (const LabelledKind& kind : kinds) {
    SCOPED_TRACE(kind.labels.front());
    expect_on_labelled(kind, rules::ud(), [](const LabelledSentence& sentence) {
      return [&sentence](const TreeRef& tree) {
        return rules::ud_incidents(sentence.graph(), tree).empty();
      };
    });
  }
}

TEST(Rules, BadArguments) {
  EXPECT_THROW(rules::max_depth(0), std::invalid_argument);
  EXPECT_THROW(rules::max_children(-1), std::invalid_argument);
  EXPECT_THROW(rules::at_most(-1, {"nsubj"}), std::invalid_argument);
  EXPECT_THROW(rules::leaves({}), std::invalid_argument);
  EXPECT_THROW(rules::sum_condition({1.0, -0.5}, 1), std::invalid_argument);
  EXPECT_THROW(rules::sum_condition({1.0, 0.5, 0.5}, 2), std::invalid_argument);
  EXPECT_THROW(rules::sum_condition({1.0, 0.5}, {1.0, 0.4}, 1), std::invalid_argument);
  EXPECT_THROW(rules::sum_condition({1.0, 0.5}, std::vector{1.0}, 1), std::invalid_argument);
  EXPECT_THROW(rules::sum_condition({1.0, 0.5}, {1.0, std::numeric_limits<double>::infinity()}, 1),
               std::invalid_argument);
  auto matrix = random_matrix(3, Weights::continuous, 1.0, 1);
  EXPECT_THROW(rules::ud().prepare(matrix.view()), std::invalid_argument);
  EXPECT_THROW(rules::leaves({"punct"}).prepare(matrix.view()), std::invalid_argument);
  EXPECT_THROW(rules::max_children({1, 1}).prepare(matrix.view()), std::invalid_argument);
  EXPECT_THROW(rules::sum_condition({1.0, 0.5}, 1).prepare(matrix.view()), std::invalid_argument);
  LabelledSentence sentence(3, {.labels = {"dep"}, .tags = {}}, 1);
  EXPECT_THROW(rules::leaves({"punct"}).prepare(sentence.graph()), std::invalid_argument);
}

}  // namespace
}  // namespace coppice::testing
