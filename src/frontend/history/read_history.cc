// The format is told by the first bytes that mean something: every format has a beginning of its
// own, except that JSON and EDN share their brackets and part at the first key.
#include "frontend/history/read_history.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/bounds.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "frontend/history/awdit.h"
#include "frontend/history/dbcop.h"
#include "frontend/history/jepsen.h"
#include "frontend/history/jepsen_values.h"
#include "frontend/history/lines.h"
#include "frontend/history/plume.h"
#include "frontend/history/textbook.h"

namespace heddle {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kBinaryProbe = 512;
constexpr std::size_t kLogProbe = 4096;

// Fields of the objects with which dbcop's JSON may begin.
constexpr std::array<std::string_view, 8> kDbcopFields = {
    "params", "info", "start", "end", "data", "events", "committed", "success"};

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }

std::string_view without_mark(std::string_view bytes) {
  return bytes.substr(bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

void skip_line(std::string_view& text) {
  text.remove_prefix(std::min(text.find('\n'), text.size()));
}

void skip_space(std::string_view& text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
}

// EDN's "#_", "#{" and "#tag{", and not a comment of another format.
bool is_edn_hash(std::string_view text) {
  const std::string_view word = text.substr(1, text.find_first_of(" \t\r\n") - 1);
  return word.starts_with('_') || word.find_first_of("{[(\"") != std::string_view::npos;
}

// At a brace: JSON has a key in quotes and a colon.
HistoryFormat format_of_object(std::string_view text) {
  text.remove_prefix(1);
  skip_space(text);
  if (!text.starts_with('"')) return HistoryFormat::jepsen_edn;
  const std::size_t key_end = std::min(text.find('"', 1), text.size());
  const std::string_view key = text.substr(1, key_end - 1);
  text.remove_prefix(std::min(key_end + 1, text.size()));
  skip_space(text);
  if (!text.starts_with(':')) return HistoryFormat::jepsen_edn;
  if (key == "heddle") return HistoryFormat::heddle_lines;
  const bool is_dbcop = std::ranges::find(kDbcopFields, key) != kDbcopFields.end();
  return is_dbcop ? HistoryFormat::dbcop_json : HistoryFormat::jepsen_json;
}

// At a bracket or brace.
HistoryFormat format_of_brackets(std::string_view text) {
  std::size_t depth = 0;
  while (!text.empty()) {
    const char c = text.front();
    if (c == '(' || c == ';' || c == '#' || c == ',') return HistoryFormat::jepsen_edn;
    if (c == '{') return format_of_object(text);
    if (c != '[' && !is_space(c)) break;
    if (c == '[') ++depth;
    text.remove_prefix(1);
  }
  return depth > 1 ? HistoryFormat::dbcop_json : HistoryFormat::jepsen_edn;
}

// A word that only one format begins with.
std::optional<HistoryFormat> format_of_word(std::string_view text) {
  const auto* const word_end = std::ranges::find_if_not(text, is_small_letter);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(word_end - text.begin()));
  const char next = word_end == text.end() ? '\0' : *word_end;
  if (word == "session" || word == "initial" || word == "times") return HistoryFormat::textbook;
  if (word.empty()) {
    const bool is_separator = text.starts_with("---") || text.starts_with("===");
    return is_separator ? std::optional(HistoryFormat::awdit) : std::nullopt;
  }
  if (is_digit(next)) return HistoryFormat::textbook;
  if (word != "r" && word != "w") return std::nullopt;
  if (next == '(') return HistoryFormat::plume;
  return is_space(next) ? std::optional(HistoryFormat::awdit) : std::nullopt;
}

bool is_cobra_log(std::string_view bytes) {
  constexpr std::string_view kKinds = "SWRC";
  return bytes.size() > 9 && bytes[0] == 'S' && kKinds.find(bytes[9]) != std::string_view::npos;
}

Diagnostic unknown_format(const std::string& name, std::string what) {
  std::string formats;
  for (const HistoryFormatName& format : history_formats()) {
    formats += fmt::format("{}{} ({})", formats.empty() ? "" : "; ", format.name, format.meaning);
  }
  return {.what = std::move(what),
          .what_to_do = "give a history in one of the formats " + formats,
          .file = name,
          .position = {1, 1}};
}

Diagnostic cobra_folder(const std::string& name) {
  return {.what = "one log of Cobra is not a whole history",
          .what_to_do = "give the folder with the logs of all sessions",
          .file = name};
}

std::optional<HistoryFormat> format_of_text(std::string_view text) {
  const std::size_t logger = text.substr(0, kLogProbe).find("jepsen.util");
  for (skip_space(text); !text.empty(); skip_space(text)) {
    const char c = text.front();
    const bool is_bracket = c == '{' || c == '(' || c == '[';
    const bool is_time = c == '[' && text.size() > 1 && is_digit(text[1]);
    if (c == ';' || (c == '#' && is_edn_hash(text))) return HistoryFormat::jepsen_edn;
    if (is_bracket && !is_time) return format_of_brackets(text);
    if (c != '#') break;
    skip_line(text);
  }
  if (logger != std::string_view::npos) return HistoryFormat::jepsen_log;
  return format_of_word(text);
}

Result<RecordedHistory> read(std::string_view bytes, const std::string& name, HistoryFormat format,
                             const ReadHistoryOptions& options) {
  switch (format) {
    case HistoryFormat::jepsen_edn:
    case HistoryFormat::jepsen_json:
    case HistoryFormat::jepsen_log:
      return read_jepsen(bytes, name, format, options);
    case HistoryFormat::plume:
      return recorded(read_plume(bytes, name));
    case HistoryFormat::awdit:
      return recorded(read_awdit(bytes, name));
    case HistoryFormat::dbcop_bincode:
      return recorded(read_dbcop_bincode(bytes, name));
    case HistoryFormat::dbcop_json:
      return recorded(read_dbcop_json(bytes, name));
    case HistoryFormat::heddle_lines:
      return read_heddle_lines(bytes, name);
    case HistoryFormat::textbook:
      return recorded(read_textbook(bytes, name));
    case HistoryFormat::cobra:
      break;
  }
  return cobra_folder(name);
}

std::optional<std::string> flaw_of(const RecordedHistory& history) {
  return std::visit([](const auto& either) { return find_flaw(either); }, history);
}

}  // namespace

Diagnostic reading_stopped(const std::string& name) {
  const bool is_signal = interrupt_signal() != 0;
  return {.what = fmt::format("the history was not read to its end: {}",
                              is_signal ? "interrupted" : stop_reason() + " is over"),
          .what_to_do = is_signal ? "" : "give more time, or a smaller history",
          .file = name,
          .trouble = is_signal ? Trouble::interrupted : Trouble::bound};
}

Result<HistoryFormat> detect_history_format(std::string_view bytes, const std::string& name) {
  bytes = without_mark(bytes);
  if (bytes.substr(0, kBinaryProbe).find('\0') != std::string_view::npos) {
    if (is_cobra_log(bytes)) return cobra_folder(name);
    return HistoryFormat::dbcop_bincode;
  }
  if (std::ranges::all_of(bytes, is_space)) return unknown_format(name, "the file is empty");
  const std::optional<HistoryFormat> format = format_of_text(bytes);
  if (format) return *format;
  return unknown_format(name, "this does not begin like any known format of histories");
}

Result<RecordedHistory> read_history(std::string_view bytes, const std::string& name,
                                     const ReadHistoryOptions& options) {
  std::optional<HistoryFormat> format = options.format;
  if (!format) {
    const Result<HistoryFormat> detected = detect_history_format(bytes, name);
    if (!detected) return detected.error();
    format = *detected;
  }
  if (*format != HistoryFormat::dbcop_bincode) bytes = without_mark(bytes);
  Result<RecordedHistory> history = read(bytes, name, *format, options);
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

void set_initial(RecordedHistory& history, std::string_view text) {
  if (auto* const calls = std::get_if<ObjectHistory>(&history)) {
    calls->initial = value_as_written(text, calls->texts);
    return;
  }
  auto& transactions = std::get<TransactionHistory>(history);
  transactions.initial.reset();
  if (text != "none") transactions.initial = value_as_written(text, transactions.texts);
}

}  // namespace heddle
