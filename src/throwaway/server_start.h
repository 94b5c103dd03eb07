// How the program of a throwaway server is started, and what is said when that fails.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/process.h"
#include "heddle/result.h"
#include "throwaway/directory.h"

namespace heddle {

// One start, on its way. REQUIRES: the directory outlives it.
struct ServerStart {
  std::string product;  // "PostgreSQL"
  const ThrowawayDirectory& directory;
  std::optional<Account> account;  // to run as, where that is someone else
  std::uint32_t timeout_ms = 0;    // of each stage
};

// The first of these accounts that exists, for servers that refuse to run as root; none where the
// server may run as ourselves. Error: there is none of them.
Result<std::optional<Account>> server_account(const std::string& product,
                                              const std::vector<std::string>& names);

// With what a server needs of our environment, in its data directory. The first argument is the
// program's path.
Command server_command(const ServerStart& start, std::vector<std::string> arguments);

// Starts the server itself; what it writes goes to the directory's log. `program`: the path, where
// the first argument is another name.
Result<pid_t> launch_server(const ServerStart& start, std::vector<std::string> arguments,
                            const std::string& program = "");

// Asks until it is ready. Errors: the server ended, the time is over; interrupted.
Result<void> wait_until_ready(const ServerStart& start, const std::string& program, pid_t server,
                              const std::function<bool()>& is_ready);

// Ends a server that we have started, and removes its directory. 0: there is none yet.
void end_throwaway(pid_t server, int signal, std::unique_ptr<ThrowawayDirectory> directory);

// "cannot start a temporary PostgreSQL server: <what>: <the cause, as the output names it>".
// `killed`: what it happened to say last means nothing.
Diagnostic start_trouble(const std::string& product, const std::string& what,
                         const std::string& output, bool killed = false);
// The same of a program that has ended.
Diagnostic end_trouble(const std::string& product, const std::string& program,
                       const ProcessOutcome& outcome, const std::string& output);

}  // namespace heddle
