// heddle clean: the databases that dead runs left on a given server.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/options/command.h"
#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "cli/output/output.h"
#include "store/address_text.h"
#include "store/open/open.h"
#include "store/open/store_profiles.h"
#include "store/server_runs.h"

namespace heddle {

namespace {

std::string count_of(std::size_t count) {
  return fmt::format("{} database{}", count, count == 1 ? "" : "s");
}

Result<void> check_address(const std::string& address) {
  const bool is_given = address.find("://") != address.npos || address.find('=') != address.npos;
  constexpr std::string_view kUse =
      "name a given server: postgres://user@host:port/ or mysql://user@host:port/";
  const StoreProfile* const profile = find_store_profile(address);
  if (profile != nullptr && profile->kind == StoreKind::redis) {
    return Diagnostic{.what =
                          "on Redis heddle makes no databases, and whose keys are in one cannot "
                          "be told afterwards",
                      .what_to_do = std::string(kUse)};
  }
  if (is_given && profile != nullptr && profile->has_databases) return {};
  if (is_given) {
    return unreadable_address(address, "heddle knows no such store",
                              "postgres://user@host:port/ or mysql://user@host:port/");
  }
  return Diagnostic{.what = fmt::format("{} names no given server", without_password(address)),
                    .what_to_do = std::string(kUse)};
}

// What is found on one server and what becomes of it; false: something could not be dropped.
Result<bool> clean_server(const std::string& address, bool drops, Output& output) {
  if (auto checked = check_address(address); !checked) return checked.error();
  auto server = open_server_runs(address);
  if (!server) return server.error();
  const auto found = find_leftovers(**server);
  if (!found) return found.error();
  const std::string shown = without_password(address);
  std::string text =
      fmt::format("{}: {} of runs that are dead\n", shown, count_of(found->abandoned.size()));
  bool is_done = true;
  for (const std::string& name : found->abandoned) {
    const Result<void> dropped = drops ? (*server)->drop(name) : Result<void>();
    is_done = is_done && dropped;
    if (!dropped) print_warning({.what = "cannot drop " + name + ": " + dropped.error().what});
    text += fmt::format("  {}{}\n", name, !drops ? "" : dropped ? ": dropped" : ": not dropped");
  }
  if (!found->in_use.empty()) {
    text += fmt::format(
        "{} of runs that live, or somebody is connected to one of the run's: left "
        "alone\n",
        count_of(found->in_use.size()));
  }
  if (!drops && !found->abandoned.empty()) text += "nothing was dropped; --drop drops them\n";
  if (auto written = output.write(text); !written) return written.error();
  return is_done;
}

Result<ExitCode> run_clean(const Arguments& arguments) {
  if (!arguments.has("--on")) {
    return Diagnostic{.what = "heddle clean needs --on=ADDRESS",
                      .what_to_do = "name the given server, as in --on=postgres://user@host:port/"};
  }
  Result<Output> output = Output::open("");
  if (!output) return output.error();
  bool is_done = true;
  for (const std::string& address : arguments.texts("--on")) {
    Result<bool> cleaned = clean_server(address, arguments.has("--drop"), *output);
    if (!cleaned) return without_passwords_of(address, cleaned.error());
    is_done = is_done && *cleaned;
  }
  return is_done ? ExitCode::nothing_found : ExitCode::trouble;
}

}  // namespace

const CommandDefinition& clean_command() {
  static const CommandDefinition definition = {
      .word = "clean",
      .summary = "show and drop what killed runs left on a given server",
      .arguments = "",
      .description =
          {"On a given server heddle works in databases of its own, named heddle_RUN_OWN, and "
           "drops "
           "them at the end, also after kill -9: a guard process sees to that. Where both were "
           "killed, or the server could not be reached, they stay. This command shows them, and "
           "drops them if it is told to.",
           "It takes only names of this form, and of those only databases of runs that are dead: "
           "each run holds a lock on the server as long as it lives, wherever it runs. Numbers of "
           "processes and ages decide nothing."},
      .examples = {{"heddle clean --on=postgres://me@db.example/", "what there is"},
                   {"heddle clean --on=mysql://me@db.example/ --drop", "and away with it"}},
      .options = {{.name = "--on",
                   .value = "ADDRESS",
                   .kind = ValueKind::text,
                   .group = "What to look at",
                   .meaning = "The server: \"postgres://user@host:port/\" or "
                              "\"mysql://user@host:port/\".",
                   .repeatable = true},
                  {.name = "--drop",
                   .group = "What to do",
                   .meaning = "Drop what is shown. Without it nothing changes."}},
      .exit_codes = {{ExitCode::nothing_found, "it was shown, or dropped"},
                     {ExitCode::trouble,
                      "an option or the server is at fault, or something could "
                      "not be dropped"}},
      .run = run_clean};
  return definition;
}

}  // namespace heddle
