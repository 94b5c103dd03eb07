// What the readers of all formats share: how a history is to be read, and what is said when that
// ends early.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/history/history_format.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

struct JepsenMemory;  // jepsen.h

struct ReadHistoryOptions {
  std::optional<HistoryFormat> format = {};  // none: by looking at the beginning
  std::optional<ObjectModel> model = {};     // none: by the functions that occur
  // What Jepsen's formats do not say, for set_initial(). None: registers nil, counters 0, texts of
  // key-value stores "" (nil where some get returned nil). In a register that is not nil initially
  // a read that returned nil is one that was not told what it read, as knossos has it.
  std::optional<std::string> initial = {};
  std::optional<std::uint32_t> permits = {};  // of a semaphore; none: one
  JepsenMemory* memory = nullptr;             // of the parts before, where this is a part
};

// What to say of a history whose reading ended early because interrupted() holds.
Diagnostic reading_stopped(const std::string& name);

// Either kind of history, or why there is none.
template <class History>
Result<RecordedHistory> recorded(Result<History> history) {
  if (!history) return history.error();
  return RecordedHistory(std::move(*history));
}

// What a register, counter or key holds before it is written, as people write it: nil, 0, "text";
// none: registers of transactions hold nothing, and whatever is read was written.
void set_initial(RecordedHistory& history, std::string_view text);

}  // namespace heddle
