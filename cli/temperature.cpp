#include "temperature.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "errors.hpp"
#include "settings.hpp"
#include "text/numbers.hpp"

namespace coppice::cli {
namespace {

double checked(double value, const std::string& where) {
  if (is_temperature(value)) return value;
  throw UsageError(fmt::format("--temperature {}: {} is not {}", where, value, kTemperatures));
}

Temperature read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw UsageError(fmt::format("--temperature {}: neither a number nor a file", path));
  const auto json = read_settings("--temperature", path);
  const auto number = [&](const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number())
      throw UsageError(fmt::format("--temperature {}: has no number \"{}\"", path, name));
    return checked(found->get<double>(), path);
  };
  return {number("arcs"), number("labels")};
}

// The weights of the first so many edges as float64, divided.
std::vector<double> divided(const Multigraph& graph, EdgeId edges, double by) {
  std::vector<double> weights;
  for (EdgeId edge = 0; edge < edges; ++edge) weights.push_back(graph.weight(edge) / by);
  return weights;
}

Multigraph divided(const Multigraph& graph, double by) {
  return Multigraph::from_edges(graph.nodes(), graph.sources(), graph.targets(),
                                divided(graph, graph.edges(), by));
}

UndirectedGraph divided(const UndirectedGraph& graph, double by) {
  const auto edges = static_cast<std::size_t>(graph.edges());
  return UndirectedGraph::from_edges(graph.nodes(), graph.arcs().sources().first(edges),
                                     graph.arcs().targets().first(edges),
                                     divided(graph.arcs(), graph.edges(), by));
}

void divide(io::Matrix& matrix, double by) {
  std::visit(
      [&](auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_floating_point_v<Value>) {
          for (Value& value : values) value = static_cast<Value>(value / by);
        } else {
          std::vector<double> quotients;
          for (const Value value : values) quotients.push_back(static_cast<double>(value) / by);
          matrix.values = std::move(quotients);
        }
      },
      matrix.values);
}

}  // namespace

Temperature parse_temperature(const std::string& text) {
  const auto number = text::parse_number<double>(text);
  if (!number) return read_file(text);
  return {checked(*number, text), checked(*number, text)};
}

void temper(io::Sentence& sentence, const Temperature& temperature) {
  if (temperature.arcs == 1.0) return;
  if (auto* matrix = std::get_if<io::Matrix>(&sentence.scores)) divide(*matrix, temperature.arcs);
  if (auto* graph = std::get_if<Multigraph>(&sentence.scores))
    *graph = divided(*graph, temperature.arcs);
  if (auto* graph = std::get_if<UndirectedGraph>(&sentence.scores))
    *graph = divided(*graph, temperature.arcs);
}

}  // namespace coppice::cli
