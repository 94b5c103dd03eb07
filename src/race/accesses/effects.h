// What a statement does besides what its text says: the functions that it calls, the triggers that
// it fires, the rows that go or change with its rows because they refer to them.
//
// Which rows these are is told where the row is known for which a trigger fires or to which others
// refer; below that it is not, and any row may be meant. Each is followed once: a trigger may fire
// itself.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "race/accesses/access.h"
#include "race/accesses/routines.h"

namespace heddle::race {

class Effects {
 public:
  // Of the statement at `place` of the unit's text.
  Effects(const TraceStatement& unit, std::size_t place, const StoreTables& tables)
      : unit_(unit), place_(place), tables_(tables) {}

  // What the functions do that somebody has made: nothing where they are immutable, what their text
  // says where it is known, else anything: a stable one reads it, others write it, too.
  // REQUIRES: the statement calls a function that is not PostgreSQL's own.
  std::vector<Access> of_functions(const std::vector<std::string>& names, StatementKind kind);

  // What follows from what a statement writes. Adds to it the columns that triggers look at and
  // change before the row is written.
  std::vector<Access> of_writes(std::vector<Access>& written);

 private:
  bool follow(const Routine& routine, const std::vector<TraceParameter>& values,
              const std::string& through, std::vector<Access>& all);
  void fire_triggers(Access& written, std::vector<Access>& all);
  void fire(const std::vector<const Routine*>& routines, const Access& written,
            const std::string& through, std::vector<Access>& all);
  void follow_references(const Access& written, std::vector<Access>& all);
  void add_anything(const std::string& through, std::vector<Access>& all) const;

  const TraceStatement& unit_;
  std::size_t place_;
  const StoreTables& tables_;
  std::size_t depth_ = 0;               // of what is being followed
  std::set<const Routine*> followed_;   // without values
  std::set<std::string> gone_through_;  // tables and what was done to them, below the statement
};

// Any table, read and written as long as nobody says otherwise.
Access any_table_access(const TraceStatement& unit, std::size_t place, StatementKind kind);

}  // namespace heddle::race
