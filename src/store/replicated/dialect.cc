#include "store/replicated/dialect.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/replicated/dialect_table.h"

namespace heddle::replicated {

namespace {

// The tables of PostgreSQL's usual schema have no schema here.
void drop_schema(Tokens& tokens) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!is_word(tokens[i], "public") || !is_symbol(tokens[i + 1], ".")) continue;
    tokens[i + 2].gap = tokens[i].gap;
    erase(tokens, i, i + 2);
  }
}

// How many tokens of a locking clause begin here; 0: none does.
std::size_t locking_size(const Tokens& tokens, std::size_t at) {
  if (!word_at(tokens, at, "for")) return 0;
  std::size_t end = at + 1;
  if (word_at(tokens, end, "no") && word_at(tokens, end + 1, "key")) {
    end += 2;
  } else if (word_at(tokens, end, "key")) {
    ++end;
  }
  if (!word_at(tokens, end, "update") && !word_at(tokens, end, "share")) return 0;
  ++end;
  if (word_at(tokens, end, "of")) {
    end += 2;
    while (end + 1 < tokens.size() && is_symbol(tokens[end], ",")) end += 2;
  }
  if (word_at(tokens, end, "nowait")) ++end;
  if (word_at(tokens, end, "skip") && word_at(tokens, end + 1, "locked")) end += 2;
  return std::min(end, tokens.size()) - at;
}

void drop_locking(Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size();) {
    const std::size_t size = locking_size(tokens, i);
    if (size == 0) {
      ++i;
    } else {
      erase(tokens, i, i + size);
    }
  }
}

// OVERRIDING SYSTEM VALUE: an identity takes any value here.
void drop_overriding(Tokens& tokens) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (is_word(tokens[i], "overriding") && is_word(tokens[i + 2], "value")) {
      erase(tokens, i, i + 3);
    }
  }
}

// FETCH FIRST 5 ROWS ONLY is LIMIT 5.
void rewrite_fetch(Tokens& tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool is_fetch = is_word(tokens[i], "fetch") &&
                          (is_word(tokens[i + 1], "first") || is_word(tokens[i + 1], "next"));
    if (!is_fetch) continue;
    std::size_t end = i + 2;
    std::string count = "1";
    if (end < tokens.size() && tokens[end].kind == TokenKind::number) count = tokens[end++].text;
    if (!word_at(tokens, end, "row") && !word_at(tokens, end, "rows")) continue;
    if (!word_at(tokens, ++end, "only")) continue;
    tokens[i].text = "LIMIT " + count;
    erase(tokens, i + 1, end + 1);
  }
}

std::string as_literal(std::string_view value) {
  std::string text = "'";
  for (const char c : value) text += c == '\'' ? std::string("''") : std::string(1, c);
  return text + "'";
}

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return c;
  }
}

// E'a\n' and $$a$$ as plain literals.
void rewrite_strings(Tokens& tokens) {
  for (Token& token : tokens) {
    if (token.kind != TokenKind::string) continue;
    std::string_view text = token.text;
    if (text.starts_with('$')) {
      const std::size_t tag = text.find('$', 1) + 1;
      if (text.size() >= 2 * tag) token.text = as_literal(text.substr(tag, text.size() - 2 * tag));
    } else if ((text[0] == 'e' || text[0] == 'E') && text.size() > 2) {
      std::string value;
      text = text.substr(2, text.size() - 3);
      for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_escape = text[i] == '\\' && i + 1 < text.size();
        const bool is_double = text[i] == '\'' && i + 1 < text.size();
        value += is_escape ? unescaped(text[++i]) : is_double ? text[++i] : text[i];
      }
      token.text = as_literal(value);
    }
  }
}

struct Renamed {
  std::string_view from;
  std::string_view to;
};
// SQLite's LIKE ignores the case of ASCII letters.
constexpr Renamed kRenamed[] = {
    {"ilike", "LIKE"}, {"string_agg", "group_concat"}, {"char_length", "length"}};

void rename_words(Tokens& tokens) {
  for (Token& token : tokens) {
    for (const Renamed& row : kRenamed) {
      if (is_word(token, row.from)) token.text = row.to;
    }
  }
}

// SQLite wants AS before the alias of what is changed.
void mark_aliases(Tokens& tokens) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool is_update =
        is_word(tokens[i], "update") && (i == 0 || !is_word(tokens[i - 1], "do"));
    const bool is_delete = i > 0 && is_word(tokens[i], "from") && is_word(tokens[i - 1], "delete");
    if ((!is_update && !is_delete) || !is_name(tokens[i + 1]) || !is_name(tokens[i + 2])) continue;
    constexpr std::string_view kNotAlias[] = {"set", "where", "as", "returning", "using", "or"};
    const auto is_next = [&](std::string_view word) {
      return is_word(tokens[i + 2], word) || is_word(tokens[i + 1], word);
    };
    if (std::ranges::any_of(kNotAlias, is_next)) continue;
    tokens[i + 2].text = "AS " + tokens[i + 2].text;
  }
}

// Where the operand begins that ends before `end`.
std::size_t operand_begin(const Tokens& tokens, std::size_t end) {
  std::size_t begin = end - 1;
  if (is_symbol(tokens[begin], ")")) {
    int depth = 0;
    while (true) {
      if (is_symbol(tokens[begin], ")")) ++depth;
      if (is_symbol(tokens[begin], "(") && --depth == 0) break;
      if (begin == 0) return 0;
      --begin;
    }
    constexpr std::string_view kNotFunctions[] = {"in",    "and",    "or",   "not",  "select",
                                                  "where", "set",    "then", "else", "on",
                                                  "when",  "values", "any",  "all",  "exists"};
    const bool is_call = begin > 0 && is_name(tokens[begin - 1]) &&
                         std::ranges::none_of(kNotFunctions, [&](std::string_view word) {
                           return is_word(tokens[begin - 1], word);
                         });
    if (is_call) --begin;
  }
  while (begin >= 2 && is_symbol(tokens[begin - 1], ".") && is_name(tokens[begin - 2])) begin -= 2;
  return begin;
}

// What CAST does in SQLite for a type; none: nothing, the value stays.
std::optional<std::string_view> cast_type(std::string_view type) {
  constexpr std::string_view kIntegers[] = {"int",  "integer", "bigint", "smallint", "int2",
                                            "int4", "int8",    "bool",   "boolean"};
  constexpr std::string_view kReals[] = {"real", "float", "float4", "float8", "double"};
  constexpr std::string_view kNumbers[] = {"numeric", "decimal", "dec"};
  constexpr std::string_view kTexts[] = {"text", "varchar", "char", "character", "bpchar", "name"};
  const auto is_in = [&](const auto& words) {
    return std::ranges::find(words, type) != std::end(words);
  };
  if (is_in(kIntegers)) return "INTEGER";
  if (is_in(kReals)) return "REAL";
  if (is_in(kNumbers)) return "NUMERIC";
  if (is_in(kTexts)) return "TEXT";
  return std::nullopt;
}

// 't'::boolean
std::optional<std::string> boolean_literal(const Tokens& tokens, std::size_t begin, std::size_t end,
                                           std::string_view type) {
  const bool is_boolean = type == "boolean" || type == "bool";
  if (!is_boolean || end != begin + 1 || tokens[begin].kind != TokenKind::string) return {};
  const std::string value = to_lower(tokens[begin].text);
  constexpr std::string_view kTrue[] = {"'t'", "'true'", "'y'", "'yes'", "'on'", "'1'"};
  return std::ranges::find(kTrue, value) != std::end(kTrue) ? "1" : "0";
}

std::string cast_text(const Tokens& tokens, std::size_t begin, std::size_t end,
                      std::string_view type) {
  if (auto literal = boolean_literal(tokens, begin, end, type)) return *literal;
  const std::string operand = to_text({tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                       tokens.begin() + static_cast<std::ptrdiff_t>(end)});
  const std::optional<std::string_view> known = cast_type(type);
  return known ? fmt::format("CAST({} AS {})", operand, *known) : fmt::format("({})", operand);
}

// Puts one token in place of several.
void replace(Tokens& tokens, std::size_t begin, std::size_t end, std::string text) {
  tokens[begin].text = std::move(text);
  tokens[begin].kind = TokenKind::parameter;
  tokens[begin].word.clear();
  erase(tokens, begin + 1, end);
}

void rewrite_casts(Tokens& tokens) {
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (is_symbol(tokens[i], "::") && i + 1 < tokens.size()) {
      const std::size_t begin = operand_begin(tokens, i);
      const std::size_t end = i + 1 + type_size(tokens, i + 1);
      replace(tokens, begin, end, cast_text(tokens, begin, i, tokens[i + 1].word));
      i = begin;
    }
  }
  // From the end, so that inner ones come first.
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (!is_word(tokens[i], "cast") || i + 1 >= tokens.size() || !is_symbol(tokens[i + 1], "(")) {
      continue;
    }
    const std::size_t close = closing(tokens, i + 1);
    std::size_t as = close;
    while (as > i && !is_word(tokens[as], "as")) --as;
    if (close >= tokens.size() || as == i || as + 1 >= close) continue;
    replace(tokens, i, close + 1, cast_text(tokens, i + 2, as, tokens[as + 1].word));
  }
}

// TRUNCATE t; several tables are more than one statement can empty.
void rewrite_truncate(Tokens& tokens) {
  const std::size_t name = word_at(tokens, 1, "table") ? 2 : 1;
  if (!word_at(tokens, 0, "truncate") || name >= tokens.size()) return;
  if (name + 1 < tokens.size() && is_symbol(tokens[name + 1], ",")) return;
  Token from = tokens[0];
  from.text = "DELETE FROM";
  tokens = {from, tokens[name]};
}

// DROP TABLE a, b CASCADE is a statement for each, without CASCADE.
std::vector<std::string> drop_to_sqlite(const Tokens& tokens) {
  const std::size_t first = word_at(tokens, 2, "if") ? 4 : 2;
  if (first >= tokens.size()) return {to_text(tokens)};
  const std::string head =
      to_text({tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(first)});
  std::vector<std::string> texts = {head};
  for (std::size_t i = first; i < tokens.size(); ++i) {
    const bool is_end = is_word(tokens[i], "cascade") || is_word(tokens[i], "restrict");
    if (is_end) break;
    if (is_symbol(tokens[i], ",")) {
      texts.push_back(head);
    } else {
      texts.back() += (is_symbol(tokens[i], ".") ? "" : " ") + tokens[i].text;
    }
  }
  return texts;
}

}  // namespace

std::string kind_of(const std::vector<Token>& statement) {
  std::string kind = statement.front().word;
  if (kind == "with") {
    int depth = 0;
    for (const Token& token : statement) {
      if (is_symbol(token, "(")) ++depth;
      if (is_symbol(token, ")")) --depth;
      constexpr std::string_view kKinds[] = {"select", "insert", "update", "delete"};
      if (depth == 0 && std::ranges::find(kKinds, token.word) != std::end(kKinds)) {
        kind = token.word;
        break;
      }
    }
  }
  if (kind == "values") return "SELECT";
  if (kind == "truncate") return "DELETE";
  if (kind == "replace") return "INSERT";
  for (char& c : kind) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return kind;
}

std::vector<std::string> to_sqlite(std::vector<Token> statement) {
  drop_schema(statement);
  rewrite_strings(statement);
  rewrite_truncate(statement);
  const bool is_definition = word_at(statement, 0, "create") || word_at(statement, 0, "alter");
  if (!is_definition) {
    drop_locking(statement);
    drop_overriding(statement);
    rewrite_fetch(statement);
    mark_aliases(statement);
  }
  if (word_at(statement, 0, "drop")) return drop_to_sqlite(statement);
  rename_words(statement);
  rewrite_casts(statement);
  return word_at(statement, 0, "create") ? table_to_sqlite(std::move(statement))
                                         : std::vector{to_text(statement)};
}

}  // namespace heddle::replicated
