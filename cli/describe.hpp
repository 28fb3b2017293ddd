// Commands and options; shell completions and the manual page, made from the same definitions as
// --help.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace coppice::cli {

std::vector<const CLI::App*> commands_of(const CLI::App& app);
// With their dashes.
std::vector<std::string> option_names(const CLI::App& command);

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);
std::string manual_page(const CLI::App& app);

}  // namespace coppice::cli
