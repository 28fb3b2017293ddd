// The reader of archives: what zip allows, and what it refuses.
#include "io/zip.hpp"

#include <gtest/gtest.h>

#include <coppice/io.hpp>

#include "make_files.hpp"

namespace coppice::io {
namespace {

using test::deflated;
using test::little;
using test::zip_archive;

std::string whole(ByteSource& source, std::size_t block) {
  std::string all, part(block, '\0');
  while (const std::size_t got = source.read(part.data(), part.size())) all.append(part, 0, got);
  return all;
}

std::string member(const std::string& archive, const std::string& name, std::size_t block = 7) {
  return whole(*ZipArchive(random_access_to(archive), "test").open_member(name), block);
}

std::string error_of(const std::string& archive, const std::string& name = "a") {
  try {
    member(archive, name);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

// With these bytes in place of those that begin so far behind the last such signature.
std::string patched(std::string archive, std::string_view signature, std::size_t behind,
                    const std::string& bytes) {
  return archive.replace(archive.rfind(signature) + behind, bytes.size(), bytes);
}
constexpr std::string_view kHeader = "PK\x03\x04", kEntry = "PK\x01\x02", kEnd = "PK\x05\x06",
                           kEnd64 = "PK\x06\x06", kLocator = "PK\x06\x07";

const std::string kText = [] {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i * 7919 % 10'007);
  return text;
}();

TEST(Zip, MembersInAnyBlocks) {
  for (const bool compressed : {false, true})
    for (const bool zip64 : {false, true}) {
      const std::string archive =
          zip_archive({{"a", kText}, {"none", ""}, {"b", "short"}}, compressed, zip64);
      for (const std::size_t block : {1u, 1000u, 1u << 20}) {
        EXPECT_EQ(member(archive, "a", block), kText);
        EXPECT_EQ(member(archive, "none", block), "");
        EXPECT_EQ(member(archive, "b", block), "short");
      }
    }
}

TEST(Zip, SeveralMembersAtOnce) {
  const std::string bytes = zip_archive({{"a", kText}, {"b", kText + "b"}});
  const ZipArchive archive(random_access_to(bytes), "test");
  EXPECT_EQ(archive.members(), (std::vector<std::string>{"a", "b"}));
  const auto a = archive.open_member("a"), b = archive.open_member("b");
  std::string from_a(100, '\0'), from_b(50, '\0');
  for (std::size_t at = 0; at < 50'000;) {
    const std::size_t got = a->read(from_a.data(), from_a.size());
    ASSERT_EQ(from_a.substr(0, got), kText.substr(at, got));
    b->read(from_b.data(), from_b.size());
    at += got;
  }
}

TEST(Zip, CommentsAndFieldsOfOthersArePassedOver) {
  std::string archive = zip_archive({{"a", kText}});
  // A comment that looks like an end itself.
  const std::string comment = std::string(kEnd) + "comment";
  EXPECT_EQ(member(patched(archive, kEnd, 20, little(comment.size(), 2)) + comment, "a"), kText);
  // 65,535 members need no zip64; nor does a size of 0xFFFFFFFF that is nobody's.
  std::vector<std::pair<std::string, std::string>> many(0xFFFF, {"", ""});
  many[17].first = "a";
  archive = zip_archive(many, false);
  EXPECT_EQ(member(archive, "a"), "");
  const std::size_t end64 = archive.rfind(kEnd64);
  EXPECT_EQ(member(archive.erase(end64, 56 + 20), "a"), "");
}

TEST(Zip, WhatIsRefusedIsSaid) {
  const std::string archive = zip_archive({{"a", kText}});
  EXPECT_EQ(error_of(archive, "b"), "test: b: there is no such array");
  EXPECT_EQ(error_of(zip_archive({{"a", "1"}, {"a", "2"}})), "test: a: there are two of this name");
  EXPECT_EQ(error_of(patched(archive, kEntry, 8, little(1, 2))), "test: a: it is encrypted");
  EXPECT_EQ(error_of(patched(archive, kEntry, 10, little(12, 2))),
            "test: a: it is compressed by method 12; only stored and deflated arrays can be read");
  EXPECT_EQ(error_of(patched(archive, kEnd, 4, little(1, 2))),
            "test: not a readable archive: it is one of several volumes");
  EXPECT_EQ(error_of(archive + "?"),
            "test: not a readable archive: no directory at its end; is it whole?");
  EXPECT_EQ(error_of(""), "test: not a readable archive: no directory at its end; is it whole?");
}

TEST(Zip, DirectoriesThatLie) {
  const std::string archive = zip_archive({{"a", kText}});
  const std::string start = "test: not a readable archive: ";
  EXPECT_EQ(error_of(patched(archive, kEnd, 10, little(2, 2))),
            start + "its directory ends or is damaged at member 1 of 2");
  EXPECT_EQ(error_of(patched(archive, kEnd, 10, little(0, 2))),
            start + "its directory goes on behind the last of 0 members");
  EXPECT_EQ(error_of(patched(archive, kEntry, 28, little(900, 2))),
            start + "its directory ends within member 0 of 1");
  EXPECT_EQ(error_of(patched(archive, kEnd, 16, little(0xFFFFFFF0, 4))),
            start + "its directory is not where its end says");
  EXPECT_EQ(error_of(patched(archive, kEnd, 12, little(48, 4))),
            start + "its directory is not where its end says");
  EXPECT_EQ(error_of(patched(archive, kEnd, 12, little(1 << 27, 4))),
            start + "it has a directory of 134217728 bytes");
  EXPECT_EQ(error_of(patched(archive, kEntry, 24, little(0xFFFFFFFF, 4))),
            start + "no zip64 sizes of a");
  const std::string wide = zip_archive({{"a", kText}}, true, true);
  EXPECT_EQ(error_of(patched(wide, kEnd64, 32, little(std::uint64_t{1} << 40, 8))),
            start + "it has 1099511627776 members");
  EXPECT_EQ(error_of(patched(wide, kEnd64, 48, little(~std::uint64_t{0} - 10, 8))),
            start + "its directory is not where its end says");
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    EXPECT_EQ(error_of(patched(wide, kLocator, 8, little(at, 8))),
              start + "the end of its zip64 directory is missing");
}

TEST(Zip, MembersThatLie) {
  for (const bool compressed : {false, true}) {
    const std::string archive = zip_archive({{"a", kText}, {"b", "b"}}, compressed, true);
    const std::size_t sizes = archive.rfind("a" + little(1, 2) + little(24, 2)) + 5;
    const auto with = [&](std::size_t at, std::uint64_t number) {
      return std::string(archive).replace(sizes + at, 8, little(number, 8));
    };
    const std::uint64_t stored = compressed ? deflated(kText).size() : kText.size();
    const std::string start = "test: a: damaged or truncated: ";
    EXPECT_EQ(error_of(with(0, kText.size() - 1)), start + "it is longer than the directory says");
    EXPECT_EQ(error_of(with(0, kText.size() + 1)), start + std::to_string(kText.size()) +
                                                       " bytes, but the directory says " +
                                                       std::to_string(kText.size() + 1));
    EXPECT_EQ(error_of(with(8, stored - 1)),
              start + (compressed ? "it ends too early"
                                  : std::to_string(stored - 1) + " bytes, but the directory says " +
                                        std::to_string(stored)));
    EXPECT_EQ(error_of(with(8, stored + 1)),
              start + (compressed ? "there is data behind its end"
                                  : "it is longer than the directory says"));
    for (const std::uint64_t size : {std::uint64_t{1} << 40, ~std::uint64_t{0}})
      EXPECT_EQ(error_of(with(8, size)), start + "its end is not in the archive");
    for (const std::uint64_t at : {std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
      EXPECT_EQ(error_of(with(16, at)), start + "its header is not what the directory says");
    const std::size_t b = archive.rfind(kHeader);
    EXPECT_EQ(error_of(with(16, b)), start + "its header is not what the directory says");
    const std::size_t header = archive.find(kHeader);
    std::string other = archive;
    other[header + 14 - 6] ^= 8;  // its method
    EXPECT_EQ(error_of(other), start + "its header is not what the directory says");
    other = archive;
    other[archive.find(kEntry) + 16] ^= 1;
    EXPECT_EQ(error_of(other), start + "its checksum is another");
  }
}

// A checksum that is wrong is said with the last bytes, before anybody uses them.
TEST(Zip, NothingIsGivenOfAShortMemberThatIsDamaged) {
  std::string archive = zip_archive({{"a", "short"}}, false);
  archive[archive.find("short")] = 'S';
  const auto source = ZipArchive(random_access_to(archive), "test").open_member("a");
  std::string to(5, '\0');
  EXPECT_THROW(source->read(to.data(), to.size()), FormatError);
}

}  // namespace
}  // namespace coppice::io
