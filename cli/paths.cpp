#include "paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "errors.hpp"
#include "output.hpp"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code error;
  return !path.empty() && path != "-" &&
         (!fs::exists(path, error) || fs::is_regular_file(path, error));
}

bool are_same(const std::string& a, const std::string& b) {
  if (!is_file(a) || !is_file(b)) return false;
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;  // by whatever names
  const fs::path first = fs::weakly_canonical(a, error), second = fs::weakly_canonical(b, error);
  return !first.empty() && first == second;
}

}  // namespace

std::vector<std::string> files_read(const InputOptions& input) {
  std::vector<std::string> read = input.paths;
  for (const std::string& path :
       {input.text_path, input.labels_path, input.read.lengths_path, input.required_path,
        input.forbidden_path, input.dates_path, input.temperature_path, input.guarantee_path})
    if (!path.empty()) read.push_back(path);
  return read;
}

void refuse_clashes(const InputOptions& input, const std::vector<std::string>& outputs) {
  std::vector<std::string> read = files_read(input);
  // The file that it comes from, if any.
  std::ranges::replace(read, "-", "/dev/stdin");
  std::vector<std::string> written;
  for (const std::string& output : outputs) {
    if (!is_file(output)) continue;
    for (const std::string& file : files_of(output)) {
      for (const std::string& other : read)
        if (are_same(file, other))
          throw UsageError(fmt::format("{} would be read and, for {}, written", other, output));
      for (const std::string& other : written)
        if (are_same(file, other)) throw UsageError(fmt::format("{} would be written twice", file));
    }
    for (std::string& file : files_of(output)) written.push_back(std::move(file));
  }
}

}  // namespace coppice::cli
