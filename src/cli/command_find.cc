// heddle find: what a program's transactions do.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "heddle/java_program.h"
#include "heddle/program.h"
#include "report/report.h"

namespace heddle {

namespace {

constexpr std::size_t kMostFiles = 10'000;

// A file, or all .java and .sql files below a folder, by their names.
Result<std::vector<std::string>> find_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (path == "-" || !fs::is_directory(path, error)) return std::vector{path};
  std::vector<std::string> files;
  fs::recursive_directory_iterator next(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && next != fs::recursive_directory_iterator(); next.increment(error)) {
    const std::string extension = next->path().extension().string();
    const bool is_source = extension == ".java" || extension == ".sql";
    if (is_source && next->is_regular_file(error)) files.push_back(next->path().string());
  }
  if (error) {
    return Diagnostic{.what = fmt::format("the folder cannot be read: {}", error.message()),
                      .what_to_do = "check its name and permissions",
                      .file = path,
                      .trouble = Trouble::environment};
  }
  if (files.empty()) {
    return Diagnostic{.what = "the folder has no .java and no .sql files", .file = path};
  }
  std::ranges::sort(files);
  return files;
}

// Of a source tree, files of SQL that cannot be read are left out, one after the other.
Result<Program> read_sql(std::vector<SourceText>& files, bool skips_unreadable) {
  std::vector<Diagnostic> notes;
  while (true) {
    Result<Program> program = parse_program(files);
    if (program || !skips_unreadable) {
      if (program) program->notes.insert(program->notes.begin(), notes.begin(), notes.end());
      return program;
    }
    const auto file = std::ranges::find(files, program.error().file, &SourceText::file);
    if (file == files.end()) return program;
    notes.push_back(program.error());
    notes.back().what += ": the file is left out";
    files.erase(file);
  }
}

// SQL first: it defines the tables.
Result<Program> read_program(const std::vector<std::string>& paths) {
  std::vector<SourceText> sql;
  std::vector<SourceText> java;
  JavaOptions options;
  for (const std::string& path : paths) {
    Result<std::vector<std::string>> files = find_files(path);
    if (!files) return files.error();
    options.skips_unreadable = options.skips_unreadable || files->size() > 1;
    for (const std::string& file : *files) {
      Result<std::string> text = read_input(file);
      if (!text) return text.error();
      const bool is_java = file.ends_with(".java");
      (is_java ? java : sql).push_back({.file = input_name(file), .text = std::move(*text)});
    }
  }
  Result<Program> program = read_sql(sql, options.skips_unreadable && !java.empty());
  if (!program || java.empty()) return program;
  if (auto read = read_java_program(java, options, *program); !read) return read.error();
  return program;
}

Result<ExitCode> run_find(const Arguments& arguments) {
  const bool prints = arguments.has("--print-program");
  if (!prints && !arguments.has("--list-statements")) {
    return Diagnostic{.what = "heddle find was not told what to do",
                      .what_to_do = "add --list-statements or --print-program"};
  }
  const Result<Program> program = read_program(arguments.inputs());
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
      .fewest_arguments = 1,
      .most_arguments = kMostFiles,
      .description =
          {"A program is what the code around a database does. heddle reads files of CREATE TABLE "
           "statements, procedures in PL/pgSQL or SQL, and classes in Java that use JDBC; all "
           "files "
           "together are one program, and a folder stands for those below it. Each procedure or "
           "public method is a functionality: one action of a user.",
           "What cannot be read exactly is taken for more than it may do, with a warning that "
           "names the place.",
           "- reads from standard input."},
      .examples = {{"heddle find --list-statements bank.sql",
                    "what each statement reads and writes, and when it runs"},
                   {"heddle find --print-program --output=read.sql bank.sql",
                    "the program as heddle understood it"}},
      .options = {{.name = "--list-statements",
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
