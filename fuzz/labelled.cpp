// Scores with label scores, as the program reads them, against label_arcs itself. A damaged label
// archive is refused, or the damage makes no difference.
#include <coppice/kbest.hpp>
#include <coppice/labels.hpp>
#include <string>
#include <vector>

#include "archives.hpp"
#include "asked.hpp"
#include "check.hpp"
#include "folder.hpp"
#include "input.hpp"
#include "reading.hpp"
#include "target.hpp"

namespace coppice::fuzz::labelled_target {
namespace {

constexpr int kNames = 3;

struct Drawn {
  int per_arc = 1;
  std::vector<Node> nodes;                 // of every sentence
  std::vector<std::vector<float>> scores;  // its matrix
  std::vector<float> label_scores;         // of all of them
  std::vector<std::int32_t> ids;
};

float some_score(Bytes& bytes) {
  const int byte = bytes.take<std::int8_t>();
  return byte == -128 ? static_cast<float>(kNoWeight) : static_cast<float>(byte) * 0.25f;
}

Drawn draw(Bytes& bytes) {
  Drawn drawn;
  drawn.per_arc = bytes.take(1, kNames);
  for (int sentences = bytes.take(1, 3); sentences > 0; --sentences) {
    const Node nodes = drawn.nodes.emplace_back(bytes.take<Node>(2, 4));
    auto& scores = drawn.scores.emplace_back();
    for (Node i = 0; i < nodes * nodes; ++i) scores.push_back(some_score(bytes));
    for (Node i = 0; i < nodes * nodes * drawn.per_arc; ++i) {
      drawn.label_scores.push_back(some_score(bytes));
      drawn.ids.push_back(bytes.take<std::int32_t>(0, kNames - 1));
    }
  }
  return drawn;
}

std::string shape_of(std::size_t size, const std::string& others = "") {
  return std::string("(").append(std::to_string(size)).append(",").append(others).append(")");
}

std::string score_file(const Drawn& drawn) {
  std::vector<float> scores;
  std::vector<std::int32_t> lengths;
  for (const auto& matrix : drawn.scores) scores.insert(scores.end(), matrix.begin(), matrix.end());
  for (Node nodes : drawn.nodes) lengths.push_back(nodes - 1);
  return test::zip_archive(
      {{"scores.npy", test::npy("<f4", shape_of(scores.size()), test::raw(scores))},
       {"lengths.npy", test::npy("<i4", shape_of(lengths.size()), test::raw(lengths))}});
}

struct Archive {
  std::string bytes;
  bool damaged = false;
};

Archive archive(const Drawn& drawn, Bytes& bytes) {
  const auto kind = bytes.take<std::uint8_t>();
  const std::size_t count = drawn.ids.size();
  const auto per_arc = static_cast<std::size_t>(drawn.per_arc);
  const std::string shape =
      (kind & 1) != 0 ? shape_of(count) : shape_of(count / per_arc, std::to_string(per_arc));
  const std::string lp = test::npy("<f4", shape, test::raw(drawn.label_scores));
  const std::string id = test::npy("<i4", shape, test::raw(drawn.ids));
  const std::string names = test::npy("|S1", shape_of(kNames), "abc");
  std::string made = test::zip_archive({{"lp.npy", lp}, {"id.npy", id}, {"names.npy", names}},
                                       (kind & 2) != 0, (kind & 4) != 0);
  const bool flipped = (kind & 8) != 0, cut = kind >= 0xe0;
  if (flipped) made[bytes.take<std::uint16_t>() % made.size()] ^= bytes.take<char>();
  if (cut) made.resize(bytes.take<std::uint16_t>() % made.size());
  return {made, flipped || cut};
}

void expect_sentence(const io::Sentence& sentence, const Drawn& drawn, std::size_t index,
                     std::size_t first_label) {
  const Node nodes = drawn.nodes[index];
  const auto size = static_cast<std::size_t>(nodes * nodes * drawn.per_arc);
  const LabelledGraph expected =
      label_arcs(DenseView::head_dependent(drawn.scores[index].data(), nodes),
                 {.scores = std::span(drawn.label_scores).subspan(first_label, size),
                  .ids = std::span(drawn.ids).subspan(first_label, size),
                  .per_arc = drawn.per_arc});
  ASSERT_EQ(sentence.error, "");
  EXPECT_EQ(sentence.edge_labels, expected.labels);
  EXPECT_EQ(*sentence.label_names, (std::vector<std::string>{"a", "b", "c"}));
  const Problem problem{.root = RootRule::single};
  expect_same(kbest(*sentence.graph(), problem, {.k = 5}),
              kbest(expected.graph, problem, {.k = 5}));
}

}  // namespace

void run(Bytes bytes) {
  static const Folder folder;
  const Drawn drawn = draw(bytes);
  cli::InputOptions options;
  options.read.limits = kLimits;
  options.paths = {folder.write("scores", score_file(drawn))};
  const Archive labels = archive(drawn, bytes);
  options.labels_path = folder.write("labels", labels.bytes);
  // What was handed out before the end may have been damaged: only who read it all may use it.
  std::vector<io::Sentence> sentences;
  const std::string error = error_of<io::FormatError>([&] {
    cli::Input input(options);
    for (io::Sentence sentence; input.next(sentence);) sentences.push_back(sentence);
  });
  if (labels.damaged && !error.empty()) return;
  ASSERT_EQ(error, "");
  ASSERT_EQ(sentences.size(), drawn.nodes.size());
  std::size_t first_label = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    expect_sentence(sentences[i], drawn, i, first_label);
    first_label += static_cast<std::size_t>(drawn.nodes[i] * drawn.nodes[i] * drawn.per_arc);
  }
}

}  // namespace coppice::fuzz::labelled_target
