// Recorded histories as text or bytes, in the formats of history_format.h.
#pragma once

#include <string>

#include "frontend/history/history_format.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// Whether any history can be written in that format at all.
bool can_write(HistoryFormat format);

// The whole file. What the format cannot express (docs/formats/history.md has the table) is refused
// with a diagnostic that says what it is, except for names of sessions and line numbers, which are
// left out. Only heddle_lines carries every history.
// REQUIRES: the history is well formed (find_flaw).
Result<std::string> write_history(const RecordedHistory& history, HistoryFormat format);

}  // namespace heddle
