#include <charconv>
#include <coppice/error.hpp>
#include <coppice/rules.hpp>
#include <string>

namespace coppice::rules {
namespace {

class RuleText {
 public:
  explicit RuleText(std::string_view text) : text_(text), rest_(text) {}

  // Takes "name" or "name=" off the front.
  bool starts_with(std::string_view name) {
    if (!rest_.starts_with(name)) return false;
    rest_.remove_prefix(name.size());
    return true;
  }
  bool done() const { return rest_.empty(); }

  std::int32_t number() {
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  std::vector<std::string> labels() {
    std::vector<std::string> labels;
    while (true) {
      const std::size_t comma = rest_.find(',');
      labels.emplace_back(rest_.substr(0, comma));
      if (labels.back().empty()) fail();
      if (comma == std::string_view::npos) break;
      rest_.remove_prefix(comma + 1);
    }
    rest_ = {};
    return labels;
  }
  [[noreturn]] void fail() const {
    throw Error(ErrorCode::bad_argument,
                "rule " + std::string(text_) + ": expected is one of " + std::string(kNames));
  }

 private:
  std::string_view text_;
  std::string_view rest_;
};

Rule rule_of(RuleText& text) {
  if (text.starts_with("projective")) return projective();
  if (text.starts_with("ud")) return ud();
  if (text.starts_with("max-children=")) return max_children(text.number());
  if (text.starts_with("max-depth=")) return max_depth(text.number());
  if (text.starts_with("leaves=")) return leaves(text.labels());
  if (!text.starts_with("at-most=")) text.fail();
  const std::int32_t n = text.number();
  if (!text.starts_with(":")) text.fail();
  return at_most(n, text.labels());
}

}  // namespace

Rule parse(std::string_view text) {
  RuleText rest(text);
  Rule rule = rule_of(rest);
  if (!rest.done()) rest.fail();
  return rule;
}

}  // namespace coppice::rules
