// Any bytes: the parsers answer with statements, whose fragments parse again, or a diagnostic, the
// rewriter with text, and the splitter with pieces of the input in their order. The first byte
// picks what is tried.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "frontend/sql/statement_rendering.h"
#include "heddle/statement.h"

namespace {

using heddle::Dialect;

void check_parse(std::string_view sql, Dialect dialect) {
  auto statements = heddle::parse_statements(sql, dialect);
  if (!statements) {
    HEDDLE_ASSERT(!statements.error().what.empty());
    HEDDLE_ASSERT(statements.error().position.line > 0);
    return;
  }
  for (const heddle::Statement& statement : *statements) {
    HEDDLE_ASSERT(sql.find(statement.text) != std::string_view::npos);
    HEDDLE_ASSERT(heddle::sql::unreadable_fragment(statement).empty());
  }
}

// Each piece is a part of the input; between pieces nothing but blanks, comments and semicolons is
// left out, which splitting the gap again shows.
void check_split(std::string_view sql) {
  std::size_t end = 0;
  for (const heddle::StatementText& piece : heddle::split_statements(sql)) {
    HEDDLE_ASSERT(!piece.text.empty());
    HEDDLE_ASSERT(piece.offset >= end);
    HEDDLE_ASSERT(sql.substr(piece.offset, piece.text.size()) == piece.text);
    HEDDLE_ASSERT(heddle::split_statements(sql.substr(end, piece.offset - end)).empty());
    end = piece.offset + piece.text.size();
  }
  HEDDLE_ASSERT(heddle::split_statements(sql.substr(end)).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view sql(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      check_parse(sql, Dialect::postgres);
      break;
    case 1:
      check_parse(sql, Dialect::mysql);
      break;
    case 2:
      static_cast<void>(heddle::rewrite_mysql(sql));
      break;
    case 3:
      check_parse(sql, Dialect::sqlite);
      break;
    default:
      check_split(sql);
  }
  return 0;
}
