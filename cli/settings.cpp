#include "settings.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "errors.hpp"

namespace coppice::cli {

nlohmann::json read_settings(const std::string& option, const std::string& path) {
  using nlohmann::json;
  constexpr std::size_t kMostBytes = 1 << 20;
  constexpr int kMostDepth = 2;  // an object, and lists in it
  const auto fail = [&](const char* what) {
    throw UsageError(fmt::format("{} {}: {}", option, path, what));
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) fail("is no file");
  std::string text(kMostBytes + 1, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostBytes) fail("is larger than 1 MiB");
  bool too_deep = false;
  const auto keeps = [&](int depth, json::parse_event_t event, json&) {
    const bool begins =
        event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
    const bool deep = begins && depth >= kMostDepth;
    too_deep = too_deep || deep;
    return !deep;
  };
  json found = json::parse(text, keeps, false);
  if (too_deep) fail("has lists in lists");
  if (!found.is_object()) fail("is no JSON object");
  return found;
}

}  // namespace coppice::cli
