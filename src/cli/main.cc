// heddle: options, then the command, then the exit code.
#include <csignal>
#include <exception>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/bounds.h"
#include "base/interrupt.h"
#include "base/printable.h"
#include "cli/command_bounds.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options/command.h"
#include "cli/options/help.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "cli/settings_file.h"
#include "store/address_text.h"
#include "store/client_environment.h"
#include "store/open/open.h"

namespace {

using heddle::ExitCode;
using heddle::Result;

// Shells call a program that a signal ended 128 and the signal's number.
int status_of(ExitCode code) {
  if (code != ExitCode::interrupted) return static_cast<int>(code);
  if (heddle::is_signalled()) return 128 + heddle::interrupt_signal();
  // A bound of the command ends its work as a signal does.
  return static_cast<int>(heddle::stop_reason().empty() ? code : ExitCode::unknown);
}

Result<ExitCode> print(const std::string& text) {
  Result<heddle::Output> output = heddle::Output::open("");
  if (!output) return output.error();
  if (Result<void> written = output->write(text); !written) return written.error();
  return ExitCode::nothing_found;
}

// Whatever the message is about, and however badly an address in the command line is written.
heddle::Diagnostic without_passwords(heddle::Diagnostic trouble,
                                     const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t sign = word.starts_with("-") ? word.find('=') : std::string::npos;
    std::string value = sign == std::string::npos ? word : word.substr(sign + 1);
    if (heddle::may_hold_password(value)) {
      trouble = heddle::without_passwords_of(value, std::move(trouble));
    }
  }
  return trouble;
}

// Until a command brings things to a good end itself there is nothing to be ended well.
extern "C" void end_at_once(int signal) { ::_exit(128 + signal); }

// What is ignored, as under nohup, stays so.
void end_at_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, end_at_once) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool asks_for_help(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

Result<ExitCode> run(std::vector<std::string> words) {
  if (words.empty()) {
    return heddle::Diagnostic{.what = "no command was given",
                              .what_to_do = "see \"heddle --help\""};
  }
  if (words.front() == "--help" || words.front() == "-h") return print(heddle::overview());
  if (words.front() == "--version") return print("heddle " HEDDLE_VERSION "\n");

  const Result<const heddle::CommandDefinition*> command = heddle::find_command(words.front());
  if (!command) return command.error();
  words.erase(words.begin());
  if (asks_for_help(words)) return print(heddle::help_for(**command));
  Result<heddle::Arguments> arguments = heddle::parse_arguments(**command, words, HEDDLE_VERSION);
  if (!arguments) return arguments.error();
  if (Result<void> applied = heddle::apply_settings(*arguments); !applied) return applied.error();
  return (*command)->run(*arguments);
}

}  // namespace

int main(int count, char** values) {
  // A reader that goes away (heddle ... | head) is an error of writing, not a death without
  // cleaning up.
  std::signal(SIGPIPE, SIG_IGN);
  end_at_signals();
  heddle::take_client_environment();
  heddle::tell_of_ignored_variables(
      [](const std::string& line) { heddle::print_warning({.what = line}); });
  try {
    const std::vector<std::string> words(values + 1, values + count);
    const Result<ExitCode> code = run(words);
    if (code) return status_of(*code);
    const heddle::Diagnostic trouble = heddle::naming_bound(code.error());
    heddle::print_diagnostic(without_passwords(trouble, words));
    return status_of(heddle::exit_code_of(trouble));
  } catch (const std::exception& error) {
    heddle::print_message("heddle: " + heddle::shown_message(error.what()) + "\n");
    return static_cast<int>(ExitCode::trouble);
  }
}
