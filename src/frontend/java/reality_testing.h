// What programs in Java do, and what we read of them does: both on one throwaway PostgreSQL, each
// on a database of its own, told apart by nothing but the server's log.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/must_testing.h"
#include "base/process.h"
#include "base/source_tree_testing.h"
#include "base/text.h"
#include "format/json/json.h"
#include "frontend/java/observed_testing.h"
#include "heddle/interpret.h"
#include "heddle/java_program.h"
#include "store/postgres/statements.h"
#include "store/postgres/throwaway.h"

namespace heddle::java {

template <class T>
void demand(const Result<T>& result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
}

inline std::filesystem::path programs_folder() { return source_tree() / "tests" / "programs"; }

// The Java files below a folder, in order.
inline std::vector<std::string> java_files(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".java") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

// A program of tests/programs in one of its shapes.
struct RealProgram {
  struct Call {
    std::string type;  // Java's class
    std::string method;
    std::vector<Json> arguments;
  };
  std::string name;
  std::string shape;
  std::string schema;
  std::string rows;
  std::vector<SourceText> sources;
  std::set<std::string> places;  // whose conditions are observed
  std::vector<Call> calls;
};

struct Shape {
  const char* program;
  const char* shape;
};

inline constexpr Shape kShapes[] = {
    {"smallbank", "class"}, {"smallbank", "benchbase"}, {"smallbank", "services"},
    {"tpcc", "class"},      {"tpcc", "benchbase"},      {"tpcc", "services"},
    {"voter", "class"},     {"voter", "services"},      {"seats", "class"},
    {"tatp", "class"},      {"twitter", "class"},       {"wikipedia", "class"},
    {"shop", "class"},      {"styles", "class"},
};

inline RealProgram load_program(const std::string& name, const std::string& shape) {
  const std::filesystem::path folder = programs_folder() / name;
  const Json document = Json::parse(must(read_file(folder / "calls.json")));
  RealProgram program{.name = name,
                      .shape = shape,
                      .schema = must(read_file(folder / "schema.sql")),
                      .rows = must(read_file(folder / document.at("data"))),
                      .sources = {},
                      .places = {},
                      .calls = {}};
  for (const std::string& file : java_files(folder / shape)) {
    program.sources.push_back(
        {std::filesystem::relative(file, folder / shape).string(), must(read_file(file))});
    program.places.merge(observed(program.sources.back()).places);
  }
  for (const Json& call : document.at("calls")) {
    const auto method = call.at("method").get<std::string>();
    const Json& target = document.at("shapes").at(method).at(shape);
    program.calls.push_back({.type = target.at("class"),
                             .method = target.at("method"),
                             .arguments = call.at("arguments")});
  }
  return program;
}

inline Program read_program(const RealProgram& program) {
  Program read = must(parse_program({{"schema.sql", program.schema}}));
  demand(read_java_program(program.sources, {}, read));
  return read;
}

// What one call sent, with values in place of parameters, and what came of it.
struct CallOutcome {
  std::vector<std::string> statements;
  std::string result;
  Conditions conditions;
  std::vector<Cell> values = {};  // that the interpreter returned, where they are two
};

struct RunOutcome {
  std::vector<CallOutcome> calls;
  std::string tables;  // their rows after all calls
};

// ---- The server and its log.

inline const ThrowawayPostgres& logging_server() {
  static const std::unique_ptr<ThrowawayPostgres> server = must(ThrowawayPostgres::start(
      {.settings = {"log_statement=all", "log_line_prefix=@%d\t%a\t", "max_connections=20"}}));
  return *server;
}

inline StatementResult execute(PostgresStatements& session, const std::string& text) {
  StatementResult result = must(session.execute(text, {}));
  if (result.refusal) throw std::runtime_error(text + ": " + result.refusal->message);
  return result;
}

struct Database {
  std::string name;
  std::unique_ptr<PostgresStatements> session;
};

// A new database with the program's tables and rows.
inline Database make_database(const RealProgram& program) {
  static std::size_t made = 0;
  Database database{.name = fmt::format("{}_{}", program.name, ++made), .session = {}};
  execute(*must(PostgresStatements::connect(logging_server().conninfo())),
          "CREATE DATABASE " + database.name);
  database.session =
      must(PostgresStatements::connect(logging_server().conninfo() + " dbname=" + database.name));
  for (const std::string& text : {program.schema, program.rows}) {
    for (const StatementText& piece : split_statements(text)) {
      execute(*database.session, piece.text);
    }
  }
  return database;
}

inline std::string tables_text(PostgresStatements& session) {
  std::string text;
  const StatementResult tables =
      execute(session,
              "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' "
              "ORDER BY 1");
  for (const Row& table : tables.rows) {
    text += *table.at(0) + "\n";
    const StatementResult rows =
        execute(session, fmt::format("SELECT t::text FROM {} t ORDER BY 1", *table.at(0)));
    for (const Row& row : rows.rows) text += "  " + *row.at(0) + "\n";
  }
  return text;
}

// Pieces of a statement's text: strings and quoted names, comments, parameters, and what is
// between.
inline std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '\'' || text[at] == '"') {
      end = text.find(text[at], at + 1);
      end = end == text.npos ? text.size() : end + 1;
    } else if (text.substr(at, 2) == "--") {
      end = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '$') {
      while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    } else {
      while (end < text.size() && std::string_view("'\"$-").find(text[end]) == text.npos) ++end;
    }
    pieces.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

inline bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.find_first_of("0123456789") != text.npos &&
         text.find_first_not_of("0123456789.") == text.npos;
}

// The statement with its parameters in their places.
inline std::string with_values(std::string_view text,
                               const std::map<std::string, std::string>& values) {
  std::string filled;
  for (const std::string& piece : pieces_of(text)) {
    const auto value = values.find(piece);
    filled += value == values.end() ? piece : value->second;
  }
  return filled;
}

// A list of numbers may be one parameter: "x=any('{1,2}')" is "x in(1,2)".
inline std::string with_list(std::string statement) {
  constexpr std::string_view kBegin = "=any('{";
  const std::size_t begin = statement.find(kBegin);
  if (begin == statement.npos) return statement;
  const std::size_t end = statement.find("}')", begin);
  const std::size_t inner = begin + kBegin.size();
  if (end == statement.npos || statement.find_first_not_of("0123456789,.-", inner) != end) {
    return statement;
  }
  return statement.substr(0, begin) + " in(" + statement.substr(inner, end - inner) + ")" +
         statement.substr(end + 3);
}

// The statement as far as its words count: numbers without quotes, no comments, small letters,
// blanks between words only.
inline std::string plain_text(const std::string& statement) {
  std::string plain;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'' || c == '"';
  };
  for (const std::string& piece : pieces_of(statement)) {
    if (piece.starts_with("--")) continue;
    const std::string inner = piece.size() > 2 ? piece.substr(1, piece.size() - 2) : "";
    if (piece.starts_with('\'')) {
      plain += is_number(inner) ? inner : piece;
    } else if (piece.starts_with('"')) {
      plain += std::ranges::all_of(inner, is_word) && to_lower(inner) == inner ? inner : piece;
    } else {
      for (const char c : to_lower(piece)) {
        const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!is_blank && !is_word(c) && plain.ends_with(' ')) plain.pop_back();
        if (!is_blank) plain += c;
        if (is_blank && !plain.empty() && is_word(plain.back())) plain += ' ';
      }
    }
  }
  return with_list(std::string(trim(plain)));
}

// "parameters: $1 = 'a', $2 = NULL"
inline std::map<std::string, std::string> logged_values(std::string_view detail) {
  std::map<std::string, std::string> values;
  for (std::size_t at = detail.find('$'); at < detail.size(); at = detail.find('$', at)) {
    const std::size_t equals = detail.find(" = ", at);
    const std::string name(detail.substr(at, equals - at));
    std::size_t end = equals + 3;
    if (detail[end] == '\'') {
      do {
        end = detail.find('\'', end + 1) + 1;
      } while (end < detail.size() && detail[end] == '\'');
    } else {
      end = std::min(detail.find(',', end), detail.size());
    }
    values[name] = std::string(detail.substr(equals + 3, end - equals - 3));
    at = end;
  }
  return values;
}

struct LogEntry {
  std::string application;
  std::string kind;  // LOG, DETAIL
  std::string text;
};

inline std::string server_log() { return must(read_file(logging_server().directory() + "/log")); }

inline std::vector<LogEntry> log_of(const std::string& database, std::size_t offset) {
  std::vector<LogEntry> entries;
  bool is_ours = false;
  for (const std::string& line : split(server_log().substr(offset), '\n')) {
    if (!line.starts_with('@')) {
      if (is_ours) entries.back().text += "\n" + line.substr(line.starts_with('\t') ? 1 : 0);
      continue;
    }
    is_ours = line.starts_with("@" + database + "\t");
    if (!is_ours) continue;
    const std::vector<std::string> fields = split(line, '\t');
    const std::size_t text = 1 + database.size() + 1 + fields.at(1).size() + 1;
    const std::size_t colon = line.find(":  ", text);
    entries.push_back({.application = fields.at(1),
                       .kind = line.substr(text, colon - text),
                       .text = line.substr(colon + 3)});
  }
  return entries;
}

// The statements without what only one side says, as plain texts. A driver does not begin a
// transaction without a statement, and sets levels for the session instead of each transaction;
// the interpreter has savepoints around what it may have to undo.
inline std::vector<std::string> essential(const std::vector<std::string>& statements) {
  constexpr std::string_view kSession = "set session characteristics as transaction ";
  constexpr std::string_view kTransaction = "set transaction ";
  constexpr std::string_view kDefault = "isolation level read committed";
  std::vector<std::string> kept;
  std::string level(kDefault);
  for (const std::string& sent : statements) {
    const std::string statement = plain_text(sent);
    if (statement.starts_with(kSession)) level = statement.substr(kSession.size());
    const bool is_said = !statement.starts_with(kSession) &&
                         statement.find("savepoint heddle_") == statement.npos &&
                         statement != std::string(kTransaction) + std::string(kDefault);
    if (!is_said) continue;
    if (statement == "commit" || statement == "rollback") {
      while (!kept.empty() && kept.back().starts_with(kTransaction)) kept.pop_back();
      if (!kept.empty() && kept.back() == "begin") {
        kept.pop_back();
        continue;
      }
    }
    kept.push_back(statement);
    if (statement == "begin" && level != kDefault) {
      kept.push_back(std::string(kTransaction) + level);
    }
  }
  return kept;
}

// The driver calls a function with a first parameter of type void, which the server leaves out.
inline std::string without_void(std::string statement) {
  const std::size_t at = statement.find("(NULL,");
  const bool is_call = statement.starts_with("select * from ") && statement.ends_with("as result");
  if (is_call && at != statement.npos) statement.erase(at + 1, 5);
  return statement;
}

// The statements of each call after an offset of the log: sessions name themselves "call 1", "call
// 2" for them.
inline std::map<std::size_t, std::vector<std::string>> logged_statements(
    const std::string& database, std::size_t offset = 0) {
  std::map<std::size_t, std::vector<std::string>> calls;
  const std::vector<LogEntry> entries = log_of(database, offset);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LogEntry& entry = entries[i];
    if (!entry.application.starts_with("call ") || entry.kind != "LOG") continue;
    const std::size_t colon = entry.text.find(": ");
    const std::string how = entry.text.substr(0, colon);
    if (how != "statement" && !how.starts_with("execute ")) continue;
    if (entry.text.find("application_name") != std::string::npos) continue;
    const bool has_values = i + 1 < entries.size() && entries[i + 1].kind == "DETAIL";
    const std::string text = entry.text.substr(colon + 2);
    calls[std::stoul(entry.application.substr(5))].push_back(
        without_void(has_values ? with_values(text, logged_values(entries[i + 1].text)) : text));
  }
  return calls;
}

// ---- Java.

// All programs with the interfaces they need and the runner, compiled once. Their conditions tell
// what they are.
class CompiledPrograms {
 public:
  CompiledPrograms()
      : folder_(must(
            make_private_directory(chosen_temporary_root().value_or("/tmp"), "heddle-programs-"))) {
    std::vector<std::string> command = {"/usr/bin/env",       "javac", "-encoding", "UTF-8",
                                        "-J-XX:+UseSerialGC", "-g",    "-d",        folder_};
    for (const char* common : {"api", "runner"}) {
      for (std::string& file : java_files(programs_folder() / common)) {
        command.push_back(std::move(file));
      }
    }
    for (const auto& [name, shape] : kShapes) {
      for (const SourceText& source : load_program(name, shape).sources) {
        const std::filesystem::path path =
            std::filesystem::path(folder_) / "src" / name / shape / source.file;
        std::filesystem::create_directories(path.parent_path());
        demand(write_file_atomically(path, observed(source).text));
        command.push_back(path);
      }
    }
    run(std::move(command), "", 120'000);
  }
  CompiledPrograms(const CompiledPrograms&) = delete;
  CompiledPrograms& operator=(const CompiledPrograms&) = delete;
  ~CompiledPrograms() { static_cast<void>(remove_tree(folder_)); }

  // The lines that the runner prints.
  std::vector<std::string> run_calls(const std::string& database, const std::string& calls) const {
    const std::string input = folder_ + "/" + database + ".calls";
    demand(write_file_atomically(input, calls));
    const std::string socket = logging_server().directory() + "/socket/.s.PGSQL.5432";
    const std::string output =
        run({"/usr/bin/env", "java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
             folder_ + ":/usr/share/java/postgresql.jar", "Runner",
             "jdbc:postgresql://localhost/" + database +
                 "?socketFactory=UnixSockets&socketFactoryArg=" + socket,
             "postgres"},
            input, 60'000);
    std::vector<std::string> lines = split(output, '\n');
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
  }

 private:
  static std::string run(std::vector<std::string> arguments, const std::string& input,
                         std::uint32_t timeout_ms) {
    const std::string program = arguments.at(1);
    const ProcessOutcome outcome =
        must(run_process({.arguments = std::move(arguments),
                          .environment = inherited_environment({"PATH", "JAVA_HOME"}),
                          .working_directory = "",
                          .account = {},
                          .input = input},
                         timeout_ms));
    if (!outcome.succeeded()) throw std::runtime_error(program + " fails:\n" + outcome.output);
    return outcome.output;
  }

  std::string folder_;
};

// An argument as the runner reads it.
inline std::string call_field(const Json& value) {
  if (value.is_null()) return "\\N";
  if (value.is_array()) {
    std::vector<std::string> elements;
    for (const Json& element : value) {
      std::string text;
      for (const char c : call_field(element)) text += c == ',' ? "\\," : std::string(1, c);
      elements.push_back(std::move(text));
    }
    return "[" + join(elements, ",") + "]";
  }
  if (!value.is_string()) return value.dump();
  std::string text;
  for (const char c : value.get<std::string>()) {
    text += c == '\\' ? "\\\\" : c == '\t' ? "\\t" : c == '\n' ? "\\n" : std::string(1, c);
  }
  return text;
}

inline RunOutcome run_java(const RealProgram& program) {
  static const CompiledPrograms compiled;
  std::string calls;
  for (const RealProgram::Call& call : program.calls) {
    calls += call.type + "\t" + call.method;
    for (const Json& argument : call.arguments) calls += "\t" + call_field(argument);
    calls += "\n";
  }
  const Database database = make_database(program);
  RunOutcome outcome;
  Conditions conditions;
  const std::vector<std::string> lines = compiled.run_calls(database.name, calls);
  for (const std::string& line : lines) {
    constexpr std::string_view kCondition = "condition ";
    if (line.starts_with(kCondition)) {
      const std::size_t end = line.rfind(' ');
      conditions[line.substr(kCondition.size(), end - kCondition.size())] +=
          line.ends_with("true") ? 'T' : 'F';
    } else {
      outcome.calls.push_back(
          {.statements = {}, .result = line, .conditions = std::exchange(conditions, {})});
    }
  }
  if (outcome.calls.size() != program.calls.size()) {
    throw std::runtime_error("the runner answers some calls only:\n" + join(lines, "\n"));
  }
  auto statements = logged_statements(database.name);
  for (std::size_t i = 0; i < outcome.calls.size(); ++i) {
    outcome.calls[i].statements = statements[i + 1];
  }
  outcome.tables = tables_text(*database.session);
  return outcome;
}

}  // namespace heddle::java
