// Any bytes: reading a schema ends in a schema, errors and notes; printing one for PostgreSQL gives
// text that reads as the same schema, and as the same text again in any dialect. The first byte
// picks the dialects.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "heddle/schema.h"

namespace {

using heddle::Dialect;

constexpr Dialect kDialects[] = {Dialect::postgres, Dialect::mysql, Dialect::sqlite};

void check_diagnostics(const std::vector<heddle::Diagnostic>& diagnostics) {
  for (const heddle::Diagnostic& one : diagnostics) HEDDLE_ASSERT(!one.what.empty());
}

// A name that PostgreSQL cuts off reads as another one.
bool has_long_words(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t length = 0;
  for (char c : text) {
    length = c == ' ' || c == '\n' || c == ',' ? 0 : length + 1;
    if (length > kLongest) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view sql(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Dialect from = kDialects[data[0] % 3];
  const Dialect to = kDialects[data[0] / 3 % 3];
  const heddle::SchemaReading reading = heddle::parse_schema(sql, from);
  check_diagnostics(reading.errors);
  check_diagnostics(reading.notes);
  const heddle::SchemaPrinting printing = heddle::print_schema(reading.schema, to);
  check_diagnostics(printing.notes);
  if (from != Dialect::postgres || to != Dialect::postgres) return 0;
  if (!printing.notes.empty() || has_long_words(sql)) return 0;
  const heddle::SchemaReading again = heddle::parse_schema(printing.text, to);
  HEDDLE_ASSERT(again.errors.empty());
  HEDDLE_ASSERT(without_positions(again.schema) == without_positions(reading.schema));
  return 0;
}
