#include "frontend/history/formats/read_history.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "frontend/history/formats/beginning.h"
#include "frontend/history/formats/format_profiles.h"

namespace heddle {

namespace {

Diagnostic unknown_format(const std::string& name, std::string what) {
  std::string formats;
  for (const HistoryFormatProfile& profile : history_format_profiles()) {
    formats += fmt::format("{}{} ({})", formats.empty() ? "" : "; ", to_string(profile.format),
                           profile.meaning);
  }
  return {.what = std::move(what),
          .what_to_do = "give a history in one of the formats " + formats,
          .file = name,
          .position = {1, 1}};
}

std::optional<std::string> flaw_of(const RecordedHistory& history) {
  return std::visit([](const auto& either) { return find_flaw(either); }, history);
}

}  // namespace

Result<HistoryFormat> detect_history_format(std::string_view bytes, const std::string& name) {
  const HistoryBeginning beginning = look_at_beginning(bytes);
  if (beginning.form == HistoryBeginning::Form::empty) {
    return unknown_format(name, "the file is empty");
  }
  const auto profiles = history_format_profiles();
  const auto found = std::ranges::find_if(
      profiles, [&](const HistoryFormatProfile& profile) { return profile.begins(beginning); });
  if (found == profiles.end()) {
    return unknown_format(name, "this does not begin like any known format of histories");
  }
  if (found->is_folder) return found->read(bytes, name, {}).error();
  return found->format;
}

Result<RecordedHistory> read_history(std::string_view bytes, const std::string& name,
                                     const ReadHistoryOptions& options) {
  std::optional<HistoryFormat> format = options.format;
  if (!format) {
    const Result<HistoryFormat> detected = detect_history_format(bytes, name);
    if (!detected) return detected.error();
    format = *detected;
  }
  const HistoryFormatProfile& profile = profile_of(*format);
  if (!profile.is_binary) bytes = without_byte_order_mark(bytes);
  Result<RecordedHistory> history = profile.read(bytes, name, options);
  // Readers stop there as if the text ended.
  if (interrupted()) return reading_stopped(name);
  if (!history) return history;
  if (const std::optional<std::string> flaw = flaw_of(*history)) {
    return Diagnostic{.what = *flaw,
                      .what_to_do = "check that the file is whole and what it should be",
                      .file = name};
  }
  return history;
}

}  // namespace heddle
