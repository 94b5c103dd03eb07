#include "throwaway/directory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <linux/magic.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "throwaway/guard.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view kDirectoryPrefix = "heddle-";
constexpr std::size_t kSuffixLength = 6;
constexpr const char* kMemoryRoot = "/dev/shm";
constexpr const char* kDiskRoot = "/tmp";
constexpr std::uint64_t kPlentyOfMemory = std::uint64_t{1} << 30;
constexpr GuardedKind kGuardedDirectories = {
    .remove =
        [](const std::string& path, const std::string& /*where*/) {
          destroy_throwaway(path);
          return true;
        },
    .patience = std::chrono::seconds(0)};
// The socket's name below the directory; the kernel bounds the length of the whole path.
constexpr std::string_view kSocketBelow = "/heddle-XXXXXX/socket/.s.PGSQL.5432";
// After five seconds the postmaster itself kills children that do not end.
constexpr milliseconds kGentleWait{8000};
constexpr milliseconds kForcedWait{5000};
// Without a postmaster, its children end by themselves, as do those of initdb.
constexpr milliseconds kOrphanWait{2000};
// A directory without a lock file is being made, unless it is older than this.
constexpr std::time_t kTimeToLockS = 60;
// initdb and postgres start other programs through the shell.
constexpr std::string_view kInitdb = "initdb";
constexpr std::string_view kMariadb = "mariadbd";
constexpr std::string_view kRedis = "redis-server";
constexpr std::string_view kRedisTool = "redis-check-rdb";
constexpr std::string_view kJava = "java";  // runs programs whose methods are executed
constexpr std::array<std::string_view, 7> kServerPrograms = {"postgres", kInitdb,    "sh", kMariadb,
                                                             kRedis,     kRedisTool, kJava};
// Processes that end with nothing left behind, whatever ends them.
constexpr std::array<std::string_view, 5> kKilled = {kInitdb, kMariadb, kRedis, kRedisTool, kJava};

template <class Number>
std::optional<Number> to_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string link_target(const std::string& path) {
  std::array<char, 4096> target;
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  return length < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(length));
}

// As the kernel knows it; empty when the process is gone.
std::string program_of(pid_t process) {
  const Result<std::string> name = read_file(fmt::format("/proc/{}/comm", process));
  return name ? std::string(trim(*name)) : "";
}

bool is_server_program(pid_t process) {
  return std::ranges::find(kServerPrograms, program_of(process)) != kServerPrograms.end();
}

// The lines of postmaster.pid: process, data directory, ..., "shared memory key and id", status.
std::vector<std::string> postmaster_lines(const std::string& data) {
  const Result<std::string> text = read_file(data + "/postmaster.pid", 1 << 16);
  return text ? split(*text, '\n') : std::vector<std::string>();
}

std::optional<pid_t> postmaster_among(const std::vector<pid_t>& processes,
                                      const std::string& data) {
  const std::vector<std::string> lines = postmaster_lines(data);
  if (lines.empty()) return std::nullopt;
  // A standalone backend (of initdb) writes its number negated.
  const std::optional<pid_t> process = to_number<pid_t>(trim(lines.front()));
  if (!process || std::ranges::find(processes, *process) == processes.end()) return std::nullopt;
  return process;
}

// Waits until nothing works in `data`. False when the time is over first.
bool wait_for_end(const std::string& data, milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  for (milliseconds nap{1};; nap = std::min(nap * 2, milliseconds(50))) {
    if (processes_in(data).empty()) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(nap);
  }
}

// A postmaster that was killed leaves its small System V segment, its lock against a second one.
void remove_shared_memory(const std::string& data) {
  const std::vector<std::string> lines = postmaster_lines(data);
  constexpr std::size_t kSharedMemoryLine = 6;
  if (lines.size() <= kSharedMemoryLine) return;
  const std::string_view line = trim(lines[kSharedMemoryLine]);
  const std::optional<int> id = to_number<int>(line.substr(line.rfind(' ') + 1));
  struct stat owner{};
  shmid_ds segment{};
  if (!id || ::stat(data.c_str(), &owner) != 0 || ::shmctl(*id, IPC_STAT, &segment) != 0) return;
  if (segment.shm_perm.uid == owner.st_uid && segment.shm_nattch == 0)
    ::shmctl(*id, IPC_RMID, nullptr);
}

// Whether `account` may enter the directory, by the permission bits.
bool may_enter(const std::string& directory, const Account& account) {
  fs::path path;
  for (const fs::path& part : fs::path(directory)) {
    path /= part;
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return false;
    const mode_t needed = status.st_uid == account.user    ? S_IXUSR
                          : status.st_gid == account.group ? S_IXGRP
                                                           : S_IXOTH;
    if ((status.st_mode & needed) == 0) return false;
  }
  return true;
}

std::string unusable_because(const std::string& root, const std::optional<Account>& account) {
  if (root.size() + kSocketBelow.size() >= sizeof(sockaddr_un::sun_path))
    return "its path is too long for a Unix socket";
  if (root.find(',') != root.npos)
    return "its path has a comma, which PostgreSQL's clients read as a list of hosts";
  if (account && !may_enter(root, *account))
    return fmt::format("the user {}, as whom the server must run, may not enter it", account->name);
  return "";
}

// The first usable root, its links resolved: the kernel names working directories that way.
Result<std::string> choose_root(const std::vector<std::string>& roots,
                                const std::optional<Account>& account) {
  Diagnostic diagnostic;
  for (const std::string& root : roots) {
    std::unique_ptr<char, decltype(&std::free)> real(::realpath(root.c_str(), nullptr), &std::free);
    if (!real) return file_trouble(root, "use as the temporary directory", errno);
    const std::string why = unusable_because(real.get(), account);
    if (why.empty()) return std::string(real.get());
    diagnostic = {.what = "cannot hold a temporary server: " + why,
                  .what_to_do = {},
                  .file = root,
                  .position = {},
                  .trouble = Trouble::environment};
  }
  return diagnostic;
}

Diagnostic with_advice(Diagnostic diagnostic) {
  diagnostic.what_to_do = "set TMPDIR to a directory that can be written to, with a short path";
  return diagnostic;
}

bool is_throwaway_name(const std::string& name) {
  return name.starts_with(kDirectoryPrefix) &&
         name.size() == kDirectoryPrefix.size() + kSuffixLength;
}

// Whether the owner of the directory is dead. The lock, if there is one, is taken and kept.
bool is_abandoned(const std::string& path, FileDescriptor& lock) {
  struct stat status{};
  // Another user could put anything there for us to act upon.
  if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid())
    return false;
  lock = FileDescriptor(::open((path + "/lock").c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!lock.is_open())
    return errno == ENOENT && std::time(nullptr) - status.st_mtime > kTimeToLockS;
  return ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

bool is_roomy_memory(const char* root) {
  struct statfs status{};
  return ::statfs(root, &status) == 0 && status.f_type == TMPFS_MAGIC &&
         ::access(root, W_OK | X_OK) == 0 &&
         static_cast<std::uint64_t>(status.f_bavail) * static_cast<std::uint64_t>(status.f_bsize) >=
             kPlentyOfMemory;
}

}  // namespace

Result<std::unique_ptr<ThrowawayDirectory>> ThrowawayDirectory::create(
    const std::vector<std::string>& roots, const std::optional<Account>& account) {
  if (Result<void> guarded = guard_start(); !guarded) return guarded.error();
  const Result<std::string> root = choose_root(roots, account);
  if (!root) return with_advice(root.error());
  for (;;) {
    Result<std::string> path = make_private_directory(*root, std::string(kDirectoryPrefix));
    if (!path) return with_advice(path.error());
    guard_add(kGuardedDirectories, *path);
    std::unique_ptr<ThrowawayDirectory> directory(new ThrowawayDirectory(std::move(*path)));
    if (!directory->lock()) continue;
    if (Result<void> populated = directory->populate(account); !populated)
      return with_advice(populated.error());
    return directory;
  }
}

bool ThrowawayDirectory::lock() {
  const std::string file = path_ + "/lock";
  lock_ = FileDescriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock_.is_open()) return errno != ENOENT;  // populate() will say why
  struct stat status{};
  return ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(lock_.get(), &status) == 0 &&
         status.st_nlink > 0;
}

Result<void> ThrowawayDirectory::populate(const std::optional<Account>& account) {
  if (!lock_.is_open()) return file_trouble(path_, "make a file in it", errno);
  // The server may pass through, but the lock and the name stay ours.
  if (account && (::chown(path_.c_str(), ::geteuid(), account->group) != 0 ||
                  ::chmod(path_.c_str(), 0710) != 0))
    return file_trouble(path_, "give access to the server", errno);
  for (const std::string& directory : {data(), socket_directory()}) {
    if (::mkdir(directory.c_str(), 0700) != 0) return file_trouble(directory, "make", errno);
    if (account && ::chown(directory.c_str(), account->user, account->group) != 0)
      return file_trouble(directory, "give to the server", errno);
  }
  return {};
}

ThrowawayDirectory::~ThrowawayDirectory() {
  destroy_throwaway(path_);
  guard_forget(kGuardedDirectories, path_);
}

// Measured: on a memory file system initdb takes 0.38 s, every time; on the disk of the same
// machine 0.5 to 1.2 s, as its writes go. Making databases gains as well.
std::vector<std::string> throwaway_roots() {
  if (const std::optional<std::string> chosen = chosen_temporary_root())
    return {*chosen, kDiskRoot};
  if (is_roomy_memory(kMemoryRoot)) return {kMemoryRoot, kDiskRoot};
  return {kDiskRoot};
}

std::vector<std::string> leftover_roots() {
  std::vector<std::string> roots = {kMemoryRoot, kDiskRoot};
  if (const std::optional<std::string> chosen = chosen_temporary_root()) roots.push_back(*chosen);
  return roots;
}

void remove_leftovers(const std::vector<std::string>& roots) {
  for (const std::string& root : roots) {
    std::error_code unreadable;
    const fs::path real = fs::canonical(root, unreadable);
    if (unreadable) continue;
    std::vector<std::string> found;
    for (fs::directory_iterator entry(real, unreadable), end; !unreadable && entry != end;
         entry.increment(unreadable)) {
      if (is_throwaway_name(entry->path().filename().string()))
        found.push_back(entry->path().string());
    }
    for (const std::string& path : found) {
      FileDescriptor lock;
      if (is_abandoned(path, lock)) destroy_throwaway(path);
    }
  }
}

std::vector<pid_t> processes_in(const std::string& data) {
  std::vector<pid_t> processes;
  std::error_code unreadable;
  for (fs::directory_iterator entry("/proc", unreadable), end; !unreadable && entry != end;
       entry.increment(unreadable)) {
    const std::optional<pid_t> process = to_number<pid_t>(entry->path().filename().string());
    if (process && link_target(fmt::format("/proc/{}/cwd", *process)) == data &&
        is_server_program(*process))
      processes.push_back(*process);
  }
  return processes;
}

void end_server(const std::string& data) {
  const std::vector<pid_t> processes = processes_in(data);
  const std::optional<pid_t> postmaster = postmaster_among(processes, data);
  if (postmaster) {
    ::kill(*postmaster, SIGQUIT);
    ::kill(*postmaster, SIGCONT);  // it may have been stopped
  }
  // The servers that initdb starts read from it, and end when it does. Killed, they would leave
  // shared memory that nobody finds again. Other servers are single processes without any.
  for (const pid_t process : processes) {
    if (std::ranges::find(kKilled, program_of(process)) != kKilled.end()) {
      ::kill(process, SIGKILL);
    }
  }
  wait_for_end(data, postmaster ? kGentleWait : kOrphanWait);
  // Processes may be forked while the list is made, so more than once.
  const Clock::time_point deadline = Clock::now() + kForcedWait;
  for (;;) {
    const std::vector<pid_t> rest = processes_in(data);
    for (const pid_t process : rest) ::kill(process, SIGKILL);
    if (rest.empty() || Clock::now() >= deadline) break;
    wait_for_end(data, milliseconds(20));
  }
  remove_shared_memory(data);
}

void destroy_throwaway(const std::string& path) {
  end_server(path + "/data");
  // What cannot be removed now is left to the next run; there is nobody to tell.
  [[maybe_unused]] const Result<void> removed = remove_tree(path);
}

}  // namespace heddle
