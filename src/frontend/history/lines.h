// Heddle's own histories: JSON Lines with {"heddle": "history/1"} in front
// (docs/formats/history.md).
#pragma once

#include <string>
#include <string_view>

#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// Diagnostics carry `name`, the line and the column. Linear in the size of the text.
Result<RecordedHistory> read_heddle_lines(std::string_view bytes, const std::string& name);

}  // namespace heddle
