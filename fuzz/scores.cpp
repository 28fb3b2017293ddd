// Score files as they come: .npy, JSON lines, edge lists, GraphML, DOT, archives.
#include "check.hpp"
#include "reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  fuzz::use_checks();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz::read_scores([&] { return io::open_bytes(bytes, "fuzzed", {.limits = fuzz::kLimits}); });
  // As graphs with names, whatever the names are.
  io::GraphOptions graph{.any_root = true, .forbidden = {{"a", "b"}}, .max_weight = 1e6};
  fuzz::read_scores(
      [&] { return io::open_bytes(bytes, "fuzzed", {.limits = fuzz::kLimits, .graph = graph}); });
  return 0;
}
