#include "c/wall.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace coppice::c {
namespace {

thread_local constinit std::array<char, 1024> text_of_error = {};

}  // namespace

coppice_status fail(coppice_status status, const char* text) noexcept {
  const std::size_t length = std::min(std::strlen(text), text_of_error.size() - 1);
  std::memmove(text_of_error.data(), text, length);  // it may be the text that is there
  text_of_error[length] = '\0';
  return status;
}

const char* last_error() noexcept { return text_of_error.data(); }

}  // namespace coppice::c
