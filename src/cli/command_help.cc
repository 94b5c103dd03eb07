// heddle help: what heddle and each of its commands do.
#include <string>

#include "cli/commands.h"
#include "cli/manual.h"
#include "cli/options/command.h"
#include "cli/options/help.h"
#include "cli/options/options.h"
#include "cli/output/output.h"

namespace heddle {

namespace {

Result<std::string> help_text(const Arguments& arguments) {
  if (arguments.has("--man")) return manual_page(arguments.version());
  if (arguments.inputs().empty()) return overview();
  const Result<const CommandDefinition*> command = find_command(arguments.inputs().front());
  if (!command) return command.error();
  return help_for(**command);
}

Result<ExitCode> run_help(const Arguments& arguments) {
  const Result<std::string> text = help_text(arguments);
  if (!text) return text.error();
  Result<Output> output = Output::open("");
  if (!output) return output.error();
  if (Result<void> written = output->write(*text); !written) return written.error();
  return ExitCode::nothing_found;
}

}  // namespace

const CommandDefinition& help_command() {
  static const CommandDefinition definition = {
      .word = "help",
      .summary = "explain heddle, or one of its commands",
      .arguments = "[COMMAND]",
      .fewest_arguments = 0,
      .most_arguments = 1,
      .choices = {"explore", "replay", "check", "find", "split", "record", "race", "hold", "clean",
                  "help", "completion"},
      .description = {"Without a command, the list of commands."},
      .examples = {{"heddle help explore", "what explore does and which options it has"},
                   {"heddle help --man | man -l -", "everything, as a manual page"}},
      .options = {{.name = "--man",
                   .group = "Output",
                   .meaning = "Print the manual page of heddle, in the roff format of man."}},
      .exit_codes = {{ExitCode::nothing_found, "the help was printed"},
                     {ExitCode::trouble, "there is no such command"}},
      .run = run_help};
  return definition;
}

}  // namespace heddle
