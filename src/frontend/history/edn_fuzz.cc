// Any bytes either are a well-formed history, as EDN and as log lines, or give one error that says
// where it is and what to do. Values survive being written plainly and read again. What is read as
// a plain transaction is what all of EDN makes of it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "frontend/history/forms/edn_form_reader.h"
#include "frontend/history/forms/jepsen_form_dump_testing.h"
#include "frontend/history/forms/plain_transaction_testing.h"
#include "frontend/history/jepsen.h"
#include "frontend/history/jepsen_dump_testing.h"

namespace heddle {
namespace {

void check_history(std::string_view text, HistoryFormat format) {
  const Result<RecordedHistory> history = read_jepsen(text, "fuzz", format);
  if (history) {
    const auto flaw = std::visit([](const auto& either) { return find_flaw(either); }, *history);
    HEDDLE_ASSERT(!flaw);
    HEDDLE_ASSERT(!dump_history(*history).empty());
    return;
  }
  HEDDLE_ASSERT(!history.error().what.empty() && !history.error().what_to_do.empty());
}

bool has_odd_text(std::string_view text) {
  return text.find_first_of("\"\\#^") != std::string_view::npos;
}

void check_values(std::string_view text) {
  EdnFormReader reader(text, "fuzz");
  const std::string plain = dump_forms(reader);
  if (reader.trouble()) {
    HEDDLE_ASSERT(reader.trouble()->position.line > 0 && reader.trouble()->position.column > 0);
    return;
  }
  // Strings are dumped as they are, so that not every dump is EDN again.
  if (has_odd_text(text) || plain.find('~') != std::string::npos) return;
  EdnFormReader again(plain, "fuzz");
  HEDDLE_ASSERT(dump_forms(again) == plain);
}

}  // namespace
}  // namespace heddle

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  heddle::check_values(text);
  std::size_t plain = 0;
  HEDDLE_ASSERT(heddle::plain_transactions_agree(text, heddle::PlainForm::edn, plain));
  heddle::check_history(text, heddle::HistoryFormat::jepsen_edn);
  heddle::check_history(text, heddle::HistoryFormat::jepsen_log);
  return 0;
}
