// JSON written by hand, for lines that are made by the million.
#pragma once

#include <string>
#include <string_view>

namespace coppice::text {

// With quotes; bytes that are no UTF-8 become U+FFFD.
void append_json_string(std::string_view text, std::string& out);
// null where the number is not finite, since JSON has no other.
void append_json_number(double value, std::string& out);

}  // namespace coppice::text
