// Any bytes: refused, or a well-formed history that can be read again where it can be written.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "frontend/history/dbcop.h"
#include "frontend/history/formats/write_history.h"
#include "frontend/history/write/write_spelling.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto history = heddle::read_dbcop_bincode(text, "fuzz");
  if (!history) return 0;
  if (heddle::find_flaw(*history)) std::abort();
  const auto written = heddle::write_history(*history, heddle::HistoryFormat::dbcop_bincode);
  if (!written) return 0;
  const auto again = heddle::read_dbcop_bincode(*written, "again");
  if (!again || again->transactions.size() != history->transactions.size()) std::abort();
  return 0;
}
