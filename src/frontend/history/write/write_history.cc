#include "frontend/history/write/write_history.h"

#include <fmt/format.h>

#include "frontend/history/write/write_formats.h"

namespace heddle {

namespace {

Result<std::string> write(const TransactionHistory& history, HistoryFormat format) {
  switch (format) {
    case HistoryFormat::jepsen_edn:
    case HistoryFormat::jepsen_json:
      return write_jepsen(history, format);
    case HistoryFormat::plume:
      return write_plume(history);
    case HistoryFormat::awdit:
      return write_awdit(history);
    case HistoryFormat::dbcop_bincode:
      return write_dbcop_bincode(history);
    case HistoryFormat::dbcop_json:
      return write_dbcop_json(history);
    case HistoryFormat::textbook:
      return write_textbook(history);
    default:
      return write_heddle_lines(history);
  }
}

Result<std::string> write(const ObjectHistory& history, HistoryFormat format) {
  switch (format) {
    case HistoryFormat::jepsen_edn:
    case HistoryFormat::jepsen_json:
      return write_jepsen(history, format);
    case HistoryFormat::heddle_lines:
      return write_heddle_lines(history);
    default:
      return cannot_write(format, "it has transactions only, and this is a history of calls");
  }
}

}  // namespace

bool can_write(HistoryFormat format) {
  return format != HistoryFormat::cobra && format != HistoryFormat::jepsen_log;
}

Result<std::string> write_history(const RecordedHistory& history, HistoryFormat format) {
  if (!can_write(format)) {
    return Diagnostic{fmt::format("heddle does not write the {} format", to_string(format)),
                      "choose another format, for instance heddle"};
  }
  return std::visit([&](const auto& shape) { return write(shape, format); }, history);
}

}  // namespace heddle
