// What Python saved for the program: one JSON object of settings.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coppice::cli {

// At most 1 MiB, and no list in a list. Throws UsageError that begins with the option and the name.
nlohmann::json read_settings(const std::string& option, const std::string& path);

}  // namespace coppice::cli
