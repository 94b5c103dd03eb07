// heddle find: what a program's transactions do.
#include <string>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/find_program.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "heddle/program.h"
#include "report/report.h"

namespace heddle {

namespace {

constexpr std::size_t kMostFiles = 10'000;

Result<ExitCode> run_find(const Arguments& arguments) {
  const bool prints = arguments.has("--print-program");
  if (!prints && !arguments.has("--list-statements")) {
    return Diagnostic{.what = "heddle find was not told what to do",
                      .what_to_do = "add --list-statements or --print-program"};
  }
  if (arguments.inputs().empty() && !arguments.has("--schema")) {
    return Diagnostic{.what = "heddle find needs FILE...",
                      .what_to_do = "or the tables of a database: --schema=ADDRESS"};
  }
  const Result<Program> program = read_program(arguments);
  if (!program) return program.error();
  for (const Diagnostic& note : program->notes) {
    if (arguments.has("--strict")) return note;
    print_warning(note);
  }
  Result<Output> output = Output::open(arguments.text("--output"));
  if (!output) return output.error();
  const std::string text = prints ? print_program(*program)
                           : arguments.text("--format") == "json"
                               ? render_json(*program)
                               : render_text(*program, text_options(arguments, *output));
  if (Result<void> written = output->write(text); !written) return written.error();
  if (Result<void> finished = output->finish(); !finished) return finished.error();
  return ExitCode::nothing_found;
}

}  // namespace

const CommandDefinition& find_command_definition() {
  static const CommandDefinition definition = {
      .word = "find",
      .summary = "read a database program: what each statement does, and when",
      .arguments = "FILE...",
      .most_arguments = kMostFiles,
      .description =
          {"A program is what the code around a database does. heddle reads files of CREATE TABLE "
           "statements, procedures in PL/pgSQL or SQL, and classes in Java that use JDBC; all "
           "files "
           "together are one program, and a folder stands for those below it. Each procedure or "
           "public method is a functionality: one action of a user.",
           "What cannot be read exactly is taken for more than it may do, with a warning that "
           "names the place.",
           "Tables come from the files, or with --schema from a database that exists, which is "
           "only read.",
           "- reads from standard input."},
      .examples = {{"heddle find --list-statements bank.sql",
                    "what each statement reads and writes, and when it runs"},
                   {"heddle find --print-program --output=read.sql bank.sql",
                    "the program as heddle understood it"},
                   {"heddle find --list-statements --schema=mysql://me@localhost/shop src/main",
                    "code in Java, held against the tables of a database"}},
      .options =
          {{.name = "--list-statements",
            .group = "What to do",
            .meaning = "Print each statement with its place, tables, columns, predicate "
                       "and the conditions under which it runs."},
           {.name = "--print-program",
            .group = "What to do",
            .meaning = "Print the program as it was understood, in PL/pgSQL. Reading that "
                       "gives the same program."},
           {.name = "--strict",
            .group = "What to do",
            .meaning = "Refuse what cannot be read exactly."},
           {.name = "--schema",
            .value = "ADDRESS",
            .kind = ValueKind::file,
            .group = "Tables",
            .meaning =
                "Take the tables from this database and no files: "
                "\"postgres://user@host:port/database\" or "
                "\"mysql://user@host:port/database\". Nothing in it is changed. The name of a "
                "file is the same as that file among the others."},
           {.name = "--dialect",
            .value = "DIALECT",
            .kind = ValueKind::choice,
            .group = "Tables",
            .meaning = "Whose SQL the .sql files and the texts in Java are. Without it that of the "
                       "tables of --schema; else it is recognised by words such as AUTO_INCREMENT "
                       "and by backticks, and PostgreSQL's where nothing tells.",
            .choices = {"postgres", "mysql", "mariadb", "sqlite"}},
           jobs_option("Read N files of Java side by side. Without it, as many as there are "
                       "processors. What is printed does not depend on it."),
           format_option({"text", "json"}, "How to list statements."),
           output_option(),
           color_option()},
      .exit_codes = {{ExitCode::nothing_found, "the program was read"},
                     {ExitCode::trouble,
                      "a file or an option is at fault, or with --strict what "
                      "cannot be read exactly"},
                     {ExitCode::unknown, "a bound was hit: something is nested too deeply"}},
      .run = run_find};
  return definition;
}

}  // namespace heddle
