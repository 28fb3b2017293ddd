#include "rules.hpp"

#include <fmt/format.h>

#include <string_view>

#include "errors.hpp"

namespace coppice::cli {

void check_labels(const std::vector<Rule>& rules, const io::Sentence& sentence) {
  if (!std::holds_alternative<io::Matrix>(sentence.scores)) return;
  for (const Rule& rule : rules)
    for (const std::string_view needy : {"at-most=", "leaves=", "ud"})
      if (rule.name().starts_with(needy))
        throw UsageError(fmt::format("--rule {} needs the label scores of --labels", rule.name()));
}

}  // namespace coppice::cli
