#include "frontend/plpgsql/body_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/plpgsql/declared_type.h"
#include "frontend/sql/words/lexer.h"
#include "program/connections.h"
#include "program/text.h"

namespace heddle::plpgsql {

namespace {

constexpr std::size_t kDeepestBlock = 200;

// A name as PostgreSQL folds it.
std::string folded(std::string_view token) {
  if (!token.starts_with('"')) return to_lower(token);
  std::string name;
  for (std::size_t i = 1; i + 1 < token.size(); ++i) {
    if (token[i] == '"') ++i;
    name += token[i];
  }
  return name;
}

// The number in -- on connection 2: as it is written; none: the comment says something else.
std::optional<std::string_view> connection_in(std::string_view comment) {
  constexpr std::string_view kBegin = "-- on connection ";
  comment = trim(comment);
  if (!comment.starts_with(kBegin) || !comment.ends_with(':')) return std::nullopt;
  comment.remove_prefix(kBegin.size());
  comment.remove_suffix(1);
  return comment;
}

}  // namespace

SourceLocation BodySource::location(std::size_t offset) const {
  return {.file = file,
          .position = sql::position_at(file_text, offsets[std::min(offset, text.size())])};
}

BodyReader::BodyReader(const BodySource& source, Functionality& functionality,
                       const std::vector<std::string>& results, Program& program)
    : source_(source), functionality_(functionality), program_(program), tokens_(source.text) {
  names_.enter(functionality.name);
  std::vector<Variable> declared;
  for (const Variable& parameter : functionality.parameters) {
    parameters_.push_back(parameter.name);
    const Declared& known =
        names_.declare(parameter.name, declared_type(parameter.type, program_.schema), declared);
    names_.alias("$" + std::to_string(parameters_.size()), known);
  }
  for (const Variable& variable : functionality.variables) {
    names_.declare(variable.name, variable.type, declared);
  }
  std::vector<Variable> own;
  names_.declare("found", "boolean", own);
  results_ = results;
}

Result<void> BodyReader::read() {
  std::string label = read_label();
  read_block(functionality_.body, label);
  take_symbol(';');
  if (!trouble_ && at_ < tokens_.size()) fail_here("the body goes on after its END");
  if (trouble_) return *trouble_;
  // What its OUT parameters have at the end is the result.
  Block& body = functionality_.body;
  const bool is_set = functionality_.returns.value_or("").starts_with("SETOF ");
  const bool ends = !body.empty() && std::holds_alternative<Return>(body.back().what);
  if (!results_.empty() && !is_set && !ends) {
    Return end;
    for (const std::string& result : results_) end.values.push_back(variable(result));
    add(body, tokens_.size() == 0 ? 0 : tokens_[tokens_.size() - 1].offset, std::move(end));
  }
  return {};
}

Result<void> BodyReader::read_sql() {
  while (!trouble_ && at_ < tokens_.size()) {
    connection_ = connection_before(at_);
    if (take_symbol(';')) continue;
    const std::size_t begin = offset();
    const std::size_t end = find_end({""});
    RunStatement run{.statement = bound(text_to(end), begin), .into = {}};
    at_ = end;
    take_symbol(';');
    run.returned = functionality_.returns.has_value() && at_ >= tokens_.size() &&
                   run.statement.statement.returns_rows;
    add(functionality_.body, begin, std::move(run));
  }
  if (trouble_) return *trouble_;
  return {};
}

std::string BodyReader::read_label() {
  const bool is_label = tokens_.is_symbol(at_, '<') && tokens_.is_symbol(at_ + 1, '<');
  if (!is_label) return "";
  at_ += 2;
  std::string label = take_name();
  expect_symbol('>');
  expect_symbol('>');
  return label;
}

// [DECLARE ...] BEGIN ... [EXCEPTION ...] END [label]
bool BodyReader::read_block(Block& block, const std::string& label) {
  if (!enter()) return false;
  names_.enter(label);
  const bool inner = depth_ > 1;
  if (take_word("declare")) read_declarations(block, inner);
  const std::size_t begin = offset();
  expect_word("begin");
  Block body;
  read_statements(body, {"end", "exception"});
  if (!trouble_ && take_word("exception")) {
    Attempt attempt{
        .body = std::move(body), .recoveries = {}, .by_client = label == program::kClientLabel};
    read_recoveries(attempt);
    body.clear();
    add(body, begin, std::move(attempt));
  }
  expect_word("end");
  if (!trouble_ && at_ < tokens_.size() && !tokens_.is_symbol(at_, ';')) take_name();
  std::ranges::move(body, std::back_inserter(block));
  names_.leave();
  --depth_;
  return !trouble_;
}

void BodyReader::read_declarations(Block& block, bool inner) {
  while (!trouble_ && at_ < tokens_.size() && word() != "begin") {
    if (take_word("declare")) continue;
    read_declaration(block, inner);
  }
}

void BodyReader::read_declaration(Block& block, bool inner) {
  const std::size_t begin = offset();
  const std::string name = take_name();
  if (take_word("alias")) {
    expect_word("for");
    const std::string meant = at_ < tokens_.size() && tokens_[at_].kind == sql::TokenKind::parameter
                                  ? std::string(tokens_.text(at_++))
                                  : take_name();
    if (const Declared* known = names_.find(meant)) {
      names_.alias(name, Declared(*known));
    } else {
      fail("there is no variable \"" + meant + "\"", "", begin);
    }
    return expect_symbol(';');
  }
  if (take_word("no")) expect_word("scroll");
  take_word("scroll");
  if (take_word("cursor")) return read_cursor_declaration(name);
  take_word("constant");
  const std::size_t type_begin = at_;
  at_ = find_end({"", "default", ":=", "=", "not", "collate"});
  if (at_ == type_begin) return fail_here("a variable needs a type");
  const std::string type = declared_type(trim(tokens_.text(type_begin, at_)), program_.schema);
  if (take_word("collate")) take_name();
  if (take_word("not")) expect_word("null");
  Expression value;
  bool has_value = false;
  if (take_word("default") || (take_symbol(':') && take_symbol('=')) || take_symbol('=')) {
    const std::size_t value_begin = offset();
    const std::size_t end = find_end({""});
    value = value_of(text_to(end), value_begin, block);
    at_ = end;
    has_value = true;
  }
  expect_symbol(';');
  if (trouble_) return;
  const Declared& declared = names_.declare(name, type, functionality_.variables);
  if (declared.is_row && !has_value) return;
  // A block that is entered again begins with fresh variables.
  if (has_value || (inner && !declared.is_cursor)) {
    add(block, begin, Assign{.target = variable(declared.unique), .value = std::move(value)});
  }
}

// name CURSOR [(parameter type, ...)] {FOR | IS} query;
void BodyReader::read_cursor_declaration(const std::string& name) {
  Declared cursor{.unique = names_.declare(name, "refcursor", functionality_.variables).unique};
  cursor.is_cursor = true;
  if (take_symbol('(')) {
    while (!trouble_ && at_ < tokens_.size()) {
      const std::string parameter = take_name();
      const std::size_t begin = at_;
      at_ = find_end({",", ")"});
      const std::string type(trim(tokens_.text(begin, at_)));
      cursor.parameters.push_back(parameter);
      names_.declare(parameter, type, functionality_.variables);
      if (take_symbol(')')) break;
      expect_symbol(',');
    }
  }
  if (!take_word("for")) expect_word("is");
  cursor.offset = offset();
  const std::size_t end = find_end({""});
  cursor.query = std::string(text_to(end));
  at_ = end;
  expect_symbol(';');
  names_.alias(name, cursor);
}

void BodyReader::read_recoveries(Attempt& attempt) {
  names_.enter("");
  for (const char* name : {"sqlstate", "sqlerrm"}) names_.alias(name, {.unique = name});
  while (!trouble_ && take_word("when")) {
    Recovery& recovery = attempt.recoveries.emplace_back();
    do {
      if (take_word("sqlstate")) {
        recovery.conditions.push_back("SQLSTATE " + std::string(tokens_.text(at_)));
        ++at_;
      } else {
        recovery.conditions.push_back(take_name());
      }
    } while (!trouble_ && take_word("or"));
    expect_word("then");
    read_statements(recovery.body, {"when", "end"});
  }
  names_.leave();
}

void BodyReader::read_statements(Block& block, const Words& ends) {
  while (!trouble_) {
    if (at_ >= tokens_.size()) {
      return fail_here(fmt::format("the body ends before its {}", to_upper_words(ends)));
    }
    if (std::ranges::find(ends, word()) != ends.end()) return;
    read_statement(block);
  }
}

void BodyReader::read_statement(Block& block) {
  const std::size_t around = std::exchange(connection_, connection_before(at_));
  read_any_statement(block);
  connection_ = around;
}

void BodyReader::read_any_statement(Block& block) {
  const std::string label = read_label();
  const std::string first = word();
  if (first == "declare" || first == "begin") {
    read_block(block, label);
    return expect_symbol(';');
  }
  if (first == "loop") return read_loop(block, label);
  if (first == "while") return read_while(block, label);
  if (first == "for") return read_for(block, label);
  if (first == "foreach") return read_foreach(block, label);
  if (!label.empty()) return fail_here("a label stands before a block or a loop");
  if (take_symbol(';') || read_control(first, block)) return;
  const bool assigns = names_.resolve({folded(tokens_.text(at_))}).has_value() ||
                       tokens_.is_symbol(at_ + 1, '.') || tokens_.is_symbol(at_ + 1, ':');
  assigns ? read_assignment(block) : read_sql_statement(block);
}

// The connection that the comments directly before the token name; 0 where they name none.
std::size_t BodyReader::connection_before(std::size_t token) {
  if (trouble_ || token >= tokens_.size()) return 0;
  const std::string_view text = source_.text;
  std::size_t at = token == 0 ? 0 : tokens_[token - 1].offset + tokens_[token - 1].size;
  std::size_t connection = 0;
  while (at < tokens_[token].offset) {
    const std::size_t begin = std::exchange(at, sql::end_of_token(text, at));
    const auto number = connection_in(text.substr(begin, at - begin));
    if (!number) continue;
    const auto [end, error] =
        std::from_chars(number->data(), number->data() + number->size(), connection);
    const bool is_number = error == std::errc() && end == number->data() + number->size();
    if (!is_number || connection == 0 || connection > program::kMostConnections) {
      fail(fmt::format("there is no connection {}", *number),
           fmt::format("number connections from 1 to {}", program::kMostConnections), begin);
      return 0;
    }
    --connection;
  }
  return connection;
}

bool BodyReader::read_control(const std::string& word, Block& block) {
  using Reader = void (*)(BodyReader&, Block&);
  struct Row {
    std::string_view word;
    Reader reader;
  };
  static constexpr Row kReaders[] = {
      {"if", [](BodyReader& reader, Block& into) { reader.read_if(into); }},
      {"case", [](BodyReader& reader, Block& into) { reader.read_case(into); }},
      {"exit", [](BodyReader& reader, Block& into) { reader.read_leave(into, false); }},
      {"continue", [](BodyReader& reader, Block& into) { reader.read_leave(into, true); }},
      {"return", [](BodyReader& reader, Block& into) { reader.read_return(into); }},
      {"raise", [](BodyReader& reader, Block& into) { reader.read_raise(into); }},
      {"assert", [](BodyReader& reader, Block& into) { reader.read_assert(into); }},
      {"perform", [](BodyReader& reader, Block& into) { reader.read_perform(into); }},
      {"execute", [](BodyReader& reader, Block& into) { reader.read_execute(into); }},
      {"get", [](BodyReader& reader, Block& into) { reader.read_get_diagnostics(into); }},
      {"open", [](BodyReader& reader, Block& into) { reader.read_open(into); }},
      {"fetch", [](BodyReader& reader, Block& into) { reader.read_fetch(into, false); }},
      {"move", [](BodyReader& reader, Block& into) { reader.read_fetch(into, true); }},
      {"close", [](BodyReader& reader, Block& into) { reader.read_close(into); }},
      {"null", [](BodyReader& reader, Block& /*into*/) { reader.read_null(); }},
  };
  // A variable may bear such a name.
  const bool assigned = tokens_.is_symbol(at_ + 1, ':') || tokens_.is_symbol(at_ + 1, '=');
  const auto* const known = std::ranges::find(kReaders, word, &Row::word);
  if (known == std::end(kReaders) || assigned) return false;
  known->reader(*this, block);
  return true;
}

void BodyReader::read_null() {
  ++at_;
  expect_symbol(';');
}

bool BodyReader::take_word(std::string_view word) {
  if (trouble_ || tokens_.word(at_) != word) return false;
  ++at_;
  return true;
}

bool BodyReader::take_symbol(char symbol) {
  if (trouble_ || !tokens_.is_symbol(at_, symbol)) return false;
  ++at_;
  return true;
}

void BodyReader::expect_word(std::string_view word) {
  if (!take_word(word)) fail_here(fmt::format("{} is missing", to_upper_words({word})));
}

void BodyReader::expect_symbol(char symbol) {
  if (!take_symbol(symbol)) fail_here(fmt::format("\"{}\" is missing", symbol));
}

std::string BodyReader::take_name() {
  if (trouble_) return "";
  const bool is_name = at_ < tokens_.size() && (tokens_[at_].kind == sql::TokenKind::word ||
                                                tokens_[at_].kind == sql::TokenKind::quoted_name);
  if (!is_name) {
    fail_here("a name is missing");
    return "";
  }
  return folded(tokens_.text(at_++));
}

std::size_t BodyReader::find_end(const Words& ends) const {
  const std::uint32_t depth = at_ < tokens_.size() ? tokens_[at_].depth : 0;
  std::size_t cases = 0;
  for (std::size_t i = at_; i < tokens_.size(); ++i) {
    if (tokens_[i].depth > depth) continue;
    if (tokens_.is_symbol(i, ';')) return i;
    const std::string word = tokens_.word(i);
    if (word == "case") ++cases;
    if (word == "end" && cases > 0) {
      --cases;
      continue;
    }
    if (cases > 0) continue;
    for (const std::string_view end : ends) {
      if (end.empty()) continue;
      const bool is_assignment =
          end == ":=" && tokens_.is_symbol(i, ':') && tokens_.is_symbol(i + 1, '=');
      const bool is_symbol = end.size() == 1 && tokens_.is_symbol(i, end[0]);
      if (is_assignment || is_symbol || (!word.empty() && word == end)) return i;
    }
  }
  return tokens_.size();
}

std::size_t BodyReader::offset() const {
  return at_ < tokens_.size() ? tokens_[at_].offset : source_.text.size();
}

std::string_view BodyReader::text_to(std::size_t end) const { return tokens_.text(at_, end); }

bool BodyReader::enter() {
  if (depth_ == kDeepestBlock) {
    fail("blocks are nested too deeply", "divide the routine", offset(), Trouble::bound);
    return false;
  }
  ++depth_;
  return true;
}

void BodyReader::fail(std::string what, std::string what_to_do, std::size_t offset,
                      Trouble trouble) {
  if (trouble_) return;
  const SourceLocation source = source_.location(offset);
  trouble_ = Diagnostic{.what = std::move(what),
                        .what_to_do = std::move(what_to_do),
                        .file = source.file,
                        .position = source.position,
                        .trouble = trouble};
}

void BodyReader::fail_here(std::string what) {
  const bool over = at_ >= tokens_.size();
  fail(fmt::format(
           "{} {}", what,
           over ? "at the end of the body" : fmt::format("before \"{}\"", tokens_.text(at_))),
       fmt::format("look at {}()", functionality_.name), offset());
}

void BodyReader::note(std::string what, std::string how, std::size_t offset) {
  const SourceLocation source = source_.location(offset);
  program_.notes.push_back({.what = std::move(what),
                            .what_to_do = std::move(how),
                            .file = source.file,
                            .position = source.position});
}

std::string BodyReader::new_variable(const std::string& name, const std::string& type) {
  return names_.declare(name, type, functionality_.variables).unique;
}

std::string to_upper_words(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += " or ";
    for (const char c : word) {
      text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return text;
}

}  // namespace heddle::plpgsql
