#include "frontend/spec/variables.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/spec/text/spec_token.h"
#include "frontend/spec/text/sql_token.h"

namespace heddle {

namespace {

using Kind = SqlToken::Kind;

// As libpq's PQescapeLiteral: text with backslashes becomes an E'' string, kept apart from a word
// that may stand before it.
std::string quoted_literal(std::string_view value) {
  const bool escapes = value.find('\\') != std::string_view::npos;
  std::string result = escapes ? " E'" : "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') result += c;
    result += c;
  }
  return result + "'";
}

// What redis-cli reads back as the value, on one line.
std::string quoted_argument(std::string_view value) {
  std::string result = "\"";
  for (const char c : value) {
    const bool is_control = static_cast<unsigned char>(c) < ' ';
    if (c == '"' || c == '\\') result += '\\';
    result +=
        is_control ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result + "\"";
}

bool is_variable(const SqlToken& token) {
  return token.kind == Kind::variable || token.kind == Kind::variable_literal ||
         token.kind == Kind::variable_identifier || token.kind == Kind::variable_test;
}

// The text that takes the place of `token`.
std::string expand(const SqlToken& token, const Variables& variables,
                   VariableQuotes quotes = VariableQuotes::sql) {
  if (!is_variable(token)) return std::string(token.text);
  const auto found = variables.find(std::string(token.name));
  const bool set = found != variables.end();
  if (token.kind == Kind::variable_test) return set ? "TRUE" : "FALSE";
  if (!set) return std::string(token.text);
  if (token.kind != Kind::variable && quotes == VariableQuotes::redis) {
    return quoted_argument(found->second);
  }
  if (token.kind == Kind::variable_literal) return quoted_literal(found->second);
  if (token.kind == Kind::variable_identifier) return quoted_name(found->second);
  return found->second;
}

// The inside of '...' that begins at `offset`, which moves behind the closing quote.
std::string unquote(std::string_view text, std::size_t& offset) {
  std::string result;
  for (++offset; offset < text.size(); ++offset) {
    if (text[offset] == '\'') {
      if (offset + 1 >= text.size() || text[offset + 1] != '\'') {
        ++offset;
        return result;
      }
      ++offset;
    }
    result += text[offset];
  }
  return result;
}

// The arguments of a backslash command as psql reads them, joined by single spaces.
std::string expand_arguments(std::string_view text, const Variables& variables) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\'') {
      result += unquote(text, i);
      continue;
    }
    const SqlToken token = sql_token_at(text, i);
    i += token.text.size();
    if (token.kind == Kind::space) {
      result += ' ';
    } else {
      result += expand(token, variables);
    }
  }
  return std::string(trim(result));
}

struct BooleanWord {
  std::string_view word;
  std::size_t shortest;  // how many letters tell it from the others
  bool value;
};

constexpr BooleanWord kBooleanWords[] = {
    {"true", 1, true}, {"false", 1, false}, {"yes", 1, true}, {"no", 1, false},
    {"on", 2, true},   {"off", 2, false},   {"1", 1, true},   {"0", 1, false},
};

std::optional<bool> find_boolean(std::string_view text) {
  for (const BooleanWord& row : kBooleanWords) {
    if (text.size() >= row.shortest && equal_ignoring_case(text, row.word.substr(0, text.size()))) {
      return row.value;
    }
  }
  return std::nullopt;
}

Diagnostic not_boolean(std::string_view text, std::string_view expanded,
                       const Variables& variables) {
  Diagnostic diagnostic;
  for (const std::string& name : mentioned_variables(text)) {
    if (variables.contains(name)) continue;
    diagnostic.what =
        fmt::format(R"(the condition "{}" needs the variable "{}", which is not set)", text, name);
    diagnostic.what_to_do =
        fmt::format("set it by a query that ends in \\gset, or ask \\if :{{?{}}} first", name);
    return diagnostic;
  }
  diagnostic.what = fmt::format("the condition \"{}\" is neither true nor false", text);
  if (expanded != text) diagnostic.what += fmt::format(": it reads \"{}\"", expanded);
  diagnostic.what_to_do =
      "use true, false, yes, no, on, off, 1, 0, or a variable with such a value (SQL computes it: "
      "SELECT ... AS ok \\gset, then \\if :ok)";
  return diagnostic;
}

}  // namespace

std::string substitute_variables(std::string_view sql, const Variables& variables,
                                 VariableQuotes quotes) {
  std::string result;
  for (std::size_t i = 0; i < sql.size();) {
    const SqlToken token = sql_token_at(sql, i);
    i += token.text.size();
    result += expand(token, variables, quotes);
  }
  return result;
}

std::vector<std::string> mentioned_variables(std::string_view sql) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sql.size();) {
    const SqlToken token = sql_token_at(sql, i);
    i += token.text.size();
    if (!is_variable(token)) continue;
    if (std::ranges::find(names, token.name) == names.end()) {
      names.emplace_back(token.name);
    }
  }
  return names;
}

Result<bool> evaluate_condition(std::string_view text, const Variables& variables) {
  const std::string expanded = expand_arguments(text, variables);
  if (const std::optional<bool> value = find_boolean(expanded)) return *value;
  return not_boolean(trim(text), expanded, variables);
}

}  // namespace heddle
