#include "heddle/statement.h"

#include <array>

namespace heddle {

std::string_view to_string(StatementKind kind) {
  constexpr std::array<std::string_view, 28> kNames = {"select",
                                                       "insert",
                                                       "update",
                                                       "delete",
                                                       "merge",
                                                       "truncate",
                                                       "lock table",
                                                       "begin",
                                                       "commit",
                                                       "rollback",
                                                       "savepoint",
                                                       "rollback to savepoint",
                                                       "release savepoint",
                                                       "prepare transaction",
                                                       "commit prepared",
                                                       "rollback prepared",
                                                       "set",
                                                       "set transaction",
                                                       "data definition",
                                                       "cluster definition",
                                                       "maintenance",
                                                       "call",
                                                       "notify",
                                                       "cursor",
                                                       "prepare",
                                                       "copy",
                                                       "explain",
                                                       "other"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(LockingClause clause) {
  constexpr std::array<std::string_view, 5> kNames = {"", "for key share", "for share",
                                                      "for no key update", "for update"};
  return kNames.at(static_cast<std::size_t>(clause));
}

std::string_view to_string(WaitPolicy policy) {
  constexpr std::array<std::string_view, 3> kNames = {"", "nowait", "skip locked"};
  return kNames.at(static_cast<std::size_t>(policy));
}

}  // namespace heddle
