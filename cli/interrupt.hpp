// Ctrl-C, and other signals that ask the program to end. It ends by the signal, at once, whatever
// it is doing: what is written is always good up to the last checkpoint. But before that it says
// how far it got, and removes what could not be taken up again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace coppice::cli {

// From now on, for signals that are not ignored.
void watch_signals();

// For the message: so many sentences are done. From any thread.
void note_progress(std::int64_t done, std::optional<std::int64_t> total);

// While it lives, `partial` is an unfinished file: it stays where `resume` is there, too, and is
// removed otherwise.
class UnfinishedFile {
 public:
  UnfinishedFile(const std::string& partial, const std::string& resume);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  std::size_t slot_;
};

}  // namespace coppice::cli
