// The program as a function, for its executable and for the Python package, which has no other.
#pragma once

namespace coppice::cli {

// What main does: the exit code. Takes over signals and standard descriptors of the process.
int program(int argc, char** argv);

}  // namespace coppice::cli
