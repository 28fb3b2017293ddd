#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "errors.hpp"
#include "text/json.hpp"
#include "text/utf8.hpp"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char *kPartial = ".partial", *kResume = ".resume", *kFresh = ".new";

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw OutputError(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

bool is_special(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_regular_file(path, error);
}

constexpr int kMostLinks = 40;

// The open descriptor that a name like /dev/stdout or /dev/fd/3 stands for. The program writes to
// it as the shell opened it, perhaps to append, and does not replace its file.
std::optional<int> own_descriptor(fs::path path) {
  std::error_code error;
  const fs::path ours = fs::canonical("/dev/fd", error);
  for (int i = 0; i < kMostLinks && !error; ++i) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const std::string name = path.filename();
    int number = -1;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), number).ptr;
    if (fs::canonical(folder, error) == ours && number >= 0 && end == name.data() + name.size())
      return number;
    if (error || !fs::is_symlink(path, error)) break;
    path = folder / fs::read_symlink(path, error);
  }
  return std::nullopt;
}

// What a link stands for, so that the file it names (which need not be there yet) is written and
// the link stays.
std::string follow_links(const std::string& path) {
  fs::path target = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    if (!fs::is_symlink(target, error)) return target;
    target = target.parent_path() / fs::read_symlink(target, error);
    if (error) throw OutputError(fmt::format("{}: cannot be written: {}", path, error.message()));
  }
  errno = ELOOP;
  fail(path, "cannot be written");
}

// For files of our own making. Where their names are links, somebody else put them there.
constexpr int kOwnFile = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;

// True where there was such a file.
bool remove_file(const std::string& path) {
  std::error_code error;
  const bool removed = fs::remove(path, error);
  if (error) throw OutputError(fmt::format("{}: cannot be removed: {}", path, error.message()));
  return removed;
}

void write_all(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// True where the descriptor is of the file that has this name now.
bool is_named(int descriptor, const std::string& path) {
  struct stat opened = {}, named = {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// Makes names in it outlast a loss of power. Where that cannot be had, it was tried.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// Another one after every start of the machine; empty where the system does not tell.
std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

// As members of a JSON object. (nlohmann::json ends the program where it has no memory left.)
std::string members(const Progressed& done) {
  return fmt::format(
      R"("sentences": {}, "trees": {}, "broken": {}, "without_tree": {}, "bytes": {})",
      done.sentences, done.trees, done.broken, done.without_tree, done.bytes);
}

// Throws nlohmann::json::exception where something is missing.
std::optional<Progressed> progressed(const nlohmann::json& json) {
  Progressed done;
  json.at("sentences").get_to(done.sentences);
  json.at("trees").get_to(done.trees);
  json.at("broken").get_to(done.broken);
  json.at("without_tree").get_to(done.without_tree);
  json.at("bytes").get_to(done.bytes);
  const auto least =
      std::min({done.sentences, done.trees, done.broken, done.without_tree, done.bytes});
  return least < 0 ? std::nullopt : std::optional(done);
}

struct Checkpoint {
  std::string description;
  Progressed synced;
  Progressed last;
};

std::optional<Checkpoint> read_checkpoint(const std::string& path) {
  try {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const auto first = nlohmann::json::parse(line, nullptr, false);
    if (!first.is_object()) return std::nullopt;
    const auto synced = progressed(first);
    if (!synced) return std::nullopt;
    Checkpoint checkpoint{first.at("description"), *synced, *synced};
    const std::string boot = boot_id();
    if (boot.empty() || first.value("boot", "") != boot) return checkpoint;
    // A line that ends without a line feed was being written when the process died.
    while (std::getline(file, line) && !file.eof()) {
      const auto done = progressed(nlohmann::json::parse(line));
      if (!done) return std::nullopt;
      checkpoint.last = *done;
    }
    return checkpoint;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const std::ios_base::failure&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> files_of(const std::string& path) {
  return {path, path + kPartial, path + kResume, path + kResume + kFresh};
}

OutputFile::OutputFile(std::string path, std::chrono::milliseconds between_syncs)
    : path_(std::move(path)), between_syncs_(between_syncs) {
  if (path_.empty() || path_ == "-") {
    path_ = "standard output";
    descriptor_ = STDOUT_FILENO;
    return;
  }
  // Before links are followed: that of a pipe in /dev/fd names nothing.
  const std::optional<int> own = own_descriptor(path_);
  if (own || is_special(path_)) {
    descriptor_ =
        own ? ::fcntl(*own, F_DUPFD_CLOEXEC, 0) : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(path_, "cannot be written");
    owned_ = true;
    return;
  }
  path_ = follow_links(path_);
  partial_path_ = path_ + kPartial;
  resume_path_ = path_ + kResume;
  // To open a pipe is to wait for who reads it.
  for (const std::string& name : files_of(path_))
    if (name != path_ && is_special(name))
      throw OutputError(fmt::format("{}: in the way: no regular file", name));
  open_partial();
}

void OutputFile::open_partial() {
  for (;;) {
    descriptor_ = ::open(partial_path_.c_str(), kOwnFile, 0666);
    if (descriptor_ < 0) fail(partial_path_, "cannot be written");
    owned_ = true;
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      ::close(std::exchange(descriptor_, -1));
      throw OutputError(fmt::format("{}: another run is writing it", partial_path_));
    }
    if (is_named(descriptor_, partial_path_)) {
      unfinished_.emplace(partial_path_, resume_path_);
      return;
    }
    // Between the two calls another run was done and renamed what we opened.
    ::close(std::exchange(descriptor_, -1));
  }
}

OutputFile::~OutputFile() {
  // A run that failed before its first checkpoint left nothing that could be taken up again. There
  // may be no memory to say so with.
  if (resumable() && descriptor_ >= 0 && is_named(descriptor_, partial_path_) &&
      ::access(resume_path_.c_str(), F_OK) != 0) {
    ::unlink(partial_path_.c_str());
  }
  if (owned_ && descriptor_ >= 0) ::close(descriptor_);
  if (notes_ >= 0) ::close(notes_);
}

std::optional<Progressed> OutputFile::resume(const std::string& description) {
  if (!resumable()) throw UsageError("--resume needs -o FILE");
  const auto checkpoint = read_checkpoint(resume_path_);
  struct stat status = {};
  if (!checkpoint || ::fstat(descriptor_, &status) != 0 ||
      status.st_size < checkpoint->last.bytes) {
    return std::nullopt;
  }
  if (checkpoint->description != text::printable(description)) {
    throw UsageError(fmt::format(
        "--resume: {} was made by another command or from other files; then: {}; now: {}",
        partial_path_, checkpoint->description, description));
  }
  if (checkpoint->last.sentences == 0) return std::nullopt;
  synced_ = checkpoint->synced;
  sent_ = bytes_ = checkpoint->last.bytes;
  if (::ftruncate(descriptor_, bytes_) != 0 || ::lseek(descriptor_, bytes_, SEEK_SET) < 0) {
    fail(partial_path_, "cannot be taken up again");
  }
  begun_ = true;
  return checkpoint->last;
}

bool OutputFile::on_terminal() const { return ::isatty(descriptor_) == 1; }

void OutputFile::write(std::string_view text) {
  // What an interrupted run left behind goes when the first byte of this one comes.
  if (!std::exchange(begun_, true) && resumable()) {
    if (remove_file(resume_path_)) sync_folder(fs::path(path_).parent_path());
    if (::ftruncate(descriptor_, 0) != 0) fail(partial_path_, "cannot be emptied");
  }
  write_all(descriptor_, text, resumable() ? partial_path_ : path_);
  bytes_ += static_cast<std::int64_t>(text.size());
#ifdef SYNC_FILE_RANGE_WRITE
  // So that little is left to wait for when all is done.
  constexpr std::int64_t kSentTogether = 2 << 20;
  if (resumable() && bytes_ - sent_ >= kSentTogether) {
    ::sync_file_range(descriptor_, sent_, bytes_ - sent_, SYNC_FILE_RANGE_WRITE);
    sent_ = bytes_;
  }
#endif
}

void OutputFile::checkpoint(const std::string& description, Progressed done) {
  if (!resumable()) return;
  done.bytes = bytes_;
  const bool to_disk = Clock::now() - last_sync_ >= between_syncs_;
  if (to_disk) sync(done);
  if (to_disk || notes_ < 0) begin_notes(description);
  if (!to_disk) write_all(notes_, '{' + members(done) + "}\n", resume_path_);
}

void OutputFile::sync(const Progressed& done) {
  if (::fsync(descriptor_) != 0) fail(partial_path_, "cannot be written");
  synced_ = done;
  last_sync_ = Clock::now();
}

// FILE.resume with its first line. What it says of the disk outlasts a loss of power as well; where
// it says nothing there is nothing to wait for.
void OutputFile::begin_notes(const std::string& description) {
  std::string first =
      fmt::format(R"({{{}, "boot": "{}", "description": )", members(synced_), boot_id());
  text::append_json_string(text::printable(description), first);
  first += "}\n";
  const std::string fresh = resume_path_ + kFresh;
  const int descriptor = ::open(fresh.c_str(), kOwnFile | O_TRUNC | O_APPEND, 0666);
  if (descriptor < 0) fail(fresh, "cannot be written");
  try {
    write_all(descriptor, first, fresh);
    if (synced_.bytes > 0 && ::fsync(descriptor) != 0) fail(fresh, "cannot be written");
    std::error_code error;
    fs::rename(fresh, resume_path_, error);
    if (error) throw OutputError(fmt::format("{}: {}", resume_path_, error.message()));
  } catch (const OutputError&) {  // a full disk: the checkpoint before this one stays good
    ::close(descriptor);
    ::unlink(fresh.c_str());
    throw;
  }
  if (notes_ >= 0) ::close(notes_);
  notes_ = descriptor;
  if (synced_.bytes > 0) sync_folder(fs::path(path_).parent_path());
}

void OutputFile::finish() {
  if (!resumable()) return;
  if (!begun_) write("");
  if (::fsync(descriptor_) != 0) fail(partial_path_, "cannot be written");
  unfinished_.reset();
  std::error_code error;
  fs::rename(partial_path_, path_, error);
  if (error) throw OutputError(fmt::format("{}: {}", path_, error.message()));
  remove_file(resume_path_);
  sync_folder(fs::path(path_).parent_path());
}

void TextOutput::add(std::string_view text) {
  if (text_.data() + text_.size() == text.data()) {
    text_ = {text_.data(), text_.size() + text.size()};
  } else if (!text.empty()) {
    flush();
    text_ = text;
  }
}

void TextOutput::flush() {
  file_.write(text_);
  text_ = {};
}

}  // namespace coppice::cli
