// The errors of a log, told apart by what they say and not by when, where and to whom.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// An error with its stack trace.
struct ErrorEntry {
  std::string text = {};   // its first line, as it was written
  std::string words = {};  // what is equal in equal errors: without times, ids, numbers, addresses
};

// A line belongs to the entry before it where it is indented, or is what stack traces are made of.
// An error is an entry with a word for one: a level, the name of an exception.
std::vector<ErrorEntry> list_error_entries(std::string_view log);

}  // namespace heddle
