// Any text: refused, or a well-formed history that every format refuses or writes, and that
// heddle's own gives back as it is.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "frontend/history/formats/write_history.h"
#include "frontend/history/lines.h"
#include "frontend/history/write/write_spelling.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto history = heddle::read_heddle_lines(text, "fuzz.jsonl");
  if (!history) return 0;
  const auto flaw = [](const auto& shape) { return heddle::find_flaw(shape).has_value(); };
  if (std::visit(flaw, *history)) std::abort();
  for (const heddle::HistoryFormatName& row : heddle::history_formats()) {
    const auto written = heddle::write_history(*history, row.format);
    if (row.format != heddle::HistoryFormat::heddle_lines) continue;
    const auto again = heddle::read_heddle_lines(*written, "again.jsonl");
    if (!again || heddle::spell_history(*again) != heddle::spell_history(*history)) std::abort();
  }
  return 0;
}
