// Runs a fuzz target without a fuzzer: fuzz_TARGET FOLDER [RANDOM-INPUTS [SEED]]
//
// First on every file of the folder, which is what libFuzzer's main does with a corpus; then on so
// many random inputs. Those find no way through a parser, but any bytes make a graph.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>

extern "C" int LLVMFuzzerInitialize(const int* count, char*** arguments);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// A target that fails ends the program: the last input named is the culprit.
void run(const std::string& name, const std::string& bytes) {
  std::printf("%s (%zu bytes)\n", name.c_str(), bytes.size());
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::size_t replay(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.insert(entry.path());
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    run(path.filename(), {std::istreambuf_iterator<char>(file), {}});
  }
  return paths.size();
}

// Bytes of which a few values come again and again, as ties ask for, behind a few of any value.
std::string random_bytes(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t palette_size = std::size_t{1} << (1 + random() % 8);
  std::string palette;
  while (palette.size() < palette_size) palette += static_cast<char>(random());
  std::string bytes;
  while (bytes.size() < 4) bytes += static_cast<char>(random());
  const std::size_t size = 4 + random() % 120;
  while (bytes.size() < size) bytes += palette[random() % palette_size];
  return bytes;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  LLVMFuzzerInitialize(&count, &arguments);
  const std::size_t files = replay(arguments[1]);
  const std::uint64_t random = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0;
  const std::uint64_t first = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
  for (std::uint64_t seed = first; seed < first + random; ++seed)
    run("random input " + std::to_string(seed), random_bytes(seed));
  std::printf("%zu files, %llu random inputs\n", files, static_cast<unsigned long long>(random));
  return files > 0 ? 0 : 1;
}
