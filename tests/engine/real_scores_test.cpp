// Scores of real parsers: every engine gives the same 50 best trees, and on short sentences they
// are those of brute force.
#include <gtest/gtest.h>

#include <coppice/io.hpp>
#include <coppice/kbest.hpp>
#include <coppice/labels.hpp>
#include <coppice/paper.hpp>
#include <coppice/verify.hpp>
#include <set>

#include "support/brute_force.hpp"
#include "support/effort.hpp"
#include "support/engines.hpp"

namespace coppice {
namespace {

const std::string kData = COPPICE_DATA "/ud-scores/";

template <class Visit>
void for_each_sentence(const std::string& treebank, Visit visit) {
  auto reader = io::open(kData + treebank + ".npz", {});
  io::Sentence sentence;
  while (reader->next(sentence) && !::testing::Test::HasFailure()) {
    ASSERT_TRUE(sentence.error.empty());
    visit(sentence, treebank + " sentence " + std::to_string(sentence.index));
  }
}

TEST(RealScores, EnginesAgree) {
  // The paper's algorithms take a while on all of it: a part is enough beside the test below.
  std::int64_t number = 0;
  for (const auto& part : {std::pair("English-EWT", 12), {"Uyghur-UDT", 9}, {"Marathi-UFAL", 1}})
    for_each_sentence(part.first, [&](const io::Sentence& sentence, const std::string& where) {
      if (sentence.index % part.second == 0 && sentence.nodes <= 41 && !testing::left_out(number++))
        testing::expect_agreement(*sentence.graph(), 50, where);
    });
}

TEST(RealScores, ShortSentencesAgreeWithBruteForce) {
  std::int64_t compared = 0;
  for (const char* treebank : {"English-EWT", "Uyghur-UDT", "Marathi-UFAL"})
    for_each_sentence(treebank, [&](const io::Sentence& sentence, const std::string& where) {
      if (sentence.nodes > 8 || testing::left_out(compared++)) return;
      for (RootRule rule : {RootRule::any, RootRule::single}) {
        auto trees = kbest(*sentence.graph(), {.root = rule}, {.k = 50});
        auto truth = testing::brute_force_scores(*sentence.graph()->dense(), rule, 50);
        const double rounding = testing::rounding_of(*sentence.graph());
        ASSERT_EQ(trees.size(), truth.size()) << where;
        for (std::size_t rank = 0; rank < truth.size(); ++rank)
          EXPECT_NEAR(trees.score(rank), truth[rank], rounding) << where;
      }
    });
  EXPECT_GT(compared, 500);
}

TEST(RealScores, EveryBestTreeIsCertified) {
  for_each_sentence("English-EWT", [&](const io::Sentence& sentence, const std::string& where) {
    for (RootRule rule : {RootRule::any, RootRule::single}) {
      auto certified = certified_best(*sentence.graph(), {.root = rule});
      ASSERT_TRUE(certified) << where;
      EXPECT_EQ(check_certificate(*sentence.graph(), {.root = rule}, certified->tree,
                                  certified->certificate),
                "")
          << where;
    }
  });
}

TEST(RealScores, LabelledTrees) {
  auto reader = io::open(kData + "English-EWT.npz", {});
  io::LabelReader labels(kData + "English-EWT.labels.npz", reader->totals()->arcs, {});
  io::Sentence sentence;
  std::vector<float> scores;
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 40 && reader->next(sentence); ++i) {
    labels.next(sentence.nodes, scores, ids);
    auto labelled = label_arcs(*sentence.graph()->dense(),
                               {.scores = scores, .ids = ids, .per_arc = labels.per_arc()});
    auto trees = kbest(labelled.graph, {.root = RootRule::single}, {.k = 30});
    paper::KBestDep reference(labelled.graph);
    std::set<std::vector<EdgeId>> seen;
    for (std::size_t rank = 0; rank < trees.size(); ++rank) {
      EXPECT_TRUE(seen.emplace(trees.edges(rank).begin(), trees.edges(rank).end()).second);
      auto tree = reference.next();
      ASSERT_TRUE(tree);
      EXPECT_NEAR(tree->score, trees.score(rank), 1e-9);
    }
  }
}

}  // namespace
}  // namespace coppice
