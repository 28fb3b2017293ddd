// Every public call that can be long ends within a fifth of a second of being told to, and what it
// had allocated is free: one row per call, on graphs that would keep it for seconds at least.
//
// The time is that of the thread, which a busy machine does not stretch.
#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <coppice/batch.hpp>
#include <coppice/distribution.hpp>
#include <coppice/kbest.hpp>
#include <coppice/labels.hpp>
#include <coppice/legal.hpp>
#include <coppice/max_marginals.hpp>
#include <coppice/paper.hpp>
#include <coppice/rules.hpp>
#include <coppice/stop.hpp>
#include <coppice/verify.hpp>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "graph/poll.hpp"

namespace coppice {
namespace {

using namespace std::chrono_literals;

double seconds_of(clockid_t clock) {
  timespec time = {};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Dense, of normal weights, or all equal.
struct Dense {
  Dense(Node words, bool ties) : nodes(words + 1) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    const auto size = static_cast<std::size_t>(nodes);
    weights.assign(size * size, 0.0);
    if (!ties)
      for (double& weight : weights) weight = normal(random);
  }
  Graph graph() const { return DenseView::head_dependent(weights.data(), nodes); }

  Node nodes;
  std::vector<double> weights;
};

Multigraph sparse(Node words, int per_word) {
  std::mt19937_64 random(1);
  Multigraph graph(words + 1);
  for (Node v = 1; v <= words; ++v) {
    for (int i = 0; i < per_word; ++i)
      graph.add_edge(static_cast<Node>(random() % static_cast<std::uint64_t>(words + 1)), v,
                     static_cast<double>(random() % 1000));
    graph.add_edge(0, v, -1.0);
  }
  return graph;
}

// Made when they are first asked for.
const Dense& small() {
  static const Dense made(40, false);
  return made;
}
const Dense& middling() {
  static const Dense made(300, false);
  return made;
}
const Dense& large() {
  static const Dense made(3'000, false);
  return made;
}
const Dense& ties() {
  static const Dense made(3'000, true);
  return made;
}
const Multigraph& edges() {
  static const Multigraph made = sparse(200'000, 8);
  return made;
}
const Multigraph& few_edges() {
  static const Multigraph made = sparse(2'000, 4);
  return made;
}
const std::vector<Graph>& many() {
  static const std::vector<Graph> made(20'000, small().graph());
  return made;
}
const TreeDistribution& distribution() {
  static const TreeDistribution made(middling().graph(), {.root = RootRule::any});
  return made;
}
const std::vector<double>& values() {
  static const std::vector<double> made(middling().weights.size(), 1.0);
  return made;
}

// Making them is not what is measured.
void make_all() {
  small(), middling(), large(), ties(), edges(), few_edges(), many(), distribution(), values();
}

struct Call {
  std::string name;
  std::function<void()> call;
};

std::vector<Call> calls() {
  const Problem any{.root = RootRule::any}, single{.root = RootRule::single};
  const Request endless{.k = 1'000'000'000};
  const auto drain = [](auto stream) {
    while (stream.next()) {
    }
  };
  const auto repeat = [](auto call) {
    return [call] {
      for (call();; call()) poll();  // a call may be too short to look
    };
  };
  std::vector<Call> all = {
      {"best", repeat([=] { best(large().graph(), single); })},
      {"best_sparse", repeat([=] { best(edges(), single); })},
      {"kbest", [=] { kbest(small().graph(), any, endless); }},
      {"kbest_ties", [=] { kbest(ties().graph(), any, {.k = 1'000'000}); }},
      {"kbest_sparse", [=] { kbest(edges(), any, endless); }},
      {"kbest_gap", [=] { kbest(small().graph(), any, {.max_gap = 1e9}); }},
      {"kbest_rules",
       [=] {
         kbest(middling().graph(), {.root = RootRule::single, .rules = {rules::max_depth(3)}},
               endless);
       }},
      {"count_legal",
       [=] {
         count_legal(middling().graph(), {.root = RootRule::any, .rules = {rules::max_children(2)}},
                     endless.k.value() * 1'000);
       }},
      {"sample_legal",
       [=] {
         sample_legal(middling().graph(), {.root = RootRule::any, .rules = {rules::max_depth(2)}},
                      1, 1, endless.k.value() * 1'000);
       }},
      {"find_legal", repeat([=] {
         find_legal(large().graph(), {.root = RootRule::any, .rules = {rules::max_children(1)}});
       })},
      {"kbest_projective",
       [=] {
         kbest(middling().graph(), {.root = RootRule::single, .rules = {rules::projective()}},
               endless);
       }},
      {"stream", [=] { drain(TreeStream(small().graph(), any)); }},
      {"stream_ties", [=] { drain(TreeStream(ties().graph(), any)); }},
      {"stream_large", [=] { drain(TreeStream(large().graph(), single)); }},
      {"stream_sparse", [=] { drain(TreeStream(edges(), any)); }},
      {"kbest_batch",
       [=] {
         std::vector<BatchEntry> results;
         kbest_batch(many(), any, {.k = 2'000}, 2, results);
       }},
      {"certified_best", repeat([=] { certified_best(large().graph(), single); })},
      {"max_marginals", [=] { max_marginals(large().graph(), single); }},
      {"max_marginals_sparse", repeat([=] { max_marginals(few_edges(), any); })},
      {"label_arcs", repeat([=] {
         static const std::vector<float> scores(small().weights.size() * 400, 1.0F);
         label_arcs(*small().graph().dense(), {.scores = scores, .ids = {}, .per_arc = 400});
       })},
      {"opt", repeat([=] { paper::opt(large().graph()); })},
      {"opt_dep", repeat([=] { paper::opt_dep(large().graph()); })},
      {"next", repeat([=] { paper::next(large().graph()); })},
      {"KBest", [=] { drain(paper::KBest(large().graph())); }},
      {"KBestDep", [=] { drain(paper::KBestDep(large().graph())); }},
      {"Camerini", [=] { drain(paper::Camerini(large().graph())); }},
      {"NaiveDep", [=] { drain(paper::NaiveDep(middling().graph())); }},
      {"TreeDistribution", [=] { TreeDistribution(large().graph(), any); }},
      {"marginals", [=] { TreeDistribution(large().graph(), any).marginals(); }},
      {"log_probs", repeat([=] {
         TreeDistribution(large().graph(), any).log_probs(kbest(large().graph(), any, {.k = 2}));
       })},
      {"MassStream", [=] { drain(MassStream(small().graph(), any, 1.0)); }},
      {"distribution_batch",
       repeat([=] { distribution_batch(many(), {.problem = any, .marginals = true}, 2); })},
  };
  // What is asked of a distribution that is there.
  const auto ask = [&](const char* name, auto question) {
    all.push_back({name, repeat([question] { question(distribution()); })});
  };
  ask("min_risk", [](const auto& d) { d.min_risk(); });
  ask("renyi_entropy", [](const auto& d) { d.renyi_entropy(2.5); });
  ask("kl", [](const auto& d) { d.kl(d); });
  ask("cross_entropy", [](const auto& d) { d.cross_entropy(d); });
  ask("variance", [](const auto& d) { d.variance(values()); });
  ask("covariances", [](const auto& d) { d.covariances(values()); });
  ask("sample", [](const auto& d) { d.sample(1'000'000, 1); });
  ask("sample_distinct", [](const auto& d) { d.sample_distinct(1'000'000, 1); });
  ask("sample_where", [](const auto& d) {
    d.sample_where([](const TreeRef&) { return false; }, 1, 1'000'000'000, 1);
  });
  return all;
}

void expect_end_in_time(const Call& call) {
  SCOPED_TRACE(call.name);
  clockid_t clock = {};
  ASSERT_EQ(::pthread_getcpuclockid(::pthread_self(), &clock), 0);
  StopSource source;
  double requested = 0.0;
  std::jthread other([&] {
    std::this_thread::sleep_for(150ms);
    requested = seconds_of(clock);
    source.request();
  });
  bool stopped = false;
  {
    const StopScope scope(source);
    try {
      call.call();
    } catch (const Stopped&) {
      stopped = true;
    }
  }
  const double ended = seconds_of(clock);
  other.join();
  EXPECT_TRUE(stopped) << "done before it was told to stop";
  EXPECT_LT(ended - requested, 0.2);
}

TEST(StopCalls, EndInTime) {
  make_all();
  for (const Call& call : calls()) expect_end_in_time(call);
}

}  // namespace
}  // namespace coppice
