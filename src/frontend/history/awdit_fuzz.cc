// Any text: refused, or a well-formed history. Writing may number keys and sessions anew; what is
// written has the same size when it is read, and is written again as it is.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "frontend/history/awdit.h"
#include "frontend/history/formats/write_history.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto history = heddle::read_awdit(text, "fuzz.txt");
  if (!history) return 0;
  if (heddle::find_flaw(*history)) std::abort();
  const auto written = heddle::write_history(*history, heddle::HistoryFormat::awdit);
  if (!written) return 0;
  const auto again = heddle::read_awdit(*written, "again.txt");
  if (!again || again->transactions.size() != history->transactions.size() ||
      again->operations.size() != history->operations.size() ||
      *heddle::write_history(*again, heddle::HistoryFormat::awdit) != *written) {
    std::abort();
  }
  return 0;
}
