// Where libFuzzer, or what replays a corpus, calls a target.
#include "check.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  coppice::fuzz::use_checks();
  coppice::fuzz::run({data, size});
  return 0;
}
