// The pieces of SQL in a body of PL/pgSQL, whatever steers them: each may run, or not, or often.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::race {

// A value of the row for which a trigger fires.
struct TriggerValue {
  bool is_new = true;  // of NEW, else of OLD
  std::string column = {};

  friend bool operator==(const TriggerValue&, const TriggerValue&) = default;
};

struct RoutineText {
  // Expressions as "SELECT x"; INTO and its targets are left out. In those of triggers $1 stands
  // for the first of `values`.
  std::vector<std::string> statements = {};
  std::vector<TriggerValue> values = {};
  // Columns of NEW that it changes; "*": perhaps all.
  std::set<std::string> changed = {};
  // Columns of OLD and NEW that it looks at; "*": perhaps all.
  std::set<std::string> read = {};
  bool is_whole = true;  // false: it runs text that it makes, or something that is not understood
};

// `is_trigger`: NEW and OLD are rows. Never fails: what is not understood is in `is_whole`.
RoutineText read_plpgsql(std::string_view body, bool is_trigger);

}  // namespace heddle::race
