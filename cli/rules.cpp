#include "rules.hpp"

#include <fmt/format.h>

#include <charconv>
#include <coppice/rules.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "errors.hpp"

namespace coppice::cli {
namespace {

class RuleText {
 public:
  explicit RuleText(const std::string& text) : text_(text), rest_(text) {}

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
    throw UsageError(fmt::format("--rule {}: expected is one of {}", text_, kRuleNames));
  }

 private:
  const std::string& text_;
  std::string_view rest_;
};

Rule parse(RuleText& text) {
  if (text.starts_with("projective")) return rules::projective();
  if (text.starts_with("ud")) return rules::ud();
  if (text.starts_with("max-children=")) return rules::max_children(text.number());
  if (text.starts_with("max-depth=")) return rules::max_depth(text.number());
  if (text.starts_with("leaves=")) return rules::leaves(text.labels());
  if (!text.starts_with("at-most=")) text.fail();
  const std::int32_t n = text.number();
  if (!text.starts_with(":")) text.fail();
  return rules::at_most(n, text.labels());
}

}  // namespace

void check_labels(const std::vector<Rule>& rules, const io::Sentence& sentence) {
  if (!std::holds_alternative<io::Matrix>(sentence.scores)) return;
  for (const Rule& rule : rules)
    for (const std::string_view needy : {"at-most=", "leaves=", "ud"})
      if (rule.name().starts_with(needy))
        throw UsageError(fmt::format("--rule {} needs the label scores of --labels", rule.name()));
}

Rule parse_rule(const std::string& text) {
  RuleText rest(text);
  try {
    Rule rule = parse(rest);
    if (!rest.done()) rest.fail();
    return rule;
  } catch (const std::invalid_argument& problem) {
    throw UsageError(problem.what());
  }
}

}  // namespace coppice::cli
