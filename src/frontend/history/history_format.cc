#include "frontend/history/history_format.h"

#include <algorithm>
#include <array>

namespace heddle {

namespace {

constexpr std::array kFormats = {
    HistoryFormatName{HistoryFormat::jepsen_edn, "jepsen-edn", "Jepsen's history.edn"},
    HistoryFormatName{HistoryFormat::jepsen_json, "jepsen-json", "Jepsen's history as JSON"},
    HistoryFormatName{HistoryFormat::jepsen_log, "jepsen-log",
                      "Jepsen's log lines, as porcupine reads them"},
    HistoryFormatName{HistoryFormat::plume, "plume", "r(key,value,session,transaction) lines"},
    HistoryFormatName{HistoryFormat::awdit, "awdit", "AWDIT's r and w lines"},
    HistoryFormatName{HistoryFormat::dbcop_bincode, "dbcop-bincode", "dbcop's binary histories"},
    HistoryFormatName{HistoryFormat::dbcop_json, "dbcop-json", "dbcop's histories as JSON"},
    HistoryFormatName{HistoryFormat::cobra, "cobra", "a folder of Cobra's session logs"},
    HistoryFormatName{HistoryFormat::heddle_lines, "heddle", "heddle's own JSON Lines"},
    HistoryFormatName{HistoryFormat::textbook, "textbook", "r1[x=0] w1[x=1] c1"},
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
