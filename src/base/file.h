// Files and private directories. Every failure is a Diagnostic that names the file and the reason.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "heddle/result.h"

namespace heddle {

inline constexpr std::size_t kDefaultReadLimit = std::size_t{64} << 20;

// Owns a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

// The whole file, or a diagnostic: it is missing, a directory, unreadable, or larger than `limit`
// bytes; of a pipe also that an interrupt came before its end.
Result<std::string> read_file(const std::string& path, std::size_t limit = kDefaultReadLimit);

// Waits until there is something to read, or the end. `name`: what messages call it; `has_begun`:
// something has been read. Error: interrupted.
Result<void> wait_until_readable(int fd, const std::string& name, bool has_begun);

// Replaces the file by `content`; whoever opens it sees the old content or the new one, never a
// part, and on failure the old one stays. What is no regular file (/dev/stdout, a pipe) is written
// to directly. Links are followed; an existing file keeps its permissions.
Result<void> write_file_atomically(const std::string& path, std::string_view content);

// Removes `root` and all below it. Never follows a symbolic link and never enters another file
// system. That there is nothing (any more) is success.
Result<void> remove_tree(const std::string& root);

// Makes a new directory `parent`/`prefix`XXXXXX that only this user may enter.
Result<std::string> make_private_directory(const std::string& parent, const std::string& prefix);

// "cannot DOING: REASON of error number" with trouble `environment`.
Diagnostic file_trouble(const std::string& path, const std::string& doing, int error_number);

// $TMPDIR, or none when it is not set or empty.
std::optional<std::string> chosen_temporary_root();

}  // namespace heddle
