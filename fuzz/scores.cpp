// Score files as they come: .npy, JSON lines, edge lists, GraphML, DOT, archives.
#include "check.hpp"
#include "reading.hpp"
#include "target.hpp"

namespace coppice::fuzz::scores_target {

void run(Bytes bytes) {
  const std::string_view text = bytes.text();
  read_scores([&] { return io::open_bytes(text, "fuzzed", {.limits = kLimits}); });
  // As graphs with names, whatever the names are.
  io::GraphOptions graph{.any_root = true, .forbidden = {{"a", "b"}}, .max_weight = 1e6};
  read_scores([&] { return io::open_bytes(text, "fuzzed", {.limits = kLimits, .graph = graph}); });
}

}  // namespace coppice::fuzz::scores_target
