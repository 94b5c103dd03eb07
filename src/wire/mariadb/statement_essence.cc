// The text is written with PostgreSQL's quotes, of which the essence is known: only the lexers
// differ.
#include "wire/mariadb/statement_essence.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "wire/postgres/statement_essence.h"

namespace heddle::mariadb {
namespace {

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         (c & 0x80) != 0;
}

// What a backslash and the character behind it stand for within quotes.
std::string unescaped(char c) {
  switch (c) {
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 'r':
      return "\r";
    case 'b':
      return "\b";
    case '0':
      return std::string(1, '\0');
    case 'Z':
      return "\x1a";
    case '%':
    case '_':
      return std::string("\\") + c;
    default:
      return std::string(1, c);
  }
}

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) {}

  std::string rewrite() {
    while (at_ < text_.size()) take();
    return std::move(written_);
  }

 private:
  void take() {
    const char c = text_[at_];
    if (c == '\'' || c == '"') {
      written_ += "'" + quoted(c, '\'') + "'";
    } else if (c == '`') {
      take_name();
    } else if (c == '#' || is_comment()) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == text_.npos ? text_.size() : end + 2;
      written_ += ' ';
    } else if (is_of_word(c)) {
      take_word();
    } else {
      written_ += c;
      // Two of them would begin a comment of PostgreSQL; one belongs to an exponent.
      if ((c == '-' && !is_within_number()) || c == '/') written_ += ' ';
      ++at_;
    }
  }

  // Two hyphens with a blank behind them.
  bool is_comment() const {
    if (text_.substr(at_, 2) != "--") return false;
    return at_ + 2 == text_.size() || std::isspace(static_cast<unsigned char>(text_[at_ + 2])) != 0;
  }

  // 2E-3
  bool is_within_number() const {
    return at_ >= 2 && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') && is_digit(text_[at_ - 2]);
  }

  // What stands within such quotes at the place, with quotes of the other kind doubled.
  std::string quoted(char quote, char doubled) {
    std::string inner;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      std::string meant(1, c);
      if (c == '\\' && quote != '`' && at_ + 1 < text_.size()) {
        meant = unescaped(text_[++at_]);
      } else if (c == quote) {
        if (text_.substr(at_ + 1, 1) != std::string_view(&quote, 1)) break;
        ++at_;
      }
      inner += meant;
      if (meant == std::string(1, doubled)) inner += doubled;
    }
    at_ = std::min(at_ + 1, text_.size());
    return inner;
  }

  // Quotes around a name that needs none mean nothing.
  void take_name() {
    const std::string name = quoted('`', '"');
    const bool is_plain =
        !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, is_of_word);
    written_ += is_plain ? name : "\"" + name + "\"";
  }

  void take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_of_word(text_[at_])) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    const std::string lower = to_lower(word);
    written_ += lower == "true" ? "1" : lower == "false" ? "0" : word;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string written_;
};

}  // namespace

std::string statement_essence(std::string_view text) {
  constexpr std::string_view kTimeLimit = "set statement max_statement_time = ";
  constexpr std::string_view kFor = " for ";
  std::string essence = postgres::statement_essence(Rewriter(text).rewrite(), {});
  if (!essence.starts_with(kTimeLimit)) return essence;
  const std::size_t end = essence.find(kFor, kTimeLimit.size());
  return end == essence.npos ? essence : essence.substr(end + kFor.size());
}

bool is_begin(std::string_view essence) { return postgres::is_begin(essence); }

bool is_end(std::string_view essence) {
  return postgres::is_end(essence) && !essence.starts_with("rollback work to ");
}

bool is_of_driver(std::string_view essence) {
  if (essence.starts_with("set statement ")) return false;
  return postgres::is_of_driver(essence) || essence.starts_with("select @ @ ") ||
         essence.find("information_schema . ") != essence.npos;
}

}  // namespace heddle::mariadb
