// Any bytes either are a value and a well-formed history or give one error that says where it is
// and what to do. What is read as a plain transaction is what all of JSON makes of it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "frontend/history/forms/jepsen_form_dump_testing.h"
#include "frontend/history/forms/json_form_reader.h"
#include "frontend/history/forms/plain_transaction_testing.h"
#include "frontend/history/jepsen.h"
#include "frontend/history/jepsen_dump_testing.h"

namespace heddle {
namespace {

void check_history(std::string_view text) {
  const Result<RecordedHistory> history = read_jepsen(text, "fuzz", HistoryFormat::jepsen_json);
  if (history) {
    const auto flaw = std::visit([](const auto& either) { return find_flaw(either); }, *history);
    HEDDLE_ASSERT(!flaw);
    HEDDLE_ASSERT(!dump_history(*history).empty());
    return;
  }
  HEDDLE_ASSERT(!history.error().what.empty() && !history.error().what_to_do.empty());
}

void check_value(std::string_view text) {
  JsonFormReader reader(text, "fuzz");
  Form form;
  if (reader.read_form(&form)) {
    HEDDLE_ASSERT(form.nodes[0].size == form.nodes.size() && !dump_form(form.nodes[0]).empty());
    return;
  }
  HEDDLE_ASSERT(reader.trouble()->position.line > 0 && reader.trouble()->position.column > 0);
}

}  // namespace
}  // namespace heddle

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  heddle::check_value(text);
  std::size_t plain = 0;
  HEDDLE_ASSERT(heddle::plain_transactions_agree(text, heddle::PlainForm::json, plain));
  heddle::check_history(text);
  return 0;
}
