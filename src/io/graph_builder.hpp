// Edges as a file gives them, by the names of their ends, become the graph of a sentence.
#pragma once

#include <coppice/io.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace coppice::io {

// A weight as text: its value, and whether it is a whole number.
struct Weight {
  double value = 0.0;
  std::optional<std::int64_t> whole;

  // What is wrong with the text, or nothing.
  static std::string parse(std::string_view text, Weight& weight);
};

class GraphBuilder {
 public:
  GraphBuilder(const GraphOptions& options, const Limits& limits);

  void clear();
  // The graph at hand has no directions, as its file says.
  void be_undirected();
  bool is_undirected() const { return undirected_; }
  std::size_t nodes() const { return names_.size(); }  // that have names
  bool empty() const { return file_edges_ == 0 && names_.empty(); }

  // Each returns what is wrong, or nothing.
  std::string add_node(std::string_view name);
  std::string add_edge(std::string_view source, std::string_view target, const Weight& weight,
                       const std::optional<std::string>& label);
  // Of a node that an edge has. No edge leads from it to one that is surely earlier.
  std::string add_date(const std::string& name, std::string_view date);

  // One that is too long is an error of the sentence.
  void set_id(std::string id, Sentence& sentence) const;
  // Everything but index and id. With numbers as names node n is the number n, unless a root was
  // asked for.
  void build(Sentence& sentence);

 private:
  struct Filter {
    explicit Filter(const GraphOptions& options);
    bool leaves_out(const std::string& source, const std::string& target, double weight,
                    const std::optional<std::string>& label, bool directed) const;
    const GraphOptions* options;
    std::unordered_map<std::string, std::string> required;  // of a target: its source
    std::unordered_set<std::string> required_keys, forbidden;
  };

  std::string number(std::string_view name, Node& node);
  std::string name_id(std::string_view name, Node& node);
  void name_numbers();
  std::string add_label(const std::optional<std::string>& label);
  void see_required(const std::string& key);
  std::string missing_required() const;
  void keep_required(Sentence& sentence) const;
  static std::string parts_of(const Sentence& sentence);
  void leave_out_by_dates();
  void place_root(Sentence& sentence);
  void add_root_edges(Node nodes);
  std::int64_t count_nodes(Sentence& sentence);

  Filter filter_;
  Limits limits_;
  bool undirected_ = false;
  bool numbered_ = false;  // all names so far are numbers: a node is its number
  Node last_node_ = 0;
  std::set<Node> left_out_numbers_;  // ends of edges that are left out
  std::vector<std::string> names_;
  std::unordered_map<std::string, Node> ids_;
  EdgeId file_edges_ = 0;
  std::vector<Node> sources_, targets_;
  std::vector<double> weights_;
  std::vector<std::int64_t> integers_;  // the same weights, as long as all are whole numbers
  std::vector<EdgeId> places_;          // in the file, of those that are not left out
  std::vector<std::int32_t> labels_;
  std::vector<std::string> label_names_;
  std::unordered_map<std::string, std::int32_t> label_ids_;
  std::unordered_set<std::string> required_seen_;  // edges, by edge_key()
  GraphOptions::Dates dates_;                      // that came with the edges
  std::optional<bool> calendar_;                   // whether they are days, not numbers
};

}  // namespace coppice::io
