#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "errors.hpp"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw OutputError(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

bool is_special(const std::string& path) { return fs::exists(path) && !fs::is_regular_file(path); }

struct Checkpoint {
  std::string description;
  Progressed done;
};

std::optional<Checkpoint> read_checkpoint(const std::string& path) {
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    Checkpoint checkpoint;
    json.at("description").get_to(checkpoint.description);
    json.at("sentences").get_to(checkpoint.done.sentences);
    json.at("trees").get_to(checkpoint.done.trees);
    json.at("broken").get_to(checkpoint.done.broken);
    json.at("without_tree").get_to(checkpoint.done.without_tree);
    json.at("bytes").get_to(checkpoint.done.bytes);
    return checkpoint;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty() || path_ == "-") {
    path_ = "standard output";
    descriptor_ = STDOUT_FILENO;
    return;
  }
  const bool direct = is_special(path_);
  if (!direct) {
    partial_path_ = path_ + ".partial";
    resume_path_ = path_ + ".resume";
  }
  const std::string& opened = direct ? path_ : partial_path_;
  descriptor_ = ::open(opened.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(opened, "cannot be written");
  owned_ = true;
  if (!direct && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(std::exchange(descriptor_, -1));
    throw OutputError(fmt::format("{}: another run is writing it", partial_path_));
  }
}

OutputFile::~OutputFile() {
  if (owned_ && descriptor_ >= 0) ::close(descriptor_);
}

std::optional<Progressed> OutputFile::resume(const std::string& description) {
  if (!resumable()) throw UsageError("--resume needs -o FILE");
  const auto checkpoint = read_checkpoint(resume_path_);
  struct stat status = {};
  if (!checkpoint || ::fstat(descriptor_, &status) != 0 ||
      status.st_size < checkpoint->done.bytes) {
    return std::nullopt;
  }
  if (checkpoint->description != description) {
    throw UsageError(fmt::format(
        "--resume: {} was made by another command or from other files\n  then: {}\n  now:  {}",
        partial_path_, checkpoint->description, description));
  }
  bytes_ = checkpoint->done.bytes;
  if (::ftruncate(descriptor_, bytes_) != 0 || ::lseek(descriptor_, bytes_, SEEK_SET) < 0) {
    fail(partial_path_, "cannot be taken up again");
  }
  return checkpoint->done;
}

void OutputFile::write(std::string_view text) {
  // What an interrupted run left behind goes when the first byte of this one comes.
  if (bytes_ == 0 && resumable()) {
    fs::remove(resume_path_);
    if (::ftruncate(descriptor_, 0) != 0) fail(partial_path_, "cannot be emptied");
  }
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(resumable() ? partial_path_ : path_, "cannot be written");
    bytes_ += written;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::checkpoint(const std::string& description, Progressed done) {
  if (!resumable()) return;
  const nlohmann::json json = {
      {"description", description}, {"sentences", done.sentences},       {"trees", done.trees},
      {"broken", done.broken},      {"without_tree", done.without_tree}, {"bytes", bytes_}};
  const std::string fresh = resume_path_ + ".new";
  std::ofstream(fresh) << json.dump() << '\n';
  std::error_code error;
  fs::rename(fresh, resume_path_, error);
  if (error) throw OutputError(fmt::format("{}: {}", resume_path_, error.message()));
}

void OutputFile::finish() {
  if (!resumable()) return;
  if (bytes_ == 0) write("");
  if (::fsync(descriptor_) != 0) fail(partial_path_, "cannot be written");
  std::error_code error;
  fs::rename(partial_path_, path_, error);
  if (error) throw OutputError(fmt::format("{}: {}", path_, error.message()));
  fs::remove(resume_path_);
}

}  // namespace coppice::cli
