#include "frontend/print/source.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/print/names.h"
#include "frontend/sql/sqlite.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/sql/words/sqlite_lexer.h"

namespace heddle::sql {
namespace {

using TokenList = std::vector<MysqlToken>;

bool is_word(const TokenList& tokens, std::size_t i, std::string_view word) {
  return i < tokens.size() && tokens[i].kind == MysqlTokenKind::word && tokens[i].word == word;
}

bool is_symbol(const TokenList& tokens, std::size_t i, std::string_view symbol) {
  return i < tokens.size() && tokens[i].kind == MysqlTokenKind::symbol && tokens[i].text == symbol;
}

bool is_any_word(const TokenList& tokens, std::size_t i,
                 std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return is_word(tokens, i, word); });
}

// The index of the parenthesis that closes the one at `open`, or the number of tokens.
std::size_t closing(const TokenList& tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (is_symbol(tokens, i, "(")) ++depth;
    if (is_symbol(tokens, i, ")") && --depth == 0) return i;
  }
  return tokens.size();
}

// The first token between the parentheses at `open` and `close`, no deeper, that the test takes.
template <class Test>
std::size_t find_inside(const TokenList& tokens, std::size_t open, std::size_t close, Test test) {
  for (std::size_t i = open + 1; i < close; ++i) {
    if (test(i)) return i;
    if (is_symbol(tokens, i, "(")) i = std::min(closing(tokens, i), close);
  }
  return close;
}

void become(MysqlToken& token, MysqlTokenKind kind, std::string text, std::string word = {}) {
  token.kind = kind;
  token.text = std::move(text);
  token.word = std::move(word);
}

// Shapes that the tree can hold.

constexpr std::string_view kUnits[] = {"microsecond", "second", "minute",  "hour", "day",
                                       "week",        "month",  "quarter", "year"};

bool is_unit(const MysqlToken& token) {
  return token.kind == MysqlTokenKind::word &&
         std::find(std::begin(kUnits), std::end(kUnits), token.word) != std::end(kUnits);
}

// INTERVAL n unit  becomes  "heddle interval"(n, 'unit')
void keep_interval(TokenList& tokens, std::size_t i) {
  const std::size_t unit = find_inside(tokens, i, tokens.size(), [&](std::size_t at) {
    return (at > i + 1 && is_unit(tokens[at])) || is_symbol(tokens, at, ",") ||
           is_symbol(tokens, at, ")");
  });
  if (unit >= tokens.size() || !is_unit(tokens[unit])) return;
  become(tokens[i], MysqlTokenKind::name, fmt::format("\"{}\"(", kIntervalCall));
  become(tokens[unit], MysqlTokenKind::string, fmt::format(", '{}')", tokens[unit].word));
}

// CONVERT(x, type)  becomes  CAST(x AS type)
void keep_conversion(TokenList& tokens, std::size_t i) {
  if (!is_symbol(tokens, i + 1, "(")) return;
  const std::size_t close = closing(tokens, i + 1);
  const std::size_t comma =
      find_inside(tokens, i + 1, close, [&](std::size_t at) { return is_symbol(tokens, at, ","); });
  if (comma >= close || close >= tokens.size()) return;
  become(tokens[i], MysqlTokenKind::word, "CAST", "cast");
  become(tokens[comma], MysqlTokenKind::word, " AS ", "as");
}

// GROUP_CONCAT(x ORDER BY y SEPARATOR s)  becomes  group_concat(x, s ORDER BY y)
void keep_separator(TokenList& tokens, std::size_t i) {
  if (!is_symbol(tokens, i + 1, "(")) return;
  const std::size_t close = closing(tokens, i + 1);
  const auto find = [&](std::string_view word) {
    return find_inside(tokens, i + 1, close,
                       [&](std::size_t at) { return is_word(tokens, at, word); });
  };
  const std::size_t separator = find("separator");
  if (separator + 2 != close || close >= tokens.size()) return;
  become(tokens[separator], MysqlTokenKind::symbol, ",");
  const std::size_t order = find("order");
  if (order >= separator) return;
  const auto at = [&](std::size_t index) {
    return tokens.begin() + static_cast<std::ptrdiff_t>(index);
  };
  std::rotate(at(order), at(separator), at(close));
}

void keep_mysql_shapes(TokenList& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && is_symbol(tokens, i - 1, ".")) continue;
    if (is_word(tokens, i, "interval")) keep_interval(tokens, i);
    if (is_word(tokens, i, "convert")) keep_conversion(tokens, i);
    if (is_word(tokens, i, "group_concat")) keep_separator(tokens, i);
    // Said by the token behind the operator: PrintSource::is_binary.
    const bool is_pattern = i > 0 && is_any_word(tokens, i - 1, {"like", "regexp", "rlike"});
    if (is_word(tokens, i, "binary") && is_pattern) tokens[i].text.clear();
  }
}

// SQLite's clocks keep their arguments, its hexadecimal numbers are numbers.
void keep_sqlite_shapes(TokenList& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_clock =
        is_any_word(tokens, i, {"date", "time", "datetime", "julianday", "strftime", "unixepoch"});
    if (is_clock && is_symbol(tokens, i + 1, "(")) {
      become(tokens[i], MysqlTokenKind::name, "\"" + tokens[i].word + "\"");
    }
  }
}

// SQLite: `?` is one more than the highest so far, `?5` the fifth, `:a` the same wherever it is.
bool number_parameters(TokenList& tokens, std::string_view sql) {
  constexpr std::size_t kHighest = 32766;
  std::map<std::string, std::size_t> names;
  std::size_t highest = 0;
  for (MysqlToken& token : tokens) {
    if (token.kind != MysqlTokenKind::parameter) continue;
    const std::string text(sql.substr(token.offset, token.size));
    std::size_t number = highest + 1;
    if (text.size() > 1 && text[0] == '?') {
      if (text.size() > 6 || !std::all_of(text.begin() + 1, text.end(), is_digit)) return false;
      number = std::stoul(text.substr(1));
    } else if (text.size() > 1) {
      number = names.emplace(text, number).first->second;
    }
    if (number == 0 || number > kHighest) return false;
    highest = std::max(highest, number);
    token.text = "$" + std::to_string(number);
  }
  return true;
}

// What may not pass.

struct Refusal {
  std::size_t offset = 0;
  std::string what;
};

constexpr std::string_view kMysqlRefused[] = {
    "against", "straight_join", "xa", "outfile", "dumpfile", ":=", "{", "->", "->>"};
constexpr std::string_view kSqliteRefused[] = {"->", "->>"};

std::string source_text(const MysqlToken& token, std::string_view sql) {
  return std::string(sql.substr(token.offset, token.size));
}

// Strings whose value the lexers change, and tokens that stand for something else.
std::optional<Refusal> find_odd_token(const TokenList& tokens, std::string_view sql,
                                      Dialect dialect) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const MysqlToken& token = tokens[i];
    const std::string text = source_text(token, sql);
    const std::string gap(
        sql.substr(std::min(end, token.offset), token.offset - std::min(end, token.offset)));
    end = std::max(end, token.offset + token.size);
    if (dialect == Dialect::mysql &&
        (gap.find("/*!") != std::string::npos || gap.find("/*M!") != std::string::npos)) {
      return Refusal{token.offset, "a comment that some servers execute"};
    }
    if (token.kind == MysqlTokenKind::string && dialect == Dialect::mysql) {
      if (token.offset > 0 && continues_word(sql[token.offset - 1])) {
        return Refusal{token.offset, "a character set before a string"};
      }
      if (text.find("\\0") != std::string::npos || text.starts_with("n'") ||
          text.starts_with("N'")) {
        return Refusal{token.offset, "a string with a NUL or of the national character set"};
      }
    }
    const bool is_number = token.kind == MysqlTokenKind::number;
    if (is_number && text.size() > 1 && text[0] == '0' && text.find_first_of("xXbB") == 1) {
      return Refusal{token.offset, "the number " + text + " in other than decimal digits"};
    }
    if (i > 0 && is_symbol(tokens, i - 1, ".")) continue;
    for (std::string_view word :
         dialect == Dialect::mysql
             ? std::vector<std::string_view>(std::begin(kMysqlRefused), std::end(kMysqlRefused))
             : std::vector<std::string_view>(std::begin(kSqliteRefused),
                                             std::end(kSqliteRefused))) {
      if (is_word(tokens, i, word) || is_symbol(tokens, i, word))
        return Refusal{token.offset, text};
    }
    const bool is_match = dialect == Dialect::sqlite && i > 0 &&
                          is_any_word(tokens, i, {"regexp", "match"}) &&
                          !is_symbol(tokens, i + 1, "(");
    if (is_match) return Refusal{token.offset, text};
  }
  return std::nullopt;
}

// Words that the rewriters drop because what they leave says the same, or a flag does.
constexpr std::string_view kDropped[] = {
    "duplicate", "key",  "update", "values", "integer", "int",  "dual", "regexp", "rlike",
    "share",     "mode", "inner",  "cross",  "not",     "glob", "(",    ")"};

class Vanished {
 public:
  Vanished(const TokenList& tokens, const PrintSource& source, bool inserts_set)
      : tokens_(tokens), source_(source), inserts_set_(inserts_set) {}

  bool is_explained(std::size_t i) const {
    const MysqlToken& token = tokens_[i];
    const std::string& text = token.word.empty() ? token.text : token.word;
    if (std::find(std::begin(kDropped), std::end(kDropped), text) != std::end(kDropped))
      return true;
    if (text == "from" && is_word(tokens_, i + 1, "dual")) return true;
    if (text == "in" && is_word(tokens_, i + 1, "share")) return true;
    const bool after_insert = i > 0 && is_word(tokens_, i - 1, "insert");
    if (text == "ignore" && after_insert) return true;
    if (!source_.begin_word.empty()) return true;
    const bool is_conflict_word = source_.ignores_conflicts || source_.replaces;
    if (is_conflict_word && (text == "or" || (i > 0 && is_word(tokens_, i - 1, "or")))) return true;
    const bool is_abort =
        is_word(tokens_, i, "or") ? is_word(tokens_, i + 1, "abort") : text == "abort";
    if (is_abort) return true;
    const bool is_name = token.kind == MysqlTokenKind::name || token.kind == MysqlTokenKind::word;
    if (inserts_set_) return is_name || text == "=";
    return !source_.delete_targets.empty() &&
           (is_name || text == "," || text == "." || text == "*");
  }

 private:
  const TokenList& tokens_;
  const PrintSource& source_;
  bool inserts_set_;
};

std::optional<Refusal> find_vanished(const TokenList& before, const MysqlStatement& after,
                                     const PrintSource& source) {
  std::map<std::size_t, std::size_t> places;
  for (std::size_t i = 0; i < before.size(); ++i) places[before[i].offset] = i;
  const bool inserts_set = std::any_of(before.begin(), before.end(), [&](const MysqlToken& token) {
    const auto i = static_cast<std::size_t>(&token - before.data());
    return token.word == "set" && is_any_word(before, 0, {"insert", "replace"}) &&
           std::none_of(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(i),
                        [](const MysqlToken& one) {
                          return one.text == "(" || one.word == "select" || one.word == "on";
                        });
  });
  const Vanished vanished(before, source, inserts_set);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!after[i].text.empty()) continue;
    const auto place = places.find(after[i].offset);
    if (place != places.end() && before[place->second].text.empty()) continue;
    if (place == places.end() || vanished.is_explained(place->second)) continue;
    return Refusal{after[i].offset, source_text(after[i], source.sql)};
  }
  return std::nullopt;
}

// What is said at the verb and not in the tree.
std::optional<Refusal> read_verb(const TokenList& tokens, PrintSource& source) {
  std::size_t verb = 0;
  while (verb < tokens.size() && !is_any_word(tokens, verb,
                                              {"insert", "replace", "update", "delete", "select",
                                               "values", "begin", "start"})) {
    ++verb;
  }
  const bool inserts = is_any_word(tokens, verb, {"insert", "replace"});
  if (is_word(tokens, verb + 1, "ignore") && inserts) source.ignores_conflicts = true;
  if (is_word(tokens, verb, "replace") && !is_symbol(tokens, verb + 1, "(")) source.replaces = true;
  if (inserts && is_word(tokens, verb + 1, "or")) {
    source.ignores_conflicts = is_word(tokens, verb + 2, "ignore");
    source.replaces = is_word(tokens, verb + 2, "replace");
  }
  if (is_word(tokens, verb, "begin") &&
      is_any_word(tokens, verb + 1, {"immediate", "exclusive", "deferred"})) {
    source.begin_word = tokens[verb + 1].word;
  }
  if (is_word(tokens, verb, "start") && is_word(tokens, verb + 2, "with")) {
    source.begin_word = "consistent snapshot";
  }
  const bool both = source.dialect == Dialect::sqlite &&
                    (source.ignores_conflicts || source.replaces) &&
                    std::any_of(tokens.begin(), tokens.end(),
                                [](const MysqlToken& one) { return one.word == "conflict"; });
  if (both) return Refusal{tokens[verb].offset, "OR beside ON CONFLICT"};
  return std::nullopt;
}

Diagnostic refused(const PrintSource& source, const Refusal& refusal) {
  return {.what = "cannot print " + refusal.what,
          .what_to_do = "leave it out, or say it in another way",
          .file = {},
          .position = position_at(source.sql, refusal.offset),
          .trouble = Trouble::bad_input};
}

Diagnostic unreadable(const PrintSource& source) {
  const ParseTrouble& trouble = source.parsed.trouble;
  const std::size_t offset = source.source_offset(trouble.offset);
  return {.what = fmt::format("cannot read this as {}: {}", product_name(source.dialect),
                              trouble.message),
          .what_to_do = trouble.trouble == Trouble::bound
                            ? "split the statement into smaller ones"
                            : "check the statement's syntax; parentheses may help",
          .file = {},
          .position = position_at(source.sql, offset),
          .trouble = trouble.trouble};
}

Diagnostic not_one(const PrintSource& source) {
  return {.what = "not one statement",
          .what_to_do = "give one statement at a time",
          .file = {},
          .position = position_at(source.sql, 0),
          .trouble = Trouble::bad_input};
}

Result<void> rewrite(PrintSource& source) {
  const bool is_sqlite = source.dialect == Dialect::sqlite;
  TokenList tokens = is_sqlite ? lex_sqlite(source.sql) : lex_mysql(source.sql);
  while (!tokens.empty() && tokens.back().kind == MysqlTokenKind::end) tokens.pop_back();
  if (tokens.empty()) return not_one(source);
  for (const MysqlToken& token : tokens) {
    if (token.kind == MysqlTokenKind::end) return not_one(source);
  }
  source.tokens = tokens;
  if (const auto odd = find_odd_token(tokens, source.sql, source.dialect)) {
    return refused(source, *odd);
  }
  is_sqlite ? keep_sqlite_shapes(tokens) : keep_mysql_shapes(tokens);
  if (is_sqlite && !number_parameters(tokens, source.sql)) {
    return refused(source, {0, "a placeholder with a number out of range"});
  }
  if (const auto odd = read_verb(tokens, source)) return refused(source, *odd);
  MysqlStatement statement(tokens);
  statement.options.dialect = source.dialect;
  is_sqlite ? rewrite_sqlite(statement) : rewrite_statement(statement);
  source.multi_table = statement.options.multi_table;
  source.delete_targets = statement.options.delete_targets;
  if (!statement.notes.empty()) return refused(source, {tokens[0].offset, statement.notes[0]});
  if (statement.kind) return refused(source, {tokens[0].offset, "SET of variables"});
  if (const auto vanished = find_vanished(tokens, statement, source)) {
    return refused(source, *vanished);
  }
  source.rewritten = render(statement, source.sql);
  return {};
}

}  // namespace

std::size_t PrintSource::source_offset(std::size_t location) const {
  return dialect == Dialect::postgres ? std::min(location, sql.size())
                                      : rewritten.source_offset(location);
}

const MysqlToken* PrintSource::token_at(std::size_t location) const {
  for (const Origin& origin : rewritten.origins) {
    if (origin.rewritten != location) continue;
    const auto found = std::find_if(tokens.begin(), tokens.end(), [&](const MysqlToken& token) {
      return token.offset == origin.source;
    });
    return found == tokens.end() ? nullptr : &*found;
  }
  return nullptr;
}

bool PrintSource::is_binary(std::size_t location) const {
  const MysqlToken* token = token_at(location);
  if (token == nullptr) return false;
  auto i = static_cast<std::size_t>(token - tokens.data());
  if (is_word(tokens, i, "not")) ++i;
  return is_word(tokens, i + 1, "binary");
}

Result<void> read_source(std::string_view sql, Dialect dialect, PrintSource& source) {
  source.sql = sql;
  source.dialect = dialect;
  if (dialect == Dialect::postgres) {
    source.rewritten.text = std::string(sql);
  } else if (Result<void> rewritten = rewrite(source); !rewritten) {
    return rewritten;
  }
  source.parsed = parse_tree(source.rewritten.text);
  if (!source.parsed.is_ok) return unreadable(source);
  if (source.parsed.tree.statements.size() != 1) return not_one(source);
  return {};
}

}  // namespace heddle::sql
