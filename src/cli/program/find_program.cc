#include "cli/program/find_program.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/options/shared_options.h"
#include "cli/options/values.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/program/exclusions.h"
#include "cli/program/source_tree.h"
#include "cli/program/sql_check.h"
#include "frontend/marks/dialect_files.h"
#include "frontend/marks/files.h"
#include "frontend/marks/front_ends.h"
#include "frontend/marks/measure.h"
#include "heddle/java_program.h"
#include "program/redis_commands.h"
#include "store/open/given_schema.h"

namespace heddle {

namespace {

// What --dialect and messages call them.
struct NamedDialect {
  std::string_view name;
  Dialect dialect;
};
constexpr NamedDialect kDialects[] = {{"postgres", Dialect::postgres},
                                      {"mysql", Dialect::mysql},
                                      {"mariadb", Dialect::mysql},
                                      {"sqlite", Dialect::sqlite}};

// What the inputs name.
struct Sources {
  std::vector<SourceText> sql;
  std::vector<SourceText> java;
  std::set<std::string> generated;  // names of files in Java
  std::vector<LeftOutFile> left_out;
  std::vector<std::string> others;  // files below folders that may use a store, and have no reader
  std::size_t other_tests = 0;      // such files that are tests
  std::vector<std::string> excluded;  // likewise, and of those that have one
  std::set<std::filesystem::path> read;
  bool is_tree = false;  // a folder's: what cannot be read is left out
  // What is wrong with a folder that has sources in other languages only, unless these use a store.
  std::optional<Diagnostic> only_foreign = {};
};

// What is named twice, or lies below two folders that are named, is read once.
void add_source(SourceText file, Sources& sources) {
  if (!sources.read.insert(std::filesystem::path(file.file).lexically_normal()).second) return;
  // What is named itself may have any name, and is SQL then.
  const marks::FrontEnd* const front_end = marks::front_end_of(file.file);
  const bool is_java = front_end != nullptr && front_end->family == marks::Family::java;
  auto& texts = is_java ? sources.java : sources.sql;
  texts.push_back(std::move(file));
}

// The place of the first NUL: what is behind it would not be read.
std::optional<Diagnostic> trouble_with_text(const SourceText& file) {
  const std::size_t nul = file.text.find('\0');
  if (nul == std::string::npos) return std::nullopt;
  const std::string_view before = std::string_view(file.text).substr(0, nul);
  const bool is_wide = file.text.starts_with("\xff\xfe") || file.text.starts_with("\xfe\xff");
  return Diagnostic{
      .what = is_wide ? "this is UTF-16" : "here is a NUL, so that this is no text",
      .what_to_do = is_wide ? "save it as UTF-8" : "take it out, or leave the file out",
      .file = file.file,
      .position = {.line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1),
                   .column = static_cast<std::uint32_t>(nul - (before.rfind('\n') + 1) + 1)}};
}

Result<void> add_folder(const std::string& path, const TreeOptions& options, Sources& sources) {
  Result<SourceTree> tree = read_source_tree(path, options);
  if (!tree) return tree.error();
  sources.is_tree = sources.is_tree || tree->files.size() > 1;
  for (TreeFile& file : tree->files) {
    SourceText text{.file = shown_path(file.path), .text = std::move(file.text)};
    if (trouble_with_text(text)) {
      sources.left_out.push_back({.path = text.file, .reason = LeftOutReason::unreadable});
      continue;
    }
    if (file.is_generated) sources.generated.insert(text.file);
    add_source(std::move(text), sources);
  }
  const bool keeps_tests = options.with_tests;
  const std::size_t others = sources.others.size();
  sources.other_tests +=
      marks::add_foreign_sources(tree->others, path, keeps_tests, sources.others);
  if (std::optional<Diagnostic> empty = refuse_empty_tree(path, *tree)) {
    if (sources.others.size() == others) return *std::move(empty);
    if (!sources.only_foreign) sources.only_foreign = std::move(empty);
  }
  marks::add_foreign_sources(tree->excluded_others, path, keeps_tests, sources.excluded);
  for (LeftOutFile& file : tree->left_out) {
    if (file.reason == LeftOutReason::excluded) sources.excluded.push_back(file.path);
    file.path = shown_path(file.path);
    sources.left_out.push_back(std::move(file));
  }
  return {};
}

bool is_watched(const Arguments& arguments) {
  return progress_is_watched() && !arguments.has("--no-progress");
}

// What is named itself is read, whatever it is, unless the user excludes it.
Result<Sources> read_sources(const Arguments& arguments, const std::vector<std::string>& paths,
                             Exclusions& exclusions) {
  Sources sources;
  Progress progress("files", is_watched(arguments));
  const TreeOptions options{
      .with_tests = arguments.has("--with-tests"),
      .is_excluded = [&](const std::string& file) { return exclusions.leaves_out(file); },
      .progress = [&](std::size_t count) { progress.show(fmt::format("{} read", count)); }};
  for (const std::string& path : paths) {
    std::error_code error;
    if (path != "-" && std::filesystem::is_directory(path, error)) {
      if (auto added = add_folder(path, options, sources); !added) return added.error();
      continue;
    }
    if (options.is_excluded && options.is_excluded(path)) {
      sources.left_out.push_back({.path = path, .reason = LeftOutReason::excluded});
      sources.excluded.push_back(path);
      continue;
    }
    Result<std::string> text = read_input(path);
    if (!text) return text.error();
    SourceText named{.file = shown_path(path), .text = std::move(*text)};
    if (auto trouble = trouble_with_text(named)) return *std::move(trouble);
    add_source(std::move(named), sources);
  }
  std::erase_if(sources.left_out, [&](const LeftOutFile& file) {
    return sources.read.contains(std::filesystem::path(file.path).lexically_normal());
  });
  if (sources.read.empty() && !sources.left_out.empty() && !sources.only_foreign) {
    return Diagnostic{.what = "nothing is read: " + describe_left_out(sources.left_out),
                      .what_to_do = way_back(sources.left_out)};
  }
  return sources;
}

void say_what_is_left_out(const std::vector<LeftOutFile>& left_out) {
  if (left_out.empty()) return;
  print_message(fmt::format("heddle: {}; {}\n", describe_left_out(left_out), way_back(left_out)));
}

// PostgreSQL's where files are of several: those of the others cannot be read then, which is said.
Dialect dialect_of(const std::vector<SourceText>& files) {
  std::optional<Dialect> found;
  for (const SourceText& file : files) {
    const std::optional<Dialect> dialect = recognise_dialect(file.text);
    if (dialect && found && dialect != found) return Dialect::postgres;
    if (dialect) found = dialect;
  }
  return found.value_or(Dialect::postgres);
}

// Leaves out the files for other databases than the one that is meant, if there are several.
std::optional<marks::DialectChoice> keep_one_database(const std::vector<std::string>& paths,
                                                      std::optional<Dialect>& dialect,
                                                      Sources& sources) {
  std::set<std::string> named;
  for (const std::string& path : paths) named.insert(input_name(path));
  std::optional<marks::DialectChoice> choice =
      marks::choose_dialect_files(sources.sql, named, dialect);
  if (!choice) return std::nullopt;
  std::erase_if(sources.sql,
                [&](const SourceText& one) { return choice->left_out.contains(one.file); });
  if (!dialect) dialect = choice->dialect;
  return choice;
}

std::optional<Diagnostic> refuse_named_garbage(const std::vector<std::string>& paths,
                                               const std::vector<SourceText>& sql,
                                               Dialect dialect) {
  for (const SourceText& one : sql) {
    const bool is_named = std::ranges::any_of(
        paths, [&](const std::string& path) { return input_name(path) == one.file; });
    if (!is_named) continue;
    if (std::optional<Diagnostic> refused = refuse_garbage(one, dialect)) return refused;
  }
  return std::nullopt;
}

// Holds what was read against what the texts of all files say. What the user excludes is looked at,
// too, so that it stays visible.
void measure(const Sources& sources, const Reading& reading, Program& program) {
  std::vector<std::string> files = sources.others;
  for (const auto* texts : {&sources.sql, &sources.java}) {
    for (const SourceText& file : *texts) files.push_back(file.file);
  }
  files.insert(files.end(), sources.excluded.begin(), sources.excluded.end());
  program.coverage = marks::measure_coverage(program, files, reading.redis);
  const std::set<std::string> excluded(sources.excluded.begin(), sources.excluded.end());
  exclude_places(program.coverage,
                 [&](const std::string& file) { return excluded.contains(file); });
  if (sources.other_tests == 0) return;
  program.coverage.remarks.push_back(
      fmt::format("{} left out, being tests",
                  sources.other_tests == 1
                      ? "1 file in another language is"
                      : fmt::format("{} files in other languages are", sources.other_tests)));
}

// The tables of a database and what is not exact about them. Nobody can change the text, so that
// what cannot be read of it is missing.
struct LiveTables {
  Schema schema;
  std::vector<Diagnostic> notes;
};

Result<LiveTables> read_live_tables(const std::string& address) {
  Result<SchemaText> text = read_schema_text(address);
  if (!text) return text.error();
  SchemaReading reading = parse_schema(text->text, text->dialect);
  LiveTables tables{.schema = without_positions(std::move(reading.schema)),
                    .notes = std::move(text->notes)};
  for (std::vector<Diagnostic>* diagnostics : {&reading.errors, &reading.notes}) {
    for (Diagnostic& diagnostic : *diagnostics) {
      diagnostic.file = text->store;
      diagnostic.position = {};
      tables.notes.push_back(std::move(diagnostic));
    }
  }
  return tables;
}

Result<Reading> read_java(const Arguments& arguments, Sources& sources, bool reads_redis,
                          Program& program) {
  Progress progress("methods", is_watched(arguments));
  const JavaOptions options{.jobs = jobs_of(arguments),
                            .skips_unreadable = sources.is_tree,
                            .declarations_only = std::move(sources.generated),
                            .autocommit = autocommit_of(arguments),
                            .reads_redis = reads_redis,
                            .progress = [&](std::size_t done, std::size_t known) {
                              progress.show(fmt::format("{} of {} read", done, known));
                            }};
  return read_java_program(sources.java, options, program);
}

// A functionality may have been followed approximately where each of its statements was read
// exactly.
void add(const Reading& reading, Coverage& coverage) {
  ReadCounts& counts = coverage.functionalities;
  const std::size_t known = counts.approximately + counts.not_at_all;
  const std::size_t more = reading.approximated > known ? reading.approximated - known : 0;
  const std::size_t moved = std::min(more, counts.exactly);
  counts.exactly -= moved;
  counts.approximately += moved;
  for (std::string& line : describe(reading)) coverage.remarks.push_back(std::move(line));
  if (reading.assumed == 0) return;
  coverage.remarks.push_back(fmt::format(
      "assumed: the connection that {} given is in one transaction, which the caller ends; "
      "--autocommit=on or off says otherwise",
      reading.assumed == 1 ? "1 functionality is"
                           : fmt::format("{} functionalities are", reading.assumed)));
}

// A file may have any name but one with "://" in it.
bool names_store(const std::string& schema) {
  std::error_code error;
  if (schema.find("://") != schema.npos) return true;
  return is_store_address(schema) && !std::filesystem::exists(schema, error);
}

std::optional<Dialect> given_dialect(const Arguments& arguments) {
  const std::string name = arguments.text("--dialect");
  const auto* const found = std::ranges::find(kDialects, name, &NamedDialect::name);
  return found == std::end(kDialects) ? std::nullopt : std::optional(found->dialect);
}

std::string_view name_of(Dialect dialect) {
  return std::ranges::find(kDialects, dialect, &NamedDialect::dialect)->name;
}

}  // namespace

std::optional<bool> autocommit_of(const Arguments& arguments) {
  const std::string text = arguments.text("--autocommit");
  return text.empty() ? std::nullopt : std::optional(text == "on");
}

// SQL first: it defines the tables.
Result<Program> read_program(const Arguments& arguments, std::vector<std::string> files,
                             bool reads_redis) {
  const std::string schema = arguments.text("--schema");
  std::optional<Dialect> dialect = given_dialect(arguments);
  ProgramOptions options;
  std::vector<Diagnostic> notes;
  if (names_store(schema)) {
    Result<LiveTables> live = read_live_tables(schema);
    if (!live) return live.error();
    const Dialect own = live->schema.dialect;
    if (dialect && dialect != own) {
      return Diagnostic{
          .what = fmt::format("--dialect={} is not that of the tables of --schema",
                              arguments.text("--dialect")),
          .what_to_do = fmt::format("leave it out, or write --dialect={}", name_of(own))};
    }
    dialect = own;
    options.tables = std::move(live->schema);
    notes = std::move(live->notes);
  } else if (!schema.empty()) {
    files.insert(files.begin(), schema);
  }
  for (const std::string& file : files) {
    if (std::optional<Diagnostic> refused = marks::refuse_file(file)) return *std::move(refused);
  }
  Result<Exclusions> exclusions = Exclusions::of(arguments);
  if (!exclusions) return exclusions.error();
  Result<Sources> sources = read_sources(arguments, files, *exclusions);
  if (!sources) return sources.error();
  for (const Diagnostic& idle : exclusions->idle()) print_warning(idle);
  say_what_is_left_out(sources->left_out);
  const auto choice = keep_one_database(files, dialect, *sources);
  options.dialect = dialect.value_or(dialect_of(sources->sql));
  options.skips_unreadable = sources->is_tree && !sources->java.empty();
  Result<Program> program = parse_program(sources->sql, options);
  if (!program) return program;
  // Where print_program() has said them.
  if (program::has_redis_table(program->schema)) program::mark_redis_commands(*program);
  if (auto refused = refuse_named_garbage(files, sources->sql, options.dialect)) return *refused;
  program->notes.insert(program->notes.begin(), notes.begin(), notes.end());
  Reading reading;
  if (!sources->java.empty()) {
    Result<Reading> read = read_java(arguments, *sources, reads_redis, *program);
    if (!read) return read.error();
    reading = *std::move(read);
  }
  measure(*sources, reading, *program);
  add(reading, program->coverage);
  const bool says_nothing = sources->read.empty() && is_complete(program->coverage);
  if (sources->only_foreign && says_nothing) return *sources->only_foreign;
  if (choice) program->coverage.remarks.insert(program->coverage.remarks.begin(), choice->remark);
  return program;
}

std::vector<OptionDefinition> table_options() {
  constexpr std::string_view kGroup = "Tables";
  return {
      {.name = "--schema",
       .value = "ADDRESS",
       .kind = ValueKind::file,
       .group = kGroup,
       .meaning = "Take the tables from this database and no files: "
                  "\"postgres://user@host:port/database\" or "
                  "\"mysql://user@host:port/database\". Nothing in it is changed. The name of a "
                  "file is the same as that file among the others."},
      {.name = "--dialect",
       .value = "DIALECT",
       .kind = ValueKind::choice,
       .group = kGroup,
       .meaning = "Whose SQL the .sql files and the texts in Java are. Without it that of the "
                  "tables of --schema; else it is recognised by words such as AUTO_INCREMENT "
                  "and by backticks, and PostgreSQL's where nothing tells.",
       .choices = {"postgres", "mysql", "mariadb", "sqlite"}},
      {.name = "--autocommit",
       .value = "WHEN",
       .kind = ValueKind::choice,
       .group = "Program",
       .meaning = "Whether connections in Java commit after each statement until the code says "
                  "otherwise: \"on\" or \"off\". Without it those that the code opens do, and "
                  "those that it is given are in one transaction of their caller.",
       .choices = {"on", "off"}},
      {.name = "--with-tests",
       .group = "Program",
       .meaning = "Read the tests, samples and documentation below a folder, too. Without it they "
                  "are left out and counted; a file or folder that is named itself is read "
                  "always."},
      exclude_option(),
      {.name = "--refusal",
       .value = "NAME",
       .kind = ValueKind::text,
       .group = "Program",
       .meaning = "An error that tells its user that nothing happened and to try again, so that "
                  "what ends in it is left out of every comparison: an SQLSTATE, a class of them "
                  "such as 23, the name of a condition or of an exception, or a message in which "
                  "* stands for anything. May be given several times.",
       .repeatable = true},
  };
}

Result<void> add_level(const std::string& text, std::optional<IsolationLevel>& level,
                       std::map<std::string, IsolationLevel>& levels) {
  const std::size_t equals = text.rfind('=');
  const std::string name = equals == text.npos ? text : text.substr(equals + 1);
  const OptionDefinition option{.name = "--isolation", .value = "LEVEL", .kind = ValueKind::level};
  if (Result<void> is_level = check_value(option, name); !is_level) return is_level;
  if (equals == text.npos) {
    level = find_isolation_level(name);
  } else {
    levels[text.substr(0, equals)] = *find_isolation_level(name);
  }
  return {};
}

}  // namespace heddle
