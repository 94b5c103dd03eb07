/// How much of a program's code was read, and why the rest was not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/program.h"

namespace heddle {

/// Why code was not read, or not exactly.
enum class ReadingReason : std::uint8_t {
  too_long,      ///< a functionality: what it calls stands in it in any order and number
  recursive,     ///< a call of a method that is being followed
  too_deep,      ///< a call, or code that is nested too deeply
  several_ways,  ///< a call of a method that several classes implement
  no_source,     ///< a call that is given the store, of something without source
  ended,         ///< a functionality: an interrupt or a bound of the whole command came first
  generated,     ///< a class that a tool made: its methods are no functionalities
  test,          ///< a class with tests
  uncalled,      ///< a method that no functionality calls, as far as calls are followed
  not_java,      ///< a file that does not parse
};

/// What has one of the reasons.
struct ReadingCount {
  ReadingReason reason = ReadingReason::too_long;
  std::size_t count = 0;
  std::vector<SourceLocation> first;  ///< up to three, in the order of the files
};

struct Reading {
  std::size_t files = 0;
  std::size_t methods = 0;       ///< that may reach a store by the names of what they call
  std::size_t exact = 0;         ///< functionalities without any of the reasons
  std::size_t approximated = 0;  ///< functionalities with one; nothing of them is left out
  std::size_t unread = 0;  ///< methods that may be functionalities, and of which nothing is known
  /// Functionalities whose connection, which a caller gives, is taken to be in one transaction that
  /// the caller ends.
  std::size_t assumed = 0;
  std::vector<ReadingCount> counts;        ///< in the order of the reasons
  std::vector<SourceLocation> redis = {};  ///< calls of clients of Redis that were followed
};

/// A line for the whole and one for each reason, with the first places; none where all was exact.
std::vector<std::string> describe(const Reading& reading);

}  // namespace heddle
