// What can be wrong, as a code beside the text.
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
};

// Bad input; the text names the place and the value.
class Error : public std::invalid_argument {
 public:
  Error(ErrorCode code, const std::string& text) : std::invalid_argument(text), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// What stands for a sentence that could not be decoded.
struct Failure {
  ErrorCode code = ErrorCode::none;
  std::string text = {};

  // Of the exception that is being handled.
  static Failure current();
};

}  // namespace coppice
