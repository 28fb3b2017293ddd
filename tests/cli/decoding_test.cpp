// Sentences come in order, each once, whatever the threads do and where memory is short.
#include "decoding.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <sstream>
#include <string>
#include <thread>

namespace coppice::cli {
namespace {

struct Outcome {
  Totals totals;
  std::string text;
};

Outcome outcome(const Engine& engine, int threads) {
  InputOptions files;
  files.paths.assign(20, COPPICE_DATA "/ud-scores/Marathi-UFAL.npz");
  Input input(files);
  DecodingOptions options;
  options.request.k = 3;
  options.engine = &engine;
  options.threads = threads;
  options.root_given = true;
  Outcome result;
  std::ostringstream log;
  std::int64_t next = 0;
  decode_all(input, options, log, result.totals,
             {.render =
                  [](const Decoded& decoded, std::string& text, Rendered&) {
                    text += std::to_string(decoded.sentence.index) + ' ' +
                            std::to_string(decoded.trees.size()) + decoded.error + '\n';
                  },
              .handle =
                  [&](const Decoded& decoded) {
                    EXPECT_EQ(decoded.sentence.index, next++);
                    result.text += decoded.rendered->text;
                  }});
  return result;
}

// An engine that needs, for large graphs, all the memory there is.
std::atomic<int> at_work, failures;
void kbest_of_the_hungry(Decoder& decoder, Graph graph, const Problem& problem,
                         const Request& request, TreeList& trees) {
  constexpr Node kLarge = 9;
  ++at_work;
  std::this_thread::sleep_for(std::chrono::microseconds(20));  // so that they do meet
  const bool fails = graph.nodes() >= kLarge && at_work > 1;
  if (!fails) engines().front().kbest(decoder, graph, problem, request, trees);
  --at_work;
  if (!fails) return;
  ++failures;
  throw std::bad_alloc();
}

TEST(Decoding, WhatFindsNoMemoryBesideOthersIsTriedAgainAlone) {
  const Outcome expected = outcome(engines().front(), 1);
  ASSERT_EQ(expected.totals.sentences, 20 * 47);
  Engine hungry = engines().front();
  hungry.kbest = kbest_of_the_hungry;
  for (const int threads : {2, 8}) {
    failures = 0;
    const Outcome found = outcome(hungry, threads);
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.totals.broken, 0);
    EXPECT_GT(failures, 0);
  }
}

TEST(Decoding, WhatFindsNoMemoryAtAllDisturbsNobody) {
  Engine starved = engines().front();
  starved.kbest = [](Decoder& decoder, Graph graph, const Problem& problem, const Request& request,
                     TreeList& trees) {
    if (graph.nodes() == 7) throw std::bad_alloc();
    engines().front().kbest(decoder, graph, problem, request, trees);
  };
  const Outcome expected = outcome(starved, 1);
  EXPECT_EQ(expected.totals.sentences, 20 * 47);
  EXPECT_GT(expected.totals.broken, 0);
  EXPECT_LT(expected.totals.broken, 20 * 47);
  for (const int threads : {2, 8}) EXPECT_EQ(outcome(starved, threads).text, expected.text);
}

}  // namespace
}  // namespace coppice::cli
