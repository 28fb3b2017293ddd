#include "violations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <coppice/verify.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "errors.hpp"
#include "progress.hpp"
#include "text/utf8.hpp"

namespace coppice::cli {
namespace {

struct Row {
  std::string name;
  std::int64_t sentences = 0;
  std::vector<std::int64_t> trees, violations;  // for every K

  double rate(std::size_t i) const {
    return trees[i] == 0 ? 0.0 : static_cast<double>(violations[i]) / static_cast<double>(trees[i]);
  }
};

Row measure(const ViolationsCommand& command, const std::string& path, std::ostream& log) {
  InputOptions input_options = command.input;
  input_options.paths = {path};
  Input input(input_options);
  DecodingOptions decoding = command.decoding;
  decoding.problem.root = RootRule::any;
  decoding.request.k = *std::max_element(command.ks.begin(), command.ks.end());
  Row row{path == "-" ? path : std::filesystem::path(path).filename().string(), 0,
          std::vector<std::int64_t>(command.ks.size()),
          std::vector<std::int64_t>(command.ks.size())};
  Progress progress(input.total());
  Totals totals;
  decode_all(input, decoding, log, totals,
             {.handle =
                  [&](const Decoded& decoded) {
                    std::int64_t broken_rule = 0;
                    for (std::size_t rank = 0; rank < decoded.trees.size(); ++rank) {
                      broken_rule += obeys(decoded.trees.heads(rank), RootRule::single) ? 0 : 1;
                      for (std::size_t i = 0; i < command.ks.size(); ++i) {
                        const auto listed =
                            std::min(command.ks[i], std::int64_t(decoded.trees.size()));
                        if (listed != static_cast<std::int64_t>(rank) + 1) continue;
                        row.trees[i] += listed;
                        row.violations[i] += broken_rule;
                      }
                    }
                  },
              .end_of_batch = [&] { progress.update(totals.sentences); }});
  row.sentences = totals.sentences - totals.broken;
  return row;
}

void print_json(const ViolationsCommand& command, const std::vector<Row>& rows, std::ostream& out) {
  for (const Row& row : rows) {
    nlohmann::ordered_json json = {{"input", row.name}, {"sentences", row.sentences}};
    for (std::size_t i = 0; i < command.ks.size(); ++i) {
      json["k"].push_back({{"k", command.ks[i]},
                           {"trees", row.trees[i]},
                           {"violations", row.violations[i]},
                           {"rate", row.rate(i)}});
    }
    out << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }
}

void print_table(const ViolationsCommand& command, const std::vector<Row>& rows,
                 std::ostream& out) {
  std::size_t width = 5;
  for (const Row& row : rows)
    width = std::max(width, text::display_width(text::printable(row.name)));
  out << fmt::format("{:<{}}  sentences", "input", width);
  for (const std::int64_t k : command.ks) out << fmt::format("{:>9}", fmt::format("K={}", k));
  out << '\n';
  for (const Row& row : rows) {
    const std::string name = text::printable(row.name);
    out << name << std::string(width - text::display_width(name), ' ')
        << fmt::format("  {:>9}", row.sentences);
    for (std::size_t i = 0; i < command.ks.size(); ++i) {
      out << fmt::format("{:>7.2f} %", 100 * row.rate(i));
    }
    out << '\n';
  }
}

}  // namespace

int violations(const ViolationsCommand& command, std::ostream& out, std::ostream& log) {
  if (command.ks.empty() || *std::min_element(command.ks.begin(), command.ks.end()) < 1) {
    throw UsageError("-k: numbers from 1 expected");
  }
  std::vector<Row> rows;
  for (const std::string& path : command.input.paths) rows.push_back(measure(command, path, log));
  command.json ? print_json(command, rows, out) : print_table(command, rows, out);
  return kOk;
}

}  // namespace coppice::cli
