// Suppression files: findings that are known and left alone, with the reason. One entry per line,
//
//   225579a4bf1c  the nightly job never runs twice at a time
//   0f3a90c15b7e  until=2026-12-31  waits for the new schema
//   lost-update-1b53c43160e1  both go through one queue
//
// the id, maybe a last day, and the reason; lines that begin with # are comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle {

struct Suppression {
  std::string id;      // hexadecimal digits, lower case; of races behind their pattern
  std::string until;   // "2026-12-31": the last day on which it holds (UTC); empty: for good
  std::string reason;  // never empty
  SourcePosition position = {};
};

// Errors: a line that is no entry, an id that two entries name; with file, line and column.
Result<std::vector<Suppression>> parse_suppressions(std::string_view text, std::string_view file);

// The entries as a file, which reads back as the same entries. REQUIRES: reasons without line ends
// and blanks at their ends.
std::string write_suppressions(const std::vector<Suppression>& entries);

}  // namespace heddle
