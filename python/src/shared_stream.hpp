// A stream of the library that Python threads may share.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "interrupt.hpp"

namespace coppice::python {

template <class Source>
class SharedStream {
 public:
  template <class... Arguments>
  explicit SharedStream(std::in_place_t, Arguments&&... arguments)
      : stream_(std::in_place, std::forward<Arguments>(arguments)...) {}

  // What stream.next() gives; nothing at the end. A stream that was interrupted is at its end.
  auto next() {
    return interruptible([&] { return next_of_one_thread(); });
  }

  // What question(stream) answers; nothing after an interruption.
  template <class Question>
  auto ask(const Question& question) {
    const Turn turn(*this);
    return stream_ ? question(*stream_) : decltype(question(*stream_))();
  }

 private:
  // A rule that asks its own stream would wait for itself.
  class Turn {
   public:
    explicit Turn(SharedStream& shared) : shared_(shared) {
      if (shared.owner_ == std::this_thread::get_id())
        throw std::runtime_error("a rule of a stream cannot ask that stream");
      shared.mutex_.lock();
      shared.owner_ = std::this_thread::get_id();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      shared_.owner_ = std::thread::id();
      shared_.mutex_.unlock();
    }

   private:
    SharedStream& shared_;
  };

  auto next_of_one_thread() {
    const Turn turn(*this);
    decltype(stream_->next()) item;
    if (!stream_) return item;
    try {
      item = stream_->next();
    } catch (...) {
      stream_.reset();
      throw;
    }
    return item;
  }

  std::mutex mutex_;
  std::atomic<std::thread::id> owner_;
  std::optional<Source> stream_;
};

}  // namespace coppice::python
