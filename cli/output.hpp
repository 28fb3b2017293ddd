// Output that appears under its name only when it is whole, and can be taken up again after a
// crash.
//
// While a run is under way FILE.partial holds what is written so far and FILE.resume says how far
// that is good. A run that ends well renames the first and removes the second.
//
// The first line of FILE.resume holds whatever happens: what it speaks of was on the disk before it
// was written. Every few seconds it is made anew. The lines behind it, one for every checkpoint
// since then, cost next to nothing and hold where only the process dies: once the machine was
// started again they are not believed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interrupt.hpp"

namespace coppice::cli {

// What had been done at a checkpoint.
struct Progressed {
  std::int64_t sentences = 0;
  std::int64_t trees = 0;
  std::int64_t broken = 0;
  std::int64_t without_tree = 0;
  std::int64_t bytes = 0;
};

// The file itself and those that are there while a run is under way.
std::vector<std::string> files_of(const std::string& path);

class OutputFile {
 public:
  // path "" or "-": standard output; there, and for devices and pipes, nothing is renamed. Of a
  // link, the file that it names is written. Throws OutputError, also where another run is writing
  // the same file.
  explicit OutputFile(std::string path, std::chrono::milliseconds between_syncs = kBetweenSyncs);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Takes up what an interrupted run with the same description left: cuts FILE.partial back to the
  // last checkpoint and returns it. Nothing where there is no such run; throws UsageError where
  // there is one with another description.
  std::optional<Progressed> resume(const std::string& description);

  void write(std::string_view text);
  // Everything written so far belongs to whole sentences. bytes of done is filled in here.
  void checkpoint(const std::string& description, Progressed done);
  // All is written: FILE is there.
  void finish();

  bool resumable() const { return !partial_path_.empty(); }
  bool on_terminal() const;

 private:
  using Clock = std::chrono::steady_clock;
  // So that waiting for the disk takes no noticeable part of the time.
  static constexpr std::chrono::seconds kBetweenSyncs{5};

  void open_partial();
  void sync(const Progressed& done);
  void begin_notes(const std::string& description);

  std::string path_;
  std::string partial_path_;  // empty: written directly
  std::string resume_path_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::optional<UnfinishedFile> unfinished_;
  std::int64_t bytes_ = 0;
  std::int64_t sent_ = 0;  // of them on their way to the disk
  bool begun_ = false;     // what an interrupted run left behind is gone, or was taken up

  std::chrono::milliseconds between_syncs_;
  Clock::time_point last_sync_ = Clock::now();
  Progressed synced_;  // what is on the disk for good
  int notes_ = -1;     // FILE.resume, for what is added to it
};

// Texts that lie one behind the other in memory are written together.
class TextOutput {
 public:
  explicit TextOutput(OutputFile& file) : file_(file) {}

  // What is added must stay as it is until flush().
  void add(std::string_view text);
  void flush();

  // What is left of a list, piece after piece: append(rank, text) returns the rank that comes next.
  template <class Append>
  void add_rest(std::size_t rank, std::size_t end, const Append& append) {
    for (std::string piece; rank < end; piece.clear()) {
      rank = append(rank, piece);
      add(piece);
      flush();
    }
  }

 private:
  OutputFile& file_;
  std::string_view text_;  // not yet written
};

}  // namespace coppice::cli
