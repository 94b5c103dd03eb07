// Any text: refused, or a well-formed history of as many transactions and operations as it has when
// it is written and read again.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "frontend/history/formats/write_history.h"
#include "frontend/history/textbook.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto history = heddle::read_textbook(text, "fuzz.txt");
  if (!history) return 0;
  if (heddle::find_flaw(*history)) std::abort();
  const auto written = heddle::write_history(*history, heddle::HistoryFormat::textbook);
  if (!written) std::abort();
  const auto again = heddle::read_textbook(*written, "again.txt");
  if (!again || again->transactions.size() != history->transactions.size() ||
      again->operations.size() != history->operations.size() ||
      again->initial.has_value() != history->initial.has_value()) {
    std::abort();
  }
  return 0;
}
