// Heddle's own histories: JSON Lines with {"heddle": "history/1"} in front
// (docs/formats/history.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// As a line says it, in the order of CallOutcome.
constexpr std::array<std::string_view, 3> kCallOutcomes = {"ok", "failed", "unknown"};

// A line {"watermark": moment}: whatever is in later lines began at that moment or later.
struct HistoryWatermark {
  std::uint32_t line = 0;
  Moment moment = 0;
};

// Diagnostics carry `name`, the line and the column. Linear in the size of the text.
// Watermarks go to `watermarks`, where that is not null.
Result<RecordedHistory> read_heddle_lines(std::string_view bytes, const std::string& name,
                                          std::vector<HistoryWatermark>* watermarks = nullptr);

}  // namespace heddle
