#include "race/outcome/error_entries.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"
#include "race/outcome/text_tokens.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 12> kErrorWords = {
    "error", "fatal",     "severe",    "critical", "panic", "emerg",
    "alert", "exception", "traceback", "err",      "crit",  "uncaught"};

// How the lines of stack traces begin that are not indented.
constexpr std::array<std::string_view, 5> kTraceLines = {
    "at ", "Caused by:", "Suppressed:", "During handling of the above exception",
    "The above exception was"};

struct LogEntry {
  std::vector<std::string> lines;
  bool is_python_trace = false;  // its last line is the exception, not indented
};

// "org.shop.SeatException: no seat 4", below the line of the logger.
bool begins_with_exception(std::string_view line) {
  const std::string_view name = line.substr(0, line.find_first_of(": "));
  return std::ranges::count(name, '.') > 1 &&
         (name.ends_with("Exception") || name.ends_with("Error"));
}

bool is_continuation(std::string_view line, const LogEntry& entry) {
  if (line.empty() || line[0] == ' ' || line[0] == '\t') return true;
  if (entry.lines.size() == 1 && begins_with_exception(line)) {
    return !begins_with_exception(entry.lines.front());
  }
  if (std::ranges::any_of(kTraceLines, [&](auto begin) { return line.starts_with(begin); })) {
    return true;
  }
  // "Traceback", its frames, and then the exception.
  return entry.is_python_trace && entry.lines.size() > 1 &&
         (entry.lines.back().starts_with(' ') || entry.lines.back().empty());
}

std::vector<LogEntry> list_entries(std::string_view log) {
  std::vector<LogEntry> entries;
  for (std::string& line : split(log, '\n')) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!entries.empty() && is_continuation(line, entries.back())) {
      if (!trim(line).empty()) entries.back().lines.push_back(std::move(line));
      continue;
    }
    if (trim(line).empty()) continue;
    const bool is_trace = line.find("Traceback (most recent call last)") != std::string::npos;
    // A logger's line, and below it the trace of what it tells.
    const bool is_told = is_trace && line.starts_with("Traceback") && !entries.empty();
    if (is_told) {
      entries.back().lines.push_back(std::move(line));
      entries.back().is_python_trace = true;
      continue;
    }
    entries.push_back({{std::move(line)}, is_trace});
  }
  return entries;
}

// What follows "error" in "error: null", "errors=0": nothing went wrong.
bool says_none(std::string_view behind) {
  const std::size_t value = behind.find_first_not_of("\"' :=");
  if (value == 0 || value == std::string_view::npos) return false;
  const std::vector<TextToken> tokens = split_tokens(behind.substr(value, 16));
  return is_one_of(to_lower(tokens.front().text), {"null", "none", "false", "nil", "0"});
}

// IllegalStateException, TypeError.
bool names_exception(std::string_view word) {
  return word.size() > 5 && (word.ends_with("Exception") || word.ends_with("Error"));
}

// Pino and bunyan write levels as numbers: 50 is an error, 60 is fatal.
bool has_error_level(std::string_view line) {
  for (const std::string_view level : {"\"level\":50", "\"level\":60"}) {
    if (line.find(level) != std::string_view::npos) return true;
  }
  return false;
}

bool tells_error(std::string_view line) {
  if (has_error_level(line)) return true;
  std::size_t at = 0;
  for (const TextToken& token : split_tokens(line)) {
    at += token.text.size();
    if (token.kind != TokenKind::word) continue;
    if (names_exception(token.text)) return true;
    if (is_one_of(to_lower(token.text), kErrorWords) && !says_none(line.substr(at))) return true;
  }
  return false;
}

bool is_frame(std::string_view line) {
  const std::string_view text = trim(line);
  return text.starts_with("at ") || text.starts_with("File \"") || text.starts_with("... ");
}

void append_words(std::string& words, std::string_view line) {
  for (const TextToken& token : split_tokens(line)) {
    const bool is_text = token.kind == TokenKind::word || token.kind == TokenKind::mark;
    words += is_text ? token.text : "#";
  }
  words += '\n';
}

}  // namespace

std::vector<ErrorEntry> list_error_entries(std::string_view log) {
  std::vector<ErrorEntry> errors;
  for (const LogEntry& entry : list_entries(log)) {
    if (!std::ranges::any_of(entry.lines, tells_error)) continue;
    ErrorEntry& error = errors.emplace_back(ErrorEntry{.text = entry.lines.front()});
    for (const std::string& line : entry.lines) {
      // The line of source below a frame of Python is indented as deep as nothing else.
      if (!is_frame(line) && !line.starts_with("    ")) append_words(error.words, line);
    }
  }
  return errors;
}

}  // namespace heddle
