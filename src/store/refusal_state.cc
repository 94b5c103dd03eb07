#include "store/refusal_state.h"

#include <algorithm>
#include <string_view>

namespace heddle {

namespace {

struct StateOfCode {
  std::string_view code;
  std::string_view state;
};

// MariaDB manual, "Error Codes"; SQLite, "Result and Error Codes"; PostgreSQL manual, appendix A.
constexpr StateOfCode kStates[] = {
    {"1020", "40001"},  // serialization_failure: changed since the snapshot
    {"1048", "23502"},  // not_null_violation
    {"1062", "23505"},  // unique_violation
    {"1146", "42P01"},  // undefined_table
    {"1205", "55P03"},  // lock_not_available
    {"1213", "40P01"},  // deadlock_detected
    {"1264", "22003"},  // numeric_value_out_of_range
    {"1317", "57014"},  // query_canceled
    {"1364", "23502"},  // no default
    {"1365", "22012"},  // division_by_zero
    {"1406", "22001"},  // string_data_right_truncation
    {"1451", "23503"},  // foreign_key_violation: it is referred to
    {"1452", "23503"},  // it refers to nothing
    {"1690", "22003"},  // in an expression
    {"3572", "55P03"},  // NOWAIT
    {"4025", "23514"},  // check_violation
    {"SQLITE_CONSTRAINT_FOREIGNKEY", "23503"},
    {"SQLITE_CONSTRAINT_PRIMARYKEY", "23505"},
    {"SQLITE_CONSTRAINT_ROWID", "23505"},
    {"SQLITE_CONSTRAINT_UNIQUE", "23505"},
};

}  // namespace

std::string refusal_state(const std::string& code) {
  const auto* const known = std::ranges::find(kStates, code, &StateOfCode::code);
  return std::string(known == std::end(kStates) ? code : known->state);
}

}  // namespace heddle
