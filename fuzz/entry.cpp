// Where libFuzzer, or what replays a corpus, calls a target: that which the program is named after.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "check.hpp"
#include "target.hpp"

namespace {

using Run = void (*)(coppice::fuzz::Bytes);

// Each by the name of its corpus; files of scores come as several.
Run target_of(std::string_view name) {
  using namespace coppice::fuzz;
  static const std::map<std::string_view, Run> targets{
      {"c", c_target::run},
      {"commands", commands_target::run},
      {"conllu", conllu_target::run},
      {"distribution", distribution_target::run},
      {"dot", scores_target::run},
      {"edge_list", scores_target::run},
      {"engines", engines_target::run},
      {"graphml", scores_target::run},
      {"hostile", hostile_target::run},
      {"json_lines", scores_target::run},
      {"labelled", labelled_target::run},
      {"labels", labels_target::run},
      {"names", names_target::run},
      {"npy", scores_target::run},
      {"npz", npz_target::run},
      {"options", options_target::run},
      {"rules", rules_target::run},
      {"trees", trees_target::run},
      {"wasm", wasm_target::run},
  };
  const auto found = targets.find(name);
  return found == targets.end() ? nullptr : found->second;
}

Run target = nullptr;

}  // namespace

// The program is called fuzz_TARGET, by a link.
extern "C" int LLVMFuzzerInitialize(const int*, char*** arguments) {
  std::string_view name = (*arguments)[0];
  name.remove_prefix(name.find_last_of('/') + 1);
  if (name.substr(0, 5) == "fuzz_") name.remove_prefix(5);
  target = target_of(name);
  if (target == nullptr) {
    std::fprintf(stderr, "%s is no fuzz target\n", std::string(name).c_str());
    std::exit(2);
  }
  coppice::fuzz::use_checks();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target({data, size});
  return 0;
}
