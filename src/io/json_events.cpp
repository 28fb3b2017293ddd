#include "io/json_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace coppice::io {
namespace {

// A file that only nests deeper and deeper is nobody's data.
constexpr int kMaxDepth = 100;

}  // namespace

std::string JsonEvents::parse(std::string_view line) {
  error_.clear();
  fields_seen_.clear();
  depth_ = 0;
  passing_over_ = false;
  const bool parsed = nlohmann::json::sax_parse(line.begin(), line.end(), this);
  if (!parsed && error_.empty()) error_ = "not JSON";
  return error_;
}

bool JsonEvents::number_unsigned(number_unsigned_t value) {
  return seen([&, this] {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      return float_value(static_cast<double>(value));
    }
    return integer_value(static_cast<std::int64_t>(value));
  });
}

bool JsonEvents::start_object(std::size_t) {
  if (++depth_ > kMaxDepth) return fail("nested too deeply");
  return depth_ == 1 || passing_over_ || fail_type("an object");
}

bool JsonEvents::end_object() {
  --depth_;
  return true;
}

bool JsonEvents::start_array(std::size_t) {
  if (depth_ == 0) return fail("not an object: a line is {\"...\": ...}");
  if (++depth_ > kMaxDepth) return fail("nested too deeply");
  return passing_over_ || list_begins();
}

bool JsonEvents::end_array() {
  const bool go_on = passing_over_ || list_ends();
  --depth_;
  return go_on;
}

bool JsonEvents::key(string_t& name) {
  if (depth_ > 1) return true;
  field_ = name;
  passing_over_ = !wanted(name);
  if (passing_over_) return true;
  if (std::find(fields_seen_.begin(), fields_seen_.end(), name) != fields_seen_.end()) {
    return fail(fmt::format("\"{}\" comes twice", name));
  }
  fields_seen_.push_back(name);
  return true;
}

bool JsonEvents::parse_error(std::size_t position, const std::string& token,
                             const nlohmann::json::exception&) {
  if (!error_.empty()) return false;
  const std::string shown = token.size() > 40 ? "..." + token.substr(token.size() - 40) : token;
  // Written by Python's json for what is not JSON.
  const bool infinite = shown.ends_with("N") || shown.ends_with("I");
  return fail(fmt::format("not JSON at byte {}, after '{}'{}", position, shown,
                          infinite ? " (no edge is null; NaN and Infinity are not JSON)" : ""));
}

bool JsonEvents::fail_type(std::string_view got) {
  return fail(fmt::format("{} where \"{}\" has none", got, field_));
}

}  // namespace coppice::io
