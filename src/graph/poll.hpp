// Is it time to stop? For every loop that may be long (coppice/stop.hpp).
//
// poll() costs a load and a branch where nobody asked to be able to stop. It belongs where at least
// some hundred nanoseconds and at most some milliseconds pass between two calls; what throws there
// must leave nothing behind.
#pragma once

#include <algorithm>
#include <chrono>
#include <coppice/stop.hpp>
#include <cstddef>
#include <utility>
#include <vector>

namespace coppice {

// Of this thread.
struct Polling {
  const StopScope* scope = nullptr;
  unsigned until_clock = 0;  // calls of poll() before it looks at the clock again
  StopSource::Clock::time_point next_question = {};
};
extern thread_local constinit Polling polling;

void poll_scope();  // throws Stopped

inline void poll() {
  if (polling.scope != nullptr) [[unlikely]]
    poll_scope();
}

// The same, and looks at everything at once: for those who wait.
void poll_now();

// For loops over nodes or edges: what is done for so many of them takes less than a millisecond.
inline void poll_at(std::int32_t i) {
  if (i % 1024 == 0) poll();
}

// std::sort, which many elements do not make deaf.
template <class Iterator, class Less>
void sort_polling(Iterator first, Iterator last, Less less) {
  constexpr std::ptrdiff_t kMany = 1 << 15;  // a millisecond or two
  if (last - first < kMany) return std::sort(first, last, less);
  unsigned compared = 0;
  std::sort(first, last, [&](const auto& a, const auto& b) {
    if (++compared % 4096 == 0) poll();
    return less(a, b);
  });
}

// Doubles the room of a list, and polls while the values move: a list may have a gigabyte.
template <class T>
void make_room_polling(std::vector<T>& list) {
  constexpr std::size_t kMany = (1 << 20) / sizeof(T);
  if (list.size() < kMany) return list.reserve(2 * list.size() + 1);
  std::vector<T> larger;
  larger.reserve(2 * list.size());
  for (std::size_t i = 0; i < list.size(); i += kMany) {
    poll_now();
    const std::size_t end = std::min(list.size(), i + kMany);
    larger.insert(larger.end(), list.data() + i, list.data() + end);
  }
  list = std::move(larger);
}
// std::vector::push_back that polls while the list grows. The value may come from the list itself.
template <class T>
void push_polling(std::vector<T>& list, T value) {
  if (list.size() == list.capacity()) [[unlikely]]
    make_room_polling(list);
  list.push_back(value);
}

// On a thread that works for another one: its scopes count here, too.
class PollFor {
 public:
  explicit PollFor(const StopScope* scope) : before_(polling.scope) { polling.scope = scope; }
  PollFor(const PollFor&) = delete;
  PollFor& operator=(const PollFor&) = delete;
  ~PollFor() { polling.scope = before_; }

 private:
  const StopScope* before_;
};

}  // namespace coppice
