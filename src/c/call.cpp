#include "c/call.hpp"

#include <algorithm>
#include <coppice/rules.hpp>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "c/wall.hpp"
#include "graph/phrases.hpp"

namespace coppice::c {
namespace {

// The caller's options as this version knows them. Those of a later version may be longer: what is
// not known must not be asked for.
coppice_options known_options(const coppice_options& given) {
  coppice_options known = {};
  const std::size_t size = given.size;
  if (size < sizeof known)
    reject("options.size is " + std::to_string(size) + ", must be sizeof(coppice_options), " +
           std::to_string(sizeof known));
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  if (std::any_of(bytes + sizeof known, bytes + size, [](unsigned char byte) { return byte != 0; }))
    reject("options has members set that version " + std::string(coppice_version()) +
           " does not know");
  std::memcpy(&known, bytes, sizeof known);
  if (known.reserved != 0) reject("options.reserved is not 0");
  return known;
}

RootRule root_rule(std::int32_t root) {
  if (root == COPPICE_ROOT_ANY) return RootRule::any;
  if (root == COPPICE_ROOT_SINGLE) return RootRule::single;
  reject("options.root is " + std::to_string(root) +
         ", must be COPPICE_ROOT_ANY or COPPICE_ROOT_SINGLE");
}

Objective objective(std::int32_t chosen) {
  if (chosen == COPPICE_MAXIMIZE) return Objective::maximize;
  if (chosen == COPPICE_MINIMIZE) return Objective::minimize;
  reject("options.objective is " + std::to_string(chosen) +
         ", must be COPPICE_MAXIMIZE or COPPICE_MINIMIZE");
}

std::vector<Arc> arcs(const char* name, const coppice_arc* data, std::size_t count) {
  std::vector<Arc> result;
  for (const coppice_arc& arc : array(name, data, count))
    result.push_back({arc.head, arc.dependent});
  return result;
}

std::vector<EdgeId> edges(const char* name, const std::int32_t* data, std::size_t count) {
  const auto given = array(name, data, count);
  return {given.begin(), given.end()};
}

std::vector<Rule> parsed_rules(const char* const* texts, std::size_t count) {
  std::vector<Rule> result;
  for (const char* const& text : array("options.rules", texts, count))
    result.push_back(rules::parse(&given("a text of options.rules", text)));
  return result;
}

// Nobody waits for longer than clocks can count.
double checked_seconds(double seconds) {
  constexpr double kForever = 1e9;
  if (!(seconds >= 0.0))
    reject("options.seconds is " + shortest(seconds) + ", must not be negative");
  return std::min(seconds, kForever);
}

}  // namespace

Call read(const coppice_options* given_options) {
  const coppice_options options = known_options(given("options", given_options));
  Call call{
      .problem = {.root = root_rule(options.root),
                  .objective = objective(options.objective),
                  .required = arcs("options.required", options.required, options.required_count),
                  .forbidden =
                      arcs("options.forbidden", options.forbidden, options.forbidden_count),
                  .required_edges = edges("options.required_edges", options.required_edges,
                                          options.required_edges_count),
                  .forbidden_edges = edges("options.forbidden_edges", options.forbidden_edges,
                                           options.forbidden_edges_count),
                  .rules = parsed_rules(options.rules, options.rules_count)},
      .request = {},
      .patience = {options.stop, options.stop_data, checked_seconds(options.seconds)}};
  if (options.k != 0) call.request.k = options.k;
  if (options.limit_gap != 0) call.request.max_gap = options.max_gap;
  return call;
}

}  // namespace coppice::c
