#include "program/text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace heddle::program {

namespace {

// PostgreSQL's reserved words, and those of PL/pgSQL that begin a statement.
constexpr std::array<std::string_view, 101> kReserved = {"all",
                                                         "analyse",
                                                         "analyze",
                                                         "and",
                                                         "any",
                                                         "array",
                                                         "as",
                                                         "asc",
                                                         "asymmetric",
                                                         "begin",
                                                         "both",
                                                         "by",
                                                         "case",
                                                         "cast",
                                                         "check",
                                                         "collate",
                                                         "column",
                                                         "constraint",
                                                         "create",
                                                         "current_date",
                                                         "current_role",
                                                         "current_time",
                                                         "current_timestamp",
                                                         "current_user",
                                                         "declare",
                                                         "default",
                                                         "deferrable",
                                                         "desc",
                                                         "distinct",
                                                         "do",
                                                         "else",
                                                         "end",
                                                         "except",
                                                         "execute",
                                                         "exit",
                                                         "false",
                                                         "fetch",
                                                         "for",
                                                         "foreach",
                                                         "foreign",
                                                         "from",
                                                         "get",
                                                         "grant",
                                                         "group",
                                                         "having",
                                                         "if",
                                                         "in",
                                                         "initially",
                                                         "insert",
                                                         "intersect",
                                                         "into",
                                                         "lateral",
                                                         "leading",
                                                         "limit",
                                                         "localtime",
                                                         "localtimestamp",
                                                         "loop",
                                                         "move",
                                                         "not",
                                                         "null",
                                                         "offset",
                                                         "on",
                                                         "only",
                                                         "open",
                                                         "or",
                                                         "order",
                                                         "perform",
                                                         "placing",
                                                         "primary",
                                                         "raise",
                                                         "references",
                                                         "return",
                                                         "returning",
                                                         "select",
                                                         "session_user",
                                                         "some",
                                                         "strict",
                                                         "symmetric",
                                                         "table",
                                                         "then",
                                                         "to",
                                                         "trailing",
                                                         "true",
                                                         "union",
                                                         "unique",
                                                         "update",
                                                         "user",
                                                         "using",
                                                         "variadic",
                                                         "when",
                                                         "where",
                                                         "while",
                                                         "window",
                                                         "with",
                                                         "continue",
                                                         "close",
                                                         "delete",
                                                         "commit",
                                                         "rollback",
                                                         "authorization",
                                                         "call"};

bool is_plain(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
  };
  return !name.empty() && (name[0] < '0' || name[0] > '9') && std::ranges::all_of(name, plain) &&
         std::ranges::find(kReserved, name) == kReserved.end();
}

std::string doubled(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += c;
    result += c;
  }
  return result + quote;
}

}  // namespace

std::string string_text(std::string_view value) { return doubled(value, '\''); }

std::string name_text(std::string_view name) {
  return is_plain(name) ? std::string(name) : doubled(name, '"');
}

std::string keyword_text(std::string_view name) {
  std::string result(name);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return result;
}

}  // namespace heddle::program
