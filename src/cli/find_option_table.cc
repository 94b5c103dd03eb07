#include "cli/find_option_table.h"

#include <string_view>

#include "cli/command_bounds.h"
#include "cli/exit_code.h"
#include "cli/options/shared_options.h"
#include "cli/output/detail_option.h"
#include "cli/output/warnings.h"
#include "cli/program/chosen_functionalities.h"
#include "cli/program/find_program.h"
#include "cli/program_files.h"
#include "cli/settings_file.h"
#include "cli/suppressions/suppression_list.h"

namespace heddle {

namespace {

std::vector<OptionDefinition> what_options() {
  constexpr std::string_view kWhat = "What to do";
  return {
      {.name = "--list-statements",
       .group = kWhat,
       .meaning = "Print each statement with its place, tables, columns, predicate "
                  "and the conditions under which it runs."},
      {.name = "--print-program",
       .group = kWhat,
       .meaning = "Print the program as it was understood, in PL/pgSQL. Reading that "
                  "gives the same program."},
      {.name = "--isolation",
       .value = "LEVEL",
       .kind = ValueKind::text,
       .group = kWhat,
       .meaning = "Search at this level, such as eventual, snapshot or "
                  "postgres:read-committed; NAME=LEVEL is for that functionality alone. "
                  "Without it a functionality runs at the level that its code sets, else at "
                  "the default of its database.",
       .repeatable = true},
      {.name = "--unit",
       .value = "UNIT",
       .kind = ValueKind::choice,
       .group = kWhat,
       .meaning = "What must look as if it ran alone: a whole functionality (one user's action, "
                  "also where it commits in the middle) or each transaction.",
       .fallback = "functionality",
       .choices = {"functionality", "transaction"}},
      {.name = "--explain",
       .value = "WHAT",
       .kind = ValueKind::choice,
       .group = kWhat,
       .meaning = "why-not lists what is possible where nothing is promised and removed by the "
                  "levels, each with the axioms that remove it.",
       .choices = {"why-not"}},
      {.name = "--repair",
       .group = kWhat,
       .meaning = "Look for the cheapest changes under which no anomaly is left: reads that lock, "
                  "updates that compute by themselves, and levels. Each is searched again."},
      constraints_option(kWhat),
      {.name = "--strict", .group = kWhat, .meaning = "Refuse what cannot be read exactly."},
  };
}

std::vector<OptionDefinition> execution_options() {
  constexpr std::string_view kExecution = "Executing what is found";
  return {
      {.name = "--on",
       .value = "STORE",
       .kind = ValueKind::text,
       .group = kExecution,
       .meaning = "Execute what is found: make up rows, arguments and an order of statements for "
                  "each cause, run them, and compare with all serial orders. \"postgres\" starts a "
                  "private throwaway server that needs nothing but the installed programs and "
                  "leaves nothing behind; \"postgres://user@host:port/\" uses a given server, in "
                  "databases that heddle creates and removes; \"mariadb\" and "
                  "\"mysql://user@host:port/\" are the same of MariaDB, \"mariadb:ring\" is two "
                  "servers that replicate each other; \"replicated\" is a store inside of "
                  "heddle that has the weak levels, such as eventual and causal."},
      fail_on_option(kExecution),
      {.name = "--internal",
       .group = kExecution,
       .meaning =
           "Report only what may leave other rows than any serial order, and how many others "
           "there are; they count for the exit code all the same. With --on the runs tell "
           "which these are; without it, whether what was read goes into what is written."},
      {.name = "--invariants",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = kExecution,
       .meaning = "What must hold when all is done, as items of a spec file: invariant NAME "
                  "{ SELECT ... }. Each executed cause names those that it breaks and no serial "
                  "order does."},
      {.name = "--rows",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = kExecution,
       .meaning = "SQL that fills the tables before anything runs. Without it each cause has rows "
                  "made up for it, which need not keep the invariants."},
      classes_option(kExecution,
                     "Where Java finds the compiled program: folders and archives with colons "
                     "between them. What is confirmed is run once more by the program itself, each "
                     "of its statements held until it is its turn."),
      {.name = "--save",
       .value = "DIR",
       .kind = ValueKind::directory,
       .group = kExecution,
       .meaning = "Write each confirmed cause to DIR/KIND-ID.json for heddle replay, and to a spec "
                  "file beside it."},
      save_unconfirmed_option(kExecution),
  };
}

std::vector<OptionDefinition> limit_options() {
  constexpr std::string_view kLimits = "Limits";
  return {
      step_timeout_option(),
      {.name = "--length",
       .value = "N",
       .kind = ValueKind::count,
       .group = kLimits,
       .meaning = "Search for cycles of at most N operations. Without it 4, and 6 where the "
                  "level rules out lost updates or the program is small."},
      {.name = "--instances",
       .value = "N",
       .kind = ValueKind::count,
       .group = kLimits,
       .meaning = "Search for cycles of at most N transactions. Where the program is small and no "
                  "bound is given, also for some of 4.",
       .fallback = "3"},
      {.name = "--rounds",
       .value = "N",
       .kind = ValueKind::count,
       .group = kLimits,
       .meaning = "Look at the first N rounds of each loop.",
       .fallback = "2"},
      sessions_option(),
      prefix_option(),
      {.name = "--reachable",
       .group = kLimits,
       .meaning = "Take tables into which the program inserts rows to be empty at first, unless "
                  "the constraints speak of them: only what follows from rows that calls before a "
                  "cycle have made, one call at least where --prefix does not say how many."},
      {.name = "--timeout",
       .value = "DURATION",
       .kind = ValueKind::duration,
       .group = kLimits,
       .meaning = "Stop after this time, counted from the beginning, and say what was found and "
                  "executed until then."},
      memory_option(),
      {.name = "--engine",
       .value = "ENGINE",
       .kind = ValueKind::choice,
       .group = kLimits,
       .meaning = "How to search: fast enumerates cycles; ungrouped does, too, but asks about each "
                  "of them alone; reference hands the solver one formula for each set of "
                  "functionalities and length, and knows abstract levels only. The last two are "
                  "slow.",
       .fallback = "fast",
       .choices = {"fast", "ungrouped", "reference"}},
      jobs_option("Read N files of Java, and search N sets of functionalities, side by side. "
                  "Without it, as many as there are processors. What is printed does not "
                  "depend on it."),
  };
}

}  // namespace

std::vector<OptionDefinition> find_option_table() {
  std::vector<OptionDefinition> table = what_options();
  for (auto& options : {execution_options(), table_options(), choice_options(), settings_options(),
                        limit_options()}) {
    table.insert(table.end(), options.begin(), options.end());
  }
  for (const OptionDefinition& option :
       {format_option({"text", "markdown", "json", "html", "sarif", "junit"},
                      "How to print anomalies or statements; html is a page with everything, sarif "
                      "puts anomalies on the lines of the code, for editors and code hosts, junit "
                      "is for build servers."),
        details_option(), suppress_option(), write_suppressions_option(), warnings_option(),
        output_option(), color_option(), no_progress_option()}) {
    table.push_back(option);
  }
  return table;
}

}  // namespace heddle
