// How the program ends. These numbers are documented in docs/cli.md.
#pragma once

#include <stdexcept>

namespace coppice::cli {

enum ExitCode : int {
  kOk = 0,
  kNotGood = 1,  // verify found a fault; no sentence at all could be decoded
  kUsage = 2,    // the command line asks for what cannot be
  kInput = 3,    // a file cannot be read (further); with --strict: a broken sentence
  kOutput = 4,   // the output cannot be written
};

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A broken sentence under --strict.
class StrictError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace coppice::cli
