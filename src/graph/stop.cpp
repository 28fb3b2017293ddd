#include <coppice/stop.hpp>

#include "graph/poll.hpp"

namespace coppice {

thread_local constinit Polling polling;

StopScope::StopScope(StopSource& source) noexcept
    : source_(source), outer_(polling.scope), thread_(std::this_thread::get_id()) {
  polling.scope = this;
}

StopScope::~StopScope() { polling.scope = outer_; }

bool StopScope::requested() const noexcept {
  for (const StopScope* scope = this; scope != nullptr; scope = scope->outer_)
    if (scope->source_.requested()) return true;
  return false;
}

bool StopScope::has_clock() const noexcept {
  for (const StopScope* scope = this; scope != nullptr; scope = scope->outer_)
    if (scope->source_.question_ ||
        scope->source_.deadline_ != StopSource::Clock::time_point::max())
      return true;
  return false;
}

bool StopScope::due(StopSource::Clock::time_point now) const {
  constexpr std::chrono::milliseconds kBetweenQuestions{20};
  const bool may_ask = now >= polling.next_question;
  if (may_ask) polling.next_question = now + kBetweenQuestions;
  for (const StopScope* scope = this; scope != nullptr; scope = scope->outer_) {
    StopSource& source = scope->source_;
    if (now >= source.deadline_) source.request();
    if (may_ask && source.question_ && scope->thread_ == std::this_thread::get_id() &&
        source.question_())
      source.request();
  }
  return requested();
}

void poll_scope() {
  constexpr unsigned kPollsPerClock = 16;
  if (polling.scope->requested()) throw Stopped();
  if (polling.until_clock-- > 0) return;
  polling.until_clock = kPollsPerClock;
  poll_now();
}

void poll_now() {
  if (polling.scope == nullptr) return;
  if (polling.scope->requested()) throw Stopped();
  if (polling.scope->has_clock() && polling.scope->due(StopSource::Clock::now())) throw Stopped();
}

}  // namespace coppice
