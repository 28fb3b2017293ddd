// A file that is read by a thread of its own, some way ahead of those who want its sentences.
#pragma once

#include <condition_variable>
#include <coppice/io.hpp>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace coppice::cli {

// How much memory the scores take, in elements.
std::int64_t scores_of(const io::Sentence& sentence);

// The same sentences in the same order, and after them the same exception, if any. Not for pipes:
// who waits for one cannot be stopped.
class ReadAhead : public io::Reader {
 public:
  // Throws std::system_error where no thread can be had; then the reader is still the caller's.
  explicit ReadAhead(std::unique_ptr<io::Reader>& reader);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() override;

  bool next(io::Sentence& sentence) override;
  bool skip() override;
  std::optional<io::Totals> totals() const override { return totals_; }

 private:
  // Few meetings of the two threads for many sentences. Each has memory of its own: sentences that
  // were used again would all grow as large as the largest one, and there may be very many.
  struct Block {
    std::vector<io::Sentence> sentences;
    std::size_t size = 0;
    std::int64_t elements = 0;
  };
  using Blocks = std::list<Block>;  // moving them from list to list cannot fail
  void read_all();
  bool fill(Block& block);
  bool take_block();

  std::unique_ptr<io::Reader> reader_;
  std::optional<io::Totals> totals_;
  Blocks current_;         // the one that is being handed out, if any
  std::size_t taken_ = 0;  // of its sentences

  std::mutex mutex_;
  std::condition_variable changed_;
  Blocks full_;
  std::int64_t elements_ = 0;  // in full blocks
  bool ended_ = false, stopping_ = false;
  std::exception_ptr error_;  // comes after the last block
  std::thread thread_;
};

}  // namespace coppice::cli
