// Other programs: started without a shell, in a process group of their own, so that the terminal's
// Ctrl-C reaches heddle alone, which then decides what becomes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "heddle/result.h"

namespace heddle {

// A user of this machine.
struct Account {
  std::string name;
  uid_t user = 0;
  gid_t group = 0;
};

// The account of that name, or none.
std::optional<Account> find_account(const std::string& name);

// The name of the user that this process is, or none.
std::optional<std::string> own_account();

struct Command {
  std::vector<std::string> arguments;    // the first is the program's path, or as below
  std::vector<std::string> environment;  // "NAME=value", all of it; the last of a name counts
  std::string working_directory;         // empty: this process's
  std::optional<Account> account;        // to become, from root
  std::string input = {};                // a file to read; empty: nothing
  std::string program = {};              // its path, where the first argument is another name
  bool has_terminal = false;             // reads and writes where this process does
};

// The whole environment of this process, as "NAME=value".
std::vector<std::string> whole_environment();
// The path of the program that a shell would run for that name; empty: there is none.
std::string find_program(const std::string& name);

// "NAME=value" for those of `names` that are set in this process.
std::vector<std::string> inherited_environment(const std::vector<std::string>& names);

struct ProcessOutcome {
  int exit_code = 0;       // meaningless when a signal ended it
  int signal = 0;          // 0: it ended by itself
  bool timed_out = false;  // and was killed for it
  std::string output;      // standard output and error as they came, the first `output_limit` bytes

  bool succeeded() const { return exit_code == 0 && signal == 0 && !timed_out; }
};

inline constexpr std::size_t kDefaultOutputLimit = std::size_t{1} << 20;

// Runs a program to its end and takes what it writes. When the time is over, or
// an interrupt comes, its process group is killed. Errors: it cannot be started (the diagnostic
// says why); interrupted. That the program fails is an outcome, not an error.
Result<ProcessOutcome> run_process(const Command& command, std::uint32_t timeout_ms,
                                   std::size_t output_limit = kDefaultOutputLimit);

// Starts a program in a session of its own, with output and errors going to `output` (nowhere
// where it has the terminal), and returns once the program runs. The caller must wait for it.
Result<pid_t> start_process(const Command& command, int output);

// Runs a command where this process reads and writes, to its end. Its program is looked for as a
// shell does. Errors: bad_input where there is none; interrupted, and the command was ended.
// `meanwhile` is called every few milliseconds.
Result<ProcessOutcome> run_in_terminal(const std::vector<std::string>& arguments,
                                       std::vector<std::string> environment,
                                       const std::function<void()>& meanwhile = {});

// How a child ended, or none while it runs. A child that someone else has waited for counts as
// ended.
std::optional<ProcessOutcome> reap_process(pid_t child);

// From now on this process gets at most so many bytes more for its data than it has, and asking for
// more throws std::bad_alloc. Nothing under AddressSanitizer, which takes that for an error.
void limit_memory(std::size_t more_bytes);

}  // namespace heddle
