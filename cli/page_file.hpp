// Where pages and drawings go: into a file and perhaps a browser, not onto a terminal.
#pragma once

#include <ostream>
#include <string>

namespace coppice::cli {

// The file to write: `output`, or a new one of our own where only `open` is asked for. Throws
// UsageError where the page would fill a terminal, or standard output should be opened.
std::string page_path(const std::string& output, bool open);

// Shows the file in the user's browser ($BROWSER, or what the system takes for one), and does not
// wait for it. Says where the file is, and throws OutputError where there is no browser.
void open_in_browser(const std::string& path, std::ostream& log);

}  // namespace coppice::cli
