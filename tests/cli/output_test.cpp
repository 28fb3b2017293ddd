// Checkpoints: what an interrupted run finds again, be it that the process died or the machine.
#include "output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "errors.hpp"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr milliseconds kAlways{0};
constexpr milliseconds kNever = hours(1);

class Output : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("coppice-output-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string content(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  // A run that is at this sentence and writes it and the next ones, three bytes each; then it dies.
  void die_after(std::int64_t first, std::int64_t last, milliseconds between_syncs) const {
    OutputFile file(path("out"), between_syncs);
    EXPECT_EQ(file.resume("run").value_or(Progressed()).sentences, first);
    for (std::int64_t sentence = first + 1; sentence <= last; ++sentence) {
      file.write("abc");
      file.checkpoint("run", {.sentences = sentence});
    }
    file.write("a");  // of a sentence that is not whole
  }
  // What the next run finds.
  Progressed found() const {
    OutputFile file(path("out"));
    return file.resume("run").value_or(Progressed());
  }
  void start_machine_again() const {
    std::string notes = content("out.resume");
    const std::string key = "\"boot\": \"";
    const std::size_t at = notes.find(key);
    ASSERT_NE(at, std::string::npos);
    notes.replace(at + key.size(), 4, "then");
    replace("out.resume", notes);
  }

 private:
  fs::path folder_;
};

TEST_F(Output, EveryCheckpointHoldsWhereTheProcessDies) {
  die_after(0, 3, kNever);
  EXPECT_EQ(found().sentences, 3);
  EXPECT_EQ(found().bytes, 9);
  EXPECT_EQ(content("out.partial"), "abcabcabc");  // the rest was cut off
  die_after(3, 5, kNever);
  EXPECT_EQ(found().sentences, 5);
}

TEST_F(Output, OnlyWhatWasSyncedHoldsWhereTheMachineDies) {
  die_after(0, 2, kAlways);
  die_after(2, 5, kNever);
  EXPECT_EQ(found().sentences, 5);
  start_machine_again();
  EXPECT_EQ(found().sentences, 2);
  EXPECT_EQ(content("out.partial"), "abcabc");
}

TEST_F(Output, WithoutASyncTheMachineBeginsAgain) {
  die_after(0, 3, kNever);
  start_machine_again();
  EXPECT_EQ(found().sentences, 0);
  OutputFile file(path("out"));
  file.write("new");
  file.finish();
  EXPECT_EQ(content("out"), "new");
  EXPECT_FALSE(fs::exists(path("out.resume")));
}

TEST_F(Output, ALineThatIsNotWholeIsPassedOver) {
  die_after(0, 3, kNever);
  const std::string notes = content("out.resume");
  const std::size_t last = notes.rfind('\n', notes.size() - 2) + 1;
  for (std::size_t size = last; size < notes.size(); ++size) {
    replace("out.resume", notes.substr(0, size));
    replace("out.partial", "abcabcabca");
    EXPECT_EQ(found().sentences, 2) << size;
  }
}

// tests/cli/syncs_test.py watches its calls of the system.
TEST_F(Output, SyncsBeforeItClaims) {
  OutputFile file(path("out"), kAlways);
  file.write("abc");
  file.checkpoint("run", {.sentences = 1});
  file.write("def");
  file.checkpoint("run", {.sentences = 2});
  EXPECT_EQ(content("out.resume").find('\n') + 1, content("out.resume").size());
  file.finish();
}

// To open a pipe is to wait for somebody who reads it.
TEST_F(Output, PipesInTheWay) {
  for (const char* name : {"out.partial", "out.resume", "out.resume.new"}) {
    ASSERT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
    EXPECT_THROW(OutputFile(path("out")), OutputError) << name;
    fs::remove(path(name));
  }
}

}  // namespace
}  // namespace coppice::cli
