// Trees in jsonl, as decode writes them and verify reads them.
#include "check.hpp"
#include "io/tree_reader.hpp"
#include "reading.hpp"
#include "target.hpp"

namespace coppice::fuzz::trees_target {

void run(Bytes bytes) {
  const std::string_view text = bytes.text();
  error_of<io::FormatError>([&] {
    auto reader = io::TreeReader::from_bytes(text, "fuzzed", kLimits);
    io::WrittenTree tree;
    for (std::int64_t line = 0; reader.next(tree); line = reader.line()) {
      EXPECT_GT(reader.line(), line);
      EXPECT_GE(tree.rank, 0);
      EXPECT_EQ(tree.rank == 0, tree.heads.empty());
      for (const Node head : tree.heads) EXPECT_GE(head, 0);
    }
  });
}

}  // namespace coppice::fuzz::trees_target
