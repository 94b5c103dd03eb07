#include "frontend/history/formats/history_stream.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "frontend/history/formats/format_profiles.h"
#include "frontend/history/formats/read_history.h"

namespace heddle {

namespace {

// Longer ones are no lines of any format.
constexpr std::size_t kLongestLine = std::size_t{64} << 20U;

bool is_blank_or_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos || line[first] == ';') return true;
  // Of textbook notation; EDN has #{, #" and #_.
  return line[first] == '#' && (first + 1 == line.size() || line[first + 1] == ' ');
}

}  // namespace

Result<void> HistoryStream::choose_format(std::string_view line) {
  std::optional<HistoryFormat> format = options_.format;
  if (!format) {
    const Result<HistoryFormat> detected = detect_history_format(line, name_);
    if (!detected) return detected.error();
    format = *detected;
  }
  if (const auto follow = profile_of(*format).follow) {
    lines_ = follow(name_, options_);
    return {};
  }
  return Diagnostic{
      .what = fmt::format("{} is not read line by line, so that it cannot be followed",
                          to_string(*format)),
      .what_to_do =
          "follow jepsen-edn with one operation per line, textbook or heddle; or check "
          "the whole file without --follow",
      .file = name_};
}

Result<void> HistoryStream::take_line(std::string_view line) {
  ++line_;
  if (line_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (lines_ == nullptr) {
    if (is_blank_or_comment(line)) return {};
    if (Result<void> chosen = choose_format(line); !chosen) return chosen;
  }
  return lines_->take_line(line, line_);
}

Result<void> HistoryStream::take(std::string_view bytes) {
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    rest_ += bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    Result<void> taken = take_line(rest_);
    rest_.clear();
    if (!taken) return taken;
  }
  rest_ += bytes;
  if (rest_.size() <= kLongestLine) return {};
  return Diagnostic{.what = "a line of more than 64 MB",
                    .what_to_do = "check that the file is what it should be",
                    .file = name_,
                    .position = {line_ + 1, 1}};
}

Result<void> HistoryStream::end() {
  is_end_ = true;
  if (!rest_.empty()) {
    const std::string line = std::exchange(rest_, "");
    if (Result<void> taken = take_line(line); !taken) return taken;
  }
  if (lines_ != nullptr) return {};
  return Diagnostic{.what = "the file is empty",
                    .what_to_do = "give a history",
                    .file = name_,
                    .position = {1, 1}};
}

Result<std::optional<StreamedPart>> HistoryStream::take_part() {
  if (lines_ == nullptr) return std::optional<StreamedPart>();
  Result<std::optional<StreamedPart>> part = lines_->take_part(is_end_);
  if (part && *part && options_.initial) set_initial((*part)->history, *options_.initial);
  return part;
}

}  // namespace heddle
