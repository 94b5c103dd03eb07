// heddle completion: scripts that let a shell complete heddle's command line.
#include <string>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/options/command.h"
#include "cli/options/options.h"
#include "cli/output/output.h"

namespace heddle {

namespace {

struct Shell {
  std::string_view name;
  std::string (*script)();
};

constexpr Shell kShells[] = {{"bash", bash_completion}, {"zsh", zsh_completion}};

Result<ExitCode> run_completion(const Arguments& arguments) {
  const std::string& name = arguments.inputs().front();
  for (const Shell& shell : kShells) {
    if (shell.name != name) continue;
    Result<Output> output = Output::open("");
    if (!output) return output.error();
    if (Result<void> written = output->write(shell.script()); !written) return written.error();
    return ExitCode::nothing_found;
  }
  return Diagnostic{.what = "there is no completion for the shell \"" + name + "\"",
                    .what_to_do = "use one of: bash, zsh"};
}

}  // namespace

const CommandDefinition& completion_command() {
  static const CommandDefinition definition = {
      .word = "completion",
      .summary = "print a completion script for bash or zsh",
      .arguments = "SHELL",
      .fewest_arguments = 1,
      .most_arguments = 1,
      .choices = {"bash", "zsh"},
      .description = {"cmake --install puts the scripts where the shells look for them; this "
                      "command is for other ways of installing."},
      .examples = {{"source <(heddle completion bash)", "in this shell"},
                   {"heddle completion zsh > ~/.zsh/_heddle", "for zsh, where ~/.zsh is in fpath"}},
      .exit_codes = {{ExitCode::nothing_found, "the script was printed"},
                     {ExitCode::trouble, "there is no script for that shell"}},
      .run = run_completion};
  return definition;
}

}  // namespace heddle
