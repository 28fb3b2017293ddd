#include "text/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "text/numbers.hpp"

namespace coppice::text {

void append_json_string(std::string_view text, std::string& out) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\') {
      out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      return;
    }
  }
  out += '"';
  out += text;
  out += '"';
}

void append_json_number(double value, std::string& out) {
  if (std::isfinite(value)) {
    append_number(value, out);
  } else {
    out += "null";
  }
}

}  // namespace coppice::text
