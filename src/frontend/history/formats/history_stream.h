// Histories of any format that is read line by line, while they grow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/history/history_reading.h"
#include "frontend/history/stream/line_stream.h"
#include "heddle/result.h"

namespace heddle {

// The format is told by the beginning where the options do not say it.
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
