// Trees in jsonl, as decode writes them and verify reads them.
#include "check.hpp"
#include "reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  fuzz::use_checks();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz::error_of<io::FormatError>([&] {
    auto reader = io::TreeReader::from_bytes(bytes, "fuzzed", fuzz::kLimits);
    io::WrittenTree tree;
    for (std::int64_t line = 0; reader.next(tree); line = reader.line()) {
      EXPECT_GT(reader.line(), line);
      EXPECT_GE(tree.rank, 0);
      EXPECT_EQ(tree.rank == 0, tree.heads.empty());
      for (const Node head : tree.heads) EXPECT_GE(head, 0);
    }
  });
  return 0;
}
