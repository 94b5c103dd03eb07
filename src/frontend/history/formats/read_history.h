// Histories from text or bytes, in any of the formats of history_format.h.
#pragma once

#include <string>
#include <string_view>

#include "frontend/history/history_format.h"
#include "frontend/history/history_reading.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// Ends early, with reading_stopped(), once interrupted() holds. `name` is for messages, which give
// the line and column (text) or the byte (binary formats) of what is wrong. What is read is well
// formed (find_flaw).
Result<RecordedHistory> read_history(std::string_view bytes, const std::string& name,
                                     const ReadHistoryOptions& options = {});

// The format that the beginning of the file shows, or a diagnostic that names those there are.
Result<HistoryFormat> detect_history_format(std::string_view bytes, const std::string& name);

}  // namespace heddle
