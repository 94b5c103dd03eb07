// SQL and the control language as tokens, with what stands between them, so that a text that nobody
// rewrites stays as it was written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::replicated {

enum class TokenKind : std::uint8_t { word, quoted_name, string, number, parameter, symbol };

struct Token {
  TokenKind kind = TokenKind::symbol;
  std::string gap;   // blanks and comments before it
  std::string text;  // as written
  std::string word;  // of a word in lower case, of a quoted name without its quotes
};

using Tokens = std::vector<Token>;

// Never fails: what is not closed ends with the text.
Tokens read_tokens(std::string_view text);

std::string to_text(const Tokens& tokens);

bool is_word(const Token& token, std::string_view word);
bool is_symbol(const Token& token, std::string_view symbol);
// Whether there is a token `at`, and it is that word.
bool word_at(const Tokens& tokens, std::size_t at, std::string_view word);
bool is_name(const Token& token);

// Drops tokens [begin, end), as far as there are some.
void erase(Tokens& tokens, std::size_t begin, std::size_t end);

// The name in double quotes, as SQL takes any.
std::string quote_name(const std::string& name);

// The statements of a text, without semicolons and without empty ones; the body of a trigger is
// part of its statement.
std::vector<Tokens> split_tokens(std::string_view text);

}  // namespace heddle::replicated
