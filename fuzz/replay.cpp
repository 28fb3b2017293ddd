// Runs a fuzz target on every file of the folders given: what libFuzzer's main does with a corpus,
// for compilers that have no libFuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  // A target that fails ends the program: the last name printed is the culprit.
  std::printf("%s (%zu bytes)\n", path.filename().c_str(), bytes.size());
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int count, char** arguments) {
  std::size_t files = 0;
  for (int i = 1; i < count; ++i) {
    std::set<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i]))
      paths.insert(entry.path());
    for (const auto& path : paths) replay(path);
    files += paths.size();
  }
  std::printf("%zu inputs\n", files);
  return files > 0 ? 0 : 1;
}
