// The program on graphs whose nodes have names.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <coppice/rules.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "confidence.hpp"
#include "decode.hpp"
#include "errors.hpp"
#include "no_tree.hpp"
#include "ties.hpp"
#include "verify.hpp"
#include "view.hpp"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

class Graphs : public ::testing::Test {
 protected:
  Graphs() : folder_(fs::temp_directory_path() / ("coppice_named_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Graphs() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  DecodeCommand command(const std::string& text, std::int64_t k, Format format = Format::newick) {
    DecodeCommand made;
    made.input.paths = {write("in.txt", text)};
    made.decoding.request.k = k;
    made.format = format;
    made.output = (folder_ / "out").string();
    return made;
  }
  std::string run(const DecodeCommand& made, int expected = kOk) {
    log_.str("");
    EXPECT_EQ(decode(made, log_), expected) << log_.str();
    std::ifstream file(made.output, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string error_of(DecodeCommand made) {
    made.format = Format::jsonl;
    const std::string text = run(made);
    const std::size_t at = text.find("\"error\": \"") + 10;
    return text.substr(at, text.find("\"}", at) - at);
  }
  // Trees as decode writes them pass, and not if one is told something else.
  void expect_verified(DecodeCommand made) {
    made.format = Format::jsonl;
    const std::string written = run(made);
    VerifyCommand check;
    check.trees = made.output;
    check.input = made.input;
    check.problem = made.decoding.problem;
    std::ostringstream out;
    EXPECT_EQ(verify(check, out, log_), kOk) << log_.str();
    std::string wrong = written;
    wrong[wrong.find("\"nodes\": [\"") + 11] = 'q';
    check.trees = write("wrong.jsonl", wrong);
    EXPECT_EQ(verify(check, out, log_), kNotGood);
  }

  fs::path folder_;
  std::ostringstream log_;
};

const char kClones[] = "normal A 5\nnormal B 3\nA B 4\nB C 2\nA C 2\n";

TEST_F(Graphs, RootsGivenOrNot) {
  DecodeCommand made = command(kClones, 2);
  EXPECT_EQ(run(made), "(((C:2)B:4)A:5)normal;\n((B:4,C:2)A:5)normal;\n");
  made.input.read.graph.root_node = "A";
  EXPECT_EQ(error_of(made), "no tree: 'normal' cannot be reached from 'A'");
  made.input.read.graph.root_node = "normal";
  EXPECT_EQ(run(made), "(((C:2)B:4)A:5)normal;\n((B:4,C:2)A:5)normal;\n");
  // Any number of edges leaves the root, unless one is asked for.
  made = command("r a 5\nr b 5\na b 1\n", 1);
  made.input.read.graph.root_node = "r";
  EXPECT_EQ(run(made), "(a:5,b:5)r;\n");
  made.decoding.root_given = true;
  EXPECT_EQ(run(made), "((b:1)a:5)r;\n");
}

TEST_F(Graphs, AnyNodeMayBeTheRootWhateverTheWeights) {
  DecodeCommand made = command("a b -5\nb a -3\na c -2\n", 3);
  EXPECT_EQ(run(made), "((c:-2)a:-3)b;\n(b:-5,c:-2)a;\n");
  made.decoding.problem.objective = Objective::minimize;
  EXPECT_EQ(run(made), "(b:-5,c:-2)a;\n((c:-2)a:-3)b;\n");
  made = command("1 2 5\n2 1 4\n", 2);
  made.input.read.graph.any_root = true;
  EXPECT_EQ(run(made), "(2:5)1;\n(1:4)2;\n");
}

// Depths count from the node that is the root.
TEST_F(Graphs, DepthWhereAnyNodeMayBeTheRoot) {
  DecodeCommand made = command("a b 5\nb c 5\n", 1);
  made.decoding.problem.rules = {rules::max_depth(2)};
  EXPECT_EQ(run(made), "((c:5)b:5)a;\n");
  expect_verified(made);
  made.decoding.problem.rules = {rules::max_depth(1)};
  EXPECT_EQ(error_of(made), "no tree: no tree obeys rule max-depth=1");
  made = command("a b 5\nb c 5\n", 1);
  made.input.read.graph.root_node = "a";
  made.decoding.problem.rules = {rules::max_depth(1)};
  EXPECT_EQ(error_of(made), "no tree: no tree obeys rule max-depth=1");
  made.decoding.problem.rules = {rules::max_depth(2), rules::max_children({1, 0, 0})};
  EXPECT_EQ(error_of(made), "no tree: rule max-children allows no edge into 'c'");
}

// Whatever a terminal would obey.
TEST_F(Graphs, NamesCannotTalkToTerminals) {
  for (const Format format : {Format::tsv, Format::newick, Format::dot, Format::graphml}) {
    const std::string text = run(command(
        '#' + std::string(600, ' ') + "\n# id = \x1b[1m\na\x1b[31m b\x9b 5 x\x07\n", 1, format));
    EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos) << text;
    EXPECT_EQ(text.find('\x9b'), std::string::npos) << text;
    EXPECT_NE(text.find("\uFFFD[31m"), std::string::npos) << text;
  }
}

TEST_F(Graphs, NoTreeNamesANode) {
  EXPECT_EQ(error_of(command("a b 1\nc d 1\n", 1)), "no tree: no node reaches both 'a' and 'c'");
  EXPECT_EQ(error_of(command("0 1 1\n0 3 1\n2 3 1\n", 1)),
            "no tree: '2' cannot be reached from the root, node 0");
  for (const char* label : {"", " x"}) {
    std::string isolates;
    for (int a = 5; a < 9; ++a)
      for (int b = 5; b < 9; ++b)
        if (a != b) isolates += fmt::format("{} {} {}{}\n", a, b, a + b, label);
    EXPECT_EQ(error_of(command(isolates, 1)),
              "no tree: '1' cannot be reached from the root, node 0; with --any-root or "
              "--root-node numbers are names");
  }
  EXPECT_EQ(error_of(command("0 1 1\n0 2 1\n", 1)),
            "no tree with one root edge: no other node reaches both '1' and '2'");
  run(command("a b 1\nc d 1\n", 1));
  EXPECT_EQ(log_.str(), "coppice: graph 0: no tree: no node reaches both 'a' and 'c'\n");
}

TEST_F(Graphs, EdgesByNameAndDates) {
  DecodeCommand made = command(kClones, 1);
  made.input.required = {"B:C"};
  made.input.forbidden = {"A:B"};
  EXPECT_EQ(run(made), "(A:5,(C:2)B:3)normal;\n");
  made = command(kClones, 1);
  made.input.forbidden_path = write("forbidden.tsv", "A\tB\nB\tC\n");
  EXPECT_EQ(run(made), "((C:2)A:5,B:3)normal;\n");
  made = command(kClones, 1);
  made.input.dates_path =
      write("dates.csv", "node,date\nA,2020-02-01\nB,2020-01-01\nC,2020-03-01\n");
  EXPECT_EQ(run(made), "(A:5,(C:2)B:3)normal;\n");
  // A name with a slip in it would rule nothing out.
  made.input.dates_path = write("dates.csv", "node,date\nA,2020-02-01\nb,2020-01-01\n");
  try {
    decode(made, log_);
    ADD_FAILURE() << "b is no node";
  } catch (const io::FormatError& error) {
    EXPECT_EQ(std::string(error.what()),
              made.input.dates_path + ": 'b' has a date, and there is no such node");
  }
  DecodeCommand numbers = command("0 1 5\n0 2 5\n1 2 1\n", 1, Format::jsonl);
  numbers.input.dates_path = write("dates.csv", "1,2019\n2,2020\n");
  EXPECT_NE(run(numbers).find("\"heads\": [0, 1]"), std::string::npos);
  numbers.input.dates_path = write("dates.csv", "1,2020\n3,2019\n");
  EXPECT_THROW(decode(numbers, log_), io::FormatError);
  made = command(kClones, 1);
  made.input.required = {"A:B", "normal:B"};
  EXPECT_THROW(decode(made, log_), UsageError);
  made.input.required = {"A:B:C"};
  EXPECT_THROW(decode(made, log_), UsageError);
  // Numbers are arcs, as ever.
  made = command("0 1 5\n0 2 5\n1 2 1\n", 1, Format::jsonl);
  made.input.required = {"1:2"};
  EXPECT_NE(run(made).find("\"heads\": [0, 1]"), std::string::npos);
}

TEST_F(Graphs, MixedFilesAndWholeDocuments) {
  DecodeCommand made = command("0 1 5\n\na b 3\n\n0 1 2\n1 0 9\n\nc d 4\n", 1, Format::tsv);
  EXPECT_EQ(run(made),
            "graph\trank\tscore\tgap\tsource\ttarget\tweight\tlabel\n0\t1\t5\t0\t0\t1\t5\t\n"
            "1\t1\t3\t0\ta\tb\t3\t\n2\t1\t2\t0\t0\t1\t2\t\n3\t1\t4\t0\tc\td\t4\t\n");
  made.format = Format::graphml;
  const std::string graphml = run(made);
  EXPECT_TRUE(graphml.starts_with("<?xml"));
  EXPECT_TRUE(graphml.ends_with("</graph>\n</graphml>\n"));
}

TEST_F(Graphs, Verified) {
  expect_verified(command(kClones, 5));
  DecodeCommand made = command("a b 5 x\na b 5 y\nb a 4 x\na c 2 x\nb c 2 x\n", 9);
  expect_verified(made);
  made.input.read.graph.root_node = "a";
  made.input.read.graph.without_labels = {"y"};
  expect_verified(made);
}

TEST_F(Graphs, Ties) {
  TiesCommand made;
  made.input.paths = {
      write("in.txt", "r a 5\nr b 3\nb a 5\na b 3\n\nx y 1\ny x 1\n\nu v 1\nw z 1\n\na b z\n")};
  std::ostringstream out;
  EXPECT_EQ(ties(made, out, log_), kOk);
  EXPECT_EQ(
      out.str(),
      "{\"id\": \"0\", \"score\": 8, \"count\": \"3\", \"log10_count\": 0.47712125471966244, "
      "\"edges\": [{\"source\": \"r\", \"target\": \"a\", \"weight\": 5, \"support\": "
      "0.6666666666666666}, {\"source\": \"r\", \"target\": \"b\", \"weight\": 3, \"support\": "
      "0.6666666666666666}, {\"source\": \"b\", \"target\": \"a\", \"weight\": 5, \"support\": "
      "0.3333333333333333}, {\"source\": \"a\", \"target\": \"b\", \"weight\": 3, \"support\": "
      "0.3333333333333333}, {\"source\": null, \"target\": \"r\", \"weight\": 0, \"support\": "
      "1}]}\n"
      "{\"id\": \"1\", \"score\": 1, \"count\": \"2\", \"log10_count\": 0.30102999566398114, "
      "\"edges\": [{\"source\": \"x\", \"target\": \"y\", \"weight\": 1, \"support\": 0.5}, "
      "{\"source\": \"y\", \"target\": \"x\", \"weight\": 1, \"support\": 0.5}, {\"source\": null, "
      "\"target\": \"x\", \"weight\": 0, \"support\": 0.5}, {\"source\": null, \"target\": \"y\", "
      "\"weight\": 0, \"support\": 0.5}]}\n"
      "{\"id\": \"2\", \"error\": \"no tree: no node reaches both 'u' and 'w'\"}\n"
      "{\"id\": \"3\", \"error\": \"line 12: 'z' is no weight: a finite number or -inf "
      "expected\"}\n");
  made.format = TiesFormat::tsv;
  made.log_only = true;
  made.input.limit = 2;
  out.str("");
  EXPECT_EQ(ties(made, out, log_), kOk);
  EXPECT_NE(out.str().find("1\t\tx\t0\t\t0.5\n"), std::string::npos);
}

TEST_F(Graphs, Pictures) {
  ViewCommand made;
  made.input.paths = {write("in.txt", kClones)};
  made.input.read.graph.root_node = "normal";
  made.decoding.request.k = 2;
  made.svg = true;
  made.rank = 2;
  made.output = (folder_ / "tree.svg").string();
  for (const bool undirected : {false, true}) {
    made.input.read.graph.undirected = undirected;
    EXPECT_EQ(view(made, log_), kOk);
    std::ifstream file(made.output);
    const std::string svg(std::istreambuf_iterator<char>(file), {});
    for (const char* name : {">normal<", ">A<", ">B<", ">C<", ">5<", "class=\"changed\""})
      EXPECT_NE(svg.find(name), std::string::npos) << name;
    EXPECT_LT(svg.rfind("<path"), svg.find("<text class=\"label\""));  // no edge hides a label
  }
}

TEST_F(Graphs, UndirectedEdgesByName) {
  DecodeCommand made = command("a b 50\nc b 41\nc a 40\nd c 12\nb d 10\n", 3);
  made.input.read.graph.undirected = true;
  EXPECT_EQ(run(made), "(((d:12)c:41)b:50)a;\n(b:50,(d:12)c:40)a;\n((c:41,d:10)b:50)a;\n");
  made.input.read.graph.root_node = "c";
  made.decoding.request.k = 1;
  made.input.required = {"c:d", "a:c"};
  EXPECT_EQ(run(made), "((b:50)a:40,d:12)c;\n");
  made.input.required = {"a:b", "c:b", "a:c"};
  run(made, kNotGood);
  EXPECT_EQ(log_.str(), "coppice: sentence 0 (0): the required edges form a cycle\n");
  made.input.required.clear();
  made.input.forbidden = {"b:a"};
  EXPECT_EQ(run(made), "(a:40,b:41,d:12)c;\n");
  made.decoding.engine = find_engine("camerini");
  made.input.forbidden.clear();
  EXPECT_THROW(decode(made, log_), UsageError);
}

TEST_F(Graphs, UndirectedTreesAreVerifiedAndLikely) {
  DecodeCommand made = command("a b 5 x\nc b 4 x\nc a 4 y\nd c 1 x\nb d 1 x\nb d 1 y\n", 99);
  made.input.read.graph.undirected = true;
  made.probabilities = true;
  expect_verified(made);
  made.format = Format::jsonl;
  const auto covered = [&] {  // by all trees
    const std::string written = run(made);
    return std::stod(written.substr(written.rfind("\"covered\": ") + 11));
  };
  EXPECT_NEAR(covered(), 1.0, 1e-14);
  made.input.required = {"d:c"};
  expect_verified(made);
  EXPECT_NEAR(covered(), 1.0, 1e-14);
}

TEST_F(Graphs, UndirectedTies) {
  TiesCommand made;
  made.input.paths = {write("in.txt", "a b 5\nc b 4\nc a 4\nd c 1\nb d 1\n")};
  made.input.read.graph.undirected = true;
  made.format = TiesFormat::tsv;
  std::ostringstream out;
  EXPECT_EQ(ties(made, out, log_), kOk);
  EXPECT_EQ(out.str(),
            "graph\tsource\ttarget\tweight\tlabel\tsupport\n0\ta\tb\t5\t\t1\n"
            "0\tc\tb\t4\t\t0.5\n0\tc\ta\t4\t\t0.5\n0\td\tc\t1\t\t0.5\n"
            "0\tb\td\t1\t\t0.5\n");
}

// Whatever root rule was typed: any node may be the root, and one of them is.
TEST_F(Graphs, ConfidenceIsTheProbabilityOfDecode) {
  DecodeCommand made = command("a b 5\nb c 3\nc a 4\na c 1\n", 1, Format::jsonl);
  made.decoding.problem.root = RootRule::any;
  made.decoding.root_given = true;
  made.probabilities = true;
  const std::string decoded = run(made);
  const std::size_t at = decoded.find("\"probability\": ") + 15;
  const std::string probability = decoded.substr(at, decoded.find(',', at) - at);
  ConfidenceCommand sure;
  sure.input = made.input;
  sure.decoding = made.decoding;
  sure.output = made.output;
  std::ostringstream out;
  EXPECT_EQ(confidence(sure, out, log_), kOk);
  std::ifstream file(made.output, std::ios::binary);
  const std::string conllu{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(conllu.find("# kbest_probability = " + probability + "\n"), std::string::npos)
      << conllu;
}

TEST_F(Graphs, ConfidenceNamesNodes) {
  const DecodeCommand made = command("normal A 5\nnormal B 3\nA B 3.5\nB A 1\n", 1);
  ConfidenceCommand sure;
  sure.input = made.input;
  sure.input.read.graph.root_node = "normal";
  sure.decoding.request.k = 1;
  sure.output = made.output;
  std::ostringstream out;
  EXPECT_EQ(confidence(sure, out, log_), kOk);
  std::ifstream file(made.output, std::ios::binary);
  const std::string conllu{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(conllu.find("# kbest_root = normal\n1\tA\t"), std::string::npos) << conllu;
  EXPECT_NE(conllu.find("\n2\tB\t_\t_\t_\t_\t1\tdep\t"), std::string::npos) << conllu;
  EXPECT_EQ(out.str().find("1 sentence, 2 words\n"), 0u) << out.str();
  EXPECT_NE(out.str().find(" B: 0.6"), std::string::npos) << out.str();
  sure.json = true;
  EXPECT_EQ(confidence(sure, out, log_), kOk);
  EXPECT_NE(out.str().find("\"least_sure\":\"B\""), std::string::npos) << out.str();
}

// Edges of the root need no --root where only one rule could be meant.
TEST_F(Graphs, EnginesOfOneRootRule) {
  const char kUneven[] = "normal A 5\nnormal B 2\nA B 4\nB C 2\nA C 1\n";
  const auto wrong = [&](const DecodeCommand& made) -> std::string {
    try {
      decode(made, log_);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "nothing";
  };
  DecodeCommand made = command(kUneven, 2);
  made.decoding.engine = find_engine("camerini");
  EXPECT_EQ(wrong(made), "--engine camerini needs one root: name it with --root-node");
  made.decoding.root_given = true;
  made.decoding.problem.root = RootRule::any;
  EXPECT_EQ(wrong(made), "--engine camerini needs one root: name it with --root-node");
  made.decoding.root_given = false;
  made.decoding.problem.root = RootRule::single;  // as it is without --root
  made.input.read.graph.root_node = "normal";
  EXPECT_EQ(run(made), "(((C:2)B:4)A:5)normal;\n((B:4,C:1)A:5)normal;\n");
  made.decoding.engine = find_engine("naive");
  EXPECT_EQ(wrong(made), "--engine naive needs --root single");
  // A graph that cannot be read asks for nothing.
  made = command("normal A five\n\n" + std::string(kUneven), 1);
  made.decoding.engine = find_engine("camerini");
  made.input.read.graph.root_node = "normal";
  EXPECT_EQ(run(made), "(((C:2)B:4)A:5)normal;\n");
}

}  // namespace
}  // namespace coppice::cli
