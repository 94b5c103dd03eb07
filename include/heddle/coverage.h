/// Coverage: how much of a program was read, and which places that use a store were not.
///
///   if (!is_complete(program.coverage)) // "nothing found" says nothing of the unread places
///
/// What there is to read is estimated from marks in the text, which know nothing of the readers, so
/// that what a reader passes over is noticed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle {

/// A place that uses a store and that no reader accounts for.
struct UnreadPlace {
  std::string file;  ///< as the user named it
  SourcePosition position;
  std::string what;  ///< a few words of the text there

  friend bool operator==(const UnreadPlace&, const UnreadPlace&) = default;
};

/// What is not read: a mapper, a driver, a store, or statements of a kind; and where it is used.
struct UnreadUse {
  std::string technology;
  std::string what_to_do;
  std::vector<UnreadPlace> places;         ///< sorted by file and line
  std::vector<UnreadPlace> excluded = {};  ///< that the user excludes by name, sorted
};

/// How things were read.
struct ReadCounts {
  std::size_t exactly = 0;
  std::size_t approximately = 0;  ///< taken for more than they may do
  std::size_t not_at_all = 0;     ///< taken for anything, where nobody knows on which tables

  friend bool operator==(const ReadCounts&, const ReadCounts&) = default;
};

struct Coverage {
  bool is_measured = false;  ///< false: nobody has looked
  ReadCounts functionalities;
  ReadCounts statements;
  std::vector<UnreadUse> unread = {};     ///< the most places first
  std::vector<std::string> remarks = {};  ///< what was left out on purpose, and why
};

/// How many places were not read, without those that are excluded, and those.
std::size_t count_unread(const Coverage& coverage);
std::size_t count_excluded(const Coverage& coverage);

/// Whether every place that uses a store was read, exactly or for more than it does, or excluded.
bool is_complete(const Coverage& coverage);

/// Whether that was exactly.
bool is_exact(const Coverage& coverage);

/// Sets aside the places in files that the user leaves out by name: they count as excluded.
void exclude_places(Coverage& coverage,
                    const std::function<bool(const std::string& file)>& is_excluded);

}  // namespace heddle
