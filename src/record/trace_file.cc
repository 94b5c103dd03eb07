#include "record/trace_file.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace heddle {
namespace {

constexpr std::size_t kWriteAt = std::size_t{1} << 17;
constexpr mode_t kPrivate = 0600;

}  // namespace

Result<std::unique_ptr<TraceFile>> TraceFile::create(const std::string& path) {
  // What passes through a system is nobody else's business.
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kPrivate));
  if (!file.is_open()) return file_trouble(path, "write", errno);
  return std::unique_ptr<TraceFile>(new TraceFile(path, std::move(file)));
}

Result<void> TraceFile::add(std::string_view line) {
  waiting_ += line;
  return waiting_.size() < kWriteAt ? Result<void>() : flush();
}

Result<void> TraceFile::flush() {
  std::string_view left = waiting_;
  while (!left.empty()) {
    const ssize_t count = ::write(file_.get(), left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = errno;
      // Half a line is no line.
      if (::ftruncate(file_.get(), static_cast<off_t>(written_)) == 0) {
        ::lseek(file_.get(), 0, SEEK_END);
      }
      waiting_.clear();
      return file_trouble(path_, "write", error);
    }
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  written_ += waiting_.size();
  waiting_.clear();
  return {};
}

}  // namespace heddle
