#include "page_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "errors.hpp"
#include "message.hpp"

extern char** environ;

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

// A name that nobody could guess; no file yet, so that none is left where the work fails.
std::string fresh_name() {
  constexpr std::string_view kEnd = ".html";
  std::string path = fs::temp_directory_path() / "coppice-XXXXXX";
  path += kEnd;
  const int descriptor = ::mkstemps(path.data(), static_cast<int>(kEnd.size()));
  if (descriptor < 0) throw OutputError(fmt::format("{}: cannot be written", path));
  ::close(descriptor);
  ::unlink(path.c_str());
  return path;
}

// True where the program could be started. What it says is not for our output.
bool start(std::string program, std::string argument) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t process = 0;
  const int failed =
      ::posix_spawnp(&process, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0;
}

std::vector<std::string> browsers() {
  if (const char* chosen = std::getenv("BROWSER"); chosen != nullptr && *chosen != '\0')
    return {chosen};
#ifdef __APPLE__
  return {"open"};
#else
  return {"xdg-open", "wslview", "x-www-browser"};
#endif
}

}  // namespace

std::string page_path(const std::string& output, bool open) {
  if (open && output == "-")
    throw UsageError("--open: a browser needs a file, not standard output");
  if (open && output.empty()) return fresh_name();
  if (output.empty() && ::isatty(STDOUT_FILENO) == 1)
    throw UsageError("it would fill the terminal: -o FILE writes it, --open shows it in a browser");
  return output;
}

void open_in_browser(const std::string& path, std::ostream& log) {
  const std::string full = fs::absolute(path);
  say(log, "opening " + full);
  for (const std::string& browser : browsers())
    if (start(browser, full)) return;
  throw OutputError("no browser could be started ($BROWSER names one)");
}

}  // namespace coppice::cli
