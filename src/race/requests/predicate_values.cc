#include "race/requests/predicate_values.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle {
namespace {

// Tokens of a text, from `begin` to before `end`.
struct TokenSpan {
  const sql::Tokens* tokens;
  std::size_t begin = 0;
  std::size_t end = 0;

  bool is_empty() const { return begin >= end; }
  std::size_t size() const { return end - begin; }
  TokenSpan from(std::size_t first) const { return {tokens, first, end}; }
  TokenSpan until(std::size_t last) const { return {tokens, begin, last}; }
};

TokenSpan without_parentheses(TokenSpan span) {
  while (span.size() > 2 && span.tokens->is_symbol(span.begin, '(') &&
         span.tokens->is_symbol(span.end - 1, ')')) {
    const std::uint32_t depth = (*span.tokens)[span.begin].depth;
    const auto closes = [&](std::size_t i) {
      return span.tokens->is_symbol(i, ')') && (*span.tokens)[i].depth == depth;
    };
    bool is_around = true;
    for (std::size_t i = span.begin + 1; i + 1 < span.end; ++i) is_around &= !closes(i);
    if (!is_around) break;
    ++span.begin;
    --span.end;
  }
  return span;
}

std::optional<std::string> unquoted(std::string_view token) {
  if (token.starts_with('E') || token.starts_with('e')) {
    if (token.find('\\') != token.npos) return std::nullopt;
    token.remove_prefix(1);
  }
  if (token.size() < 2 || token.front() != '\'' || token.back() != '\'') return std::nullopt;
  std::string text;
  for (std::size_t i = 1; i + 1 < token.size(); ++i) {
    text += token[i];
    if (token[i] == '\'') ++i;
  }
  return text;
}

const TraceValue* parameter_of(std::string_view token,
                               const std::vector<TraceParameter>& parameters) {
  std::size_t number = 0;
  const char* const end = token.data() + token.size();
  if (std::from_chars(token.data() + 1, end, number).ptr != end) return nullptr;
  return number == 0 || number > parameters.size() ? nullptr : &parameters[number - 1].value;
}

// What follows a constant: nothing, or "::type".
bool is_cast(const TokenSpan& rest) {
  return rest.is_empty() || (rest.size() > 2 && rest.tokens->is_symbol(rest.begin, ':') &&
                             rest.tokens->is_symbol(rest.begin + 1, ':'));
}

std::optional<std::string> text_of_constant(TokenSpan span,
                                            const std::vector<TraceParameter>& parameters) {
  span = without_parentheses(span);
  if (span.is_empty()) return std::nullopt;
  const bool is_negative = span.tokens->is_symbol(span.begin, '-');
  if (is_negative) ++span.begin;
  if (span.is_empty() || !is_cast(span.from(span.begin + 1))) return std::nullopt;
  const std::string_view text = span.tokens->text(span.begin);
  switch ((*span.tokens)[span.begin].kind) {
    case sql::TokenKind::parameter: {
      const TraceValue* const value = parameter_of(text, parameters);
      const bool is_text = value != nullptr && value->text && !value->is_binary && !is_negative;
      return is_text ? value->text : std::nullopt;
    }
    case sql::TokenKind::number:
      return (is_negative ? "-" : "") + std::string(text);
    case sql::TokenKind::string:
      return unquoted(text);
    default: {
      const std::string word = span.tokens->word(span.begin);
      return word == "true" || word == "false" ? std::optional(word) : std::nullopt;
    }
  }
}

std::optional<std::string> constant_of(const TokenSpan& span,
                                       const std::vector<TraceParameter>& parameters) {
  const auto text = text_of_constant(span, parameters);
  return text ? comparable_value({.text = text}) : std::nullopt;
}

// "id", "o.id"; empty: it is no column.
std::string column_of(TokenSpan span) {
  span = without_parentheses(span);
  std::string name;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const bool is_dot = (i - span.begin) % 2 == 1;
    const sql::TokenKind kind = (*span.tokens)[i].kind;
    if (is_dot != span.tokens->is_symbol(i, '.')) return "";
    if (is_dot) {
      name += '.';
    } else if (kind == sql::TokenKind::word) {
      name += span.tokens->word(i);
    } else if (kind == sql::TokenKind::quoted_name) {
      const std::string_view text = span.tokens->text(i);
      name += text.substr(1, text.size() - 2);
    } else {
      return "";
    }
  }
  return name.ends_with('.') ? "" : name;
}

// The elements of '{a,b}'; none: it is no such text.
std::optional<std::set<std::string>> array_elements(const std::string& text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return std::nullopt;
  std::set<std::string> elements;
  if (text.find_first_of("\"\\") != text.npos) return std::nullopt;
  for (const std::string& each : split(std::string_view(text).substr(1, text.size() - 2), ',')) {
    const auto value = comparable_value({.text = each});
    if (!value) return std::nullopt;
    elements.insert(*value);
  }
  return elements;
}

class PredicateReader {
 public:
  explicit PredicateReader(const std::vector<TraceParameter>& parameters)
      : parameters_(parameters) {}

  void read(TokenSpan span, std::size_t nesting = 0) {
    constexpr std::size_t kDeepest = 50;
    span = without_parentheses(span);
    if (span.is_empty() || nesting == kDeepest) return;
    const std::uint32_t depth = (*span.tokens)[span.begin].depth;
    const auto is_word = [&](std::size_t i, std::string_view word) {
      return (*span.tokens)[i].depth == depth && span.tokens->word(i) == word;
    };
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (is_word(i, "or")) return;
    }
    std::size_t begin = span.begin;
    bool is_split = false;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (!is_word(i, "and")) continue;
      read({span.tokens, begin, i}, nesting + 1);
      begin = i + 1;
      is_split = true;
    }
    if (is_split) return read(span.from(begin), nesting + 1);
    read_condition(span);
  }

  ColumnValues take() { return std::move(values_); }

 private:
  void read_condition(const TokenSpan& span) {
    for (std::size_t i = span.begin + 1; i < span.end; ++i) {
      if ((*span.tokens)[i].depth != (*span.tokens)[span.begin].depth) continue;
      if (span.tokens->word(i) == "in") return read_list(span.until(i), span.from(i + 1));
      if (!span.tokens->is_symbol(i, '=')) continue;
      const auto is_operator = [&](std::size_t at) {
        constexpr std::string_view kOperators = "<>!=~*+-/%|&#@";
        const std::string_view text = span.tokens->text(at);
        return (*span.tokens)[at].kind == sql::TokenKind::symbol &&
               kOperators.find(text) != text.npos;
      };
      if (i + 1 == span.end || is_operator(i - 1)) return;
      if (span.tokens->is_symbol(i + 1, '=') || span.tokens->is_symbol(i + 1, '>')) return;
      return read_equality(span.until(i), span.from(i + 1));
    }
  }

  void read_equality(const TokenSpan& left, const TokenSpan& right) {
    const std::string word = right.tokens->word(right.begin);
    if (word == "any" || word == "some") return read_any(left, right.from(right.begin + 1));
    if (const auto value = constant_of(right, parameters_)) return keep(column_of(left), {*value});
    if (const auto value = constant_of(left, parameters_)) keep(column_of(right), {*value});
  }

  void read_any(const TokenSpan& column, const TokenSpan& list) {
    const auto text = text_of_constant(list, parameters_);
    const auto elements = text ? array_elements(*text) : std::nullopt;
    if (elements) keep(column_of(column), *elements);
  }

  void read_list(const TokenSpan& column, TokenSpan list) {
    if (list.size() < 3 || !list.tokens->is_symbol(list.begin, '(')) return;
    list = {list.tokens, list.begin + 1, list.end - 1};
    std::set<std::string> values;
    std::size_t begin = list.begin;
    for (std::size_t i = list.begin; i <= list.end; ++i) {
      const bool is_end =
          i == list.end || (list.tokens->is_symbol(i, ',') &&
                            (*list.tokens)[i].depth == (*list.tokens)[list.begin].depth);
      if (!is_end) continue;
      const auto value = constant_of({list.tokens, begin, i}, parameters_);
      if (!value) return;
      values.insert(*value);
      begin = i + 1;
    }
    keep(column_of(column), values);
  }

  // Two conditions on one column: what both allow.
  void keep(const std::string& column, const std::set<std::string>& values) {
    if (column.empty()) return;
    const auto [known, is_new] = values_.emplace(column, values);
    if (is_new) return;
    std::erase_if(known->second, [&](const std::string& each) { return !values.contains(each); });
  }

  const std::vector<TraceParameter>& parameters_;
  ColumnValues values_ = {};
};

// Dates and times, which stores and clients write in ways of their own.
bool looks_like_time(std::string_view text) {
  const std::size_t mark = text.find_first_of("-:", 1);
  return mark != text.npos && is_digit(text.front()) && std::ranges::all_of(text, [](char c) {
           return is_digit(c) || std::string_view("-:+. TZ").find(c) != std::string_view::npos;
         });
}

bool is_fraction(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  return point != text.npos && point > 0 &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; }) &&
         text.find('.', point + 1) == text.npos;
}

}  // namespace

std::optional<std::string> comparable_value(const TraceValue& value) {
  if (!value.text || value.is_binary) return std::nullopt;
  std::string text = *value.text;
  if (looks_like_time(text)) return std::nullopt;
  if (text == "t") return "true";
  if (text == "f") return "false";
  if (!is_fraction(text)) return text;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

ColumnValues predicate_values(std::string_view predicate,
                              const std::vector<TraceParameter>& parameters) {
  const sql::Tokens tokens(predicate);
  PredicateReader reader(parameters);
  reader.read({&tokens, 0, tokens.size()});
  return reader.take();
}

std::optional<std::string> constant_value(std::string_view expression,
                                          const std::vector<TraceParameter>& parameters) {
  const sql::Tokens tokens(expression);
  return constant_of({&tokens, 0, tokens.size()}, parameters);
}

}  // namespace heddle
