#include "frontend/history/history_format.h"

#include <algorithm>
#include <array>

namespace heddle {

namespace {

constexpr std::array kFormats = {
    HistoryFormatName{HistoryFormat::jepsen_edn, "jepsen-edn"},
    HistoryFormatName{HistoryFormat::jepsen_json, "jepsen-json"},
    HistoryFormatName{HistoryFormat::jepsen_log, "jepsen-log"},
    HistoryFormatName{HistoryFormat::plume, "plume"},
    HistoryFormatName{HistoryFormat::awdit, "awdit"},
    HistoryFormatName{HistoryFormat::dbcop_bincode, "dbcop-bincode"},
    HistoryFormatName{HistoryFormat::dbcop_json, "dbcop-json"},
    HistoryFormatName{HistoryFormat::cobra, "cobra"},
    HistoryFormatName{HistoryFormat::heddle_lines, "heddle"},
    HistoryFormatName{HistoryFormat::textbook, "textbook"},
};

}  // namespace

std::span<const HistoryFormatName> history_formats() { return kFormats; }

std::string_view to_string(HistoryFormat format) {
  return kFormats[static_cast<std::size_t>(format)].name;
}

std::optional<HistoryFormat> find_history_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &HistoryFormatName::name);
  if (found == kFormats.end()) return std::nullopt;
  return found->format;
}

}  // namespace heddle
