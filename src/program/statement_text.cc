#include "program/statement_text.h"

#include <charconv>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/program.h"

namespace heddle::program {

using sql::Tokens;

namespace {

// The number of `$3`; 0: it is none.
std::size_t parameter_number(std::string_view token) {
  std::size_t number = 0;
  std::from_chars(token.data() + 1, token.data() + token.size(), number);
  return number;
}

}  // namespace

std::string with_into(const std::string& text, const std::string& targets) {
  const Tokens tokens(text);
  if (tokens.word(0) == "select") {
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      if (tokens[i].depth > 0) continue;
      const std::string word = tokens.word(i);
      // IS DISTINCT FROM is an operator.
      if (word != "from" || tokens.word(i - 1) == "distinct") continue;
      return std::string(trim(text.substr(0, tokens[i].offset))) + " INTO " + targets + " " +
             text.substr(tokens[i].offset);
    }
  }
  return text + " INTO " + targets;
}

}  // namespace heddle::program

namespace heddle {

std::string named_text(std::string_view text, const std::vector<Expression>& arguments) {
  const sql::Tokens tokens(text);
  std::string named;
  std::size_t done = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != sql::TokenKind::parameter) continue;
    const std::size_t number = program::parameter_number(tokens.text(i));
    if (number == 0 || number > arguments.size()) continue;
    named += text.substr(done, tokens[i].offset - done);
    done = tokens[i].offset + tokens[i].size;
    const Expression& argument = arguments[number - 1];
    const bool is_name =
        argument.kind == ExpressionKind::variable || argument.kind == ExpressionKind::field;
    // '{1}'::int[][1] would be a type of two dimensions.
    const bool is_subscripted = !is_name && text.substr(done).starts_with('[');
    named += is_subscripted ? "(" + print_expression(argument) + ")" : print_expression(argument);
  }
  named += text.substr(done);
  return named;
}

}  // namespace heddle
