// A user's program that reads files.
#include <coppice/io.hpp>
#include <cstdio>

int main() {
  try {
    coppice::io::open("no-such-file.npz", {});
  } catch (const coppice::io::FormatError& error) {
    std::puts(error.what());
    return 0;
  }
  return 1;
}
