// Shell completions and the manual page, made from the same definitions as --help.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace coppice::cli {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);
std::string manual_page(const CLI::App& app);

}  // namespace coppice::cli
