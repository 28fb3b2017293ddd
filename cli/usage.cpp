#include "usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "describe.hpp"
#include "errors.hpp"

namespace coppice::cli {
namespace {

// Letters changed, left out, added, and neighbours swapped, on the way from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
}

std::string unknown_command(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return fmt::format("there is no command '{}'{} (coppice help)", name, suggestion(name, names));
}

std::string unknown_option(const CLI::App& app, const CLI::App& command, std::string_view typed) {
  const std::string name(typed.substr(0, typed.find('=')));
  std::string text = fmt::format("{} has no option {}", command.get_name(), name);
  const std::vector<std::string> own = option_names(command);
  if (const std::string meant = suggestion(name, own); !meant.empty()) return text + meant;
  std::vector<std::string> others;
  for (const CLI::App* other : commands_of(app)) {
    const auto names = option_names(*other);
    if (std::find(names.begin(), names.end(), name) != names.end())
      others.push_back(other->get_name());
  }
  return others.empty() ? text : fmt::format("{}; it is one of {}", text, fmt::join(others, ", "));
}

// In our words where the parser of the command line is curt: all values that it converts are
// numbers.
std::string fault_of(const CLI::App& command, const CLI::ParseError& error) {
  std::string text = error.what();
  constexpr std::string_view kConvert = "Could not convert: ", kIs = " = ";
  const std::size_t is = text.find(kIs);
  if (!text.starts_with(kConvert) || is == std::string::npos) return text;
  const std::string name = text.substr(kConvert.size(), is - kConvert.size());
  const CLI::Option* option = command.get_option_no_throw(name);
  const bool whole = option != nullptr &&
                     (option->get_type_name() == "COUNT" || option->get_type_name() == "RANK");
  return fmt::format("{}: '{}' is no {}", name, text.substr(is + kIs.size()),
                     whole ? "whole number" : "number");
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 64, kLeastBeginning = 3;
  if (word.size() > kLongest) return {};
  std::string found;
  std::size_t least = 1 + std::max<std::size_t>(1, word.size() / 3);
  for (const std::string& candidate : candidates) {
    const std::size_t steps = distance(word, candidate);
    if (steps >= least) continue;
    least = steps;
    found = candidate;
  }
  if (!found.empty() || word.size() < kLeastBeginning) return found;
  for (const std::string& candidate : candidates)
    if (candidate.starts_with(word)) return candidate;
  return {};
}

const CLI::App& command_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : commands_of(app))
    if (command->get_name() == name) return *command;
  throw UsageError(unknown_command(app, name));
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const auto parsed = app.get_subcommands();
  const std::vector<std::string> unplaced = app.remaining();
  if (parsed.empty()) {
    if (unplaced.empty()) return fmt::format("{} (coppice help)", error.what());
    if (!unplaced.front().starts_with('-')) return unknown_command(app, unplaced.front());
    return unknown_option(app, app, unplaced.front()) + " (coppice help)";
  }
  const CLI::App& command = *parsed.front();
  std::string text = fault_of(command, error);
  if (!unplaced.empty())
    text = fmt::format("{} stands before the command: options come after it", unplaced.front());
  const std::vector<std::string> unknown = command.remaining();
  const auto option = std::find_if(unknown.begin(), unknown.end(),
                                   [](const std::string& word) { return word.starts_with('-'); });
  if (option != unknown.end()) text = unknown_option(app, command, *option);
  return fmt::format("{} (coppice help {})", text, command.get_name());
}

}  // namespace coppice::cli
