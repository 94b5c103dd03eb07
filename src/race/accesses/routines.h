// The functions and procedures that somebody has made in a store, with what their bodies do.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/trace.h"
#include "race/accesses/parsed_text.h"
#include "race/accesses/routine_text.h"

namespace heddle::race {

struct Routine {
  const TraceFunction* function = nullptr;
  RoutineText text = {};                // of the whole of one in SQL: one statement of several
  std::vector<ParsedText> parsed = {};  // of each of its statements
  bool is_whole = false;                // these are all that it does with tables
};

class Routines {
 public:
  Routines() = default;
  // Keeps pointers.
  explicit Routines(const TraceCatalogue& catalogue);
  Routines(const Routines&) = delete;
  Routines& operator=(const Routines&) = delete;

  // Those of the name, with its schema or without: which of several is called, nobody knows.
  std::vector<const Routine*> named(std::string_view name) const;

 private:
  std::vector<Routine> all_;
  std::map<std::string, std::vector<const Routine*>, std::less<>> by_name_;
};

}  // namespace heddle::race
