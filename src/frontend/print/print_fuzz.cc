// Any bytes: the printer answers with a text, which is read again as what it was printed for, or
// with a diagnostic. Of PostgreSQL's texts to PostgreSQL the tree stays the same. The first byte
// picks the dialects.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "frontend/print/texts_testing.h"
#include "heddle/statement.h"

namespace {

using heddle::Dialect;

constexpr Dialect kDialects[] = {Dialect::postgres, Dialect::mysql, Dialect::sqlite};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view sql(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Dialect from = kDialects[data[0] % 3];
  const Dialect to = kDialects[data[0] / 3 % 3];
  const auto printed = heddle::print_statement(sql, from, to);
  if (!printed) {
    HEDDLE_ASSERT(!printed.error().what.empty());
    HEDDLE_ASSERT(printed.error().position.line > 0);
    return 0;
  }
  HEDDLE_ASSERT(heddle::parse_statements(printed->text, to).has_value());
  if (from == Dialect::postgres && to == Dialect::postgres) {
    HEDDLE_ASSERT(heddle::sql::shape_of_text(printed->text) == heddle::sql::shape_of_text(sql));
  }
  return 0;
}
