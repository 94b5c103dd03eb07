#include "throwaway/server_start.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "throwaway/server_trouble.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

// initdb says what it is doing and, when it has succeeded, ends the line with "ok" or with what it
// has chosen; what goes wrong in between stands on the rest of the line. The words of the progress
// tell no cause.
std::string without_progress(const std::string& line) {
  constexpr std::string_view kDoing = " ... ";
  const std::size_t doing = line.find(kDoing);
  if (doing == line.npos) return line.ends_with(" ...") ? "" : line;
  const std::string rest(trim(std::string_view(line).substr(doing + kDoing.size())));
  return rest.find(' ') == rest.npos ? "" : rest;
}

// The line that names the cause: the gravest, and of those the first; else the last one, unless
// `killed`: then what it happened to be doing means nothing.
std::string reason_in(const std::string& output, bool killed) {
  constexpr std::string_view kMarks[] = {
      "PANIC:", "FATAL:", "error:", "[ERROR]", "could not", "terminated by"};
  std::vector<std::string> lines;
  for (const std::string& line : split(output, '\n')) {
    std::string told(trim(without_progress(line)));
    if (!told.empty()) lines.push_back(std::move(told));
  }
  if (lines.empty()) return killed ? "" : "it said nothing";
  // A symptom we know says more than any mark.
  for (const std::string& line : lines) {
    if (!advice_for(line).empty()) return line;
  }
  for (const std::string_view mark : kMarks) {
    for (const std::string& line : lines) {
      if (line.find(mark) != line.npos) return line;
    }
  }
  return killed ? "" : lines.back();
}

std::string describe_end(const ProcessOutcome& outcome) {
  if (outcome.timed_out) return "did not end in time";
  if (outcome.signal != 0) return fmt::format("was ended by signal {}", outcome.signal);
  return fmt::format("failed with exit code {}", outcome.exit_code);
}

std::string log_of(const ThrowawayDirectory& directory) {
  const Result<std::string> log = read_file(directory.log());
  return log ? *log : "";
}

}  // namespace

Diagnostic start_trouble(const std::string& product, const std::string& what,
                         const std::string& output, bool killed) {
  const std::string reason = reason_in(output, killed);
  return store_trouble(fmt::format("cannot start a temporary {} server: {}{}{}", product, what,
                                   reason.empty() ? "" : ": ", reason),
                       advice_for(reason));
}

Diagnostic end_trouble(const std::string& product, const std::string& program,
                       const ProcessOutcome& outcome, const std::string& output) {
  return start_trouble(product, program + " " + describe_end(outcome), output, outcome.signal != 0);
}

Result<std::optional<Account>> server_account(const std::string& product,
                                              const std::vector<std::string>& names) {
  if (::geteuid() != 0) return std::optional<Account>();
  for (const std::string& name : names) {
    if (std::optional<Account> account = find_account(name)) return account;
  }
  return Diagnostic{.what = fmt::format("{} refuses to run as root, and there is no user {}",
                                        product, join(names, " or ")),
                    .what_to_do = "run heddle as another user",
                    .file = {},
                    .position = {},
                    .trouble = Trouble::environment};
}

Command server_command(const ServerStart& start, std::vector<std::string> arguments) {
  std::vector<std::string> environment = inherited_environment({"PATH", "LD_LIBRARY_PATH"});
  // initdb otherwise compares all time zones there are with the machine's.
  environment.insert(environment.end(), {"TZ=UTC", "LC_ALL=C"});
  return {.arguments = std::move(arguments),
          .environment = std::move(environment),
          .working_directory = start.directory.data(),
          .account = start.account};
}

Result<pid_t> launch_server(const ServerStart& start, std::vector<std::string> arguments,
                            const std::string& program) {
  const std::string path = start.directory.log();
  const FileDescriptor log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.is_open()) return file_trouble(path, "make the server's log", errno);
  Command command = server_command(start, std::move(arguments));
  command.program = program;
  return start_process(command, log.get());
}

Result<void> wait_until_ready(const ServerStart& start, const std::string& program, pid_t server,
                              const std::function<bool()>& is_ready) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(start.timeout_ms);
  for (int nap_ms = 1;; nap_ms = std::min(nap_ms * 2, 20)) {
    if (is_ready()) return {};
    if (const std::optional<ProcessOutcome> outcome = reap_process(server))
      return end_trouble(start.product, program, *outcome, log_of(start.directory));
    if (Clock::now() >= deadline) {
      return start_trouble(start.product, program + " was not ready in time",
                           log_of(start.directory));
    }
    pollfd interrupt{interrupt_fd(), POLLIN, 0};
    ::poll(&interrupt, 1, nap_ms);
    if (interrupted())
      return Diagnostic{.what = "interrupted",
                        .what_to_do = {},
                        .file = {},
                        .position = {},
                        .trouble = Trouble::interrupted};
  }
}

void end_throwaway(pid_t server, int signal, std::unique_ptr<ThrowawayDirectory> directory) {
  if (server != 0 && !reap_process(server)) ::kill(server, signal);
  directory.reset();
  if (server == 0 || reap_process(server)) return;
  ::kill(server, SIGKILL);
  while (::waitpid(server, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace heddle
