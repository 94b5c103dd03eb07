#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <memory>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/private_file.h"

namespace heddle {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
// Deeper than any directory heddle makes; keeps the recursion and its open descriptors small.
constexpr int kMaxTreeDepth = 64;

Result<void> write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), std::min(content.size(), kChunk));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_trouble(path, "write", errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Beside regular files nothing says beforehand how much is to come; a device has no end at all.
constexpr std::size_t kMostOfPipe = std::size_t{256} << 20;
constexpr std::size_t kMostOfDevice = std::size_t{64} << 20;

Diagnostic too_large(const std::string& path, std::size_t limit) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20;
  const bool is_round = limit >= kMegabyte && limit % kMegabyte == 0;
  return {.what = fmt::format(
              "the file is larger than {}",
              is_round ? fmt::format("{} MB", limit / kMegabyte) : fmt::format("{} bytes", limit)),
          .what_to_do = "give a smaller one",
          .file = path,
          .position = {},
          .trouble = Trouble::bad_input};
}

// Where the rename must go: the file at the end of the links, which need not exist.
std::string follow_links(const std::string& path) {
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

mode_t mode_for_new_files() {
  // The only way to read the mask is to set it.
  const mode_t mask = ::umask(077);
  ::umask(mask);
  return 0666 & ~mask;
}

Result<void> write_in_place(const std::string& path, std::string_view content) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) return file_trouble(path, "open", errno);
  return write_all(file.get(), content, path);
}

class TreeRemoval {
 public:
  explicit TreeRemoval(std::string root) : root_(std::move(root)) {}

  Result<void> remove() {
    struct stat status{};
    if (::fstatat(AT_FDCWD, root_.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == ENOENT ? Result<void>() : file_trouble(root_, "look at", errno);
    device_ = status.st_dev;
    return remove_entry(AT_FDCWD, root_.c_str(), 0);
  }

 private:
  Result<void> remove_entry(int parent, const char* name, int depth) {
    const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return {};
    // Not a directory, or a link to one (ELOOP on other systems).
    if (fd < 0 && (errno == ENOTDIR || errno == ELOOP)) return unlink_entry(parent, name, 0);
    if (fd < 0) return file_trouble(name_of(name), "enter", errno);
    if (Result<void> emptied = empty_directory(fd, name, depth); !emptied) return emptied;
    return unlink_entry(parent, name, AT_REMOVEDIR);
  }

  // Takes over `fd`.
  Result<void> empty_directory(int fd, const char* name, int depth) {
    std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(fd), &::closedir);
    if (!directory) {
      ::close(fd);
      return file_trouble(name_of(name), "read", errno);
    }
    struct stat status{};
    if (::fstat(fd, &status) != 0) return file_trouble(name_of(name), "look at", errno);
    if (status.st_dev != device_) return file_trouble(name_of(name), "enter", EXDEV);
    if (depth >= kMaxTreeDepth) return file_trouble(name_of(name), "enter", ENAMETOOLONG);
    while (const dirent* entry = ::readdir(directory.get())) {
      const std::string_view child = entry->d_name;
      if (child == "." || child == "..") continue;
      if (Result<void> removed = remove_entry(fd, entry->d_name, depth + 1); !removed)
        return removed;
    }
    return {};
  }

  Result<void> unlink_entry(int parent, const char* name, int flags) {
    if (::unlinkat(parent, name, flags) == 0 || errno == ENOENT) return {};
    return file_trouble(name_of(name), "remove", errno);
  }

  // For messages.
  std::string name_of(const char* name) const {
    return name == root_ ? root_ : fmt::format("{} (in {})", name, root_);
  }

  std::string root_;
  dev_t device_ = 0;
};

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Diagnostic file_trouble(const std::string& path, const std::string& doing, int error_number) {
  return {
      .what = fmt::format("cannot {}: {}", doing, std::generic_category().message(error_number)),
      .what_to_do = {},
      .file = path,
      .position = {},
      .trouble = Trouble::environment};
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  // To open a pipe would wait for somebody who writes to it.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  const FileDescriptor file(::open(path.c_str(), kFlags));
  if (!file.is_open()) return file_trouble(path, "open", errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return file_trouble(path, "look at", errno);
  if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > limit)
    return too_large(path, limit);
  if (S_ISCHR(status.st_mode)) limit = std::min(limit, kMostOfDevice);
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) limit = std::min(limit, kMostOfPipe);

  std::string content;
  // Growing would take twice the memory.
  if (S_ISREG(status.st_mode)) content.reserve(static_cast<std::size_t>(status.st_size));
  std::vector<char> chunk(kChunk);
  for (;;) {
    if (!S_ISREG(status.st_mode)) {
      auto waited = wait_until_readable(file.get(), path, !content.empty());
      if (!waited) return waited.error();
    }
    const ssize_t count = ::read(file.get(), chunk.data(), chunk.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return file_trouble(path, "read", errno);
    if (count == 0) return content;
    content.append(chunk.data(), static_cast<std::size_t>(count));
    if (content.size() > limit) return too_large(path, limit);
  }
}

Result<void> wait_until_readable(int fd, const std::string& name, bool has_begun) {
  while (true) {
    pollfd waits[] = {{fd, POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
    const int found = ::poll(waits, 2, -1);
    if (found < 0 && errno != EINTR) return file_trouble(name, "wait for", errno);
    if (interrupted()) {
      return Diagnostic{.what = has_begun ? "interrupted while somebody still wrote to it"
                                          : "interrupted while nobody wrote to it",
                        .what_to_do = {},
                        .file = name,
                        .position = {},
                        .trouble = Trouble::interrupted};
    }
    if (found > 0 && waits[0].revents != 0) return {};
  }
}

namespace {

enum class Readers : std::uint8_t { as_usual, owner_only };

Result<void> replace_file(const std::string& path, std::string_view content, Readers readers) {
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return file_trouble(path, "write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_in_place(path, content);
  // The rename below asks the directory for permission, not the file.
  if (exists && ::access(path.c_str(), W_OK) != 0) return file_trouble(path, "write", errno);

  const std::string target = follow_links(path);
  std::string temporary = target + ".XXXXXX";
  FileDescriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.is_open()) return file_trouble(path, "write", errno);
  Result<void> written = write_all(file.get(), content, path);
  const mode_t usual = exists ? (status.st_mode & 07777) : mode_for_new_files();
  const mode_t mode = readers == Readers::owner_only ? 0600 : usual;
  if (exists && status.st_uid != ::geteuid()) [[maybe_unused]]
    const int kept = ::fchown(file.get(), status.st_uid, status.st_gid);
  if (written && ::fchmod(file.get(), mode) != 0) written = file_trouble(path, "write", errno);
  file.reset();
  if (written && ::rename(temporary.c_str(), target.c_str()) != 0)
    written = file_trouble(path, "write", errno);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace

Result<void> write_file_atomically(const std::string& path, std::string_view content) {
  return replace_file(path, content, Readers::as_usual);
}

Result<void> write_private_file_atomically(const std::string& path, std::string_view content) {
  return replace_file(path, content, Readers::owner_only);
}

Result<void> remove_tree(const std::string& root) {
  // A process that is just dying may still add a file to a directory that we have emptied.
  Result<void> removed;
  for (int attempt = 0; attempt < 3; ++attempt) {
    removed = TreeRemoval(root).remove();
    if (removed) break;
  }
  return removed;
}

Result<std::string> make_private_directory(const std::string& parent, const std::string& prefix) {
  std::string path = fmt::format("{}/{}XXXXXX", parent, prefix);
  if (::mkdtemp(path.data()) == nullptr)
    return file_trouble(parent, "make a directory in it", errno);
  return path;
}

std::optional<std::string> chosen_temporary_root() {
  const char* root = std::getenv("TMPDIR");
  if (root == nullptr || *root == '\0') return std::nullopt;
  return std::string(root);
}

}  // namespace heddle
