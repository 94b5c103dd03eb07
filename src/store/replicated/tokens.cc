#include "store/replicated/tokens.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/text.h"

namespace heddle::replicated {

namespace {

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool continues_word(char c) { return begins_word(c) || is_digit(c) || c == '$'; }

constexpr std::string_view kSymbols[] = {"->>", "::", "<=", ">=", "<>", "!=", "||",
                                         "->",  "==", "<<", ">>", "@>", "<@"};

class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : text_(text) {}

  std::vector<Token> read() {
    while (true) {
      const std::size_t begin = at_;
      skip_gap();
      if (at_ >= text_.size()) return std::move(tokens_);
      Token token;
      token.gap = text_.substr(begin, at_ - begin);
      read_token(token);
      tokens_.push_back(std::move(token));
    }
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void skip_gap() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        ++at_;
      } else if (text_.substr(at_).starts_with("--")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_).starts_with("/*")) {
        skip_comment();
      } else {
        return;
      }
    }
  }

  // Comments nest, as PostgreSQL's do.
  void skip_comment() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("/*")) {
        ++depth;
        at_ += 2;
      } else if (rest.starts_with("*/")) {
        at_ += 2;
        if (--depth == 0) return;
      } else {
        ++at_;
      }
    }
  }

  // Up to the closing quote, which may stand doubled inside, or behind a backslash.
  void skip_quoted(char quote, bool with_escapes) {
    ++at_;
    while (at_ < text_.size()) {
      if (with_escapes && peek() == '\\') {
        at_ += 2;
      } else if (peek() != quote) {
        ++at_;
      } else if (peek(1) == quote) {
        at_ += 2;
      } else {
        ++at_;
        break;
      }
    }
    at_ = std::min(at_, text_.size());
  }

  // $$ ... $$ and $tag$ ... $tag$; false: it is neither.
  bool skip_dollar_quoted() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && (begins_word(text_[end]) || is_digit(text_[end]))) ++end;
    if (end >= text_.size() || text_[end] != '$' || is_digit(peek(1))) return false;
    const std::string_view tag = text_.substr(at_, end + 1 - at_);
    const std::size_t close = text_.find(tag, end + 1);
    at_ = close == std::string_view::npos ? text_.size() : close + tag.size();
    return true;
  }

  void read_token(Token& token) {
    const std::size_t begin = at_;
    const char c = peek();
    const bool has_prefix = peek(1) == '\'' && std::string_view("eExXbBnN").find(c) < 8;
    if (c == '\'' || has_prefix) {
      token.kind = TokenKind::string;
      if (has_prefix) ++at_;
      skip_quoted('\'', c == 'e' || c == 'E');
    } else if (c == '"' || c == '`' || c == '[') {
      read_quoted_name(token);
    } else if (begins_word(c)) {
      token.kind = TokenKind::word;
      while (at_ < text_.size() && continues_word(peek())) ++at_;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)) && !follows_name(token))) {
      token.kind = TokenKind::number;
      skip_number();
    } else if (c == '$' && skip_dollar_quoted()) {
      token.kind = TokenKind::string;
    } else if ((c == '$' && is_digit(peek(1))) || c == '?') {
      token.kind = TokenKind::parameter;
      ++at_;
      while (is_digit(peek())) ++at_;
    } else {
      skip_symbol();
    }
    token.text = text_.substr(begin, at_ - begin);
    if (token.kind == TokenKind::word) token.word = to_lower(token.text);
  }

  void read_quoted_name(Token& token) {
    const std::size_t begin = at_;
    const char c = peek();
    if (c == '[') {
      // An array's brackets are none of a name.
      const bool is_index = !begins_word(peek(1));
      const std::size_t close = is_index ? std::string_view::npos : text_.find(']', at_);
      if (close == std::string_view::npos) {
        ++at_;
        return;
      }
      at_ = close + 1;
    } else {
      skip_quoted(c, false);
    }
    token.kind = TokenKind::quoted_name;
    const std::string_view inside = text_.substr(begin + 1, at_ - begin - 2);
    for (std::size_t i = 0; i < inside.size(); ++i) {
      token.word += inside[i];
      if (inside[i] == c && i + 1 < inside.size()) ++i;
    }
  }

  bool follows_name(const Token& token) const {
    return token.gap.empty() && !tokens_.empty() && is_name(tokens_.back());
  }

  void skip_number() {
    while (continues_word(peek()) || peek() == '.' ||
           ((peek() == '+' || peek() == '-') && (text_[at_ - 1] | 0x20) == 'e')) {
      ++at_;
    }
  }

  void skip_symbol() {
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(at_).starts_with(symbol)) {
        at_ += symbol.size();
        return;
      }
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

// CREATE [TEMP] TRIGGER: its body has semicolons and ends with END.
bool begins_trigger(const std::vector<Token>& tokens) {
  if (tokens.size() < 2 || !is_word(tokens[0], "create")) return false;
  const std::size_t second = is_word(tokens[1], "temp") || is_word(tokens[1], "temporary") ? 2 : 1;
  return second < tokens.size() && is_word(tokens[second], "trigger");
}

}  // namespace

std::vector<Token> read_tokens(std::string_view text) { return TokenReader(text).read(); }

std::string to_text(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    if (!text.empty()) text += token.gap;
    text += token.text;
  }
  return text;
}

bool is_word(const Token& token, std::string_view word) {
  return token.kind == TokenKind::word && token.word == word;
}

bool is_symbol(const Token& token, std::string_view symbol) {
  return token.kind == TokenKind::symbol && token.text == symbol;
}

bool is_name(const Token& token) {
  return token.kind == TokenKind::word || token.kind == TokenKind::quoted_name;
}

std::string quote_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::vector<std::vector<Token>> split_tokens(std::string_view text) {
  std::vector<std::vector<Token>> statements;
  std::vector<Token> current;
  int depth = 0;  // in the body of a trigger
  for (Token& token : read_tokens(text)) {
    if (begins_trigger(current)) {
      if (is_word(token, "begin") || is_word(token, "case")) ++depth;
      if (is_word(token, "end")) --depth;
    } else {
      depth = 0;
    }
    if (!is_symbol(token, ";") || depth > 0) {
      current.push_back(std::move(token));
    } else if (!current.empty()) {
      statements.push_back(std::exchange(current, {}));
    }
  }
  if (!current.empty()) statements.push_back(std::move(current));
  return statements;
}

bool word_at(const Tokens& tokens, std::size_t at, std::string_view word) {
  return at < tokens.size() && is_word(tokens[at], word);
}

void erase(Tokens& tokens, std::size_t begin, std::size_t end) {
  end = std::min(end, tokens.size());
  tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
               tokens.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace heddle::replicated
