// Token by token: what is not known to mean the same in both dialects stops the translation. So it
// never gives an expression that is silently another one.
#include "schema/expression.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/sql/words/postgres_words.h"
#include "heddle/schema.h"
#include "schema/builder.h"

namespace heddle::sql {
namespace {

// Words that mean the same everywhere.
constexpr std::string_view kCommonWords[] = {
    "and",          "or",          "not",  "in",    "between",
    "is",           "null",        "true", "false", "case",
    "when",         "then",        "else", "end",   "current_timestamp",
    "current_date", "current_time"};

// Functions that mean the same everywhere, called with the same arguments.
constexpr std::string_view kFunctions[] = {"coalesce", "nullif", "abs",  "upper",
                                           "lower",    "round",  "trim", "replace"};

// Functions without arguments that have another name.
struct Renamed {
  std::string_view postgres;
  std::string_view mysql;
  std::string_view sqlite;
};
constexpr Renamed kRenamed[] = {
    {"now", "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP"},
    {"localtimestamp", "CURRENT_TIMESTAMP", ""},
    {"gen_random_uuid", "uuid()", ""},
    {"uuid_generate_v4", "uuid()", ""},
    {"random", "rand()", ""},
    {"rand", "rand()", ""},
    {"uuid", "uuid()", ""},
};
// Functions whose arguments stay.
constexpr Renamed kRenamedCalls[] = {
    {"length", "char_length", "length"},
    {"char_length", "char_length", "length"},
    {"character_length", "char_length", "length"},
};

// The other way: functions of MySQL and SQLite, also those whose arguments stay.
struct ToPostgres {
  std::string_view name;
  Dialect from;
  bool has_arguments;
  std::string_view postgres;
};
constexpr ToPostgres kToPostgres[] = {
    {"now", Dialect::mysql, false, "now()"},
    {"now", Dialect::sqlite, false, "now()"},
    {"localtimestamp", Dialect::mysql, false, "LOCALTIMESTAMP"},
    {"curdate", Dialect::mysql, false, "CURRENT_DATE"},
    {"uuid", Dialect::mysql, false, "gen_random_uuid()"},
    {"rand", Dialect::mysql, false, "random()"},
    {"ifnull", Dialect::mysql, true, "coalesce"},
    {"ifnull", Dialect::sqlite, true, "coalesce"},
    {"char_length", Dialect::mysql, true, "char_length"},
    {"character_length", Dialect::mysql, true, "char_length"},
    {"length", Dialect::sqlite, true, "length"},
};

const Renamed* find_renamed(std::span<const Renamed> all, std::string_view name) {
  for (const Renamed& one : all) {
    if (one.postgres == name) return &one;
  }
  return nullptr;
}

// Empty: it has no counterpart.
std::string_view to_postgres(std::string_view name, Dialect from, bool has_arguments) {
  for (const ToPostgres& one : kToPostgres) {
    if (one.name == name && one.from == from && one.has_arguments == has_arguments) {
      return one.postgres;
    }
  }
  return {};
}

// What a function without arguments is called, with its parentheses if it has any.
std::string_view renamed_value(std::string_view name, Dialect from, Dialect to) {
  if (to == Dialect::postgres) return to_postgres(name, from, false);
  const Renamed* renamed = find_renamed(kRenamed, name);
  if (renamed == nullptr) return {};
  return to == Dialect::mysql ? renamed->mysql : renamed->sqlite;
}

// What a function is called whose arguments stay. MySQL's length counts bytes.
std::string_view renamed_call(std::string_view name, Dialect from, Dialect to) {
  if (to == Dialect::postgres) return to_postgres(name, from, true);
  const Renamed* call = find_renamed(kRenamedCalls, name);
  if (call == nullptr || from != Dialect::postgres) return {};
  return to == Dialect::mysql ? call->mysql : call->sqlite;
}

class Translator {
 public:
  Translator(std::string_view expression, Dialect from, Dialect to)
      : tokens_(expression), from_(from), to_(to) {}

  ExpressionText run() {
    while (at_ < tokens_.size()) {
      if (!step()) {
        const std::string near =
            at_ < tokens_.size() ? std::string(tokens_.text(at_)) : std::string();
        return {.text = {}, .lost = near + " has no counterpart that is known to be the same"};
      }
    }
    return {.text = std::move(result_), .lost = {}};
  }

 private:
  bool step();
  bool step_word();
  bool step_symbol();
  bool step_call(const std::string& name);

  // PostgreSQL's tables have names of other dialects in lower case.
  std::string quoted_name() const {
    const std::string name = fold_name(tokens_.text(at_), Dialect::postgres);
    return dialect_name(to_ == Dialect::postgres ? to_lower(name) : name, to_);
  }

  // Keeps the blanks of the expression.
  void add(std::string_view text) {
    const std::size_t end = at_ > 0 ? tokens_[at_ - 1].offset + tokens_[at_ - 1].size : 0;
    if (at_ > 0 && tokens_[at_].offset > end) result_ += ' ';
    result_ += text;
  }

  Tokens tokens_;
  Dialect from_;
  Dialect to_;
  std::size_t at_ = 0;
  std::string result_;
};

bool Translator::step() {
  switch (tokens_[at_].kind) {
    case TokenKind::word:
      return step_word();
    case TokenKind::quoted_name:
      if (tokens_.text(at_)[0] != '"') return false;
      if (tokens_.is_symbol(at_ + 1, '(')) {
        return step_call(fold_name(tokens_.text(at_), Dialect::postgres));
      }
      add(quoted_name());
      ++at_;
      return true;
    case TokenKind::string: {
      const bool is_bits = std::string_view("bBxX").find(tokens_.text(at_)[0]) != std::string::npos;
      if (is_bits && from_ == to_) {
        add(tokens_.text(at_));
        ++at_;
        return true;
      }
      if (tokens_.text(at_)[0] != '\'') return false;
      const bool joins = at_ > 0 && tokens_[at_ - 1].kind == TokenKind::string;
      if (joins) return false;
      add(dialect_string(fold_name(tokens_.text(at_), Dialect::sqlite), to_));
      ++at_;
      // 'x'::text, which pg_dump writes for each string
      if (!tokens_.is_symbol(at_, ':') || !tokens_.is_symbol(at_ + 1, ':')) return true;
      const std::string word = tokens_.word(at_ + 2);
      const bool is_varying = word == "character" && tokens_.word(at_ + 3) == "varying";
      if (!is_varying && word != "text" && word != "varchar" && word != "bpchar") return false;
      at_ += is_varying ? 4 : 3;
      return !tokens_.is_symbol(at_, '(') && !tokens_.is_symbol(at_, '[');
    }
    case TokenKind::number:
      add(tokens_.text(at_));
      ++at_;
      return true;
    case TokenKind::symbol:
      return step_symbol();
    default:
      return false;
  }
}

bool Translator::step_word() {
  const std::string word = tokens_.word(at_);
  if (tokens_.is_symbol(at_ + 1, '(') && !is_one_of(word, kCommonWords)) {
    return step_call(word);
  }
  if (tokens_.is_symbol(at_ + 1, '.')) return false;
  if (word == "localtimestamp" && to_ == Dialect::mysql) {
    add("CURRENT_TIMESTAMP");
  } else if (is_one_of(word, kCommonWords)) {
    add(tokens_.text(at_));
    // SQLite's clocks have no precision.
    const bool has_precision = word.starts_with("current_") && tokens_.is_symbol(at_ + 1, '(');
    if (has_precision && to_ == Dialect::sqlite) at_ += 3;
  } else if (postgres_name(word) == word) {
    const bool is_typed_literal =
        at_ + 1 < tokens_.size() && tokens_[at_ + 1].kind == TokenKind::string;
    // LIKE, SIMILAR and words of other operators stand between operands, a name never does.
    const bool follows_operand =
        at_ > 0 && (tokens_[at_ - 1].kind == TokenKind::quoted_name ||
                    tokens_[at_ - 1].kind == TokenKind::number ||
                    tokens_[at_ - 1].kind == TokenKind::string || tokens_.is_symbol(at_ - 1, ')') ||
                    (tokens_[at_ - 1].kind == TokenKind::word &&
                     !is_one_of(tokens_.word(at_ - 1), kCommonWords)));
    if (is_typed_literal || follows_operand) return false;
    add(from_ == to_ ? std::string(tokens_.text(at_)) : dialect_name(word, to_));
  } else {
    return false;
  }
  ++at_;
  return true;
}

bool Translator::step_call(const std::string& name) {
  const std::string_view value = renamed_value(name, from_, to_);
  if (tokens_.is_symbol(at_ + 2, ')') && !value.empty()) {
    add(value);
    at_ += 3;
    return true;
  }
  const std::string_view call = renamed_call(name, from_, to_);
  const bool is_own = from_ == to_ && name.find('"') == std::string::npos;
  if (is_own || is_one_of(name, kFunctions)) {
    add(is_own ? tokens_.text(at_) : std::string_view(name));
  } else if (!call.empty()) {
    add(call);
  } else {
    return false;
  }
  result_ += '(';
  at_ += 2;
  return true;
}

bool Translator::step_symbol() {
  constexpr std::string_view kOperators[] = {"<=", ">=", "<>", "!="};
  const std::string_view rest = tokens_.sql().substr(tokens_[at_].offset);
  const bool is_long = is_one_of(rest.substr(0, 2), kOperators);
  const char symbol = rest[0];
  const std::size_t size = is_long ? 2 : 1;
  if (!is_long && std::string_view("=<>+-*%(),").find(symbol) == std::string_view::npos) {
    return false;
  }
  // An operator made of more characters is none of these.
  const bool is_bracket = symbol == '(' || symbol == ')' || symbol == ',';
  const char next = rest.size() > size ? rest[size] : ' ';
  const bool continues = std::string_view("=<>+*/~!@#%^&|`?").find(next) != std::string_view::npos;
  if (!is_bracket && continues) return false;
  add(rest.substr(0, size));
  at_ += size;
  return true;
}

}  // namespace

ExpressionText translate_expression(std::string_view expression, Dialect from, Dialect to) {
  const bool is_own = from == to && to == Dialect::postgres;
  if (is_own) return {.text = std::string(expression), .lost = {}};
  return Translator(expression, from, to).run();
}

std::string dialect_name(std::string_view name, Dialect dialect) {
  if (dialect == Dialect::postgres) return postgres_name(name);
  return quoted_by(name, dialect == Dialect::mysql ? '`' : '"');
}

std::string dialect_string(std::string_view value, Dialect dialect) {
  std::string text = quoted_by(value, '\'');
  if (dialect != Dialect::mysql) return text;
  std::string escaped;
  for (char c : text) escaped += c == '\\' ? "\\\\" : std::string(1, c);
  return escaped;
}

}  // namespace heddle::sql
