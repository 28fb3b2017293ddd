#include "io/tree_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/bytes.hpp"
#include "io/json_events.hpp"

namespace coppice::io {
namespace {

class TreeEvents : public JsonEvents {
 public:
  explicit TreeEvents(const Limits& limits) : limits_(limits) {}

  std::string read(std::string_view line, WrittenTree& tree) {
    tree_ = &tree;
    tree = {};
    tree.rank = -1;
    has_score_ = false;
    std::string error = parse(line);
    if (!error.empty()) return error;
    if (tree.rank < 0) return "no \"rank\"";
    const bool named = !tree.nodes.empty();
    if (named && tree.head_names.size() != tree.nodes.size())
      return "\"nodes\" and \"heads\" differ";
    if (named && !tree.heads.empty()) return "numbers in \"heads\" beside \"nodes\"";
    if (tree.rank > 0 && (!has_score_ || (tree.heads.empty() && !named)))
      return "no \"score\" or no \"heads\"";
    if (tree.rank == 0 && tree.error.empty()) return "rank 0 without \"error\"";
    if (tree.rank == 0 && !(tree.heads.empty() && tree.nodes.empty()))
      return "rank 0 with \"heads\"";
    return {};
  }

 private:
  bool wanted(std::string_view name) override {
    return name == "id" || name == "rank" || name == "score" || name == "gap" || name == "heads" ||
           name == "labels" || name == "edges" || name == "error" || name == "nodes" ||
           name == "bound";
  }
  bool integer_value(std::int64_t value) override {
    if (field() == "rank" && depth() == 0) {
      if (value < 0) return fail(fmt::format("rank {}", value));
      tree_->rank = value;
    } else if ((field() == "heads" || field() == "edges") && depth() == 1) {
      if (value < 0 || value >= kMaxNodes) return fail(fmt::format("{} in \"{}\"", value, field()));
      auto& list = field() == "heads" ? tree_->heads : tree_->edges;
      if (full(list.size())) return false;
      list.push_back(static_cast<Node>(value));
    } else {
      return float_value(static_cast<double>(value));
    }
    return true;
  }
  bool float_value(double value) override {
    if (depth() == 0 && field() == "bound") {
      tree_->bound = value;
      return true;
    }
    if (depth() != 0 || (field() != "score" && field() != "gap")) return fail_type("a number");
    has_score_ |= field() == "score";
    (field() == "score" ? tree_->score : tree_->gap) = value;
    return true;
  }
  bool string_value(std::string& value) override {
    if (field() == "labels" && depth() == 1) {
      if (full(tree_->labels.size())) return false;
      tree_->labels.push_back(std::move(value));
    } else if (field() == "nodes" && depth() == 1) {
      if (full(tree_->nodes.size())) return false;
      tree_->nodes.push_back(std::move(value));
    } else if (field() == "heads" && depth() == 1) {
      if (full(tree_->head_names.size())) return false;
      tree_->head_names.push_back(std::move(value));
    } else if ((field() == "id" || field() == "error") && depth() == 0) {
      (field() == "id" ? tree_->id : tree_->error) = std::move(value);
    } else {
      return fail_type("a string");
    }
    return true;
  }

  // The root, where any node may be it.
  bool null_value() override {
    if (depth() != 1 || (field() != "heads" && field() != "edges")) return fail_type("null");
    if (full(std::max(tree_->head_names.size(), tree_->edges.size()))) return false;
    if (field() == "heads")
      tree_->head_names.emplace_back();
    else
      tree_->edges.push_back(kNoEdge);
    return true;
  }

  // A list has as many elements as it may have: fails. A tree of a file has one edge for each word,
  // and no more words than its graph may have edges.
  bool full(std::size_t size) {
    if (std::cmp_less(size, limits_.max_edges)) return false;
    fail(fmt::format("more than {} elements in \"{}\"", limits_.max_edges, field()));
    return true;
  }

  Limits limits_;
  WrittenTree* tree_ = nullptr;
  bool has_score_ = false;
};

}  // namespace

class TreeReader::Impl {
 public:
  Impl(std::unique_ptr<ByteSource> source, std::string name, const Limits& limits)
      : name_(std::move(name)), lines_(std::move(source), limits.max_line_bytes), events_(limits) {}

  bool next(WrittenTree& tree) {
    do {
      if (!lines_.next(line_)) return false;
    } while (line_.empty() && !lines_.too_long());
    const std::string error = lines_.too_long() ? "too long" : events_.read(line_, tree);
    if (!error.empty()) {
      throw FormatError(fmt::format("{}: line {}: {}", name_, lines_.number(), error));
    }
    return true;
  }

  std::int64_t line() const { return lines_.number(); }

 private:
  std::string name_;
  LineReader lines_;
  std::string line_;
  TreeEvents events_;
};

TreeReader::TreeReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TreeReader::TreeReader(const std::string& path, const Limits& limits)
    : impl_(std::make_unique<Impl>(open_file(path), path, limits)) {}
TreeReader TreeReader::from_bytes(std::string_view bytes, const std::string& name,
                                  const Limits& limits) {
  return TreeReader(std::make_unique<Impl>(open_memory(bytes), name, limits));
}
TreeReader::TreeReader(TreeReader&&) noexcept = default;
TreeReader::~TreeReader() = default;

bool TreeReader::next(WrittenTree& tree) { return impl_->next(tree); }
std::int64_t TreeReader::line() const { return impl_->line(); }

}  // namespace coppice::io
