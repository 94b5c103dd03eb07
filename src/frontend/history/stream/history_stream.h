// Histories read while they grow, line by line, for those who want each transaction or call once it
// is known how it ended. What has ended is put together and read by the format's reader.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/history/read_history.h"
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

// For jepsen_edn (one operation per line), heddle_lines and textbook; null: this format cannot be
// read line by line. `name` is for messages.
std::unique_ptr<LineStream> make_line_stream(HistoryFormat format, const std::string& name,
                                             const ReadHistoryOptions& options);

// Any of these formats, told by the beginning where the options do not say it.
class HistoryStream {
 public:
  HistoryStream(std::string name, ReadHistoryOptions options)
      : name_(std::move(name)), options_(std::move(options)) {}

  // Takes more bytes, which may end anywhere.
  Result<void> take(std::string_view bytes);
  // A last line needs no end. Nothing can be taken after that.
  Result<void> end();
  Result<std::optional<StreamedPart>> take_part();

 private:
  Result<void> take_line(std::string_view line);
  Result<void> choose_format(std::string_view line);

  std::string name_;
  ReadHistoryOptions options_;
  std::unique_ptr<LineStream> lines_;
  std::string rest_;  // of a line
  std::uint32_t line_ = 0;
  bool is_end_ = false;
};

}  // namespace heddle
