#include "frontend/history/formats/write_history.h"

#include <variant>

#include <fmt/format.h>

#include "frontend/history/formats/format_profiles.h"
#include "frontend/history/write/write_formats.h"

namespace heddle {

bool can_write(HistoryFormat format) { return profile_of(format).write != nullptr; }

Result<std::string> write_history(const RecordedHistory& history, HistoryFormat format) {
  const HistoryFormatProfile& profile = profile_of(format);
  if (profile.write == nullptr) {
    return Diagnostic{fmt::format("heddle does not write the {} format", to_string(format)),
                      "choose another format, for instance heddle"};
  }
  if (const auto* const transactions = std::get_if<TransactionHistory>(&history)) {
    return profile.write(*transactions);
  }
  if (profile.write_calls == nullptr) {
    return cannot_write(format, "it has transactions only, and this is a history of calls");
  }
  return profile.write_calls(std::get<ObjectHistory>(history));
}

}  // namespace heddle
