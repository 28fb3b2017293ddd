// The commands as functions: what they write, and that parts make up the whole.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <coppice/rules.hpp>
#include <coppice/verify.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "confidence.hpp"
#include "decode.hpp"
#include "errors.hpp"
#include "evaluate.hpp"
#include "guarantee.hpp"
#include "support/effort.hpp"
#include "verify.hpp"
#include "view.hpp"
#include "violations.hpp"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

const std::string kData = COPPICE_DATA;
const std::string kMarathi = kData + "/ud-scores/Marathi-UFAL.npz";
const std::string kEnglish = kData + "/ud-scores/English-EWT.npz";
const std::string kEnglishLabels = kData + "/ud-scores/English-EWT.labels.npz";
const std::string kEnglishText = kData + "/en_ewt-ud-test.conllu";

class Commands : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("coppice-cli-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::vector<nlohmann::json> lines(const std::string& text) {
    std::vector<nlohmann::json> parsed;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
      parsed.push_back(nlohmann::json::parse(line));
    return parsed;
  }

  DecodeCommand command(const std::string& input, std::int64_t k) const {
    DecodeCommand made;
    made.input.paths = {input};
    made.decoding.request.k = k;
    made.output = path("out");
    return made;
  }
  // Runs it; returns what it wrote.
  std::string run(const DecodeCommand& made, int expected = kOk) {
    log_.str("");
    EXPECT_EQ(decode(made, log_), expected) << log_.str();
    return content(made.output);
  }

  fs::path folder_;
  std::ostringstream log_;
};

const char kThree[] =
    "{\"id\": \"a\", \"scores\": [[null, 1, 2], [null, null, 3], [null, 0, null]]}\n"
    "{\"id\": \"b\", \"scores\": [[null, 1, 2], [null, null]]}\n"
    "{\"id\": \"c\", \"scores\": [[null, null], [null, null]]}\n"
    "{\"id\": \"d\", \"scores\": [[null, 5], [null, null]]}\n";

TEST_F(Commands, DecodeWritesAllTreesAndSaysWhatIsBroken) {
  const std::string input = write("in.jsonl", kThree);
  EXPECT_EQ(run(command(input, 5)),
            "{\"id\": \"a\", \"rank\": 1, \"score\": 4, \"gap\": 0, \"heads\": [0, 1]}\n"
            "{\"id\": \"a\", \"rank\": 2, \"score\": 2, \"gap\": 2, \"heads\": [2, 0]}\n"
            "{\"id\": \"b\", \"rank\": 0, \"error\": \"line 2: ragged scores: row 1 has 2 numbers, "
            "row 0 has "
            "3\"}\n"
            "{\"id\": \"c\", \"rank\": 0, \"error\": \"no tree: '1' cannot be reached from the "
            "root, node 0\"}\n"
            "{\"id\": \"d\", \"rank\": 1, \"score\": 5, \"gap\": 0, \"heads\": [0]}\n");
  EXPECT_EQ(log_.str(),
            "coppice: sentence 1 (b): line 2: ragged scores: row 1 has 2 numbers, row 0 has 3\n");
  EXPECT_FALSE(fs::exists(path("out.partial")));
  EXPECT_FALSE(fs::exists(path("out.resume")));
}

TEST_F(Commands, DecodeIsStrictWhenAsked) {
  DecodeCommand made = command(write("in.jsonl", kThree), 5);
  made.decoding.strict = true;
  EXPECT_THROW(decode(made, log_), StrictError);
  EXPECT_FALSE(fs::exists(made.output));
}

TEST_F(Commands, DecodeFailsWhereNothingCanBeDecoded) {
  run(command(write("in.jsonl", "{\"scores\": 1}\n"), 1), kNotGood);
}

TEST_F(Commands, DecodeTellsNanByItsPlace) {
  const std::string input = write("in.txt", "0 1 1\n\n0 1 2\n");
  std::string bytes = "\x93NUMPY";
  bytes += std::string("\x01\x00", 2);
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  const double values[] = {0, std::numeric_limits<double>::quiet_NaN(), 0, 0};
  bytes.append(reinterpret_cast<const char*>(values), sizeof(values));
  DecodeCommand made = command(write("nan.npy", bytes), 1);
  made.input.paths = {input, path("nan.npy"), input};
  const auto written = lines(run(made));
  ASSERT_EQ(written.size(), 5u);
  EXPECT_EQ(written[2]["id"], "2");
  EXPECT_EQ(written[2]["rank"], 0);
  EXPECT_NE(written[2]["error"].get<std::string>().find("NaN"), std::string::npos);
  EXPECT_EQ(written[4]["id"], "4");
  EXPECT_EQ(written[4]["edges"], nlohmann::json::parse("[0]"));
}

TEST_F(Commands, ProbabilitiesAddUp) {
  // Two trees with labels, one of twice the weight of the other.
  const std::string input = write("in.txt", "0 1 0 a\n0 1 0.6931471805599453 b\n");
  DecodeCommand made = command(input, 5);
  made.probabilities = true;
  auto written = lines(run(made));
  ASSERT_EQ(written.size(), 2u);
  EXPECT_NEAR(written[0]["probability"].get<double>(), 2.0 / 3.0, 1e-15);
  EXPECT_NEAR(written[1]["probability"].get<double>(), 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(written[1]["covered"].get<double>(), 1.0, 1e-15);
  made = command(kMarathi, 20);
  made.probabilities = true;
  double before = 0.0;
  for (const auto& line : lines(run(made))) {
    if (line["rank"] == 1) before = 0.0;
    EXPECT_NEAR(line["covered"].get<double>(), before + line["probability"].get<double>(), 1e-15);
    before = line["covered"].get<double>();
    EXPECT_LE(before, 1.0 + 1e-12);
  }
  // Rules leave the probabilities as they are.
  const auto all = lines(run(made));
  made.decoding.problem.rules = {rules::projective()};
  for (const auto& line : lines(run(made))) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const nlohmann::json& other) {
      return other["id"] == line["id"] && other["heads"] == line["heads"];
    });
    ASSERT_TRUE(line.contains("probability"));
    if (same != all.end()) {
      EXPECT_EQ(line["probability"], (*same)["probability"]);
    }
  }
  made.decoding.problem.rules.clear();
  made.decoding.problem.objective = Objective::minimize;
  EXPECT_THROW(decode(made, log_), UsageError);
}

// Both words may hang from the root, or either from the other. The trees have weights 2, 1, 1 in
// "a" and 4, 2, 2 in "d".
const char kUnsure[] =
    "{\"id\": \"a\", \"scores\": [[null, 0, 0], [null, null, 0.6931471805599453], [null, 0, "
    "null]]}\n"
    "{\"id\": \"b\", \"scores\": [[null, 5], [null, null]]}\n"
    "{\"id\": \"c\", \"scores\": [[null, null], [null, null]]}\n"
    "{\"id\": \"d\", \"scores\": [[null, 0.6931471805599453, 0.6931471805599453], [null, null, 0], "
    "[null, 0, null]]}\n";

TEST_F(Commands, ConfidenceOfEveryWord) {
  ConfidenceCommand made;
  made.input.paths = {write("in.jsonl", kUnsure)};
  made.input.text_path = write("in.conllu",
                               "1\tx\t_\t_\t_\t_\t0\t_\t_\t_\n2\ty\t_\t_\t_\t_\t1\t_\t_\t_\n\n"
                               "1\tz\t_\t_\t_\t_\t0\t_\t_\t_\n\n1\tz\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
                               "1\tx\t_\t_\t_\t_\t0\t_\t_\t_\n2\ty\t_\t_\t_\t_\t0\t_\t_\t_\n\n");
  made.decoding.problem.root = RootRule::any;
  made.decoding.request.k = 1;
  made.output = path("out");
  made.worst_output = path("worst");
  made.worst = 1;
  made.json = true;
  std::ostringstream out;
  ASSERT_EQ(confidence(made, out, log_), kOk);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["sentences"], 3);
  EXPECT_EQ(json["without_probabilities"], 1);
  EXPECT_EQ(json["words"], 5);
  // 3/4 and 1/2 of "a", 1 of "b", twice 3/4 of "d".
  EXPECT_NEAR(json["expected_uas"].get<double>(), (0.75 + 0.5 + 1 + 1.5) / 5, 1e-12);
  EXPECT_NEAR(json["expected_trees"].get<double>(), (0.5 + 1 + 0.5) / 3, 1e-12);
  const std::string text = content(path("out"));
  EXPECT_NE(text.find("1\tx\t_\t_\t_\t_\t0\troot\t_\tHeadProbability=0.75|OtherHead=2:0.25\n"
                      "2\ty\t_\t_\t_\t_\t1\tdep\t_\tHeadProbability=0.5|OtherHead=0:0.5\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("# kbest_error = no tree"), std::string::npos);
  ASSERT_EQ(json["worst"].size(), 1u);
  EXPECT_EQ(json["worst"][0]["id"], "a");
  EXPECT_NE(content(path("worst")).find("# sent_id = a\n"), std::string::npos);
  EXPECT_EQ(content(path("worst")).find("# sent_id = d\n"), std::string::npos);
}

const char kPromise[] =
    R"({"coverage": 0.8, "root": "any", "gap": 0.5, "probability": 0.3, "sentences": 99, )"
    R"("temperature": 1, "tree_sizes": [1.5, 0.75], "word_sizes": [1, 1]})";

TEST_F(Commands, ConfidenceWithAGuarantee) {
  ConfidenceCommand made;
  made.input.paths = {write("in.jsonl", kUnsure)};
  made.input.text_path = write("in.conllu",
                               "1\tx\t_\t_\t_\t_\t0\t_\t_\tTreeHeads=7|A=1\n"
                               "2\ty\t_\t_\t_\t_\t1\t_\t_\t_\n\n"
                               "1\tz\t_\t_\t_\t_\t0\t_\t_\t_\n\n1\tz\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
                               "1\tx\t_\t_\t_\t_\t0\t_\t_\t_\n2\ty\t_\t_\t_\t_\t0\t_\t_\t_\n\n");
  made.input.guarantee = read_guarantee(write("promise.json", kPromise));
  made.decoding.request.k = 1;
  made.output = path("out");
  made.worst = 0;
  std::ostringstream out;
  ASSERT_EQ(confidence(made, out, log_), kOk);
  // Of "a" the best tree scores ln 2 more than the other two, which the gap leaves out.
  EXPECT_NE(content(path("out"))
                .find("\tA=1|HeadProbability=0.75|OtherHead=2:0.25|TreeHeads=0|WordHeads=0\n"
                      "2\ty\t_\t_\t_\t_\t1\tdep\t_\t"
                      "HeadProbability=0.5|OtherHead=0:0.5|TreeHeads=1|WordHeads=0,1\n"),
            std::string::npos)
      << content(path("out"));
  // The sentence without a tree has its gold head in no set.
  EXPECT_NE(out.str().find(
                "\npromised: 80 %, for sentences drawn as the 99 of the calibration were\n"
                "whole trees:  1.00 heads a word, 100.00 % of the words settled; gold: 75.00 % of "
                "the sentences have all heads left\n"
                "single words: 1.20 heads a word, 80.00 % of the words settled; gold: 75.00 % of "
                "a sentence's words have theirs left\n"),
            std::string::npos)
      << out.str();
  EXPECT_EQ(out.str().find("too weak"), std::string::npos);
  // All trees within 0.7: of "a" there are three, of "d" too.
  made.input.guarantee->gap = 0.7;
  made.input.guarantee->settled = 0.05;
  ASSERT_EQ(confidence(made, out, log_), kOk);
  EXPECT_NE(content(path("out")).find("TreeHeads=0,2|WordHeads=0\n"), std::string::npos);
  EXPECT_NE(out.str().find("too weak"), std::string::npos);
  // At a higher temperature the other head of the first word is likelier. Nothing else divides.
  made.input.guarantee->gap = 0.5;
  made.input.guarantee->temperature = 3.0;
  made.input.temperature = {2.0, 1.0};
  made.json = true;
  std::ostringstream json;
  ASSERT_EQ(confidence(made, json, log_), kOk);
  EXPECT_NE(content(path("out")).find("TreeHeads=0|WordHeads=0,2\n"), std::string::npos);
  const auto found = nlohmann::json::parse(json.str())["guarantee"];
  EXPECT_EQ(found["coverage"], 0.8);
  EXPECT_EQ(found["tree"]["heads"], 1.0);
  EXPECT_EQ(found["word"]["settled"], 1.0 / 5);
  EXPECT_EQ(found["word"]["covered"], 0.75);
}

TEST_F(Commands, ConfidenceGivenWhatIsKept) {
  ConfidenceCommand made;
  made.input.paths = {write("in.jsonl", kUnsure)};
  made.input.kept_path = write("kept.conllu",
                               "1\tx\t_\t_\t_\t_\t2\t_\t_\t_\n2\ty\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
                               "1\tz\t_\t_\t_\t_\t_\t_\t_\t_\n\n1\tz\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
                               "1\tx\t_\t_\t_\t_\t0\t_\t_\t_\n2\ty\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
  made.decoding.problem.root = RootRule::any;
  made.decoding.request.k = 1;
  made.output = path("out");
  std::ostringstream out;
  ASSERT_EQ(confidence(made, out, log_), kOk);
  const std::string text = content(path("out"));
  // "a" has one tree with this head; of "d" two are left, of weights 4 and 2.
  EXPECT_NE(text.find("1\tx\t_\t_\t_\t_\t2\tdep\t_\tHeadProbability=1\n"
                      "2\ty\t_\t_\t_\t_\t0\troot\t_\tHeadProbability=1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("2\ty\t_\t_\t_\t_\t0\troot\t_\tHeadProbability=0.6667|OtherHead=1:0.3333\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(out.str().find("gold:"), std::string::npos);
}

TEST_F(Commands, TreesAtTheGapAreWithinIt) {
  ConfidenceCommand made;
  made.input.paths = {write("in.jsonl", kThree)};
  made.input.guarantee = read_guarantee(write("promise.json", kPromise));
  made.decoding.request.k = 1;
  made.output = path("out");
  std::ostringstream out;
  for (const auto& [gap, heads] : {std::pair(2.0, "TreeHeads=0,2|"), {1.99, "TreeHeads=0|"}}) {
    made.input.guarantee->gap = gap;
    made.input.guarantee->root = RootRule::single;
    ASSERT_EQ(confidence(made, out, log_), kOk);
    EXPECT_NE(content(path("out")).find(heads), std::string::npos) << content(path("out"));
  }
}

TEST_F(Commands, GuaranteesThatDoNotFit) {
  ConfidenceCommand made;
  made.input.paths = {write("in.jsonl", kUnsure)};
  made.input.guarantee = read_guarantee(write("promise.json", kPromise));
  made.decoding.request.k = 1;
  made.output = path("out");
  made.decoding.root_given = true;  // and single
  EXPECT_THROW(confidence(made, log_, log_), UsageError);
  made.decoding.root_given = false;
  made.output = made.input.guarantee_path = path("promise.json");
  EXPECT_THROW(confidence(made, log_, log_), UsageError);
  made.output = path("out");
  made.input.paths = {write("in.txt", "0 1 1\n")};
  EXPECT_THROW(confidence(made, log_, log_), UsageError);
  ViewCommand costs;
  costs.input = made.input;
  costs.decoding.problem.objective = Objective::minimize;
  costs.output = path("page");
  EXPECT_THROW(view(costs, log_), UsageError);
}

TEST_F(Commands, GuaranteeFilesAreChecked) {
  EXPECT_THROW(read_guarantee(path("nothing.json")), UsageError);
  EXPECT_THROW(read_guarantee(folder_), UsageError);
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::string& said) {
    std::string text = kPromise;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    const std::string file = write("bad.json", text.replace(text.find(from), from.size(), to));
    try {
      read_guarantee(file);
      ADD_FAILURE() << said;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), fmt::format("--guarantee {}: {}", file, said));
    }
  };
  refused("}", "", "is no JSON object");
  refused(kPromise, "[0.8]", "is no JSON object");
  refused("\"gap\"", "\"arcs\"", "has no \"gap\"; is it a file of Guarantee.save?");
  refused("0.8", "1.5", "\"coverage\" is 1.5; must be between 0 and 1");
  refused("0.8", "\"0.8\"", "\"coverage\" is \"0.8\"; must be between 0 and 1");
  refused("\"any\"", "\"two\"", "\"root\" is \"two\"; must be \"single\" or \"any\"");
  refused("0.5", "-1", "\"gap\" is -1; must be 0 or more");
  refused("0.3", "2", "\"probability\" is 2; must be 0 to 1");
  refused("\"temperature\": 1", "\"temperature\": 0",
          "\"temperature\" is 0; must be a number from 1e-30 to 1e30");
  refused("\"temperature\": 1", "\"temperature\": 1e-320",
          "\"temperature\" is 1e-320; must be a number from 1e-30 to 1e30");
  for (const std::string sentences : {"0", "9.5", "1e+300"})
    refused("99", sentences, "\"sentences\" is " + sentences + "; must be a whole number above 0");
  refused("0.8", std::string(80'000, '[') + std::string(80'000, ']'), "has lists in lists");
  refused("0.8", std::string(1 << 20, ' '), "is larger than 1 MiB");
  refused("[1.5, 0.75]", "0.75", "\"tree_sizes\" is 0.75; must be two numbers");
  refused("0.75", "null", "\"tree_sizes\" is null; must be 0 to 1");
  std::string text = kPromise;
  EXPECT_EQ(read_guarantee(write("inf.json", text.replace(text.find("0.5"), 3, "null"))).gap,
            std::numeric_limits<double>::infinity());
}

TEST_F(Commands, ConfidenceDoesNotDependOnThreads) {
  ConfidenceCommand made;
  made.input.paths = {kEnglish};
  made.input.labels_path = kEnglishLabels;
  made.input.text_path = kEnglishText;
  made.input.shard = {1, testing::one_of() > 1 ? 12 : 3};
  made.decoding.request.k = 3;
  made.output = path("out");
  made.worst_output = path("worst");
  std::string text, summary, worst;
  for (const int threads : {1, 2, 5}) {
    made.decoding.threads = threads;
    std::ostringstream out;
    ASSERT_EQ(confidence(made, out, log_), kOk);
    if (threads == 1) {
      text = content(path("out"));
      summary = out.str();
      worst = content(path("worst"));
    }
    EXPECT_FALSE(worst.empty());
    EXPECT_TRUE(content(path("out")) == text) << threads;
    EXPECT_EQ(out.str(), summary) << threads;
    EXPECT_EQ(content(path("worst")), worst) << threads;
  }
}

TEST_F(Commands, ConfidenceAgainstGold) {
  ConfidenceCommand made;
  made.input.paths = {kEnglish};
  made.input.labels_path = kEnglishLabels;
  made.input.text_path = kEnglishText;
  if (testing::one_of() > 1) made.input.shard = {1, 6};
  made.decoding.request.k = 1;
  made.output = path("out");
  made.json = true;
  for (const WorstBy by : {WorstBy::errors, WorstBy::rate, WorstBy::probability}) {
    made.by = by;
    std::ostringstream out, evaluated;
    ASSERT_EQ(confidence(made, out, log_), kOk);
    const auto json = nlohmann::json::parse(out.str());
    EvaluateCommand evaluation{made.input, made.decoding, {1}, true};
    ASSERT_EQ(evaluate(evaluation, evaluated, log_), kOk);
    const auto oracle = nlohmann::json::parse(evaluated.str())["oracle"][0];
    EXPECT_EQ(json["uas"], oracle["uas"]);
    EXPECT_EQ(json["las"], oracle["las"]);
    EXPECT_EQ(json["without_probabilities"], 0);
    ASSERT_EQ(json["worst"].size(), 10u);
    for (std::size_t i = 1; i < 10; ++i) {
      const auto badness = [&](const nlohmann::json& row) {
        const double errors = row["expected_errors"];
        if (by == WorstBy::errors) return errors;
        return by == WorstBy::rate ? errors / row["words"].get<double>()
                                   : -row["probability"].get<double>();
      };
      EXPECT_GE(badness(json["worst"][i - 1]), badness(json["worst"][i]));
    }
  }
  made.highlight = 2;
  EXPECT_THROW(confidence(made, log_, log_), UsageError);
}

TEST_F(Commands, TemperatureDividesScores) {
  DecodeCommand made = command(kEnglish, 3);
  made.input.labels_path = kEnglishLabels;
  made.input.limit = 50;
  made.probabilities = true;
  const auto plain = lines(run(made));
  made.input.temperature = parse_temperature("2");
  const auto both = lines(run(made));
  ASSERT_EQ(both.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(both[i]["heads"], plain[i]["heads"]);
    EXPECT_NEAR(both[i]["score"].get<double>(), plain[i]["score"].get<double>() / 2, 1e-5);
  }
  EXPECT_LT(both[0]["probability"], plain[0]["probability"]);
  // Whole numbers, edge lists, a file with two numbers.
  made = command(write("in.txt", "0 1 3\n0 1 4\n"), 2);
  made.input.temperature =
      parse_temperature(write("t.json", R"({"arcs": 4, "labels": 1, "x": 0})"));
  const auto listed = lines(run(made));
  EXPECT_EQ(listed[0]["score"], 1.0);
  EXPECT_EQ(listed[1]["score"], 0.75);
  made = command(write("in.jsonl", R"({"scores": [[null, 3], [null, null]]})"), 1);
  made.input.temperature = parse_temperature("4");
  EXPECT_EQ(lines(run(made))[0]["score"], 0.75);
  for (const char* bad : {"0", "-1", "1e-320", "nan", "inf", "nowhere.json"})
    EXPECT_THROW(parse_temperature(bad), UsageError) << bad;
  EXPECT_THROW(parse_temperature(write("bad.json", std::string(1 << 20, '0'))), UsageError);
  for (const char* bad : {"", "[1, 2]", "{\"arcs\": 1}", "{\"arcs\": 1, \"labels\": \"x\"}",
                          "{\"arcs\": 0, \"labels\": 1}"})
    EXPECT_THROW(parse_temperature(write("bad.json", bad)), UsageError) << bad;
}

// Files are read side by side, and so are the steps of their sentences.
TEST_F(Commands, ThreadsChangeNothingForManyFiles) {
  std::string broken;
  for (int i = 0; i < 40; ++i)
    broken += i % 3 == 0 ? "{\"scores\": [[null, \"x\"], [null, null]]}\n"
                         : "{\"scores\": [[null, 1, 2], [null, null, 3], [null, 4, null]]}\n";
  for (const Format format : {Format::jsonl, Format::conllu, Format::text}) {
    DecodeCommand made = command(kMarathi, 7);
    made.input.paths = {kMarathi, write("broken.jsonl", broken), kMarathi, write("empty.jsonl", ""),
                        kMarathi};
    if (format == Format::jsonl) made.input.paths.push_back(kEnglish);  // several batches
    made.format = format;
    std::ostringstream log;
    made.output = path("one");
    EXPECT_EQ(decode(made, log), kOk);
    const std::string one = content(path("one")), said = log.str();
    EXPECT_NE(said.find("sentence 47 "), std::string::npos) << said;
    for (const int threads : {2, 3, 8})
      for (const std::int64_t shards : {1, 2}) {
        std::string all;
        log.str("");
        for (std::int64_t shard = 1; shard <= shards; ++shard) {
          made.decoding.threads = threads;
          made.input.shard = {shard, shards};
          made.output = path("many");
          EXPECT_EQ(decode(made, log), kOk);
          all += content(path("many"));
        }
        EXPECT_TRUE(all == one) << threads << ' ' << shards;
        if (shards == 1) {
          EXPECT_EQ(log.str(), said);
        }
      }
    made.input.shard = {};
    made.decoding.strict = true;
    EXPECT_THROW(decode(made, log), StrictError);
    made.decoding.strict = false;
    std::string damaged = content(kMarathi);
    damaged[damaged.size() / 2] ^= 1;
    made.input.paths.push_back(write("damaged.npz", damaged));
    made.decoding.threads = 3;
    EXPECT_THROW(decode(made, log), io::FormatError);
  }
}

TEST_F(Commands, ThreadsEnginesAndShardsChangeNothing) {
  const std::string whole = run(command(kMarathi, 20));
  for (const RootRule root : {RootRule::single, RootRule::any}) {
    DecodeCommand made = command(kMarathi, 20);
    made.decoding.problem.root = root;
    const std::string fast = run(made);
    made.decoding.threads = 3;
    EXPECT_EQ(run(made), fast);
    made.decoding.engine = find_engine("paper");
    EXPECT_EQ(run(made), fast);
    if (root == RootRule::any) {
      made.decoding.engine = find_engine("camerini");
      EXPECT_EQ(run(made), fast);
    }
  }
  for (const std::int64_t count : {1, 2, 5, 47, 100}) {
    std::string parts;
    for (std::int64_t i = 1; i <= count; ++i) {
      DecodeCommand made = command(kMarathi, 20);
      made.input.shard = {i, count};
      parts += run(made);
    }
    EXPECT_EQ(parts, whole) << count;
  }
}

TEST_F(Commands, ShardsOfTextWithLabelsAndSeveralFiles) {
  DecodeCommand made = command(kEnglish, 3);
  made.input.labels_path = kEnglishLabels;
  made.input.text_path = kEnglishText;
  made.input.limit = 60;
  const std::string first = run(made);
  EXPECT_NE(first.find("\"labels\": [\"root\", \"mark\""), std::string::npos);
  EXPECT_EQ(first.find("\"edges\""), std::string::npos);

  const std::string input = write("in.jsonl", kThree);
  made = command(input, 2);
  made.input.paths = {input, kMarathi, input};
  const std::string whole = run(made);
  std::string parts;
  for (std::int64_t i = 1; i <= 7; ++i) {
    made.input.shard = {i, 7};
    made.input.limit = std::numeric_limits<std::int64_t>::max();
    parts += run(made);
  }
  EXPECT_EQ(parts, whole);
}

TEST_F(Commands, ConstraintsGapAndMinimize) {
  const std::string input =
      write("in.jsonl", "{\"scores\": [[null, 1, 2], [null, null, 3], [null, 0, null]]}\n");
  DecodeCommand made = command(input, 5);
  made.decoding.problem.required = {{2, 1}};
  EXPECT_EQ(lines(run(made)).at(0)["heads"], nlohmann::json({2, 0}));
  made = command(input, 5);
  made.decoding.problem.forbidden = {{1, 2}};
  EXPECT_EQ(lines(run(made)).size(), 1u);
  made = command(input, 5);
  made.decoding.request.max_gap = 1;
  EXPECT_EQ(lines(run(made)).size(), 1u);
  made.decoding.request.k.reset();
  EXPECT_EQ(lines(run(made)).size(), 1u);
  made = command(input, 1);
  made.decoding.problem.objective = Objective::minimize;
  EXPECT_EQ(lines(run(made)).at(0)["score"], 2);
}

// Four sentences of three words; only the last one lacks an arc, 2 -> 3.
const char kFour[] =
    "{\"id\": \"a\", \"scores\": [[0, 1, 2, 0], [0, 0, 3, 1], [0, 0, 0, 5], [0, 1, 1, 0]]}\n"
    "{\"id\": \"b\", \"scores\": [[0, 1, 2, 0], [0, 0, 3, 1], [0, 0, 0, 5], [0, 1, 1, 0]]}\n"
    "{\"id\": \"c\", \"scores\": [[0, 1, 2, 0], [0, 0, 3, 1], [0, 0, 0, 5], [0, 1, 1, 0]]}\n"
    "{\"id\": \"d\", \"scores\": [[0, 1, 2, 0], [0, 0, 3, 1], [0, 0, 0, null], [0, 1, 1, 0]]}\n";

// CoNLL-U with these heads and labels, "2:obj _:_"; a sentence for each.
std::string conllu_of(const std::vector<std::vector<std::string>>& sentences) {
  std::string text;
  for (const auto& words : sentences) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t colon = words[i].find(':');
      text += fmt::format("{0}\tw{0}\tl\tNOUN\t_\tA=1\t{1}\t{2}\t_\tM=1\n", i + 1,
                          words[i].substr(0, colon), words[i].substr(colon + 1));
    }
    text += '\n';
  }
  return text;
}

TEST_F(Commands, KeepFillsWhatIsLeftFree) {
  DecodeCommand made = command(write("in.jsonl", kFour), 1);
  made.input.kept_path = write("kept.conllu", conllu_of({{"_:_", "0:x", "1:y"},
                                                         {"2:_", "3:_", "1:_"},
                                                         {"0:_", "_:_", "0:_"},
                                                         {"0:_", "_:_", "2:_"}}));
  const auto found = lines(run(made));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0]["heads"], nlohmann::json({2, 0, 1}));
  EXPECT_EQ(found[1]["error"],
            "required edge 1 -> 3: the required edges form a cycle, 3 -> 2 -> 1 -> 3");
  EXPECT_EQ(found[2]["error"],
            "required edge 0 -> 3: 0 -> 1 is required too, and the root rule allows one root edge");
  EXPECT_EQ(found[3]["error"],
            "no tree: the required edge 'w2' -> 'w3' has no score or is forbidden");
  VerifyCommand verified;
  verified.input = made.input;
  verified.trees = made.output;
  std::ostringstream out;
  EXPECT_EQ(verify(verified, out, log_), kOk) << log_.str();
  made.input.keep_labels = true;
  made.format = Format::conllu;
  EXPECT_NE(run(made).find("1\tw1\tl\tNOUN\t_\tA=1\t2\tdep\t_\tM=1\n"
                           "2\tw2\tl\tNOUN\t_\tA=1\t0\tx\t_\tM=1\n"
                           "3\tw3\tl\tNOUN\t_\tA=1\t1\ty\t_\tM=1\n"),
            std::string::npos);
}

// About every other head stands in the file, and every third label: they stay.
TEST_F(Commands, KeepOfATreebank) {
  DecodeCommand made = command(kEnglish, 1);
  made.input.limit = 40;
  made.input.labels_path = kEnglishLabels;
  std::string text;
  std::int64_t kept_heads = 0;
  std::istringstream gold(content(kEnglishText));
  for (std::string line; std::getline(gold, line);) {
    std::vector<std::string> columns;
    std::istringstream stream(line);
    for (std::string each; std::getline(stream, each, '\t');) columns.push_back(each);
    if (columns.size() == 10 && columns[6] != "_") {
      if (text.size() % 2 == 0) columns[6] = "_";
      if (text.size() % 3 != 0) columns[7] = "_";
      kept_heads += columns[6] != "_";
    }
    text += fmt::format("{}\n", fmt::join(columns, "\t"));
  }
  made.input.kept_path = write("kept.conllu", text);
  made.input.keep_labels = true;
  made.format = Format::conllu;
  ASSERT_GT(kept_heads, 1000);
  run(made);
  io::ConlluReader written(made.output, {}), kept(made.input.kept_path, {});
  io::Sentence ours, theirs;
  int trees = 0, labels = 0;
  while (written.next(ours)) {
    ASSERT_TRUE(kept.next(theirs, true));
    ASSERT_EQ(ours.id, theirs.id);
    if (ours.tokens.empty()) continue;  // no score for a label
    ++trees;
    for (std::size_t i = 0; i < ours.tokens.size(); ++i) {
      if (theirs.gold_heads[i] != kNoNode)
        EXPECT_EQ(ours.gold_heads[i], theirs.gold_heads[i]) << ours.id << ' ' << i;
      if (theirs.gold_labels[i] == "_") continue;
      ++labels;
      EXPECT_EQ(ours.gold_labels[i], theirs.gold_labels[i]) << ours.id << ' ' << i;
    }
  }
  EXPECT_GT(trees, 20);
  EXPECT_GT(labels, 100);
  // CoNLL-U repeats the label of the text; these are the labels of the edges in the trees.
  made.format = Format::jsonl;
  io::ConlluReader again(made.input.kept_path, {});
  for (const auto& line : lines(run(made))) {
    ASSERT_TRUE(again.next(theirs, true));
    for (std::size_t i = 0; line["rank"] == 1 && i < theirs.gold_labels.size(); ++i) {
      const std::string& label = theirs.gold_labels[i];
      if (label != "_") EXPECT_EQ(line["labels"][i], label.substr(0, label.find(':')));
    }
  }
}

TEST_F(Commands, KeepThatCannotBe) {
  DecodeCommand made = command(write("in.jsonl", kFour), 1);
  made.input.keep_labels = true;
  EXPECT_THROW(decode(made, log_), UsageError);
  made.input.kept_path = write("kept.conllu", conllu_of({{"_:_", "x:_", "_:_"}}));
  try {
    decode(made, log_);
    ADD_FAILURE() << "a head that is no number";
  } catch (const io::FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2: head 'x': a number or _ expected"),
              std::string::npos)
        << error.what();
  }
  made.input.text_path = path("other.conllu");
  EXPECT_THROW(decode(made, log_), UsageError);
  made.input.text_path.clear();
  made.input.kept_path = write("kept.conllu", conllu_of({{"_:_", "0:_", "_:_"}}));
  made.decoding.engine = find_engine("paper");
  EXPECT_THROW(decode(made, log_), UsageError);
}

TEST_F(Commands, EdgesOfSingleSentences) {
  DecodeCommand made = command(write("in.jsonl", kFour), 1);
  made.input.required_path = write("r.tsv", "graph\tsource\ttarget\na\t0\t3\nc\t2\t1\nd\tx\t1\n");
  made.input.forbidden_path = write("f.tsv", "source,target,graph\n2,3,c\n0,2,c\n");
  const auto found = lines(run(made));
  EXPECT_EQ(found[0]["heads"], nlohmann::json({3, 1, 0}));
  EXPECT_EQ(found[1]["heads"], nlohmann::json({0, 1, 2}));
  EXPECT_EQ(found[2]["heads"], nlohmann::json({2, 3, 0}));
  EXPECT_EQ(found[3]["error"], path("r.tsv") + ": line 4: there is no node 'x'");
  made.input.shard = {2, 2};
  EXPECT_EQ(lines(run(made)), (std::vector<nlohmann::json>{found[2], found[3]}));
  made.input.shard = {1, 1};
  made.input.forbidden_path = write("f.tsv", "source,target,graph\n2,3,c\n0,2,a\n");
  EXPECT_THROW(decode(made, log_), io::FormatError);  // a comes before c
}

TEST_F(Commands, TreesThatDiffer) {
  DecodeCommand made = command(kEnglish, 4);
  made.input.limit = 12;
  made.input.labels_path = kEnglishLabels;
  const auto usual = lines(run(made));
  made.decoding.distance = 3;
  made.decoding.ignored_labels = {"punct"};
  const auto found = lines(run(made));
  EXPECT_NE(found, usual);
  const auto differ = [](const nlohmann::json& a, const nlohmann::json& b) {
    int heads = 0;
    for (std::size_t i = 0; i < a["heads"].size(); ++i)
      heads +=
          a["heads"][i] != b["heads"][i] && a["labels"][i] != "punct" && b["labels"][i] != "punct";
    return heads;
  };
  int pairs = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (found[i]["id"] != found[j]["id"]) continue;
      ++pairs;
      EXPECT_GE(differ(found[i], found[j]), 3) << found[i] << '\n' << found[j];
    }
  EXPECT_GT(pairs, 30);
  VerifyCommand verified;
  verified.input = made.input;
  verified.trees = made.output;
  std::ostringstream out;
  EXPECT_EQ(verify(verified, out, log_), kOk) << log_.str();
  made.input.labels_path.clear();
  EXPECT_THROW(decode(made, log_), UsageError);
  made.decoding.ignored_labels.clear();
  made.decoding.request.max_gap = 1;
  EXPECT_THROW(decode(made, log_), UsageError);
  made.decoding.request.max_gap.reset();
  made.decoding.distance = -1;
  EXPECT_THROW(decode(made, log_), UsageError);
}

TEST_F(Commands, GapsOfEveryEngine) {
  DecodeCommand made = command(kMarathi, 20);
  made.decoding.request.max_gap = 1.5;
  const auto fast = lines(run(made)).size();
  made.decoding.engine = find_engine("paper");
  EXPECT_EQ(lines(run(made)).size(), fast);
}

TEST_F(Commands, OptionsThatCannotBe) {
  DecodeCommand made = command(kMarathi, 0);
  EXPECT_THROW(decode(made, log_), UsageError);
  made = command(kMarathi, 1);
  made.decoding.engine = find_engine("camerini");
  EXPECT_THROW(decode(made, log_), UsageError);
  made.decoding.engine = find_engine("paper");
  made.decoding.problem.forbidden = {{1, 2}};
  EXPECT_THROW(decode(made, log_), UsageError);
  made = command(kMarathi, 1);
  made.input.shard = {3, 2};
  EXPECT_THROW(decode(made, log_), UsageError);
  made = command("-", 1);
  made.input.shard = {1, 2};
  EXPECT_THROW(decode(made, log_), UsageError);
  made = command(kMarathi, 1);
  made.output = path("no/such/folder/out");
  EXPECT_THROW(decode(made, log_), OutputError);
  made.output = "";
  made.resume = true;
  EXPECT_THROW(decode(made, log_), UsageError);
}

TEST_F(Commands, StatsCountAndTime) {
  DecodeCommand made = command(write("in.jsonl", kThree), 5);
  made.stats = path("stats.json");
  made.decoding.threads = 2;
  run(made);
  const auto stats = nlohmann::json::parse(content(made.stats));
  EXPECT_EQ(stats["sentences"], 4);
  EXPECT_EQ(stats["trees"], 3);
  EXPECT_EQ(stats["broken"], 1);
  EXPECT_EQ(stats["without_tree"], 1);
  EXPECT_EQ(stats["threads"], 2);
  EXPECT_GE(stats["ways"].size(), 1u);
  for (const char* key : {"seconds_reading", "seconds_decoding", "seconds_formatting",
                          "seconds_writing", "seconds_total"}) {
    EXPECT_GE(stats[key].get<double>(), 0.0) << key;
  }
}

TEST_F(Commands, ResumeRefusesAnotherRun) {
  const std::string input = write("in.jsonl", kThree);
  DecodeCommand made = command(input, 5);
  made.resume = true;
  const std::string whole = run(made);  // nothing to take up: from the beginning
  const std::string first_line = whole.substr(0, whole.find('\n') + 1);
  // As an interrupted run leaves it: sentence a is done, a piece of b is not.
  const auto leave = [&](const std::string& description) {
    fs::remove(made.output);
    const std::size_t done = whole.find("{\"id\": \"b\"");
    write("out.partial", whole.substr(0, done + 10));
    write("out.resume", nlohmann::json{{"description", description},
                                       {"sentences", 1},
                                       {"trees", 2},
                                       {"broken", 0},
                                       {"without_tree", 0},
                                       {"bytes", done}}
                            .dump());
  };
  leave("something else");
  EXPECT_THROW(decode(made, log_), UsageError);
  // The message shows what this run is called.
  std::string description;
  try {
    decode(made, log_);
  } catch (const UsageError& error) {
    description = error.what();
    description = description.substr(description.find("; now: ") + 7);
  }
  leave(description);
  EXPECT_EQ(run(made), whole);
  EXPECT_NE(log_.str().find("going on after 1 sentence"), std::string::npos);
  // A checkpoint that says more than there is on disk is not believed.
  leave(description);
  write("out.partial", first_line);
  EXPECT_EQ(run(made), whole);
  // Without --resume what is left over is overwritten.
  leave(description);
  made.resume = false;
  EXPECT_EQ(run(made), whole);
  EXPECT_FALSE(fs::exists(path("out.resume")));
}

TEST_F(Commands, ConlluAndTextComeWithTheWords) {
  DecodeCommand made = command(kEnglish, 2);
  made.input.text_path = kEnglishText;
  made.input.limit = 1;
  made.format = Format::conllu;
  const std::string conllu = run(made);
  // The file's own comments come once, with the best tree.
  EXPECT_EQ(conllu.find("# newdoc id = "), 0u);
  EXPECT_EQ(conllu.find("# newdoc id = ", 1), std::string::npos);
  EXPECT_NE(
      conllu.find(
          "# sent_id = weblog-blogspot.com_zentelligence_20040423000200_ENG_20040423_000200-0001\n"
          "# kbest_rank = 1\n# kbest_score = -1.04740"),
      std::string::npos);
  EXPECT_NE(
      conllu.find(
          "\n4\tMorphed\tmorph\tVERB\tVBD\tMood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"
          "\t1\tdep\t_\t"),
      std::string::npos);
  made.format = Format::text;
  EXPECT_NE(run(made).find("╰─┴ GoogleOS"), std::string::npos);
}

TEST_F(Commands, TextThatDoesNotFitIsSaid) {
  DecodeCommand made = command(kMarathi, 1);
  made.input.text_path = kEnglishText;
  made.input.limit = 3;
  run(made, kNotGood);
  EXPECT_NE(log_.str().find("words in"), std::string::npos);
  made.input.text_path = write("short.conllu", "1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n\n");
  try {
    decode(made, log_);
    ADD_FAILURE() << "a text with one sentence was enough";
  } catch (const io::FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("short.conllu: 1 sentence, but 47 in the scores"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Commands, VerifyBelievesNothing) {
  const std::string good = run(command(kMarathi, 10));
  VerifyCommand made;
  made.input.paths = {kMarathi};
  const auto check = [&](const std::string& trees) {
    made.trees = write("trees.jsonl", trees);
    std::ostringstream out;
    log_.str("");
    const int code = verify(made, out, log_);
    return code == kOk ? out.str() : log_.str();
  };
  EXPECT_EQ(check(good).find("47 sentences, "), 0u);
  const auto replaced = [&](const std::string& what, const std::string& by) {
    std::string text = good;
    return text.replace(text.find(what), what.size(), by);
  };
  const auto expect_fault = [&](const std::string& trees, const std::string& fault) {
    const std::string said = check(trees);
    EXPECT_NE(said.find(fault), std::string::npos) << said;
  };
  const std::size_t first_end = good.find('\n') + 1, second_end = good.find('\n', first_end) + 1;
  const std::string first = good.substr(0, first_end),
                    second = good.substr(first_end, second_end - first_end);
  expect_fault(first + good, "the trees are of '0'");
  expect_fault(good + first, "more trees than sentences");
  expect_fault(second + first + good.substr(second_end), "rank 1: rank 2 where 1 is expected");
  expect_fault(replaced("\"score\": -", "\"score\": -1"), "the score is");
  expect_fault(replaced("\"gap\": 0,", "\"gap\": 0.5,"), "the gap is");
  expect_fault(replaced("\"heads\": [", "\"heads\": [0, "), "heads for");
  expect_fault(good.substr(0, good.find("{\"id\": \"46\"")), "has no trees");
  expect_fault(replaced("\"id\": \"0\"", "\"id\": \"5\""), "the trees are of '5'");
  // The second best as if it were the best: valid, rightly scored, and not best.
  auto claim = nlohmann::ordered_json::parse(second);
  claim["rank"] = 1;
  claim["gap"] = 0;
  expect_fault(claim.dump() + "\n" + good.substr(good.find("{\"id\": \"1\"")),
               "not certified best");
  claim["bound"] = claim["score"].get<double>() + 100;  // only rules have a budget
  expect_fault(claim.dump() + "\n" + good.substr(good.find("{\"id\": \"1\"")),
               "not certified best");
  claim.erase("bound");
  made.input.limit = 1;
  auto behind = nlohmann::ordered_json::parse(first);
  behind["rank"] = 2;
  expect_fault(first + behind.dump() + "\n", "rank 2: this tree came before");
  behind["gap"] = std::abs(behind["score"].get<double>() - claim["score"].get<double>());
  expect_fault(claim.dump() + "\n" + behind.dump() + "\n", "rank 2: score ");
  EXPECT_EQ(check(first).find("1 sentence, 1 tree: all valid"), 0u);
  const std::string none = "{\"id\": \"0\", \"rank\": 0, \"error\": ";
  expect_fault(none + "\"no tree\"}\n", "there is a tree");
  for (const char* error : {"budget spent before the first tree", "out of memory", "x"})
    expect_fault(none + "\"" + error + "\"}\n", fmt::format("it has no trees here: {}", error));
  auto of_another = nlohmann::ordered_json::parse(second);
  of_another["id"] = "1";
  expect_fault(first + of_another.dump() + "\n", "rank 2: the tree is of '1'");
  expect_fault(none + "\"no tree\"}\n" + second, "a tree of a sentence that has none");
}

TEST_F(Commands, ABudgetGivesATreeAndItsBound) {
  DecodeCommand decoding = command(kEnglish, 3);
  decoding.input.limit = 60;
  decoding.decoding.problem.rules = {rules::max_children(3)};
  for (const bool by_time : {false, true}) {
    decoding.decoding.request.budget.reset();
    if (by_time)
      decoding.decoding.request.time_limit = 1e-9;
    else
      decoding.decoding.request.budget = 1;
    const std::string written = run(decoding);
    EXPECT_EQ(written.find("error"), std::string::npos);
    EXPECT_NE(written.find("\"bound\": "), std::string::npos);
    EXPECT_NE(log_.str().find("the budget was spent; the tree that was found scores "),
              std::string::npos)
        << log_.str();
    VerifyCommand made;
    made.trees = decoding.output;
    made.input = decoding.input;
    made.problem = decoding.decoding.problem;
    std::ostringstream out;
    EXPECT_EQ(verify(made, out, log_), kOk) << log_.str();
    EXPECT_NE(out.str().find(" without a best tree, the budget being spent"), std::string::npos)
        << out.str();
  }
  decoding.decoding.request.time_limit = 0.0;
  EXPECT_THROW(run(decoding), UsageError);
}

TEST_F(Commands, VerifyWithLabelsEdgesAndNoTree) {
  DecodeCommand decoding = command(kEnglish, 5);
  decoding.input.labels_path = kEnglishLabels;
  decoding.input.limit = 40;
  run(decoding);
  VerifyCommand made;
  made.trees = decoding.output;
  made.input = decoding.input;
  std::ostringstream out;
  EXPECT_EQ(verify(made, out, log_), kOk) << log_.str();

  decoding = command(write("edges.txt", "0 1 4\n0 1 4\n1 2 1\n0 2 1\n\n0 1 1\n2 1 1\n1 1 3\n"), 5);
  decoding.decoding.problem.root = RootRule::any;
  run(decoding);
  made = {};
  made.trees = decoding.output;
  made.input = decoding.input;
  made.problem.root = RootRule::any;
  EXPECT_EQ(verify(made, out, log_), kOk) << log_.str();
  EXPECT_NE(out.str().find("2 sentences, 4 trees"), std::string::npos) << out.str();
}

TEST_F(Commands, VerifyWithRules) {
  DecodeCommand decoding = command(kMarathi, 3);
  const std::string crossing = run(decoding);
  decoding.decoding.problem.rules = {rules::projective()};
  const std::string good = run(decoding);
  VerifyCommand made;
  made.input = decoding.input;
  made.problem.rules = decoding.decoding.problem.rules;
  const auto check = [&](const std::string& trees) {
    made.trees = write("checked.jsonl", trees);
    std::ostringstream out;
    log_.str("");
    const int code = verify(made, out, log_);
    return code == kOk ? out.str() : log_.str();
  };
  EXPECT_NE(check(good).find("all valid, legal, in order, distinct, with their scores; every first "
                             "tree proved best"),
            std::string::npos)
      << log_.str();
  EXPECT_NE(check(crossing).find("rank 1: breaks the rule projective"), std::string::npos);
  EXPECT_NE(log_.str().find("rank 2: breaks the rule projective"), std::string::npos);
  // The second best as if it were the best.
  const std::size_t first_end = good.find('\n') + 1, second_end = good.find('\n', first_end);
  auto claim = nlohmann::ordered_json::parse(good.substr(first_end, second_end - first_end));
  claim["rank"] = 1;
  claim["gap"] = 0;
  EXPECT_NE(check(claim.dump() + "\n" + good.substr(good.find("{\"id\": \"1\"")))
                .find("there is a better legal tree"),
            std::string::npos);
}

TEST_F(Commands, ViolationsPerFileAndK) {
  ViolationsCommand made;
  made.input.paths = {kMarathi};
  made.ks = {1, 50};
  made.json = true;
  std::ostringstream out;
  EXPECT_EQ(violations(made, out, log_), kOk);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["sentences"], 47);
  EXPECT_EQ(json["k"][0]["trees"], 47);
  EXPECT_EQ(json["k"][0]["violations"], 3);
  // The same counted by hand from what decode writes.
  DecodeCommand decoding = command(kMarathi, 50);
  decoding.decoding.problem.root = RootRule::any;
  std::int64_t trees = 0, broken = 0;
  for (const auto& line : lines(run(decoding))) {
    const auto heads = line["heads"].get<std::vector<int>>();
    ++trees;
    broken += std::count(heads.begin(), heads.end(), 0) != 1;
  }
  EXPECT_EQ(json["k"][1]["trees"], trees);
  EXPECT_EQ(json["k"][1]["violations"], broken);
}

TEST_F(Commands, EvaluateAgainstGold) {
  const std::string input =
      write("in.jsonl",
            "{\"scores\": [[null, 5, 1], [null, null, 3], [null, 0, null]], \"heads\": [2, 0]}\n"
            "{\"scores\": [[null, 5], [null, null]], \"heads\": [0]}\n");
  EvaluateCommand made;
  made.input.paths = {input};
  made.ks = {2, 1};
  made.json = true;
  std::ostringstream out;
  EXPECT_EQ(evaluate(made, out, log_), kOk);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["words"], 3);
  EXPECT_DOUBLE_EQ(json["oracle"][0]["uas"], 1.0 / 3);
  EXPECT_DOUBLE_EQ(json["oracle"][1]["uas"], 1.0);
  // Of two trees the better one, wherever it stands.
  made.input.paths = {
      write("best.jsonl",
            "{\"scores\": [[null, 5, 1], [null, null, 3], [null, 0, null]], \"heads\": [0, 1]}\n")};
  made.ks = {1, 2};
  out.str("");
  EXPECT_EQ(evaluate(made, out, log_), kOk);
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(out.str())["oracle"][1]["uas"], 1.0);
  made.input.paths = {write("none.jsonl", "{\"scores\": [[null, 5], [null, null]]}\n")};
  EXPECT_THROW(evaluate(made, out, log_), io::FormatError);
}

TEST_F(Commands, EvaluateWithLabels) {
  EvaluateCommand made;
  made.input.paths = {kEnglish};
  made.input.labels_path = kEnglishLabels;
  made.input.text_path = kEnglishText;
  made.input.limit = 200;
  made.ks = {1, 10};
  made.json = true;
  std::ostringstream out;
  EXPECT_EQ(evaluate(made, out, log_), kOk);
  const auto json = nlohmann::json::parse(out.str());
  const double uas = json["oracle"][0]["uas"], las = json["oracle"][0]["las"];
  EXPECT_GT(uas, 0.85);
  EXPECT_LT(las, uas);
  EXPECT_EQ(std::lround(las * 4267), 3828);  // subtypes of labels do not count
  EXPECT_GE(json["oracle"][1]["las"].get<double>(), las);
}

TEST_F(Commands, ViewWritesOnePageOrOneTree) {
  ViewCommand made;
  made.input.paths = {kEnglish};
  made.input.text_path = kEnglishText;
  made.input.limit = 5;
  made.decoding.request.k = 3;
  made.output = path("page.html");
  EXPECT_EQ(view(made, log_), kOk);
  const std::string page = content(made.output);
  EXPECT_EQ(page.find("<!doctype html>"), 0u);
  EXPECT_NE(page.find("6\\tGoogleOS\\t"), std::string::npos);  // the text as it came
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_NE(page.find("\"probability\":"), std::string::npos);
  made.svg = true;
  made.sentence = "1";
  made.rank = 3;
  EXPECT_EQ(view(made, log_), kOk);
  EXPECT_EQ(content(made.output).find("<svg xmlns"), 0u);
  made.rank = 4;
  EXPECT_THROW(view(made, log_), UsageError);
  made.sentence = "nobody";
  EXPECT_THROW(view(made, log_), UsageError);
}

}  // namespace
}  // namespace coppice::cli
