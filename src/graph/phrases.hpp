// Numbers in messages.
#pragma once

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace coppice {

// The fewest digits that read back as the same number. Not by std::to_chars: its tables would be a
// good part of the page's engine.
inline std::string shortest(double value) {
  char text[32];
  constexpr int kAlwaysEnough = 17;
  for (int digits = 1; digits <= kAlwaysEnough; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

// "1 word", "2 words"; the plural where it is not the word with an s.
template <std::integral Count>
std::string counted(Count count, std::string_view one, std::string_view many = {}) {
  std::string text = std::to_string(count) + ' ';
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one) + 's' : text.append(many);
}

}  // namespace coppice
