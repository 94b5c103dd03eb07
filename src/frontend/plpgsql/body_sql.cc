// What asks the store, and values.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/plpgsql/body_reader.h"
#include "frontend/plpgsql/types.h"
#include "frontend/views/see_through.h"
#include "program/conflict_keys.h"
#include "program/resolve.h"

namespace heddle::plpgsql {

namespace {

bool is_field(const Expression& value) { return value.kind == ExpressionKind::field; }

bool is_ended_by(StatementKind kind) {
  return kind == StatementKind::commit || kind == StatementKind::rollback ||
         kind == StatementKind::begin;
}

// Fields of rows, by names that stand for them where names are looked up.
using Fields = std::map<std::string, Expression>;

std::string name_of(const Expression& value, Fields& fields) {
  if (!is_field(value)) return value.text;
  std::string name = fmt::format("field {}", fields.size());
  fields.emplace(name, value);
  return name;
}

std::vector<Expression> with_fields(std::vector<Expression> arguments, const Fields& fields) {
  for (Expression& argument : arguments) {
    const auto field = fields.find(argument.text);
    if (field != fields.end()) argument = field->second;
  }
  return arguments;
}

}  // namespace

// The statement with its variables bound. Trouble inside of it is the body's.
ProgramStatement BodyReader::bound(std::string_view text, std::size_t offset) {
  ProgramStatement result;
  result.source = source_.location(offset);
  Read<BoundText> read = bind_text(text, names_, parameters_);
  if (!read.is_ok) {
    fail(read.trouble.what, "check the statement's syntax", offset + read.trouble.offset,
         read.trouble.trouble);
    return result;
  }
  auto statements = parse_statements(read.value.text, Dialect::postgres);
  if (!statements || statements->size() != 1) {
    fail(statements ? "not one statement" : statements.error().what, "", offset,
         statements ? Trouble::bad_input : statements.error().trouble);
    return result;
  }
  result.statement = std::move(statements->front());
  result.arguments = std::move(read.value.arguments);
  look_up(result, offset);
  return result;
}

// What the schema, the notes and the functionality have to do with a statement.
void BodyReader::look_up(ProgramStatement& read, std::size_t offset) {
  read.connection = connection_;
  views::see_through(read.statement, program_.schema);
  for (const std::string& problem : program::resolve_columns(read.statement, program_.schema)) {
    note(problem, "it is taken as the statement names it", offset);
  }
  program::judge_conflict(read.statement, program_.schema);
  read.approximated = read.statement.over_approximated;
  for (const std::string& construct : read.approximated) {
    note(construct + " is not followed", "it is taken to read and write anything", offset);
  }
  functionality_.states_boundaries =
      functionality_.states_boundaries || is_ended_by(read.statement.kind);
}

namespace {

// Of NOT pg_try_advisory_lock(...), where the call begins; else 0. The statement is the call alone,
// so that it is known what its answer means.
std::size_t tried_lock_behind_not(std::string_view text) {
  const sql::Tokens tokens(text);
  const bool is_tried = tokens.size() > 3 && tokens.word(0) == "not" &&
                        tokens.word(1).starts_with("pg_try_advisory_") &&
                        tokens.is_symbol(2, '(') && tokens.is_symbol(tokens.size() - 1, ')');
  if (!is_tried) return 0;
  for (std::size_t i = 3; i + 1 < tokens.size(); ++i) {
    if (tokens[i].depth <= tokens[1].depth) return 0;
  }
  return tokens[1].offset;
}

}  // namespace

// A value. What asks the store becomes a statement of its own in front.
Expression BodyReader::value_of(std::string_view text, std::size_t offset, Block& block,
                                const std::string& type) {
  if (trouble_) return {};
  if (trim(text).empty()) {
    fail("a value is missing", "", offset);
    return {};
  }
  Read<ReadValue> read = read_value(text, names_);
  if (!read.is_ok) {
    fail(read.trouble.what, "declare it, or check the expression", offset + read.trouble.offset,
         read.trouble.trouble);
    return {};
  }
  if (!read.value.asks_store) return std::move(read.value.value);
  if (const std::size_t call = tried_lock_behind_not(text); call > 0) {
    const Expression got = value_of(text.substr(call), offset + call, block, "boolean");
    return {.kind = ExpressionKind::call, .text = "not", .operands = {got}};
  }
  RunStatement run{.statement = bound("SELECT " + std::string(text), offset), .into = {}};
  if (trouble_) return {};
  const std::string name = new_variable("value", type);
  run.into.push_back(variable(name));
  add(block, offset, std::move(run));
  return variable(name);
}

// x := v, row.column := v, array[i] := v; also with =
void BodyReader::read_assignment(Block& block) {
  const std::size_t begin = offset();
  auto target = read_target();
  if (!target) return fail_here("there is no such variable");
  take_symbol(':');
  expect_symbol('=');
  const std::size_t value_begin = offset();
  const std::size_t end = find_end({""});
  const std::string_view text = text_to(end);
  // A value that the store computes goes where it belongs.
  Read<ReadValue> read = read_value(text, names_);
  if (!trouble_ && read.is_ok && read.value.asks_store) {
    RunStatement run{.statement = bound("SELECT " + std::string(text), value_begin),
                     .into = {std::move(*target)}};
    add(block, begin, std::move(run));
  } else {
    Expression value = value_of(text, value_begin, block);
    add(block, begin, Assign{.target = std::move(*target), .value = std::move(value)});
  }
  at_ = end;
  expect_symbol(';');
}

// A variable with what follows it: x, row.column, x[i].
std::optional<Expression> BodyReader::read_target() {
  if (trouble_ || at_ >= tokens_.size()) return std::nullopt;
  const std::size_t begin = at_;
  std::vector<std::string> path = {take_name()};
  while (tokens_.is_symbol(at_, '.') && !tokens_.is_symbol(at_ + 1, '.')) {
    ++at_;
    path.push_back(take_name());
  }
  auto target = trouble_ ? std::nullopt : names_.resolve(path);
  if (!target) {
    at_ = begin;
    return std::nullopt;
  }
  while (tokens_.is_symbol(at_, '[')) {
    ++at_;
    const std::size_t index_begin = offset();
    const std::size_t end = find_end({"]"});
    Block none;
    Expression index = value_of(text_to(end), index_begin, none);
    if (!none.empty()) fail("an index asks the store", "put it into a variable", index_begin);
    at_ = end;
    expect_symbol(']');
    target = Expression{.kind = ExpressionKind::element,
                        .text = "",
                        .operands = {std::move(*target), std::move(index)}};
  }
  return target;
}

// INTO [STRICT] a, b
std::vector<Expression> BodyReader::read_targets(bool& strict) {
  strict = take_word("strict");
  std::vector<Expression> targets;
  do {
    auto target = read_target();
    if (!target) {
      fail_here("INTO needs variables that are declared; a name is missing");
      return targets;
    }
    targets.push_back(std::move(*target));
  } while (take_symbol(','));
  return targets;
}

void BodyReader::read_perform(Block& block) {
  const std::size_t begin = offset();
  ++at_;
  const std::size_t end = find_end({""});
  std::string text = "SELECT " + std::string(text_to(end));
  RunStatement run{.statement = bound(text, begin), .into = {}};
  at_ = end;
  add(block, begin, std::move(run));
  expect_symbol(';');
}

// A statement of SQL; INTO may stand anywhere in it, but not that of INSERT INTO and MERGE INTO.
void BodyReader::read_sql_statement(Block& block) {
  const std::size_t begin = offset();
  const std::size_t first = at_;
  const std::size_t end = find_end({""});
  const auto find_into = [&](std::size_t into) {
    for (; into < end; ++into) {
      const std::string before = into > first ? tokens_.word(into - 1) : "";
      if (tokens_[into].depth == tokens_[first].depth && tokens_.word(into) == "into" &&
          before != "insert" && before != "merge" && before != "replace") {
        break;
      }
    }
    return into;
  };
  const std::size_t into = find_into(first);
  RunStatement run;
  if (into < end && word() != "import") {
    at_ = into + 1;
    run.into = read_targets(run.strict);
    if (const std::size_t second = find_into(at_); second < end) {
      at_ = second;
      return fail_here("INTO may be there once");
    }
    const std::string text = std::string(tokens_.text(first, into)) + " " +
                             (at_ < end ? std::string(tokens_.text(at_, end)) : "");
    run.statement = bound(trim(text), begin);
  } else {
    run.statement = bound(text_to(end), begin);
  }
  at_ = end;
  add(block, begin, std::move(run));
  expect_symbol(';');
}

// EXECUTE text [INTO [STRICT] a, b] [USING x, y]; the two may change places.
void BodyReader::read_execute(Block& block) {
  const std::size_t begin = offset();
  ++at_;
  const std::size_t text_begin = at_;
  const std::size_t end = find_end({""});
  RunStatement run;
  const std::size_t into = find_end({"into"});
  std::string text(text_to(std::min(into, end)));
  if (into < end) {
    at_ = into + 1;
    run.into = read_targets(run.strict);
    if (at_ < end) text += " " + std::string(text_to(end));
  }
  at_ = text_begin;
  run.statement = dynamic(text, offset(), block);
  at_ = end;
  add(block, begin, std::move(run));
  expect_symbol(';');
}

namespace {

// The operands of `a || b || c`.
void add_pieces(const Expression& text, std::vector<Expression>& pieces) {
  if (text.kind != ExpressionKind::call || text.text != "||") {
    pieces.push_back(text);
    return;
  }
  for (const Expression& operand : text.operands) add_pieces(operand, pieces);
}

}  // namespace

// Text whose pieces USING has, too, as a program in another language is printed: what it is with
// values in their places. None: that is no statement.
std::optional<ProgramStatement> BodyReader::with_pieces_as_values(
    const Expression& text, const std::vector<Expression>& arguments, std::size_t offset) {
  std::vector<Expression> pieces;
  add_pieces(text, pieces);
  std::string sql;
  ProgramStatement known = {.source = source_.location(offset),
                            .statement = {},
                            .arguments = arguments,
                            .store = "",
                            .approximated = {},
                            .made_text = text};
  std::vector<std::string> approximated;
  for (const Expression& piece : pieces) {
    if (piece.kind == ExpressionKind::literal && piece.text.starts_with('\'')) {
      sql += string_value(piece.text);
      continue;
    }
    const auto argument = std::ranges::find(arguments, piece);
    if (argument == arguments.end()) return std::nullopt;
    sql += "$" + std::to_string(argument - arguments.begin() + 1);
    approximated.push_back(fmt::format("SQL text that is put together from \"{}\" while it runs",
                                       print_expression(piece)));
  }
  auto statements = parse_statements(sql, Dialect::postgres);
  if (!statements || statements->size() != 1) return std::nullopt;
  known.statement = std::move(statements->front());
  look_up(known, offset);
  for (std::string& construct : approximated) {
    note(construct, "it is taken for one value; pass it as a parameter", offset);
    known.approximated.push_back(std::move(construct));
  }
  return known;
}

std::string BodyReader::type_of(const Expression& value) const {
  std::vector<Variable> variables = functionality_.parameters;
  variables.insert(variables.end(), functionality_.variables.begin(),
                   functionality_.variables.end());
  return type_of_value(value, variables, program_.schema);
}

// Text that is made while the routine runs. One that is written out is read as a statement.
ProgramStatement BodyReader::dynamic(std::string_view text, std::size_t offset, Block& block) {
  const sql::Tokens tokens(text);
  std::size_t use = 0;
  while (use < tokens.size() && (tokens[use].depth > 0 || tokens.word(use) != "using")) ++use;
  const bool is_one_token = use == 1 && tokens[0].kind == sql::TokenKind::string;
  std::optional<Expression> made;
  if (!is_one_token && use > 0) made = value_of(tokens.text(0, use), offset, block);
  // 'SELECT 1' AS name is the text alone.
  const bool is_plain =
      made && made->kind == ExpressionKind::literal && made->text.starts_with('\'');
  const bool is_text = is_one_token || is_plain;
  std::vector<Expression> arguments;
  Names values;
  values.enter("");
  std::vector<std::string> parameters;
  std::vector<Variable> none;
  Fields fields;
  std::size_t from = use + 1;
  for (std::size_t i = use + 1; i <= tokens.size() && use < tokens.size(); ++i) {
    const bool ends = i == tokens.size() || (tokens[i].depth == 0 && tokens.is_symbol(i, ','));
    if (!ends || i == from) continue;
    Expression value = value_of(tokens.text(from, i), offset, block);
    if (value.kind != ExpressionKind::variable && !is_field(value)) {
      const std::string type = type_of(value);
      const std::string name = new_variable("argument", type.empty() ? "text" : type);
      add(block, offset, Assign{.target = variable(name), .value = std::move(value)});
      value = variable(name);
    }
    parameters.push_back(name_of(value, fields));
    values.declare(parameters.back(), "text", none);
    arguments.push_back(std::move(value));
    from = i + 1;
  }
  // E'\x41' is not what it says.
  const bool has_escapes = is_one_token && tokens.text(0)[0] != '\'' && tokens.text(0)[0] != '$' &&
                           tokens.text(0).find('\\') != std::string_view::npos;
  if (is_text && !has_escapes) {
    const Read<BoundText> read =
        bind_text(string_value(is_plain ? made->text : tokens.text(0)), values, parameters);
    if (read.is_ok) {
      auto statements = parse_statements(read.value.text, Dialect::postgres);
      if (statements && statements->size() == 1) {
        ProgramStatement known = {.source = source_.location(offset),
                                  .statement = std::move(statements->front()),
                                  .arguments = with_fields(read.value.arguments, fields),
                                  .store = "",
                                  .approximated = {}};
        look_up(known, offset);
        return known;
      }
    }
  }
  if (is_text) made.reset();
  if (made) {
    if (auto known = with_pieces_as_values(*made, arguments, offset)) return std::move(*known);
  }
  ProgramStatement unknown = bound("SELECT heddle_unknown('EXECUTE')", offset);
  unknown.statement.kind = StatementKind::other;
  unknown.approximated = {"EXECUTE of a text that is made while the routine runs"};
  if (made) {
    unknown.made_text = std::move(made);
    unknown.arguments = std::move(arguments);
  }
  note("EXECUTE of a text that is made while the routine runs is not followed",
       "it is taken to read and write anything", offset);
  return unknown;
}

// GET [CURRENT | STACKED] DIAGNOSTICS x = ITEM, ...
void BodyReader::read_get_diagnostics(Block& block) {
  const std::size_t begin = offset();
  ++at_;
  if (!take_word("current")) take_word("stacked");
  expect_word("diagnostics");
  do {
    auto target = read_target();
    if (!target) return fail_here("there is no such variable");
    take_symbol(':');
    expect_symbol('=');
    const std::string item = take_name();
    if (item == "row_count") {
      add(block, begin, CountRows{std::move(*target)});
    } else {
      add(block, begin,
          Assign{.target = std::move(*target),
                 .value = {.kind = ExpressionKind::unknown, .text = item, .operands = {}}});
    }
  } while (take_symbol(','));
  expect_symbol(';');
}

// OPEN c FOR query, OPEN c FOR EXECUTE text, OPEN c [(x, y)]
void BodyReader::read_open(Block& block) {
  const std::size_t begin = offset();
  ++at_;
  const Declared* known = names_.find(take_name());
  if (known == nullptr || !known->is_cursor) {
    --at_;
    return fail_here("OPEN needs a cursor that is declared; a name is missing");
  }
  const Declared cursor = *known;
  OpenRows open{.cursor = cursor.unique, .statement = {}};
  if (take_word("no")) expect_word("scroll");
  take_word("scroll");
  if (take_word("for")) {
    const std::size_t query = offset();
    const bool is_dynamic = take_word("execute");
    const std::size_t end = find_end({""});
    open.statement = is_dynamic ? dynamic(text_to(end), query, block) : bound(text_to(end), query);
    at_ = end;
  } else {
    bind_cursor_parameters(cursor, block);
    open.statement = bound(cursor.query, cursor.offset);
  }
  add(block, begin, std::move(open));
  expect_symbol(';');
}

// (x, y) or (a := x): what the parameters of a cursor are this time.
void BodyReader::bind_cursor_parameters(const Declared& cursor, Block& block) {
  if (!take_symbol('(')) return;
  for (std::size_t i = 0; !trouble_; ++i) {
    const std::size_t begin = offset();
    std::string name = i < cursor.parameters.size() ? cursor.parameters[i] : "";
    if (tokens_.is_symbol(at_ + 1, ':') && tokens_.is_symbol(at_ + 2, '=')) {
      name = take_name();
      at_ += 2;
    }
    const std::size_t end = find_end({",", ")"});
    const Declared* parameter = names_.find(name);
    if (parameter == nullptr) return fail_here("the cursor has no such parameter");
    Expression value = value_of(text_to(end), begin, block);
    at_ = end;
    add(block, begin, Assign{.target = variable(parameter->unique), .value = std::move(value)});
    if (take_symbol(')')) return;
    expect_symbol(',');
  }
}

// FETCH [direction] [FROM | IN] c INTO a, b; MOVE [direction] [FROM | IN] c
void BodyReader::read_fetch(Block& block, bool move) {
  const std::size_t begin = offset();
  ++at_;
  static constexpr std::string_view kDirections[] = {
      "next", "prior", "first", "last", "all", "absolute", "relative", "forward", "backward"};
  bool approximated = false;
  while (!trouble_ && at_ < tokens_.size() && !tokens_.is_symbol(at_, ';')) {
    if (take_word("from") || take_word("in")) break;
    const bool is_direction = std::ranges::find(kDirections, word()) != std::end(kDirections);
    if (!is_direction && tokens_[at_].kind != sql::TokenKind::number) break;
    approximated = approximated || word() != "next";
    ++at_;
  }
  const Declared* cursor = names_.find(take_name());
  if (cursor == nullptr || !cursor->is_cursor) {
    --at_;
    return fail_here("FETCH needs a cursor that is declared; a name is missing");
  }
  FetchRow fetch{.cursor = cursor->unique, .into = {}};
  bool strict = false;
  if (!move) {
    expect_word("into");
    fetch.into = read_targets(strict);
  }
  if (approximated) {
    note("FETCH in a direction other than NEXT is not followed", "it is taken for the next row",
         begin);
  }
  add(block, begin, std::move(fetch));
  expect_symbol(';');
}

void BodyReader::read_close(Block& block) {
  const std::size_t begin = offset();
  ++at_;
  const Declared* cursor = names_.find(take_name());
  if (cursor == nullptr)
    return fail_here("CLOSE needs a cursor that is declared; a name is missing");
  add(block, begin, CloseRows{cursor->unique});
  expect_symbol(';');
}

std::string BodyReader::text_of_string(std::size_t index) const {
  return index < tokens_.size() ? string_value(tokens_.text(index)) : "";
}

// 'it''s', E'a\n', $$x$$
std::string string_value(std::string_view token) {
  if (token.starts_with('$')) {
    const std::size_t tag = token.find('$', 1) + 1;
    return token.size() >= 2 * tag ? std::string(token.substr(tag, token.size() - 2 * tag)) : "";
  }
  const std::size_t quote = token.find('\'');
  std::string value;
  for (std::size_t i = quote + 1; i + 1 < token.size(); ++i) {
    if (token[i] == '\'') ++i;
    value += token[i];
  }
  return value;
}

}  // namespace heddle::plpgsql
