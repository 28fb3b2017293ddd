// Graphs whose nodes have names: tables, GraphML, DOT, and what is written of their trees.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <coppice/io.hpp>
#include <coppice/kbest.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/tree_reader.hpp"

namespace coppice::io {
namespace {

std::vector<Sentence> read_all(const std::string& bytes, const GraphOptions& graph = {},
                               const Limits& limits = {}) {
  const auto reader = open_bytes(bytes, "test", {.limits = limits, .graph = graph});
  std::vector<Sentence> sentences;
  Sentence sentence;
  while (reader->next(sentence)) sentences.push_back(sentence);
  // Passing over them finds as many.
  const auto again = open_bytes(bytes, "test", {.limits = limits, .graph = graph});
  for (std::size_t i = 0; i < sentences.size(); ++i) EXPECT_TRUE(again->skip());
  EXPECT_FALSE(again->skip());
  return sentences;
}

// The edges as text, "a->b 5 label", those of an added root left out.
std::string edges_of(const Sentence& sentence) {
  if (!sentence.error.empty()) return sentence.error;
  const auto* graph = sentence.undirected() != nullptr ? &sentence.undirected()->arcs()
                                                       : std::get_if<Multigraph>(&sentence.scores);
  if (graph == nullptr) return "no graph";
  const std::string arrow = sentence.undirected() != nullptr ? "--" : "->";
  const EdgeId edges = graph->edges() / (sentence.undirected() != nullptr ? 2 : 1);
  std::string text;
  for (EdgeId edge = 0; edge < edges; ++edge) {
    const auto at = static_cast<std::size_t>(edge);
    if (!sentence.edge_places.empty() && sentence.edge_places[at] == kNoEdge) continue;
    if (!text.empty()) text += ", ";
    text += sentence.node_name(graph->source(edge)) + arrow +
            sentence.node_name(graph->target(edge)) + " " +
            (graph->scalar() == Scalar::int64 ? std::to_string(graph->integer_weight(edge))
                                              : std::to_string(graph->weight(edge)).substr(0, 4));
    if (!sentence.edge_labels.empty())
      text += " " + (*sentence.label_names)[static_cast<std::size_t>(sentence.edge_labels[at])];
  }
  return text;
}
std::string edges_of(const std::string& bytes, const GraphOptions& graph = {}) {
  const auto sentences = read_all(bytes, graph);
  return sentences.size() == 1 ? edges_of(sentences[0]) : "not one graph";
}

TEST(Tables, NamesBetweenBlanksTabsCommas) {
  EXPECT_EQ(edges_of("normal cloneA 5\ncloneA  klon-ß\t7\n"), "normal->cloneA 5, cloneA->klon-ß 7");
  EXPECT_EQ(edges_of("node one\tnode two\t5\tx\nnode two\tthree\t6\ty\n"),
            "node one->node two 5 x, node two->three 6 y");
  EXPECT_EQ(edges_of("a,b,1.5\r\nb,c,2\r\n"), "a->b 1.50, b->c 2.00");
  EXPECT_EQ(edges_of("a;b;1\nb;c;2\n"), "a->b 1, b->c 2");
  EXPECT_EQ(edges_of("\"a, \"\"b\"\"\",c,1\n"), "a, \"b\"->c 1");
}

TEST(Tables, ColumnsByName) {
  EXPECT_EQ(edges_of("id,To,Cost,From,type\n9,b,3,a,x\n8,c,4,b,y\n"), "a->b 3 x, b->c 4 y");
  EXPECT_EQ(edges_of("who,whom,SNPs\na,b,3\n", {.columns = {"who", "whom", "SNPs"}}), "a->b 3");
  EXPECT_EQ(edges_of("a,x,b,3\nb,y,c,4\n", {.columns = {"1", "3", "4", "2"}}),
            "a->b 3 x, b->c 4 y");
  EXPECT_EQ(edges_of("p,q,r,s\na,x,b,3\n", {.columns = {"1", "3", "4"}}), "a->b 3");
  EXPECT_EQ(edges_of("parent,child,SNPs\na,b,3\n"),
            "line 1: no column for the weight among: parent, child, SNPs; --columns says which are "
            "source, target and weight");
  EXPECT_EQ(edges_of("parent,child,SNPs\na,b,3\n", {.columns = {"parent", "kid", "SNPs"}}),
            "line 1: no column 'kid' among: parent, child, SNPs");
}

TEST(Tables, SeveralGraphs) {
  const auto blank = read_all("# id = one\na b 1\n\n# id = two\nc d 2\n");
  ASSERT_EQ(blank.size(), 2u);
  EXPECT_EQ(blank[0].id, "one");
  EXPECT_EQ(blank[1].id, "two");
  EXPECT_EQ(edges_of(blank[1]), "c->d 2");
  const auto column = read_all("graph,source,target,weight\nx,a,b,1\nx,b,c,2\ny,a,b,3\n");
  ASSERT_EQ(column.size(), 2u);
  EXPECT_EQ(column[0].id, "x");
  EXPECT_EQ(edges_of(column[0]), "a->b 1, b->c 2");
  EXPECT_EQ(column[1].id, "y");
  EXPECT_EQ(edges_of(column[1]), "a->b 3");
  const auto headers =
      read_all("source\ttarget\tweight\na\tb\t1\n\nsource\ttarget\tweight\nc\td\t2\n");
  ASSERT_EQ(headers.size(), 2u);
  EXPECT_EQ(edges_of(headers[1]), "c->d 2");
}

// Nobody would see that a blank line in a table made two graphs of it.
TEST(Tables, BlankLinesBelowAHeader) {
  const std::string two = "from,to,cost\na,b,1\n\nb,c,2\n";
  EXPECT_EQ(edges_of(two),
            "line 4: a blank line before it: another graph begins with the header again, or "
            "\"# id =\"");
  EXPECT_EQ(edges_of("from,to,cost\n\na,b,1\nb,c,2\n\n\n"), "a->b 1, b->c 2");
  EXPECT_EQ(edges_of("graph,from,to,cost\nx,a,b,1\n\nx,b,c,2\n"), "a->b 1, b->c 2");
  const auto named = read_all("from,to,cost\na,b,1\n\n# id = two\nc,d,2\n");
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[0].id, "");
  EXPECT_EQ(named[1].id, "two");
  EXPECT_EQ(edges_of(named[1]), "c->d 2");
}

// A first line that cannot be read is a header only if it has a name where the weight should be.
TEST(Tables, SlipsAreNoHeaders) {
  for (const std::string slip : {"1.5x", "-1,5", ".5.5", "NA", "?", "1e", "+", "nan"}) {
    const std::string wrong =
        "line 1: '" + slip + "' is no weight: a finite number or -inf expected";
    const std::string file = "a\tb\t" + slip + "\nb\tc\t2\n";
    EXPECT_EQ(edges_of(file), wrong);
    EXPECT_EQ(edges_of(file, {.columns = {"1", "2", "3"}}), wrong);
  }
  EXPECT_EQ(edges_of("a\tb\tSNVs\nb\tc\t2\n", {.columns = {"1", "2", "3"}}), "b->c 2");
  EXPECT_EQ(edges_of("a\tb\t% same\nb\tc\t2\n", {.columns = {"1", "2", "3"}}), "b->c 2");
}

TEST(Tables, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_EQ(edges_of("a b 1\nb c five\n"),
            "line 2: 'five' is no weight: a finite number or -inf expected");
  EXPECT_EQ(edges_of("a b 1\nb c -9223372036854775809\n"),
            "line 2: '-9223372036854775809' is beyond int64; with a decimal point it is rounded to "
            "float64");
  EXPECT_EQ(edges_of("a b 9223372036854775809.0\n").substr(0, 10), "a->b 9223");
  EXPECT_EQ(edges_of("a,b,1\n,c,2\n"), "line 2: a node without a name");
  EXPECT_EQ(edges_of("a,b,1\n\"c,d,2\n"), "line 2: a quote that is not closed");
  EXPECT_EQ(edges_of("a,b,1\n" + std::string(20'000, ',') + "\n"),
            "line 2: more than 10000 fields");
  EXPECT_EQ(edges_of("a b 1\n" + std::string(20'000, ' ') + "a b 1 c\n"),
            "line 2: either all edges of a graph have a label or none has");
  EXPECT_EQ(edges_of("from,to,weight\na,b\n"), "line 2: 2 fields, but the weight is number 3");
  EXPECT_EQ(edges_of("a b 1\n", {.root_node = "c"}), "the root node 'c' is not in the graph");
  EXPECT_EQ(read_all("a b 1\nb c 1\nc d 1\n", {}, {.max_edges = 2})[0].error,
            "line 3: more than 2 edges");
  EXPECT_THROW(read_all("a b 1\x01\n"), FormatError);
}

// Output repeats them for every tree and edge: a long one in a small file would fill the disk.
TEST(Names, MayNotBeLong) {
  const Limits limits{.max_name_bytes = 4};
  const auto error_of = [&](const std::string& bytes) {
    const auto sentences = read_all(bytes, {}, limits);
    EXPECT_EQ(sentences.size(), 1u) << bytes;
    EXPECT_EQ(sentences[0].id, "");
    return sentences[0].error;
  };
  EXPECT_EQ(error_of("# id = abcd5\na b 1\n"), "an id of more than 4 bytes");
  EXPECT_EQ(error_of("graph,from,to,cost\nabcd5,a,b,1\n"), "an id of more than 4 bytes");
  EXPECT_EQ(error_of("abcd a 1\na abcd5 1\n"), "line 2: the name of a node of more than 4 bytes");
  EXPECT_EQ(error_of("a b 1 abcd\na c 1 abcd5\n"), "line 2: a label of more than 4 bytes");
  EXPECT_EQ(error_of("digraph abcd5 { a -> b [weight=1] }"), "an id of more than 4 bytes");
  EXPECT_EQ(error_of("digraph { a -> b [weight=1, label=abcd5] }"),
            "line 1: a label of more than 4 bytes");
  EXPECT_EQ(error_of("<graphml><graph id=\"abcd5\"><edge source=\"a\" target=\"b\"><data "
                     "key=\"weight\">1</data></edge></graph></graphml>"),
            "an id of more than 4 bytes");
  EXPECT_EQ(error_of("{\"id\": \"abcd5\", \"scores\": [[0, 1], [0, 0]]}"),
            "line 1: an id of more than 4 bytes");
  EXPECT_EQ(error_of("{\"scores\": [[0, 1], [0, 0]], \"words\": [\"abcd5\"]}"),
            "line 1: a word of more than 4 bytes");
  EXPECT_THROW(read_all("<graphml><key id=\"k\" attr.name=\"abcd5\"/></graphml>", {}, limits),
               FormatError);
}

TEST(Names, TheRootIsNodeZero) {
  const auto given = read_all("b a 1\nroot b 2\nroot a 3\n", {.root_node = "root"}).at(0);
  EXPECT_EQ(given.node_names, (std::vector<std::string>{"root", "b", "a"}));
  EXPECT_FALSE(given.added_root);
  EXPECT_EQ(edges_of(given), "b->a 1, root->b 2, root->a 3");
  const auto any = read_all("b a 1\na b 2\n").at(0);
  EXPECT_TRUE(any.added_root);
  EXPECT_EQ(any.node_names, (std::vector<std::string>{"", "b", "a"}));
  EXPECT_EQ(any.edge_places, (std::vector<EdgeId>{0, 1, kNoEdge, kNoEdge}));
  // Numbers are numbers, with 0 as the root, until something else is said or seen.
  EXPECT_FALSE(read_all("0 1 5\n").at(0).named());
  EXPECT_TRUE(read_all("0 1 5\n", {.any_root = true}).at(0).named());
  EXPECT_EQ(edges_of("7 8 5\n8 9 6\n", {.root_node = "7"}), "7->8 5, 8->9 6");
  EXPECT_EQ(edges_of("0 1 5\n1 07 6\n1 x 7\n"), "0->1 5, 1->07 6, 1->x 7");
}

TEST(Names, EdgesThatAreLeftOut) {
  const std::string file = "r a 1 x\nr b 2 x\na b 3 y\nb a 4 y\n";
  EXPECT_EQ(edges_of(file, {.forbidden = {{"a", "b"}}}), "r->a 1 x, r->b 2 x, b->a 4 y");
  EXPECT_EQ(edges_of(file, {.required = {{"r", "b"}}}), "r->a 1 x, r->b 2 x, b->a 4 y");
  EXPECT_EQ(edges_of(file, {.required = {{"a", "r"}}}),
            "the required edge 'a' -> 'r' is not in the graph");
  EXPECT_EQ(edges_of(file, {.min_weight = 2, .max_weight = 3}), "r->b 2 x, a->b 3 y");
  EXPECT_EQ(edges_of(file, {.only_labels = {"y"}}), "a->b 3 y, b->a 4 y");
  EXPECT_EQ(edges_of(file, {.without_labels = {"y"}}), "r->a 1 x, r->b 2 x");
  const auto on = [&](GraphOptions::Date a, GraphOptions::Date b) {
    return std::make_shared<const GraphOptions::Dates>(GraphOptions::Dates{{"a", a}, {"b", b}});
  };
  EXPECT_EQ(edges_of(file, {.dates = on({1, 1}, {2, 2})}), "r->a 1 x, r->b 2 x, a->b 3 y");
  // A month is not earlier than a day of it.
  EXPECT_EQ(edges_of(file, {.dates = on({1, 31}, {2, 2})}),
            "r->a 1 x, r->b 2 x, a->b 3 y, b->a 4 y");
  // Of graphs with numbers too, and edges keep their places in the file.
  const auto numbers = read_all("0 1 1\n0 2 9\n1 2 1\n", {.max_weight = 5}).at(0);
  EXPECT_FALSE(numbers.named());
  EXPECT_EQ(numbers.edge_places, (std::vector<EdgeId>{0, 2}));
}

// A line may date a node of the lines before.
TEST(Tables, DatesInColumns) {
  const std::string table =
      "from,to,snps,kind,ill,infected\n"
      "a,b,1.5,x,2024-03-01,2024-03-04\n"
      "b,c,2,y,,NA\n"
      "c,a,3,y,2024-03-02,2024-03-01\n"
      "d,c,4,y,2024-03,\n"
      "e,d,5,y,,\n";
  const auto of = [&](const std::string& columns) {
    GraphOptions graph;
    std::istringstream words(columns);
    for (std::string word; std::getline(words, word, ',');) graph.columns.push_back(word);
    return edges_of(table, graph);
  };
  EXPECT_EQ(of("from,to,snps,,ill,infected"), "a->b 1.50, d->c 4.00, e->d 5.00");
  EXPECT_EQ(of("1,2,3,4,5,6"), "a->b 1.50 x, d->c 4.00 y, e->d 5.00 y");
  EXPECT_EQ(of("from,to,snps"), "a->b 1.50, b->c 2.00, c->a 3.00, d->c 4.00, e->d 5.00");
  EXPECT_EQ(of("from,to,snps,,sick,infected"),
            "line 1: no column 'sick' among: from, to, snps, kind, ill, infected");
  const GraphOptions columns{.columns = {"1", "2", "3", "", "4", "5"}};
  const auto edges = [&](const std::string& lines) { return edges_of(lines, columns); };
  EXPECT_EQ(edges("1 2 7 5 6\n2 1 8 6 5\n0 1 1 0 5\n"), "1->2 7, 0->1 1");
  EXPECT_EQ(edges("a b 7 5 6\nb c 7 5 6\n"), "line 2: 'b' has another date in a line before");
  EXPECT_EQ(edges("a b 7 5 soon\n"),
            "line 1: 'soon' is no date: 2014-05-17, 2014-05, 2014 or a number expected");
  EXPECT_EQ(edges("a b 7 5 2014-05\n"), "line 1: '2014-05': dates and numbers do not mix");
  GraphOptions both = columns, undirected = columns;
  both.dates = std::make_shared<const GraphOptions::Dates>();
  EXPECT_EQ(edges_of("a b 7 5 6\n", both),
            "line 1: dates in columns, and dates in a file (--dates)");
  undirected.undirected = true;
  EXPECT_EQ(edges_of("a b 7 5 6\n", undirected),
            "dates are of directed graphs, and this one is undirected");
  EXPECT_EQ(read_all("0 1 1 3 3\n2 1 9 4 3\n0 2 1 3 4\n", columns).at(0).edge_places,
            (std::vector<EdgeId>{0, 2}));
  EXPECT_THROW(edges_of("digraph { a -> b [weight=1] }", columns), FormatError);
}

class Files : public ::testing::Test {
 protected:
  std::string write(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  ~Files() override { std::filesystem::remove(path_); }
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("coppice_graphs_" + std::to_string(::getpid())))
          .string();
};

TEST_F(Files, DatesAndNamesOfEdges) {
  auto dates = read_dates(write("node,date\na,2014-05-17\nb,2014-06\n\nc,2013-12-31\n"), {});
  EXPECT_EQ(dates.size(), 3u);
  EXPECT_EQ(dates["b"].first - dates["a"].first, 15.0);
  EXPECT_EQ(dates["b"].last - dates["b"].first, 29.0);
  EXPECT_EQ(dates["a"].last, dates["a"].first);
  EXPECT_LT(dates["c"].last, dates["a"].first);
  EXPECT_EQ(read_dates(write("a 2014\nb 2013.5\n"), {})["b"], (GraphOptions::Date{2013.5, 2013.5}));
  for (const char* bad :
       {"a 1\nb 2014-05\n", "a 1\nb x\n", "a 1\na 2\n", "a\n", "a 2014-13-01\n", "a NA\nb 2\n"})
    EXPECT_THROW(read_dates(write(bad), {}), FormatError) << bad;
  using EdgeName = GraphOptions::EdgeName;
  EXPECT_EQ(read_edge_names(write("source\ttarget\na b\tc\n# no\nd\te\tmore\n"), {}),
            (std::vector<EdgeName>{{"a b", "c"}, {"d", "e"}}));
  EXPECT_EQ(read_edge_names(write("a b\n"), {}), (std::vector<EdgeName>{{"a", "b"}}));
  EXPECT_EQ(read_edge_names(write("target,weight,source\na,1,b\n"), {}),
            (std::vector<EdgeName>{{"b", "a"}}));
  EdgeNameReader reader(write("source,target,graph\na,b,first\n\nc,d\n"), {});
  EdgeName edge;
  EXPECT_TRUE(reader.names_graphs());
  ASSERT_TRUE(reader.next(edge));
  EXPECT_EQ(edge, (EdgeName{"a", "b"}));
  EXPECT_EQ(reader.graph(), "first");
  EXPECT_EQ(reader.line(), 2);
  EXPECT_THROW(reader.next(edge), FormatError);  // no graph
}

const char kGraphml[] = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="edge" attr.name="weight" attr.type="double"><default>2</default></key>
<key id="d1" for="node" attr.name="name" attr.type="string"/>
<key id="d2" for="edge" attr.name="cm" attr.type="double"/>
<graph id="first" edgedefault="directed"><node id="n0"><data key="d1">a &amp; é</data></node>
<node id="n1"/><edge source="n0" target="n1"><data key="d0">5</data><data key="d2">7</data></edge>
<edge source="n1" target="n0"><data key="d2">8</data></edge></graph>
<graph edgedefault="undirected"><edge source="2" target="1"/><edge source="2" target="0"/></graph>
<graph edgedefault="directed"><edge source="u" target="v"><data key="d0">nan</data></edge></graph>
</graphml>)";

TEST(Graphml, NodesEdgesSeveralGraphs) {
  const auto graphs = read_all(kGraphml);
  ASSERT_EQ(graphs.size(), 3u);
  EXPECT_EQ(graphs[0].id, "first");
  EXPECT_EQ(edges_of(graphs[0]), "a & é->n1 5, n1->a & é 2");
  EXPECT_EQ(edges_of(graphs[1]), "2--1 2, 2--0 2");
  EXPECT_EQ(graphs[2].error, "line 10: 'nan' is no weight: a finite number or -inf expected");
  EXPECT_EQ(edges_of(read_all(kGraphml, {.columns = {"source", "target", "cm"}})[0]),
            "a & é->n1 7, n1->a & é 8");
}

TEST(SquareTables, NamesAboveAndOnTheLeft) {
  EXPECT_EQ(edges_of(",a,b,c\na,0,1,2\nb,3,0,NA\nc,4,5.5,0\n"),
            "a->b 1.00, a->c 2.00, b->a 3.00, c->a 4.00, c->b 5.50");
  EXPECT_EQ(edges_of("\"\",\"x 1\",\"y\"\n\"x 1\",0,1\n\"y\",3,0\n"), "x 1->y 1, y->x 1 3");
  EXPECT_EQ(edges_of("\ta\tb\na\t\t7\nb\t8\t\n"), "a->b 7, b->a 8");
  // One half of it stands for both.
  const char* const halves[] = {",a,b,c\na,0,,\nb,1,0,\nc,2,3,0\n", ",a,b,c\na\nb,1\nc,2,3\n",
                                ",a,b,c\na,0\nb,1,0\nc,2,3,0\n", "3\na\nb 1\nc 2 3\n"};
  for (const char* half : halves) {
    EXPECT_EQ(edges_of(half), "b->a 1, a->b 1, c->a 2, a->c 2, c->b 3, b->c 3") << half;
    EXPECT_EQ(edges_of(half, {.undirected = true}), "a--b 1, a--c 2, b--c 3") << half;
  }
  const std::string whole = ",a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n";
  EXPECT_EQ(edges_of(whole, {.undirected = true}), "a--b 1, a--c 2, b--c 3");
  // Numbered rows of a list of edges.
  EXPECT_EQ(edges_of(",from,to,cost\n0,a,b,3\n1,b,c,4\n"), "a->b 3, b->c 4");
}

TEST(SquareTables, Phylip) {
  EXPECT_EQ(edges_of("  3\nAlpha  0 1\n   2\nBeta   1 0 3\nGamma  2 3 0\n", {.undirected = true}),
            "Alpha--Beta 1, Alpha--Gamma 2, Beta--Gamma 3");
  const auto two = read_all("2\n1 0 4\n2 5 0\n\n2\na\nb 1\n");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(edges_of(two[0]), "1->2 4, 2->1 5");
  EXPECT_EQ(edges_of(two[1]), "b->a 1, a->b 1");
}

TEST(SquareTables, WhatIsWrong) {
  EXPECT_EQ(edges_of(",a,b\na,0,1\nc,1,0\n"),
            "line 3: row 'c' where 'b' is expected, as in the first line");
  EXPECT_EQ(edges_of(",a,b\na,0,1\n"), "line 2: 1 row below 2 columns");
  EXPECT_EQ(edges_of(",a,b\na,0,1\nb,1,0\nc,1,0\n"), "line 4: more rows than the 2 columns");
  EXPECT_EQ(edges_of(",a,b,c\na,0,1,2\nb,1,0,3,4\nc,1,2,0\n"), "line 3: 4 numbers for 3 nodes");
  EXPECT_EQ(edges_of(",a,a\na,0,1\na,1,0\n"), "line 1: two nodes are called 'a'");
  EXPECT_EQ(edges_of(",a,b\na,0,x\nb,1,0\n"),
            "line 2: 'x' is no weight: a finite number or -inf expected");
  EXPECT_EQ(edges_of(",a,b\na,0,1\nb,2,0\n", {.undirected = true}),
            "line 3: 'b' - 'a' is 2, but the other way round 1; an undirected graph is symmetric");
  EXPECT_EQ(edges_of(",a,b\na,0,1\nb,NA,0\n", {.undirected = true}),
            "line 3: 'b' - 'a' is missing, but the other way round 1; an undirected graph is "
            "symmetric");
  EXPECT_EQ(edges_of("3\na 0 1 2\nb 1 0\n"), "line 3: 'b' has 2 numbers, not 3");
  EXPECT_EQ(edges_of("3\na 0 1 2\n"), "line 2: 1 row of 3");
  EXPECT_EQ(edges_of("99999999999999\na\nb 1\n"), "line 3: 2 rows of 99999999999999");
}

TEST(Writers, Nexus) {
  const Sentence sentence = read_all("# id = x [1]\na b 1\nb 'c 2\n").at(0);
  const TreeList trees = kbest(*sentence.graph(), {.root = RootRule::single}, {.k = 1});
  std::string nexus(kNexusBegin);
  append_nexus({sentence, trees}, nexus);
  append_nexus({sentence, TreeList(), "no tree"}, nexus);
  nexus += kNexusEnd;
  EXPECT_EQ(nexus,
            "#NEXUS\nbegin trees;\ntree 'x [1] #1' = [&R] [score=3] (('\'\'c':2)b:1)a;\n"
            "[x  1 : no tree]\nend;\n");
}

TEST(Graphml, EdgesUnlikeTheirGraph) {
  const auto graph = [](const std::string& kind, const std::string& directed, bool all = false) {
    return edges_of("<graphml><graph edgedefault=\"" + kind +
                        "\"><edge source=\"a\" target=\"b\" directed=\"" + directed +
                        "\"><data key=\"weight\">3</data></edge></graph></graphml>",
                    {.undirected = all});
  };
  EXPECT_EQ(graph("undirected", "false"), "a--b 3");
  EXPECT_EQ(graph("directed", "true"), "a->b 3");
  EXPECT_EQ(graph("directed", "true", true), "a--b 3");
  EXPECT_EQ(graph("undirected", "true"),
            "line 1: the edge 'a' - 'b' has directed=\"true\", unlike its graph");
  EXPECT_EQ(graph("directed", "false"),
            "line 1: the edge 'a' - 'b' has directed=\"false\", unlike its graph");
}

TEST(Undirected, NodesHaveNamesAndTheFirstOneIsTheRoot) {
  const auto of = [](const GraphOptions& graph) {
    return read_all("3 1 5\n1 2 4\n3 2 4\n", graph).at(0);
  };
  const Sentence sentence = of({.undirected = true});
  EXPECT_EQ(edges_of(sentence), "3--1 5, 1--2 4, 3--2 4");
  EXPECT_EQ(sentence.node_name(0), "3");
  EXPECT_FALSE(sentence.added_root);
  EXPECT_EQ(of({.root_node = "2", .undirected = true}).node_name(0), "2");
  EXPECT_EQ(edges_of(of({.undirected = true, .forbidden = {{"1", "3"}}})), "1--2 4, 3--2 4");
  EXPECT_EQ(of({.undirected = true, .required = {{"2", "1"}, {"3", "2"}}}).required,
            (std::vector<Arc>{{2, 1}, {0, 2}}));
  EXPECT_EQ(of({.undirected = true, .required = {{"1", "4"}}}).error,
            "the required edge '1' - '4' is not in the graph");
  const auto dates = std::make_shared<const GraphOptions::Dates>();
  EXPECT_EQ(of({.undirected = true, .dates = dates}).error,
            "dates are of directed graphs, and this one is undirected");
  const Sentence parts = read_all("a b 1\nc d 1\nd e 1\n", {.undirected = true}).at(0);
  EXPECT_EQ(parts.no_tree, "no tree: the graph has 2 parts; no edges connect 'a' and 'c'");
}

TEST(Undirected, TreesAreUndirectedToo) {
  const Sentence sentence = read_all("a b 1 x\nc b 2 y\n", {.undirected = true}).at(0);
  const TreeList trees = kbest(*sentence.undirected(), {.root = RootRule::any}, {.k = 1});
  std::string dot, graphml(kGraphmlBegin), newick, tsv;
  append_dot({sentence, trees}, dot);
  append_graphml({sentence, trees}, graphml);
  append_newick({sentence, trees}, newick);
  append_tsv({sentence, trees}, tsv);
  EXPECT_EQ(edges_of(dot), "a--b 1 x, b--c 2 y");
  EXPECT_EQ(edges_of(graphml.append(kGraphmlEnd)), "a--b 1 x, b--c 2 y");
  EXPECT_EQ(newick, "((c:2)b:1)a;\n");
  EXPECT_EQ(tsv, "0\t1\t3\t0\ta\tb\t1\tx\n0\t1\t3\t0\tb\tc\t2\ty\n");
}

TEST(Graphml, NodesOfOneName) {
  const auto graph = [](const std::string& nodes) {
    return edges_of("<graphml><graph edgedefault=\"directed\">" + nodes +
                    "<edge source=\"1\" target=\"2\"><data key=\"weight\">3</data></edge>"
                    "</graph></graphml>");
  };
  const std::string named = "<data key=\"name\">y</data></node>";
  EXPECT_EQ(graph("<node id=\"1\">" + named + "<node id=\"2\"/>"), "y->2 3");
  EXPECT_EQ(graph("<node id=\"1\">" + named + "<node id=\"2\">" + named),
            "line 1: nodes '1' and '2' have the same name, 'y'");
  EXPECT_EQ(graph("<node id=\"y\"/><node id=\"2\">" + named),
            "line 1: nodes 'y' and '2' have the same name, 'y'");
}

TEST(Graphml, WhatIsNoGraphml) {
  for (const char* bad : {"<html></html>", "<graphml><graph>", "<graphml><graph></graphml>",
                          "<graphml><graph><graph></graph></graph></graphml>",
                          "<!DOCTYPE g [<!ENTITY a \"b\">]><graphml/>"})
    EXPECT_THROW(read_all(bad), FormatError) << bad;
  const std::string endless =
      "<graphml><graph id=\"" + std::string(1 << 18, 'x') + "\"/></graphml>";
  EXPECT_THROW(read_all(endless, {}, {.max_line_bytes = 1 << 10}), FormatError);
}

// Whatever comes behind them.
TEST(Filters, NodesOfEdgesThatAreLeftOutStay) {
  for (const char* numbers : {"1 2 3\n2 a 9\na 2 9\n", "x y 3\ny a 9\na y 9\n"}) {
    const auto sentence = read_all(numbers, {.min_weight = 5.0}).at(0);
    EXPECT_EQ(sentence.nodes, 4) << numbers;  // and the root that was added
    EXPECT_TRUE(kbest(*sentence.graph(), {.root = RootRule::single}, {.k = 1}).empty()) << numbers;
  }
}

TEST(Dot, StatementsGroupsDefaults) {
  const auto graphs = read_all(
      "/* two */ digraph \"my graph\" { rankdir=LR; node [shape=box]; edge [weight=3]\n"
      "a -> b -> c; \"d e\" [color=red]; a -> {x y} [weight=2.5]\n"
      "subgraph cluster1 { edge [weight=7] c -> \"d e\"; { x -> y } }\n"
      "y:port -> b // a note\n# another\n}\nstrict digraph { a -> b [label=p, weight=-1] }\n"
      "graph { edge [weight=1] 7 -- {5 6} }\ngraph { a -> b }\ndigraph { a -- b }\n");
  ASSERT_EQ(graphs.size(), 5u);
  EXPECT_EQ(graphs[0].id, "my graph");
  EXPECT_EQ(edges_of(graphs[0]),
            "a->b 3.00, b->c 3.00, a->x 2.50, a->y 2.50, c->d e 7.00, x->y 7.00, y->b 3.00");
  EXPECT_EQ(edges_of(graphs[1]), "a->b -1 p");
  EXPECT_EQ(edges_of(graphs[2]), "7--5 1, 7--6 1");
  EXPECT_EQ(graphs[3].error, "line 9: '->' where -- is expected: a directed edge in a graph");
  EXPECT_EQ(graphs[4].error, "line 10: '--' where -> is expected: an undirected edge in a digraph");
}

// A node that a group names twice is in it once, as in Graphviz.
TEST(Dot, GroupsAreSets) {
  EXPECT_EQ(edges_of("digraph { {a a; a} -> {b c b} [weight=1] }"), "a->b 1, a->c 1");
  EXPECT_EQ(edges_of("digraph { edge [weight=1, label=x]; edge [weight=2]; {a a b -> c} }"),
            "b->c 2 x");
  std::string large = "digraph { {";
  for (int i = 0; i < 1'001; ++i) large += fmt::format(" a{}", i);
  large += " } -> {";
  for (int i = 0; i < 1'000; ++i) large += fmt::format(" b{}", i);
  const auto graphs = read_all(large + " } [weight=1] } digraph { a -> b [weight=1] }");
  ASSERT_EQ(graphs.size(), 2u);
  EXPECT_EQ(graphs[0].error, "line 1: edges between groups of nodes are more than 1000000");
  EXPECT_EQ(edges_of(graphs[1]), "a->b 1");
}

TEST(Dot, BackslashesComeBack) {
  EXPECT_EQ(edges_of(R"(digraph { "a\\" -> "b\"c" [weight=1, label="\n"] })"), R"(a\->b"c 1 \n)");
  const auto sentence = read_all("x\\\ty\\z\t1\n").at(0);
  const TreeList trees = kbest(*sentence.graph(), {.root = RootRule::single}, {.k = 1});
  std::string out;
  append_dot({sentence, trees}, out);
  EXPECT_EQ(edges_of(out), R"(x\->y\z 1)");
}

TEST(Dot, WhatIsWrong) {
  EXPECT_EQ(edges_of("strict digraph \"5, {\\\"6\" { a -> b [weight=1] }"), "a->b 1");
  EXPECT_EQ(edges_of("digraph { a -> b }"), "line 1: the edge 'a' -> 'b' has no weight");
  EXPECT_EQ(edges_of("digraph { a -> b [label=5] }", {.columns = {"", "", "label"}}), "a->b 5");
  for (const char* bad : {"digraph {", "digraph { a -> }", "digraph { a [x=] }", "digraph { \"a }",
                          "digraph { a -> b } x", "/* x", "digraph { a <b }"})
    EXPECT_THROW(read_all(bad), FormatError) << bad;
  std::string deep = "digraph ";
  for (int i = 0; i < 100'000; ++i) deep += "{ edge [a=b] ";
  EXPECT_THROW(read_all(deep), FormatError);
}

std::string written(std::size_t (*append)(const Parses&, std::string&), const Sentence& sentence,
                    RootRule root, std::string_view error = {}) {
  const TreeList trees =
      error.empty() ? kbest(*sentence.graph(), {.root = root}, {.k = 2}) : TreeList();
  std::string out;
  append({sentence, trees, error, true}, out);
  return out;
}

TEST(Trees, InEveryFormat) {
  const auto sentence = read_all("r a_b 5 x\nr \"c 2 y\na_b \"c 2 z\n", {.root_node = "r"}).at(0);
  EXPECT_EQ(written(append_newick, sentence, RootRule::any),
            "(('\"c':2)'a_b':5)r;\n('a_b':5,'\"c':2)r;\n");
  EXPECT_EQ(written(append_tsv, sentence, RootRule::single),
            "0\t1\t7\t0\tr\ta_b\t5\tx\n0\t1\t7\t0\ta_b\t\"c\t2\tz\n");
  EXPECT_EQ(written(append_dot, sentence, RootRule::single),
            "digraph \"0 #1\" {\n  graph [score=7, gap=0];\n  \"r\";\n"
            "  \"r\" -> \"a_b\" [weight=5, label=\"x\"];\n"
            "  \"a_b\" -> \"\\\"c\" [weight=2, label=\"z\"];\n}\n");
  EXPECT_EQ(
      written(append_jsonl, sentence, RootRule::single),
      "{\"id\": \"0\", \"rank\": 1, \"score\": 7, \"gap\": 0, \"nodes\": [\"a_b\", \"\\\"c\"], "
      "\"heads\": [\"r\", \"a_b\"], \"labels\": [\"x\", \"z\"], \"edges\": [0, 2]}\n");
  EXPECT_EQ(written(append_newick, sentence, RootRule::any, "no tree"), "");
  EXPECT_EQ(written(append_dot, sentence, RootRule::any, "no tree"), "// 0: no tree\n");
}

TEST(Trees, InPiecesTheyAreTheSame) {
  const auto text = [](const Parses& parses, std::string& out) {
    return append_text(parses, false, out);
  };
  const std::vector<std::size_t (*)(const Parses&, std::string&)> writers = {
      append_jsonl, append_conllu, text,       append_newick,
      append_nexus, append_dot,    append_tsv, append_graphml};
  const std::vector<double> probabilities = {0.5, 0.25, 0.125};
  for (const char* input :
       {"r a 5\nr b 2\na b 2\nb a 1\n",
        R"({"scores": [[0, 5, 1], [0, 0, 5], [0, 1, 0]], "words": ["a", "b"]})"}) {
    const auto sentence = read_all(std::string(input) + '\n', {.root_node = "r"}).at(0);
    const TreeList trees = kbest(*sentence.graph(), {.root = RootRule::any}, {.k = 3});
    ASSERT_EQ(trees.size(), 3u);
    for (const auto append : writers) {
      Parses parses{.sentence = sentence, .trees = trees, .probabilities = probabilities};
      std::string whole, pieces;
      EXPECT_EQ(append(parses, whole), 3u);
      parses.most_bytes = 1;
      for (std::size_t calls = 1; calls <= 3; ++calls) {
        parses.first = append(parses, pieces);
        EXPECT_EQ(parses.first, calls);
      }
      EXPECT_EQ(pieces, whole);
    }
  }
}

TEST(Trees, WordsThatOccurAgainAreNotOneNode) {
  const auto heads = [](const std::string& words) {
    const auto sentence =
        read_all(
            R"({"scores": [[0, 5, 1, 1], [0, 0, 5, 4], [0, 1, 0, 3], [0, 1, 1, 0]], "words": )" +
            words + "}\n")
            .at(0);
    std::string out = written(append_newick, sentence, RootRule::single);
    return out.substr(0, out.find('\n'));
  };
  EXPECT_EQ(heads(R"(["the", "dog", "a"])"), "((dog:5,a:4)the:5)0;");
  EXPECT_EQ(heads(R"(["the", "dog", "the"])"), "((dog:5,the#3:4)the#1:5)0;");
  EXPECT_EQ(heads(R"(["the", "0", "a"])"), "((0#2:5,a:4)the:5)0;");
  EXPECT_EQ(heads(R"(["the", "the#1", "the"])"), "((2:5,3:4)1:5)0;");
}

TEST(Trees, AnAddedRootIsNotShown) {
  const auto sentence = read_all("a b 5\nb c 3\nc a 4\n").at(0);
  EXPECT_EQ(written(append_newick, sentence, RootRule::single), "((b:5)a:4)c;\n((c:3)b:5)a;\n");
  const std::string jsonl = written(append_jsonl, sentence, RootRule::single);
  EXPECT_EQ(
      jsonl.substr(0, jsonl.find('\n')),
      "{\"id\": \"0\", \"rank\": 1, \"score\": 9, \"gap\": 0, \"nodes\": [\"a\", \"b\", \"c\"], "
      "\"heads\": [\"c\", \"a\", null], \"edges\": [2, 0, null]}");
  EXPECT_EQ(written(append_conllu, sentence, RootRule::single).find("kbest_root"),
            std::string::npos);
  auto reader = TreeReader::from_bytes(jsonl, "written", {});
  WrittenTree tree;
  ASSERT_TRUE(reader.next(tree));
  EXPECT_EQ(tree.head_names, (std::vector<std::string>{"c", "a", ""}));
  EXPECT_EQ(tree.edges, (std::vector<EdgeId>{2, 0, kNoEdge}));
}

TEST(Trees, AsTextAndDeep) {
  const auto sentence = read_all("r a 5\na b 2\nr c 1\n", {.root_node = "r"}).at(0);
  std::string out;
  append_text({sentence, kbest(*sentence.graph(), {.root = RootRule::any}, {.k = 1})}, false, out);
  EXPECT_EQ(out,
            "0\n  #1 of 1  score 8  gap 0\n    r\n    ├─ a  5\n    │  └─ b  2\n    └─ c  1\n\n");
  std::ostringstream path;
  for (int i = 0; i < 20'000; ++i) path << 'n' << i << " n" << i + 1 << " 1\n";
  const auto deep = read_all(path.str(), {.root_node = "n0"}).at(0);
  std::string drawn;
  append_text({deep, kbest(*deep.graph(), {.root = RootRule::any}, {.k = 1})}, false, drawn);
  EXPECT_LT(drawn.size(), std::size_t{20'000} * 1000);
}

}  // namespace
}  // namespace coppice::io
