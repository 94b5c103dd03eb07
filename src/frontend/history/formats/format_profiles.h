// The table of formats: what a file in each begins with, who reads and writes it. Whoever asks what
// can be done with a format asks here.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "frontend/history/formats/beginning.h"
#include "frontend/history/history_format.h"
#include "frontend/history/history_reading.h"
#include "frontend/history/stream/line_stream.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

struct HistoryFormatProfile {
  HistoryFormat format;
  std::string_view meaning;  // a phrase for messages: "Jepsen's history.edn"
  // No two formats have one beginning.
  bool (*begins)(const HistoryBeginning&);
  Result<RecordedHistory> (*read)(std::string_view bytes, const std::string& name,
                                  const ReadHistoryOptions& options);
  // Null: heddle does not write it.
  Result<std::string> (*write)(const TransactionHistory&) = nullptr;
  // Null: nor calls in it.
  Result<std::string> (*write_calls)(const ObjectHistory&) = nullptr;
  // Null: it cannot be read line by line.
  std::unique_ptr<LineStream> (*follow)(const std::string& name,
                                        const ReadHistoryOptions& options) = nullptr;
  bool is_folder = false;  // of several files: `read` refuses one alone
  bool is_binary = false;  // its first bytes are its own, whatever they mean in a text
};

// In the order of HistoryFormat.
std::span<const HistoryFormatProfile> history_format_profiles();
const HistoryFormatProfile& profile_of(HistoryFormat format);

}  // namespace heddle
