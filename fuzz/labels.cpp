// Label scores: archives of lp, id and names.
#include "archives.hpp"
#include "check.hpp"
#include "reading.hpp"
#include "target.hpp"

namespace coppice::fuzz::labels_target {
namespace {

void read(std::string_view archive, std::optional<std::int64_t> arcs, Bytes& bytes) {
  auto reader = io::LabelReader::from_bytes(archive, "fuzzed", arcs, kLimits);
  std::vector<float> scores;
  std::vector<std::int32_t> labels;
  for (int sentences = bytes.take(0, 7); sentences > 0; --sentences) {
    const auto nodes = bytes.take<std::int64_t>(2, 44);
    if (bytes.flag()) {
      reader.skip(nodes);
      continue;
    }
    reader.next(nodes, scores, labels);
    ASSERT_EQ(scores.size(), static_cast<std::size_t>(nodes * nodes * reader.per_arc()));
    ASSERT_EQ(labels.size(), scores.size());
    for (const std::int32_t label : labels) {
      EXPECT_GE(label, 0);
      EXPECT_LT(static_cast<std::size_t>(label), reader.names()->size());
    }
  }
  reader.finish();
}

}  // namespace

void run(Bytes bytes) {
  const auto kind = bytes.take<std::uint8_t>();
  std::optional<std::int64_t> arcs;
  if ((kind & 1) != 0) arcs = bytes.take<std::uint16_t>();
  if ((kind & 2) != 0) arcs = bytes.take<std::int64_t>() & (~std::uint64_t{0} >> 1);
  const std::string lp = some_array(bytes), id = some_array(bytes);
  const std::string archive =
      test::zip_archive({{"lp.npy", lp}, {"id.npy", id}, {"names.npy", some_array(bytes)}}, false);
  error_of<io::FormatError>([&] { read(archive, arcs, bytes); });
}

}  // namespace coppice::fuzz::labels_target
