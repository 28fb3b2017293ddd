// Archives of arrays: scores, lengths, heads.
#include "archives.hpp"
#include "check.hpp"
#include "reading.hpp"
#include "target.hpp"

namespace coppice::fuzz::npz_target {

void run(Bytes bytes) {
  const auto members = bytes.take<std::uint8_t>();
  std::vector<std::pair<std::string, std::string>> arrays;
  arrays.emplace_back((members & 4) != 0 ? "anything.npy" : "scores.npy", some_array(bytes));
  if ((members & 1) != 0) arrays.emplace_back("lengths.npy", some_array(bytes));
  if ((members & 2) != 0) arrays.emplace_back("heads.npy", some_array(bytes));
  std::string archive = test::zip_archive(arrays, (members & 8) != 0);
  // A damaged one: any byte, anywhere.
  if ((members & 16) != 0)
    archive[bytes.take<std::uint16_t>() % archive.size()] ^= bytes.take<char>();
  const auto axes = (members & 32) != 0 ? io::Axes::dependent_head : io::Axes::head_dependent;
  read_scores([&] { return io::open_bytes(archive, "fuzzed", {.axes = axes, .limits = kLimits}); });
}

}  // namespace coppice::fuzz::npz_target
