#include "base/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <ranges>
#include <set>
#include <signal.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/interrupt.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

// What the child does between fork and exec, for the message when it fails.
enum class Stage : int { account, directory, input, program };

struct Failure {
  Stage stage = Stage::program;
  int error_number = 0;
};

// argv and envp, built before the fork: the child may not allocate.
class StringTable {
 public:
  explicit StringTable(const std::vector<std::string>& strings) {
    for (const std::string& string : strings)
      pointers_.push_back(
          const_cast<char*>(string.c_str()));  // exec's signature, it does not write
    pointers_.push_back(nullptr);
  }
  char* const* get() const { return pointers_.data(); }

 private:
  std::vector<char*> pointers_;
};

// Programs differ in which of two values of one variable they take.
std::vector<std::string> last_values(const std::vector<std::string>& environment) {
  std::set<std::string_view> named;
  std::vector<std::string> last;
  for (const std::string& each : std::views::reverse(environment)) {
    if (named.insert(std::string_view(each).substr(0, each.find('='))).second) last.push_back(each);
  }
  std::ranges::reverse(last);
  return last;
}

// Only async-signal-safe calls from here to exec: other threads may hold any lock.
[[noreturn]] void fail_in_child(int report, Stage stage) {
  const Failure failure{stage, errno};
  [[maybe_unused]] const ssize_t written = ::write(report, &failure, sizeof failure);
  ::_exit(127);
}

void reset_signals_in_child() {
  struct sigaction fresh{};
  fresh.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &fresh, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void become(const Account& account, int report) {
  if (::setgroups(1, &account.group) != 0 || ::setgid(account.group) != 0 ||
      ::setuid(account.user) != 0)
    fail_in_child(report, Stage::account);
}

constexpr int kReport = STDERR_FILENO + 1;
constexpr int kFirstFree = kReport + 1;

const std::string& path_of(const Command& command) {
  return command.program.empty() ? command.arguments.front() : command.program;
}

[[noreturn]] void run_child(const Command& command, char* const* arguments,
                            char* const* environment, int output, int report) {
  ::setsid();
  reset_signals_in_child();
  // Out of the way of the numbers below, which are taken when heddle was started without them.
  report = ::fcntl(report, F_DUPFD, kFirstFree);
  if (!command.has_terminal) {
    output = ::fcntl(output, F_DUPFD, kFirstFree);
    const int input = ::open(command.input.empty() ? "/dev/null" : command.input.c_str(), O_RDONLY);
    if (input < 0) fail_in_child(report, Stage::input);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
  }
  // Before the account changes, because only root may be able to enter.
  if (!command.working_directory.empty() && ::chdir(command.working_directory.c_str()) != 0)
    fail_in_child(report, Stage::directory);
  if (command.account) become(*command.account, report);
  // What was opened without O_CLOEXEC, here or by whoever started heddle, is none of its business.
  ::dup2(report, kReport);
  ::fcntl(kReport, F_SETFD, FD_CLOEXEC);
  ::closefrom(kReport + 1);
  ::execve(path_of(command).c_str(), arguments, environment);
  fail_in_child(kReport, Stage::program);
}

Diagnostic start_trouble(const Command& command, const Failure& failure) {
  const std::string reason = std::generic_category().message(failure.error_number);
  const std::string& program = path_of(command);
  Diagnostic diagnostic;
  diagnostic.trouble = Trouble::environment;
  switch (failure.stage) {
    case Stage::account:
      diagnostic.what = fmt::format("cannot run {} as the user {}: {}", program,
                                    command.account ? command.account->name : "", reason);
      break;
    case Stage::directory:
      diagnostic.what =
          fmt::format("cannot run {} in {}: {}", program, command.working_directory, reason);
      break;
    case Stage::input:
      diagnostic.what = fmt::format("cannot run {}: its input {}: {}", program,
                                    command.input.empty() ? "/dev/null" : command.input, reason);
      break;
    case Stage::program:
      diagnostic.what = fmt::format("cannot run {}: {}", program, reason);
      break;
  }
  return diagnostic;
}

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return file_trouble("", "make a pipe", errno);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// The child's failure to start, or none once it runs: exec closes its end.
std::optional<Failure> read_failure(int report) {
  Failure failure;
  ssize_t count = 0;
  do {
    count = ::read(report, &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count == sizeof failure) return failure;
  return std::nullopt;
}

int remaining_ms(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

// Kills the program, and its group a moment later: what it has started mostly ends by itself and in
// good order once the program is gone, as initdb's servers do, which would else leave shared
// memory.
void kill_group(pid_t leader) {
  constexpr int kGraceMs = 500;
  ::kill(leader, SIGKILL);
  while (::waitpid(leader, nullptr, 0) < 0 && errno == EINTR) {
  }
  for (int waited = 0; waited < kGraceMs && ::kill(-leader, 0) == 0; waited += 5)
    ::poll(nullptr, 0, 5);
  ::kill(-leader, SIGKILL);
}

// Takes what is there to read. False once the other end is closed.
bool take_output(int fd, std::string& output, std::size_t limit) {
  std::array<char, 4096> chunk;
  const ssize_t count = ::read(fd, chunk.data(), chunk.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  const std::size_t room = limit - std::min(limit, output.size());
  output.append(chunk.data(), std::min(static_cast<std::size_t>(count), room));
  return count > 0;
}

// A program may end while a grandchild keeps its output open, or close its output and go on: both
// its end and the pipe's are watched, the former every few milliseconds.
Result<ProcessOutcome> watch_until(pid_t child, FileDescriptor output, std::uint32_t timeout_ms,
                                   std::size_t output_limit) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  std::string text;
  for (;;) {
    const int left = remaining_ms(deadline);
    pollfd entries[2] = {{interrupt_fd(), POLLIN, 0}, {output.get(), POLLIN, 0}};
    const int tick_ms = output.is_open() ? 5 : 1;
    ::poll(entries, output.is_open() ? 2 : 1, std::min(left, tick_ms));
    const bool spoke = output.is_open() && entries[1].revents != 0;
    if (spoke && !take_output(output.get(), text, output_limit)) output.reset();
    if (interrupted()) {
      kill_group(child);
      return Diagnostic{.what = "interrupted",
                        .what_to_do = {},
                        .file = {},
                        .position = {},
                        .trouble = Trouble::interrupted};
    }
    if (std::optional<ProcessOutcome> outcome = reap_process(child)) {
      // A grandchild that keeps writing must not keep us.
      for (int chunk = 0; chunk < 256 && output.is_open(); ++chunk) {
        const std::size_t before = text.size();
        if (!take_output(output.get(), text, output_limit) || text.size() == before) break;
      }
      outcome->output = std::move(text);
      return *std::move(outcome);
    }
    if (left == 0) {
      kill_group(child);
      ProcessOutcome outcome;
      outcome.signal = SIGKILL;
      outcome.timed_out = true;
      outcome.output = std::move(text);
      return outcome;
    }
  }
}

}  // namespace

std::optional<Account> find_account(const std::string& name) {
  std::vector<char> buffer(1 << 14);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr)
    return std::nullopt;
  return Account{name, entry.pw_uid, entry.pw_gid};
}

std::optional<std::string> own_account() {
  std::vector<char> buffer(1 << 14);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr)
    return std::nullopt;
  return std::string(entry.pw_name);
}

std::vector<std::string> inherited_environment(const std::vector<std::string>& names) {
  std::vector<std::string> environment;
  for (const std::string& name : names) {
    if (const char* value = std::getenv(name.c_str()))
      environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

std::vector<std::string> whole_environment() {
  std::vector<std::string> all;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) all.emplace_back(*each);
  return all;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    struct stat found{};
    const bool is_file = ::stat(candidate.c_str(), &found) == 0 && S_ISREG(found.st_mode);
    if (is_file && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

Result<pid_t> start_process(const Command& command, int output) {
  HEDDLE_ASSERT(!command.arguments.empty());
  const StringTable arguments(command.arguments);
  const std::vector<std::string> variables = last_values(command.environment);
  const StringTable environment(variables);
  Result<Pipe> report = make_pipe();
  if (!report) return report.error();
  const pid_t child = ::fork();
  if (child < 0) return file_trouble(path_of(command), "start a process for it", errno);
  if (child == 0)
    run_child(command, arguments.get(), environment.get(), output, report->write_end.get());
  report->write_end.reset();
  if (const std::optional<Failure> failure = read_failure(report->read_end.get())) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return start_trouble(command, *failure);
  }
  return child;
}

std::optional<ProcessOutcome> reap_process(pid_t child) {
  int status = 0;
  pid_t waited = 0;
  do {
    waited = ::waitpid(child, &status, WNOHANG);
  } while (waited < 0 && errno == EINTR);
  if (waited == 0) return std::nullopt;
  ProcessOutcome outcome;
  if (waited < 0) return outcome;
  if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
  else
    outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

Result<ProcessOutcome> run_process(const Command& command, std::uint32_t timeout_ms,
                                   std::size_t output_limit) {
  Result<Pipe> output = make_pipe();
  if (!output) return output.error();
  const Result<pid_t> child = start_process(command, output->write_end.get());
  if (!child) return child.error();
  output->write_end.reset();
  return watch_until(*child, std::move(output->read_end), timeout_ms, output_limit);
}

Result<ProcessOutcome> run_in_terminal(const std::vector<std::string>& arguments,
                                       std::vector<std::string> environment,
                                       const std::function<void()>& meanwhile) {
  constexpr int kBetweenLooksMs = 10;
  Command command;
  command.arguments = arguments;
  command.environment = std::move(environment);
  command.program = find_program(arguments.front());
  command.has_terminal = true;
  if (command.program.empty()) {
    return Diagnostic{.what = fmt::format("there is no program \"{}\"", arguments.front()),
                      .what_to_do = "write a command behind --, as in: -- npm test"};
  }
  const Result<pid_t> child = start_process(command, -1);
  if (!child) return child.error();
  while (true) {
    if (auto outcome = reap_process(*child)) return *std::move(outcome);
    if (meanwhile) meanwhile();
    pollfd interrupt{interrupt_fd(), POLLIN, 0};
    ::poll(&interrupt, 1, kBetweenLooksMs);
    if (!interrupted()) continue;
    ::kill(-*child, SIGTERM);
    while (::waitpid(*child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
  }
}

void limit_memory(std::size_t more_bytes) {
#ifndef __SANITIZE_ADDRESS__
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return;
  std::array<unsigned long, 6> pages{};                          // the last is data and stack
  const int read = std::fscanf(file, "%lu %lu %lu %lu %lu %lu",  // NOLINT(cert-err34-c)
                               &pages[0], &pages[1], &pages[2], &pages[3], &pages[4], &pages[5]);
  std::fclose(file);
  if (read != 6) return;
  const rlim_t limit = pages[5] * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
  struct rlimit current{};
  if (getrlimit(RLIMIT_DATA, &current) != 0) return;
  current.rlim_cur = std::min(limit, current.rlim_max);
  setrlimit(RLIMIT_DATA, &current);
#else
  static_cast<void>(more_bytes);
#endif
}

}  // namespace heddle
