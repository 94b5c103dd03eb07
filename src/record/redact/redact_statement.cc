#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "record/redact/encodings.h"
#include "record/redact/redactor.h"

namespace heddle {
namespace {

using sql::TokenKind;
using sql::Tokens;

// The value of a literal: 'x', E'x', $tag$x$tag$, or a number.
std::string literal_value(std::string_view literal) {
  if (literal.starts_with('$')) {
    const std::size_t tag = literal.find('$', 1) + 1;
    return literal.size() < 2 * tag ? std::string(literal)
                                    : std::string(literal.substr(tag, literal.size() - 2 * tag));
  }
  const std::size_t open = literal.find('\'');
  if (open == literal.npos) return std::string(literal);
  const bool has_escapes = literal.substr(0, open).find_first_of("eE") != literal.npos;
  literal.remove_prefix(open + 1);
  if (literal.ends_with('\'')) literal.remove_suffix(1);
  std::string value;
  for (std::size_t at = 0; at < literal.size(); ++at) {
    value += literal[at];
    if (literal.substr(at).starts_with("''")) ++at;
  }
  return has_escapes ? json_unescaped(value) : value;
}

bool is_literal(const Tokens& tokens, std::size_t index) {
  const TokenKind kind = tokens[index].kind;
  return kind == TokenKind::string || kind == TokenKind::number;
}

// A literal, or a parameter that stands where one could.
bool is_value(const Tokens& tokens, std::size_t index) {
  return is_literal(tokens, index) || tokens[index].kind == TokenKind::parameter;
}

bool is_name(const Tokens& tokens, std::size_t index) {
  const TokenKind kind = tokens[index].kind;
  return kind == TokenKind::word || kind == TokenKind::quoted_name;
}

std::string name_at(const Tokens& tokens, std::size_t index) {
  std::string_view text = tokens.text(index);
  if (text.starts_with('"') && text.ends_with('"') && text.size() > 1) {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

bool is_comparison(const Tokens& tokens, std::size_t index) {
  constexpr std::string_view kOperators = "=<>!~:";
  const std::string_view text = tokens.text(index);
  return tokens[index].kind == TokenKind::symbol && kOperators.find(text) != kOperators.npos;
}

// The name that the literal is compared with or set to, also as the argument of a function:
// "password = crypt('x', salt)", "PASSWORD 'x'".
std::string name_before(const Tokens& tokens, std::size_t index) {
  constexpr std::string_view kWords[] = {"like", "ilike", "in", "to", "encrypted"};
  while (index > 0) {
    --index;
    if (is_comparison(tokens, index) || is_one_of(tokens.word(index), kWords)) continue;
    if (tokens.is_symbol(index, '(')) {
      const bool is_call =
          index > 1 && is_name(tokens, index - 1) && is_comparison(tokens, index - 2);
      if (is_call) --index;
      continue;
    }
    // The member of a JSON document: "document->>'token' = 'x'".
    if (tokens[index].kind == TokenKind::string) return literal_value(tokens.text(index));
    return is_name(tokens, index) ? name_at(tokens, index) : "";
  }
  return "";
}

using Hidings = std::map<std::size_t, Hiding>;  // of tokens

std::string quoted_literal(std::string_view value) {
  std::string literal = "'";
  for (const char c : value) {
    if (c == '\'') literal += c;
    literal += c;
  }
  return literal + "'";
}

// What stands in the columns of an INSERT that begins at `index`.
void find_inserted(const Redactor& redactor, const Tokens& tokens, std::size_t index,
                   Hidings& hidings) {
  while (index < tokens.size() && !tokens.is_symbol(index, '(')) ++index;
  if (index == tokens.size()) return;
  const std::uint32_t depth = tokens[index].depth;
  std::vector<std::optional<Hiding>> columns;
  for (++index; index < tokens.size() && tokens[index].depth > depth; ++index) {
    if (is_name(tokens, index)) columns.push_back(redactor.hiding_of(name_at(tokens, index)));
  }
  while (index < tokens.size() && tokens.word(index) != "values") {
    if (tokens.word(index) == "select" || tokens.is_symbol(index, ';')) return;
    ++index;
  }
  std::size_t column = 0;
  for (++index; index < tokens.size() && tokens[index].depth >= depth; ++index) {
    const bool is_outside = tokens[index].depth == depth;
    if (is_outside && (is_name(tokens, index) || tokens.is_symbol(index, ';'))) return;
    if (is_outside) column = 0;
    if (tokens[index].depth == depth + 1 && tokens.is_symbol(index, ',')) ++column;
    if (column >= columns.size() || !columns[column] || !is_value(tokens, index)) continue;
    hidings.emplace(index, *columns[column]);
  }
}

Hidings hidden_values(const Redactor& redactor, const Tokens& tokens) {
  Hidings hidings;
  for (std::size_t index = 0; index < tokens.size(); ++index) {
    if (tokens.word(index) == "into") find_inserted(redactor, tokens, index, hidings);
    if (!is_value(tokens, index)) continue;
    const auto hiding = redactor.hiding_of(name_before(tokens, index));
    if (hiding) hidings.emplace(index, *hiding);
  }
  return hidings;
}

}  // namespace

std::string redact_statement(Redactor& redactor, std::string_view statement) {
  const Tokens tokens(statement);
  const Hidings hidings = hidden_values(redactor, tokens);
  std::string redacted;
  std::size_t at = 0;
  for (std::size_t index = 0; index < tokens.size(); ++index) {
    if (!is_literal(tokens, index)) continue;
    const std::string value = literal_value(tokens.text(index));
    const auto hiding = hidings.find(index);
    const std::string changed =
        hiding == hidings.end() ? redactor.value(value) : redactor.hide(value, hiding->second);
    if (changed == value) continue;
    redacted += statement.substr(at, tokens[index].offset - at);
    redacted += quoted_literal(changed);
    at = tokens[index].offset + tokens[index].size;
  }
  redacted += statement.substr(at);
  return redactor.text(redacted);
}

std::map<std::size_t, Hiding> hidden_parameters(const Redactor& redactor,
                                                std::string_view statement) {
  const Tokens tokens(statement);
  std::map<std::size_t, Hiding> hidden;
  for (const auto& [index, hiding] : hidden_values(redactor, tokens)) {
    const std::string_view text = tokens.text(index);
    if (tokens[index].kind != TokenKind::parameter || !text.starts_with('$')) continue;
    std::size_t number = 0;
    std::from_chars(text.data() + 1, text.data() + text.size(), number);
    hidden.emplace(number, hiding);
  }
  return hidden;
}

}  // namespace heddle
