// Histories read while they grow, line by line, for those who want each transaction or call once it
// is known how it ended. What has ended is put together and read by the format's reader.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/history/history_reading.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// What has ended since the last part. Sessions have the same numbers in all parts; moments and
// lines are those of the whole file.
struct StreamedPart {
  RecordedHistory history;
  Moment watermark = 0;  // whatever is in later parts began at that moment or later
};

// The lines of one format.
class LineStream {
 public:
  virtual ~LineStream() = default;
  // One line without its end, which must not be broken.
  virtual Result<void> take_line(std::string_view line, std::uint32_t number) = 0;
  // What has ended, or none where nothing has. At the end also what has not.
  virtual Result<std::optional<StreamedPart>> take_part(bool is_end) = 0;
};

}  // namespace heddle
