// What levels rule out, level by level: the whole table as it was kept by hand before it followed
// from the order of levels, as an oracle.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "heddle/isolation.h"

namespace heddle {
namespace {

struct LevelRow {
  std::string_view level;
  std::string_view kinds;
};

constexpr LevelRow kTable[] = {
    {"eventual", ""},
    {"causal-visibility", ""},
    {"causal", ""},
    {"read-uncommitted", "dirty-write"},
    {"read-committed",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow"},
    {"repeatable-read-axiom", "non-repeatable-read"},
    {"repeatable-read",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow lost-update non-repeatable-read "
     "fractured-read read-skew long-fork nonadjacent-cycle write-skew serialization-cycle"},
    {"snapshot",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow lost-update non-repeatable-read "
     "fractured-read read-skew long-fork nonadjacent-cycle"},
    {"serializable",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow lost-update non-repeatable-read "
     "fractured-read read-skew long-fork nonadjacent-cycle phantom write-skew "
     "serialization-cycle"},
    {"linearizable", "non-linearizable"},
    {"strict-serializable",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow lost-update non-repeatable-read "
     "fractured-read read-skew long-fork nonadjacent-cycle phantom write-skew "
     "serialization-cycle causality-violation session-cycle real-time-cycle"},
    {"read-your-writes",
     "aborted-read intermediate-read unwritten-read future-read internal-inconsistency "
     "inconsistent-order"},
    {"monotonic-reads",
     "aborted-read intermediate-read unwritten-read future-read internal-inconsistency "
     "inconsistent-order"},
    {"monotonic-writes",
     "aborted-read intermediate-read unwritten-read future-read internal-inconsistency "
     "inconsistent-order"},
    {"writes-follow-reads",
     "aborted-read intermediate-read unwritten-read future-read internal-inconsistency "
     "inconsistent-order"},
    {"read-committed-biswas-enea",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow"},
    {"read-atomic",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow non-repeatable-read "
     "fractured-read"},
    {"transactional-causal",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow non-repeatable-read "
     "fractured-read causality-violation"},
    {"prefix",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow non-repeatable-read "
     "fractured-read long-fork causality-violation"},
    {"parallel-snapshot",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow lost-update non-repeatable-read "
     "fractured-read read-skew causality-violation"},
    {"strong-session-snapshot",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow lost-update non-repeatable-read "
     "fractured-read read-skew long-fork nonadjacent-cycle causality-violation"},
    {"strong-session-serializable",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow lost-update non-repeatable-read "
     "fractured-read read-skew long-fork nonadjacent-cycle phantom write-skew "
     "serialization-cycle causality-violation session-cycle"},
    {"quiescent", ""},
    {"sequential", ""},
    {"postgres:read-committed",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow"},
    {"postgres:repeatable-read",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow lost-update non-repeatable-read "
     "fractured-read read-skew long-fork nonadjacent-cycle causality-violation"},
    {"postgres:serializable",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow lost-update non-repeatable-read "
     "fractured-read read-skew long-fork nonadjacent-cycle phantom write-skew "
     "serialization-cycle causality-violation"},
    {"mariadb:read-uncommitted", "dirty-write"},
    {"mariadb:read-committed",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow"},
    {"mariadb:repeatable-read",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow"},
    {"mariadb:serializable",
     "dirty-write aborted-read intermediate-read unwritten-read future-read "
     "internal-inconsistency inconsistent-order circular-flow lost-update non-repeatable-read "
     "fractured-read read-skew long-fork nonadjacent-cycle phantom write-skew "
     "serialization-cycle"},
    {"cassandra:one", ""},
};

std::string table_in_code() {
  std::string table;
  for (const LevelDefinition& level : isolation_levels()) {
    std::vector<std::string> kinds;
    for (const AnomalyKind kind : level.proscribes) kinds.emplace_back(definition(kind).slug);
    table += std::string(level.name) + ": " + join(kinds, " ") + "\n";
  }
  return table;
}

// Without the row and the kind that are named.
std::string table_by_hand(std::string_view level = "", std::string_view left_out = "") {
  std::string table;
  for (const LevelRow& row : kTable) {
    std::string kinds(row.kinds);
    if (row.level == level) kinds.erase(kinds.find(left_out), left_out.size() + 1);
    table += std::string(row.level) + ": " + kinds + "\n";
  }
  return table;
}

TEST(LevelsTable, FollowsFromTheOrderOfLevels) { EXPECT_EQ(table_in_code(), table_by_hand()); }

TEST(LevelsTable, CanaryATableThatLacksOneKindIsNoticed) {
  EXPECT_NE(table_in_code(), table_by_hand("postgres:repeatable-read", "read-skew"));
  EXPECT_NE(table_in_code(), table_by_hand("read-committed", "dirty-write"));
}

}  // namespace
}  // namespace heddle
