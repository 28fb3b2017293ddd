// What the library throws, and when.
//
// Error, for bad input: a code, and a text that names the place and the value. Besides it only
// std::bad_alloc where memory ends, and Stopped (stop.hpp) where the caller asked for it: that is
// no error. Exceptions of the caller's own functions (rules, questions) pass through; kbest_batch
// makes a Failure of them. Nothing is changed by a call that throws, unless its header says so.
//
// Cost: none. Threads: all of this may be used by several threads at once.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace coppice {

enum class ErrorCode : std::uint8_t {
  none,
  bad_weight,      // NaN, plus infinity, or so large that sums could overflow
  bad_graph,       // sizes, node ids, edges that do not fit
  bad_tree,        // heads or edges that are no tree of the graph
  bad_constraint,  // required or forbidden edges that do not exist or contradict each other
  bad_argument,    // k, max_gap, threads ...
  out_of_memory,
  other,
  bad_file = 9,  // a file that cannot be read (io.hpp); 8 is "stopped" in coppice.h
};

class Error : public std::invalid_argument {
 public:
  Error(ErrorCode code, const std::string& text) : std::invalid_argument(text), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// In a batch: why one sentence has no result.
struct Failure {
  ErrorCode code = ErrorCode::none;
  std::string text = {};

  // Of the exception that is being handled. Does not throw.
  static Failure current();
};

}  // namespace coppice
