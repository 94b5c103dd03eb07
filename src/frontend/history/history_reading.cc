#include "frontend/history/history_reading.h"

#include <fmt/format.h>

#include "base/bounds.h"
#include "base/interrupt.h"
#include "frontend/history/jepsen_values.h"

namespace heddle {

Diagnostic reading_stopped(const std::string& name) {
  const bool is_signal = interrupt_signal() != 0;
  return {.what = fmt::format("the history was not read to its end: {}",
                              is_signal ? "interrupted" : stop_reason() + " is over"),
          .what_to_do = is_signal ? "" : "give more time, or a smaller history",
          .file = name,
          .trouble = is_signal ? Trouble::interrupted : Trouble::bound};
}

void set_initial(RecordedHistory& history, std::string_view text) {
  if (auto* const calls = std::get_if<ObjectHistory>(&history)) {
    calls->initial = value_as_written(text, calls->texts);
    return;
  }
  auto& transactions = std::get<TransactionHistory>(history);
  transactions.initial.reset();
  if (text != "none") transactions.initial = value_as_written(text, transactions.texts);
}

}  // namespace heddle
