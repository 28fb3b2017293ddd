// Parcels that go round on several threads: filled one after the other, worked on side by side, and
// handed on one after the other, in the order in which they were filled.
//
// No thread has a task of its own, and none waits while there is something to do: whoever is free
// fills the next parcel and works on it, and whoever completes the one that is to be handed on next
// hands on all that are complete.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

namespace coppice::cli {

template <class Parcel>
class Conveyor {
 public:
  // At most so many parcels are under way, and while their weight() together is most_weight or more
  // no other one is begun.
  Conveyor(std::size_t parcels, std::int64_t most_weight, const Parcel& empty)
      : slots_(parcels, Slot{empty}), most_weight_(most_weight) {}

  // For every thread, with the same functions: until there is nothing left to begin. fill(parcel)
  // is false at the end. Where work or hand_on throws, nothing more is begun or handed on; where
  // fill does, what was begun before is still handed on.
  template <class Fill, class Work, class HandOn>
  void run(const Fill& fill, const Work& work, const HandOn& hand_on) {
    try {
      while (Slot* slot = begin(fill)) {
        work(slot->parcel);
        complete(*slot, hand_on);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!broken_) error_ = std::current_exception();
      broken_ = ended_ = true;
      room_.notify_one();
    }
  }

  // Has a thread thrown? For a fill that waits long.
  bool is_broken() const { return broken_; }

  // When no thread runs any more: throws what one of them threw.
  void finish() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Slot {
    Parcel parcel;
    std::int64_t weight = 0;
    bool is_complete = false;  // and not yet handed on
  };

  template <class Fill>
  Slot* begin(const Fill& fill) {
    const std::lock_guard filling(filling_);
    Slot* slot = free_slot();
    if (slot == nullptr) return nullptr;
    bool is_filled = false;
    std::exception_ptr error;
    try {
      is_filled = fill(slot->parcel);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (!is_filled) {
      ended_ = true;
      if (!broken_) error_ = error;
      return nullptr;
    }
    ++begun_;
    weight_ += slot->weight = slot->parcel.weight();
    return slot;
  }

  // Null where there is nothing more to fill.
  Slot* free_slot() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] {
      const std::size_t under_way = begun_ - handed_on_;
      return ended_ || under_way == 0 || (under_way < slots_.size() && weight_ < most_weight_);
    });
    return ended_ ? nullptr : &slots_[begun_ % slots_.size()];
  }

  template <class HandOn>
  void complete(Slot& slot, const HandOn& hand_on) {
    std::unique_lock lock(mutex_);
    slot.is_complete = true;
    if (is_handing_on_) return;  // whoever does that will find it
    is_handing_on_ = true;
    for (Slot* next; (next = &slots_[handed_on_ % slots_.size()])->is_complete;) {
      lock.unlock();
      hand_on(next->parcel);
      lock.lock();
      next->is_complete = false;
      weight_ -= next->weight;
      ++handed_on_;
      room_.notify_one();
    }
    is_handing_on_ = false;
  }

  std::mutex filling_;  // taken before the other one
  std::mutex mutex_;    // of all that follows
  std::condition_variable room_;
  std::vector<Slot> slots_;
  std::int64_t most_weight_, weight_ = 0;  // of what is under way
  std::size_t begun_ = 0, handed_on_ = 0;  // so many parcels
  bool ended_ = false, is_handing_on_ = false;
  std::atomic<bool> broken_ = false;
  std::exception_ptr error_;
};

}  // namespace coppice::cli
