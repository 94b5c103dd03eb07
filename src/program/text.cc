#include "program/text.h"

#include <algorithm>
#include <array>

#include "frontend/sql/words/postgres_words.h"

namespace heddle::program {

namespace {

// Words that begin a statement of PL/pgSQL, or end an expression there.
constexpr std::array<std::string_view, 24> kWords = {
    "begin",   "by",      "call",    "close",  "commit",   "continue", "declare", "delete",
    "execute", "exit",    "foreach", "get",    "if",       "insert",   "loop",    "move",
    "open",    "perform", "raise",   "return", "rollback", "strict",   "update",  "while"};

// Words that begin a type or a value with syntax of its own.
constexpr std::array<std::string_view, 35> kSyntax = {
    "between",   "bigint",  "bit",       "boolean",   "char",     "character", "coalesce",
    "dec",       "decimal", "exists",    "extract",   "float",    "greatest",  "grouping",
    "int",       "integer", "interval",  "least",     "national", "nchar",     "nullif",
    "numeric",   "overlay", "position",  "precision", "real",     "setof",     "smallint",
    "substring", "time",    "timestamp", "treat",     "trim",     "values",    "varchar"};

}  // namespace

std::string string_text(std::string_view value) { return sql::quoted_by(value, '\''); }

std::string name_text(std::string_view name) {
  const bool is_word = std::ranges::find(kWords, name) != kWords.end() ||
                       std::ranges::find(kSyntax, name) != kSyntax.end();
  return is_word ? sql::quoted_by(name, '"') : sql::postgres_name(name);
}

std::string keyword_text(std::string_view name) {
  std::string result(name);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return result;
}

std::string without_number(const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  const bool is_numbered =
      end != std::string::npos && end > 0 && end + 1 < name.size() && name[end] == '_';
  return is_numbered ? name.substr(0, end) : name;
}

}  // namespace heddle::program
