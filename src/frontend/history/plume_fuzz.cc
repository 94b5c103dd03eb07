// Any text: refused, or a well-formed history. Writing may number keys and sessions anew; and
// neighbouring aborted transactions become one; what is written is written again as it is.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "frontend/history/formats/write_history.h"
#include "frontend/history/plume.h"

namespace {

auto count_committed(const heddle::TransactionHistory& history) {
  return std::ranges::count(history.transactions, heddle::TransactionOutcome::committed,
                            &heddle::RecordedTransaction::outcome);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto history = heddle::read_plume(text, "fuzz.txt");
  if (!history) return 0;
  if (heddle::find_flaw(*history)) std::abort();
  const auto written = heddle::write_history(*history, heddle::HistoryFormat::plume);
  if (!written) return 0;
  const auto again = heddle::read_plume(*written, "again.txt");
  if (!again || count_committed(*again) != count_committed(*history) ||
      again->operations.size() != history->operations.size() ||
      *heddle::write_history(*again, heddle::HistoryFormat::plume) != *written) {
    std::abort();
  }
  return 0;
}
