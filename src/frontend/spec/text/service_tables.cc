#include "frontend/spec/text/service_tables.h"

#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "frontend/spec/text/spec_token.h"
#include "frontend/sql/words/postgres_words.h"

namespace heddle {

std::vector<std::string> split_outside_quotes(std::string_view text, char separator) {
  std::vector<std::string> pieces(1);
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == separator && !is_quoted) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

namespace {

// As PostgreSQL keeps names: no longer than that, and no character cut in two.
std::string cut(std::string name) {
  constexpr std::size_t kLongest = 63;
  if (name.size() <= kLongest) return name;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  name.resize(end);
  return name;
}

// What stands between the quotes; none: one of them is alone.
std::optional<std::string> unquoted(std::string_view text) {
  const std::string_view inner = text.substr(1, text.size() - 2);
  std::string name;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '"') {
      ++i;
      if (i == inner.size() || inner[i] != '"') return std::nullopt;
    }
    name += inner[i];
  }
  return name;
}

}  // namespace

std::optional<std::string> table_named_by(std::string_view text) {
  const std::string_view written = trim(text);
  if (written.find('\0') != written.npos || !is_utf8(written)) return std::nullopt;
  if (is_bare_word(written)) {
    std::string folded = to_lower(written);
    if (sql::postgres_name(folded) != folded) return std::nullopt;
    return cut(std::move(folded));
  }
  const bool is_quoted = written.size() > 2 && written.front() == '"' && written.back() == '"';
  if (!is_quoted) return std::nullopt;
  std::optional<std::string> name = unquoted(written);
  return name ? std::optional(cut(*std::move(name))) : std::nullopt;
}

std::string name_of_table(const std::string& table) {
  return table_named_by(table) == table ? table : quoted_name(table);
}

}  // namespace heddle
