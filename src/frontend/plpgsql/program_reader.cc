// parse_program: a file of CREATE TABLE statements and routines.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "frontend/parts/take_apart.h"
#include "frontend/plpgsql/body_reader.h"
#include "frontend/plpgsql/declared_type.h"
#include "frontend/plpgsql/routines.h"
#include "frontend/plpgsql/types.h"
#include "frontend/sql/mysql.h"
#include "frontend/sql/reader.h"
#include "frontend/sql/sqlite.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/program.h"

namespace heddle::plpgsql {

namespace {

using sql::Node;
using sql::TokenKind;
using sql::Tokens;

// The text of the string literal `token`, and where each of its bytes stands.
BodySource body_of(std::string_view token, std::size_t offset, std::string_view file_text,
                   const std::string& file) {
  BodySource body{.text = {}, .offsets = {}, .file_text = file_text, .file = file};
  const bool is_dollar = token.starts_with('$');
  const char quote = '\'';
  std::size_t begin = is_dollar ? token.find('$', 1) + 1 : token.find(quote) + 1;
  const std::size_t end = token.size() - std::min(token.size(), is_dollar ? begin : 1);
  for (; begin < end; ++begin) {
    if (!is_dollar && token[begin] == quote) ++begin;
    body.text += token[begin];
    body.offsets.push_back(offset + begin);
  }
  body.offsets.push_back(offset + end);
  return body;
}

// Bytes that are no part of a well-formed character are characters of Latin-1.
std::string to_utf8(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = sql::valid_character_size(text, at);
    if (size == 0) {
      const auto byte = static_cast<unsigned char>(text[at]);
      result += static_cast<char>(0xc0U | byte >> 6U);
      result += static_cast<char>(0x80U | (byte & 0x3fU));
    } else {
      result += text.substr(at, size);
    }
    at += std::max<std::size_t>(size, 1);
  }
  return result;
}

class ProgramReader {
 public:
  explicit ProgramReader(const ProgramOptions& options) : options_(options) {}

  Result<Program> read(std::vector<SourceText> files) {
    for (SourceText& file : files) replace_other_encodings(file);
    const Program empty = std::move(program_);
    std::vector<Diagnostic> left_out;
    while (true) {
      program_ = empty;
      routines_.clear();
      const std::vector<Diagnostic> errors = read_all(files);
      if (errors.empty()) break;
      const std::size_t before = files.size();
      if (options_.skips_unreadable) leave_out(errors, files, left_out);
      if (files.size() == before) return errors.front();
    }
    program_.notes.insert(program_.notes.begin(), left_out.begin(), left_out.end());
    for (Functionality& each : program_.functionalities) parts::take_apart(each);
    return std::move(program_);
  }

 private:
  // PostgreSQL's parser answers in UTF-8.
  void replace_other_encodings(SourceText& file) {
    const std::string valid = to_utf8(file.text);
    if (valid.size() == file.text.size()) return;
    const auto first = std::ranges::mismatch(file.text, valid).in1 - file.text.begin();
    program_.notes.push_back(
        {.what = "the text is not UTF-8; bytes that are not are taken for Latin-1",
         .what_to_do = "convert the file to UTF-8",
         .file = file.file,
         .position = sql::position_at(file.text, static_cast<std::size_t>(first))});
    file.text = valid;
  }

  // One text, so that a file may change the tables of another.
  // What is wrong with each file, of the tables or else of the routines.
  std::vector<Diagnostic> read_all(const std::vector<SourceText>& files) {
    std::vector<Diagnostic> errors;
    if (options_.tables) {
      program_.schema = *options_.tables;
    } else {
      errors = read_schema(files);
    }
    if (!errors.empty()) return errors;
    for (const SourceText& file : files) {
      text_ = file.text;
      file_ = file.file;
      if (options_.dialect != Dialect::postgres) {
        note_unread_code();
      } else if (auto read = read_pieces(); !read) {
        errors.push_back(read.error());
      }
    }
    if (errors.empty()) follow_calls(program_, routines_);
    return errors;
  }

  Result<void> read_pieces() {
    for (const StatementText& piece : split_statements(text_)) {
      if (auto read = read_piece(piece); !read) return read.error();
    }
    return {};
  }

  static void leave_out(const std::vector<Diagnostic>& errors, std::vector<SourceText>& files,
                        std::vector<Diagnostic>& left_out) {
    for (const Diagnostic& error : errors) {
      const auto file = std::ranges::find(files, error.file, &SourceText::file);
      if (file == files.end()) continue;  // for another error
      left_out.push_back(error);
      left_out.back().what += ": the file is left out";
      files.erase(file);
    }
  }

  std::vector<Diagnostic> read_schema(const std::vector<SourceText>& files) {
    std::string text;
    std::vector<std::size_t> first_lines;
    std::size_t line = 1;
    for (const SourceText& file : files) {
      first_lines.push_back(line);
      text += file.text + "\n;\n";
      line += static_cast<std::size_t>(std::ranges::count(file.text, '\n')) + 2;
    }
    SchemaReading reading = parse_schema(text, options_.dialect);
    const auto in_file = [&](Diagnostic& diagnostic) {
      const auto next = std::ranges::upper_bound(first_lines, diagnostic.position.line);
      const auto index = static_cast<std::size_t>(next - first_lines.begin()) - 1;
      diagnostic.file = files[index].file;
      diagnostic.position.line -= static_cast<std::uint32_t>(first_lines[index] - 1);
    };
    for (Diagnostic& error : reading.errors) in_file(error);
    if (!reading.errors.empty()) return std::move(reading.errors);
    for (Diagnostic& note : reading.notes) {
      in_file(note);
      program_.notes.push_back(std::move(note));
    }
    program_.schema = std::move(reading.schema);
    return {};
  }

  // Routines of MySQL are in a language of their own.
  void note_unread_code() {
    const bool is_mysql = options_.dialect == Dialect::mysql;
    for (const sql::MysqlStatement& piece :
         is_mysql ? sql::split_mysql(text_) : sql::split_sqlite(text_)) {
      if (!piece.is_word(0, "create")) continue;
      const std::size_t at =
          piece.find_word(0, {"procedure", "function", "table", "view", "trigger"});
      const bool is_routine = piece.is_word(at, "procedure") || piece.is_word(at, "function");
      if (piece.is_word(at, "trigger")) program_.has_triggers = true;
      if (!is_routine) continue;
      program_.notes.push_back({.what = "routines are read in PL/pgSQL and PostgreSQL's SQL only",
                                .what_to_do = "leave it to code in Java, or say it in PL/pgSQL",
                                .file = file_,
                                .position = sql::position_at(text_, piece[0].offset)});
    }
  }

  // CREATE [OR REPLACE] [CONSTRAINT | EVENT] TRIGGER, or RULE.
  static bool makes_triggers(const Tokens& tokens, std::size_t kind) {
    const bool has_word = tokens.word(kind) == "constraint" || tokens.word(kind) == "event";
    const std::string what = tokens.word(kind + (has_word ? 1 : 0));
    return what == "trigger" || what == "rule";
  }

  Result<void> read_piece(const StatementText& piece) {
    const Tokens tokens(piece.text);
    const std::string first = tokens.word(0);
    const std::size_t kind = tokens.word(1) == "or" ? 3 : 1;
    const bool is_routine =
        first == "create" && (tokens.word(kind) == "function" || tokens.word(kind) == "procedure");
    if (is_routine) return read_routine(piece, tokens);
    if (first == "create" && makes_triggers(tokens, kind)) program_.has_triggers = true;
    static constexpr std::array<std::string_view, 7> kCode = {"insert", "update", "delete",  "do",
                                                              "call",   "merge",  "truncate"};
    if (std::ranges::find(kCode, first) != kCode.end()) {
      note(piece.offset, fmt::format("{} outside of a routine is not part of the program",
                                     to_upper_words({first})));
    }
    return {};
  }

  void note(std::size_t offset, std::string what) {
    program_.notes.push_back({.what = std::move(what),
                              .what_to_do = "put it into a CREATE PROCEDURE if it should be",
                              .file = file_,
                              .position = sql::position_at(text_, offset)});
  }

  Diagnostic trouble(std::size_t offset, std::string what, std::string what_to_do = "") const {
    return {.what = std::move(what),
            .what_to_do = std::move(what_to_do),
            .file = file_,
            .position = sql::position_at(text_, offset)};
  }

  Result<void> read_routine(const StatementText& piece, const Tokens& tokens) {
    const sql::ParseOutcome parsed = sql::parse_tree(piece.text);
    if (!parsed.is_ok) {
      Diagnostic refused = trouble(piece.offset + parsed.trouble.offset, parsed.trouble.message,
                                   "check the statement's syntax");
      refused.trouble = parsed.trouble.trouble;
      return refused;
    }
    const Node& node = *parsed.tree.statements.at(0).node;
    if (node.type() != "CreateFunctionStmt") return {};
    const Node& create = node.content();
    Functionality functionality;
    functionality.name = sql::string_list(create["funcname"]).back();
    functionality.source = {file_, sql::position_at(text_, piece.offset)};
    if (create["returnType"].is_present()) {
      functionality.returns =
          (create["returnType"].is_true("setof") ? "SETOF " : "") + type_text(create["returnType"]);
    }
    if (functionality.returns == "trigger" || functionality.returns == "event_trigger") {
      note(piece.offset, fmt::format("trigger function {}() is not followed", functionality.name));
      return {};
    }
    Routine routine = describe(create, piece.text);
    const std::vector<std::string> results = read_parameters(create["parameters"], functionality);
    if (!results.empty() && !functionality.returns) {
      functionality.returns = results.size() == 1 ? type_of(functionality, results[0]) : "record";
    }
    routine.functionality = program_.functionalities.size();
    const std::size_t before = program_.functionalities.size();
    auto read = read_body(piece, tokens, create["options"], results, std::move(functionality));
    if (read && program_.functionalities.size() > before) routines_.push_back(std::move(routine));
    return read;
  }

  // Names as read_parameters() gives them.
  static Routine describe(const Node& create, std::string_view text) {
    Routine routine;
    routine.is_procedure = create.is_true("is_procedure");
    std::size_t number = 0;
    std::size_t counted = 0;  // as read_parameters() counts those without names
    for (const Node& item : create["parameters"]) {
      const Node& node = item.content();
      const std::string& mode = node.text("mode");
      RoutineParameter parameter;
      parameter.is_given = mode != "FUNC_PARAM_OUT" && mode != "FUNC_PARAM_TABLE";
      parameter.is_result = !parameter.is_given || mode == "FUNC_PARAM_INOUT";
      ++number;
      parameter.name = node.text("name");
      if (parameter.name.empty()) {
        parameter.name =
            (parameter.is_given ? "parameter_" : "result_") + std::to_string(counted + 1);
      }
      counted += mode == "FUNC_PARAM_INOUT" ? 2 : 1;
      if (node["defexpr"].is_present()) parameter.default_text = default_of(number - 1, text);
      routine.parameters.push_back(std::move(parameter));
    }
    return routine;
  }

  // What stands behind DEFAULT or = in the parameter at this place.
  static std::string default_of(std::size_t place, std::string_view text) {
    const Tokens tokens(text);
    std::size_t at = 0;
    while (at < tokens.size() && !tokens.is_symbol(at, '(')) ++at;
    std::size_t begin = 0;
    for (++at; at < tokens.size() && tokens[at].depth > 0; ++at) {
      const bool is_outer = tokens[at].depth == 1;
      if (is_outer && tokens.is_symbol(at, ',')) {
        if (place == 0) break;
        --place;
      }
      const bool begins = is_outer && (tokens.word(at) == "default" || tokens.is_symbol(at, '='));
      if (begins && place == 0) begin = at + 1;
    }
    return begin == 0 ? "" : std::string(tokens.text(begin, at));
  }

  static std::string type_of(const Functionality& functionality, const std::string& name) {
    for (const auto* variables : {&functionality.parameters, &functionality.variables}) {
      for (const Variable& variable : *variables) {
        if (variable.name == name) return variable.type;
      }
    }
    return "record";
  }

  // Returns the parameters that give results.
  std::vector<std::string> read_parameters(const Node& list, Functionality& functionality) const {
    std::vector<std::string> results;
    for (const Node& item : list) {
      const Node& parameter = item.content();
      const std::string& mode = parameter.text("mode");
      const bool gives = mode == "FUNC_PARAM_OUT" || mode == "FUNC_PARAM_TABLE";
      std::string name = parameter.text("name");
      if (name.empty()) {
        name = (gives ? "result_" : "parameter_") +
               std::to_string(functionality.parameters.size() + results.size() + 1);
      }
      Variable variable{name, type_text(parameter["argType"])};
      // A row that is given stays one.
      if (variable.type.ends_with("%type")) {
        variable.type = declared_type(variable.type, program_.schema);
      }
      if (gives || mode == "FUNC_PARAM_INOUT") results.push_back(name);
      (gives ? functionality.variables : functionality.parameters).push_back(std::move(variable));
    }
    return results;
  }

  static std::string option(const Node& options, std::string_view name) {
    for (const Node& item : options) {
      if (item.content().text("defname") == name)
        return item.content()["arg"].content().text("sval");
    }
    return "";
  }

  // The literal after AS, or the statements between BEGIN ATOMIC and END.
  Result<void> read_body(const StatementText& piece, const Tokens& tokens, const Node& options,
                         const std::vector<std::string>& results, Functionality functionality) {
    const std::string language = to_lower(option(options, "language"));
    std::size_t at = 0;
    bool is_text = false;
    for (; at + 1 < tokens.size() && !is_text; ++at) {
      if (tokens[at].depth > 0) continue;
      if (tokens.word(at) == "begin" && tokens.word(at + 1) == "atomic") break;
      is_text = tokens.word(at) == "as" && tokens[at + 1].kind == TokenKind::string;
    }
    if ((!is_text && at + 1 >= tokens.size()) ||
        (language != "plpgsql" && language != "sql" && is_text)) {
      note(piece.offset,
           fmt::format("{}() in language {} is not read", functionality.name, language));
      return {};
    }
    BodySource body{.text = {}, .offsets = {}, .file_text = text_, .file = file_};
    if (is_text) {
      body = body_of(tokens.text(at), piece.offset + tokens[at].offset, text_, file_);
    } else {
      const std::size_t begin = tokens[at + 1].offset + tokens[at + 1].size;
      const std::size_t end = tokens[tokens.size() - 1].offset;
      body.text = piece.text.substr(begin, end - std::min(begin, end));
      for (std::size_t i = begin; i <= std::max(begin, end); ++i) {
        body.offsets.push_back(piece.offset + i);
      }
    }
    BodyReader reader(body, functionality, results, program_);
    const Result<void> read = language == "plpgsql" ? reader.read() : reader.read_sql();
    if (!read) return read.error();
    program_.functionalities.push_back(std::move(functionality));
    return {};
  }

  const ProgramOptions& options_;
  std::string_view text_;
  std::string file_;
  Program program_;
  std::vector<Routine> routines_;
};

}  // namespace

}  // namespace heddle::plpgsql

namespace heddle {

Result<Program> parse_program(const std::vector<SourceText>& files, const ProgramOptions& options) {
  HEDDLE_ASSERT(options.dialect != Dialect::redis);
  HEDDLE_ASSERT(!options.tables || options.tables->dialect == options.dialect);
  return plpgsql::ProgramReader(options).read(files);
}

}  // namespace heddle
