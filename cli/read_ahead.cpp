#include "read_ahead.hpp"

#include <utility>

namespace coppice::cli {
namespace {

// Whichever comes first.
constexpr std::size_t kBlockSentences = 64;
constexpr std::int64_t kBlockElements = 1 << 16;
// So far ahead, less one block; a file of some thousand sentences as a whole.
constexpr std::int64_t kElementsAhead = 1 << 20;

}  // namespace

std::int64_t scores_of(const io::Sentence& sentence) {
  if (const UndirectedGraph* graph = sentence.undirected()) return graph->edges();
  const auto* multigraph = std::get_if<Multigraph>(&sentence.scores);
  return multigraph != nullptr ? multigraph->edges() : sentence.nodes * sentence.nodes;
}

ReadAhead::ReadAhead(std::unique_ptr<io::Reader>& reader) : totals_(reader->totals()) {
  // It waits for the reader, which is moved only when there is a thread to have it.
  const std::lock_guard lock(mutex_);
  thread_ = std::thread([this] { read_all(); });
  reader_ = std::move(reader);
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool ReadAhead::fill(Block& block) {
  block.size = 0;
  block.elements = 0;
  while (block.size < kBlockSentences && block.elements < kBlockElements) {
    if (block.size == block.sentences.size()) block.sentences.emplace_back();
    io::Sentence& sentence = block.sentences[block.size];
    if (!reader_->next(sentence)) return false;
    ++block.size;
    block.elements += scores_of(sentence);
  }
  return true;
}

void ReadAhead::read_all() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    changed_.wait(lock, [&] { return stopping_ || elements_ < kElementsAhead; });
    if (stopping_) return;
    lock.unlock();
    Blocks block;
    bool more = false;
    std::exception_ptr error;
    try {
      more = fill(block.emplace_back());
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    ended_ = !more;
    error_ = error;
    if (!block.empty()) elements_ += block.front().elements;
    full_.splice(full_.end(), block);
    changed_.notify_all();
  }
}

// False at the end.
bool ReadAhead::take_block() {
  current_.clear();
  taken_ = 0;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || !full_.empty(); });
  if (full_.empty()) {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return false;
  }
  current_.splice(current_.end(), full_, full_.begin());
  elements_ -= current_.front().elements;
  changed_.notify_all();
  return true;
}

bool ReadAhead::next(io::Sentence& sentence) {
  while (current_.empty() || taken_ == current_.front().size)
    if (!take_block()) return false;
  std::swap(sentence, current_.front().sentences[taken_++]);
  return true;
}

bool ReadAhead::skip() {
  io::Sentence passed;
  return next(passed);
}

}  // namespace coppice::cli
