#include "interrupt.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <climits>
#include <csignal>
#include <string_view>

#include "progress.hpp"

namespace coppice::cli {
namespace {

// All that a signal handler may look at: no locks, no memory of the heap.
std::atomic<std::int64_t> sentences_done = 0;
std::atomic<std::int64_t> sentences_in_all = -1;  // not known
struct Slot {
  std::atomic<bool> taken = false;  // by a file object
  std::atomic<bool> ready = false;  // its names are whole
  char partial[PATH_MAX];
  char resume[PATH_MAX];
};
// A command has at most two outputs and a summary.
std::array<Slot, 4> slots;

// A line of bounded length, made without memory of the heap.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    const std::size_t count = std::min(text.size(), sizeof(text_) - size_);
    std::copy_n(text.data(), count, text_ + size_);
    size_ += count;
    return *this;
  }
  Line& operator<<(std::int64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  void write() const {
    if (::write(STDERR_FILENO, text_, size_) < 0) return;  // nobody is there to be told
  }

 private:
  char text_[256];
  std::size_t size_ = 0;
};

// Removes files that would be of no use; true where there is one with a checkpoint.
bool remove_unfinished() {
  bool can_be_resumed = false;
  for (const Slot& slot : slots) {
    if (!slot.ready) continue;
    if (::access(slot.resume, F_OK) == 0)
      can_be_resumed = true;
    else
      ::unlink(slot.partial);
  }
  return can_be_resumed;
}

void end(int signal_number) {
  const bool can_be_resumed = remove_unfinished();
  Line line;
  if (bar_is_visible()) line << kWipeLine;
  line << "coppice: interrupted";
  if (const std::int64_t done = sentences_done; done > 0) {
    const std::int64_t total = sentences_in_all;
    line << " after " << done;
    if (total >= 0) line << " of " << total;
    line << ((total >= 0 ? total : done) == 1 ? " sentence" : " sentences");
  }
  if (can_be_resumed) line << "; the same command with --resume goes on";
  line << "\n";
  line.write();
  ::raise(signal_number);  // comes when this function is left, and is not caught any more
}

}  // namespace

void watch_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
}

void note_progress(std::int64_t done, std::optional<std::int64_t> total) {
  sentences_done = done;
  sentences_in_all = total.value_or(-1);
}

UnfinishedFile::UnfinishedFile(const std::string& partial, const std::string& resume)
    : slot_(slots.size()) {
  if (partial.size() >= PATH_MAX || resume.size() >= PATH_MAX) return;  // no such file can be
  for (slot_ = 0; slot_ < slots.size() && slots[slot_].taken.exchange(true);) ++slot_;
  if (slot_ == slots.size()) return;
  Slot& slot = slots[slot_];
  std::copy_n(partial.c_str(), partial.size() + 1, slot.partial);
  std::copy_n(resume.c_str(), resume.size() + 1, slot.resume);
  slot.ready = true;
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ == slots.size()) return;
  slots[slot_].ready = false;
  slots[slot_].taken = false;
}

}  // namespace coppice::cli
