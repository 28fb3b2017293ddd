// GraphML: nodes and edges with attributes, any number of graphs in a file.
#include <expat.h>
#include <fmt/format.h>

#include <coppice/io.hpp>
#include <exception>
#include <map>
#include <utility>

#include "io/graph_builder.hpp"
#include "io/names.hpp"
#include "io/table.hpp"
#include "io/text_readers.hpp"

namespace coppice::io {
namespace {

struct FreeParser {
  void operator()(XML_ParserStruct* parser) const { XML_ParserFree(parser); }
};

// "ns|graph" or "graph": namespaces are not looked at.
std::string_view local_name(const char* name) {
  const std::string_view whole(name);
  return whole.substr(whole.find_last_of(':') + 1);
}

std::string attribute(const char** attributes, std::string_view name) {
  for (; *attributes != nullptr; attributes += 2)
    if (local_name(*attributes) == name) return attributes[1];
  return {};
}

class GraphmlReader : public Reader {
 public:
  GraphmlReader(std::unique_ptr<ByteSource> source, std::string name, const ReadOptions& options)
      : source_(std::move(source)),
        name_(std::move(name)),
        options_(options.graph),
        limits_(options.limits),
        builder_(options_, options.limits),
        parser_(XML_ParserCreate(nullptr)),
        buffer_(1 << 16) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const char* element, const char** attributes) {
          static_cast<GraphmlReader*>(self)->guarded(
              [&](GraphmlReader& reader) { reader.begin(local_name(element), attributes); });
        },
        [](void* self, const char* element) {
          static_cast<GraphmlReader*>(self)->guarded(
              [&](GraphmlReader& reader) { reader.end(local_name(element)); });
        });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* text, int size) {
      static_cast<GraphmlReader*>(self)->guarded([&](GraphmlReader& reader) {
        reader.last_event_ = reader.fed_;
        if (reader.in_data_) reader.text_.append(text, static_cast<std::size_t>(size));
      });
    });
    // Entities of one's own are what such files are attacked with.
    XML_SetStartDoctypeDeclHandler(
        parser_.get(), [](void* self, const char*, const char*, const char*, int) {
          static_cast<GraphmlReader*>(self)->guarded(
              [](GraphmlReader& reader) { reader.refuse("a document type of its own"); });
        });
  }

  bool skip() override {
    Sentence passed;
    return next(passed);
  }

  bool next(Sentence& sentence) override {
    sentence.clear();
    builder_.clear();
    error_.clear();
    if (!read_to_end_of_graph()) return false;
    sentence.index = index_++;
    sentence.error = error_;
    builder_.set_id(id_, sentence);
    if (sentence.error.empty()) builder_.build(sentence);
    return true;
  }

 private:
  // Exceptions must not pass through the parser, which is written in C.
  template <class Function>
  void guarded(const Function& function) {
    if (thrown_) return;
    try {
      function(*this);
    } catch (...) {
      thrown_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw FormatError(
        fmt::format("{}: line {}: {}", name_, XML_GetCurrentLineNumber(parser_.get()), what));
  }

  // True at the end of a graph, false at the end of the file.
  bool read_to_end_of_graph() {
    ended_graph_ = false;
    while (!ended_graph_) {
      XML_Status status = XML_STATUS_OK;
      XML_ParsingStatus state;
      XML_GetParsingStatus(parser_.get(), &state);
      if (state.parsing == XML_FINISHED) return false;
      if (state.parsing == XML_SUSPENDED) {
        status = XML_ResumeParser(parser_.get());
      } else {
        const std::size_t size = source_->read(buffer_.data(), buffer_.size());
        fed_ += static_cast<std::int64_t>(size);
        if (fed_ - last_event_ > limits_.max_line_bytes + static_cast<std::int64_t>(buffer_.size()))
          refuse(fmt::format("a tag of more than {} bytes", limits_.max_line_bytes));
        status = XML_Parse(parser_.get(), buffer_.data(), static_cast<int>(size), size == 0);
      }
      if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
      if (status == XML_STATUS_ERROR)
        refuse(fmt::format("not XML: {}", XML_ErrorString(XML_GetErrorCode(parser_.get()))));
    }
    return true;
  }

  void begin(std::string_view element, const char** attributes) {
    last_event_ = fed_;
    if (++depth_ > kDeepest) refuse("elements nested too deeply");
    if (depth_ == 1 && element != "graphml") refuse(fmt::format("<{}>, not <graphml>", element));
    if (element == "key") {
      const std::string id = attribute(attributes, "id");
      const std::string name = attribute(attributes, "attr.name");
      if (keys_.size() >= kMostKeys) refuse("too many keys");
      if (std::string what = check_length("the name of a key", name, limits_); !what.empty())
        refuse(what);
      key_ = id;
      keys_[id] = name.empty() ? id : name;
    } else if (element == "graph") {
      begin_graph(attributes);
    } else if (element == "node" || element == "edge") {
      attributes_.clear();
      id_of_node_ = attribute(attributes, "id");
      directed_ = attribute(attributes, "directed");
      ends_ = {attribute(attributes, "source"), attribute(attributes, "target")};
    } else if (element == "data" || element == "default") {
      if (element == "data") key_ = attribute(attributes, "key");
      in_data_ = true;
      text_.clear();
    }
  }

  void begin_graph(const char** attributes) {
    if (in_graph_) refuse("a graph within a graph");
    in_graph_ = true;
    id_ = attribute(attributes, "id");
    names_.clear();
    called_.clear();
    if (attribute(attributes, "edgedefault") == "undirected") builder_.be_undirected();
  }

  void end(std::string_view element) {
    last_event_ = fed_;
    --depth_;
    if (element == "data" || element == "default") {
      in_data_ = false;
      if (text_.size() > static_cast<std::size_t>(limits_.max_line_bytes)) refuse("too much text");
      const auto known = keys_.find(key_);
      keep(known == keys_.end() ? key_ : known->second, element == "default");
    } else if (element == "node" && in_graph_) {
      end_node();
    } else if (element == "edge" && in_graph_) {
      end_edge();
    } else if (element == "graph") {
      in_graph_ = false;
      ended_graph_ = true;
      XML_StopParser(parser_.get(), XML_TRUE);
    }
  }

  // Of all the attributes that a file may have only a few matter.
  void keep(const std::string& name, bool is_default) {
    if (name != "name" && !holds_weight_or_label(name, options_.columns)) return;
    Attributes& attributes = is_default ? defaults_ : attributes_;
    if (attributes.size() >= kMostAttributes) refuse("too many attributes");
    attributes.emplace_back(name, text_);
  }

  // A node is called by its attribute "name", where it has one, and by its id otherwise.
  void end_node() {
    if (!error_.empty()) return;
    for (const auto& [name, value] : attributes_)
      if (name == "name" && !value.empty()) names_.emplace(id_of_node_, value);
    const std::string& name = name_of(id_of_node_);
    if (const auto [found, is_new] = called_.emplace(name, id_of_node_);
        !is_new && found->second != id_of_node_)
      return fail(fmt::format("nodes '{}' and '{}' have the same name, '{}'", found->second,
                              id_of_node_, name));
    fail(builder_.add_node(name));
  }

  const std::string& name_of(const std::string& id) const {
    const auto found = names_.find(id);
    return found == names_.end() ? id : found->second;
  }

  void end_edge() {
    if (!error_.empty()) return;
    attributes_.insert(attributes_.end(), defaults_.begin(), defaults_.end());
    const std::string& source = name_of(ends_.first);
    const std::string& target = name_of(ends_.second);
    if (!options_.undirected && directed_ == (builder_.is_undirected() ? "true" : "false"))
      return fail(fmt::format("the edge '{}' - '{}' has directed=\"{}\", unlike its graph", source,
                              target, directed_));
    const auto text = weight_of(attributes_, options_.columns);
    if (!text) return fail(fmt::format("the edge '{}' -> '{}' has no weight", source, target));
    Weight weight;
    if (std::string what = Weight::parse(*text, weight); !what.empty()) return fail(what);
    fail(builder_.add_edge(source, target, weight, label_of(attributes_, options_.columns)));
  }

  // The graph is broken, the file is not.
  void fail(const std::string& what) {
    if (what.empty() || !error_.empty()) return;
    error_ = fmt::format("line {}: {}", XML_GetCurrentLineNumber(parser_.get()), what);
  }

  static constexpr int kDeepest = 64;
  static constexpr std::size_t kMostKeys = 10'000, kMostAttributes = 64;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  GraphOptions options_;
  Limits limits_;
  GraphBuilder builder_;
  std::unique_ptr<XML_ParserStruct, FreeParser> parser_;
  std::vector<char> buffer_;
  std::int64_t fed_ = 0, last_event_ = 0;  // bytes given to the parser; when it last answered
  std::exception_ptr thrown_;
  int depth_ = 0;
  bool in_graph_ = false, ended_graph_ = false, in_data_ = false;
  std::map<std::string, std::string> keys_;              // names by ids
  std::unordered_map<std::string, std::string> names_;   // of nodes, where it is not the id
  std::unordered_map<std::string, std::string> called_;  // the id of the node of this name
  std::string key_, text_, id_, id_of_node_, directed_, error_;
  std::pair<std::string, std::string> ends_;
  Attributes attributes_, defaults_;
  std::int64_t index_ = 0;
};

}  // namespace

std::unique_ptr<Reader> open_graphml(std::unique_ptr<ByteSource> source, const std::string& name,
                                     const ReadOptions& options) {
  return std::make_unique<GraphmlReader>(std::move(source), name, options);
}

}  // namespace coppice::io
