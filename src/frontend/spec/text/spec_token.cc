#include "frontend/spec/text/spec_token.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/spec/text/sql_token.h"
#include "frontend/spec/text/word_characters.h"

namespace heddle {

namespace {

constexpr std::string_view kKeywords[] = {"notices", "permutation", "session",
                                          "setup",   "step",        "teardown"};
constexpr std::string_view kExtensionWords[] = {"invariant", "isolation", "program",
                                                "refusal",   "service",   "store"};

// The white space that PostgreSQL's scanner trims from blocks. Newlines stay.
constexpr std::string_view kBlank = " \t\r\f";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// What is likely meant by a character that the format does not know.
struct CharacterAdvice {
  char character;
  std::string_view advice;
};

constexpr CharacterAdvice kAdvice[] = {
    {'}', "remove it: a block ends at its first }, so SQL has to write chr(125)"},
    {'\'',
     "put names in double quotes; if this was SQL: a block ends at its first }, write chr(125)"},
    {';', "put SQL between { and }; nothing ends in a semicolon outside"},
    {'-', "begin comments outside of blocks with #"},
    {'/', "begin comments outside of blocks with #"},
    {'\\', "put backslash commands into a step, between { and }"},
};

// Whether `line`, which ends where a } follows, is an \if or \elif that asks `:{?name}`. It is the
// only place where a } does not end the block: no block that PostgreSQL can run ends in such a
// line.
bool asks_variable(std::string_view line) {
  const std::string_view command = trim(line);
  if (!command.starts_with("\\if") && !command.starts_with("\\elif")) return false;
  const std::size_t open = line.rfind(":{?");
  if (open == std::string_view::npos) return false;
  const std::string_view name = line.substr(open + 3);
  return !name.empty() && count_while(name, 0, is_variable_char) == name.size();
}

}  // namespace

bool is_spec_keyword(std::string_view word) {
  return std::ranges::find(kKeywords, word) != std::end(kKeywords);
}

std::span<const std::string_view> extension_words() { return kExtensionWords; }

bool is_extension_word(std::string_view word) {
  return std::ranges::find(kExtensionWords, word) != std::end(kExtensionWords);
}

bool is_bare_word(std::string_view text) {
  return !text.empty() && is_word_start(text.front()) &&
         count_while(text, 0, is_word_char) == text.size();
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + "\"";
}

SpecScanner::SpecScanner(std::string_view text, std::string_view file) : text_(text), file_(file) {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

Result<SpecToken> SpecScanner::next(BlockEnd end) {
  skip_space();
  if (offset_ >= text_.size()) return take(SpecToken::Kind::end, 0);
  const std::string_view rest = text_.substr(offset_);
  const char c = rest.front();
  if (is_word_start(c)) return take(SpecToken::Kind::word, count_while(rest, 0, is_word_char));
  if (is_digit(c)) return take(SpecToken::Kind::integer, count_while(rest, 0, is_digit));
  if (c == '"') return quoted_name();
  if (c == '{') return block(end);
  if (c == ',' || c == '(' || c == ')' || c == '*') return take(SpecToken::Kind::symbol, 1);
  return unexpected_character();
}

SpecToken SpecScanner::rest_of_line() {
  const std::string_view rest = text_.substr(offset_);
  const std::string_view line = rest.substr(0, rest.find_first_of("\n#"));
  const std::string_view value = trim(line);
  const std::size_t end = offset_ + line.size();
  if (!value.empty()) advance_to(static_cast<std::size_t>(value.data() - text_.data()));
  SpecToken token = take(SpecToken::Kind::word, value.size());
  advance_to(end);
  return token;
}

// A comment ends at a carriage return too.
void SpecScanner::skip_space() {
  while (offset_ < text_.size()) {
    const char c = text_[offset_];
    if (c == '#') {
      const std::size_t end = text_.find_first_of("\n\r", offset_);
      advance_to(std::min(end, text_.size()));
    } else if (c == '\n' || kBlank.find(c) != std::string_view::npos) {
      advance_to(offset_ + 1);
    } else {
      return;
    }
  }
}

void SpecScanner::advance_to(std::size_t offset) {
  for (; offset_ < offset; ++offset_) {
    if (text_[offset_] != '\n') continue;
    ++line_;
    line_begin_ = offset_ + 1;
  }
}

SourcePosition SpecScanner::position() const {
  return {line_, static_cast<std::uint32_t>(offset_ - line_begin_ + 1)};
}

Result<SpecToken> SpecScanner::quoted_name() {
  SpecToken token{SpecToken::Kind::quoted_name, "", position(), position()};
  ++token.content.column;
  for (std::size_t i = offset_ + 1; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '\n') return error(token.position, "this name has no closing quote", "add a \"");
    if (c == '\0') return error(token.position, "this name has a zero byte", "remove it");
    if (c == '"') {
      if (i + 1 >= text_.size() || text_[i + 1] != '"') {
        advance_to(i + 1);
        return token;
      }
      ++i;
    }
    token.text += c;
  }
  return error(token.position, "this name has no closing quote", "add a \"");
}

Result<SpecToken> SpecScanner::block(BlockEnd ends_at) {
  SpecToken token{SpecToken::Kind::block, "", position(), {}};
  const std::size_t content = std::min(text_.find_first_not_of(kBlank, offset_ + 1), text_.size());
  const std::size_t end =
      ends_at == BlockEnd::first_brace ? block_end(content) : unquoted_block_end(content);
  if (end == std::string_view::npos) {
    return error(token.position, "this block has no end", "add a }");
  }
  const std::string_view inside = text_.substr(content, end - content);
  token.text = inside.substr(0, inside.find_last_not_of(kBlank) + 1);
  advance_to(content);
  token.content = position();
  const std::size_t zero = token.text.find('\0');
  if (zero != std::string::npos) {
    advance_to(content + zero);
    return error(position(), "this block has a zero byte", "remove it");
  }
  advance_to(end + 1);
  return token;
}

// The offset of the } that ends a block whose text begins at `from`, or npos.
std::size_t SpecScanner::block_end(std::size_t from) const {
  std::size_t line = from;
  for (std::size_t i = from; i < text_.size(); ++i) {
    if (text_[i] == '\n') line = i + 1;
    if (text_[i] == '}' && !asks_variable(text_.substr(line, i - line))) return i;
  }
  return std::string_view::npos;
}

// The same of the first } that SQL does not quote.
std::size_t SpecScanner::unquoted_block_end(std::size_t from) const {
  for (std::size_t i = from; i < text_.size();) {
    const SqlToken token = sql_token_at(text_, i);
    if (token.text == "}") return i;
    i += token.text.size();
  }
  return std::string_view::npos;
}

SpecToken SpecScanner::take(SpecToken::Kind kind, std::size_t size) {
  SpecToken token{kind, std::string(text_.substr(offset_, size)), position(), position()};
  advance_to(offset_ + size);
  return token;
}

Diagnostic SpecScanner::error(SourcePosition where, std::string what,
                              std::string what_to_do) const {
  return {std::move(what), std::move(what_to_do), file_, where};
}

Diagnostic SpecScanner::unexpected_character() const {
  const char c = text_[offset_];
  const std::string shown = c >= ' ' && c <= '~'
                                ? fmt::format("\"{}\"", c)
                                : fmt::format("of code {}", static_cast<unsigned char>(c));
  const auto* advice =
      std::ranges::find_if(kAdvice, [c](const CharacterAdvice& row) { return row.character == c; });
  return error(position(), fmt::format("unexpected character {}", shown),
               advice == std::end(kAdvice) ? "remove it" : std::string(advice->advice));
}

}  // namespace heddle
