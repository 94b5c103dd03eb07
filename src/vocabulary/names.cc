// The words for the values of small enumerations, in the order of each enumeration.
#include <array>
#include <cstddef>
#include <string_view>

#include "base/assert.h"
#include "heddle/dependency.h"
#include "heddle/finding.h"
#include "heddle/history.h"
#include "heddle/outcome.h"
#include "heddle/race.h"
#include "heddle/race_finding.h"
#include "heddle/repair.h"
#include "heddle/verdict.h"
#include "heddle/why_not.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 3> kVerdicts = {"satisfied", "violated", "unknown"};
constexpr std::array<std::string_view, 5> kStatuses = {"confirmed", "possible", "not executable",
                                                       "not shown", "refuted"};
constexpr std::array<std::string_view, 5> kStatusSlugs = {"confirmed", "possible", "not-executable",
                                                          "not-shown", "refuted"};
constexpr std::array<std::string_view, 2> kEffects = {"internal", "external"};
constexpr std::array<std::string_view, 2> kUnits = {"session", "transaction"};
constexpr std::array<std::string_view, 5> kDependencies = {"wr", "ww", "rw", "so", "rt"};
constexpr std::array<std::string_view, 3> kOperations = {"read", "write", "predicate-read"};
constexpr std::array<std::string_view, 3> kTransactionOutcomes = {"committed", "aborted",
                                                                  "unknown"};
constexpr std::array<std::string_view, 3> kTransactionStates = {"idle", "open", "failed"};
constexpr std::array<std::string_view, 7> kErrorClasses = {
    "deadlock", "serialization-failure", "lock-timeout", "cancelled", "connection-lost", "refused",
    "other"};
constexpr std::array<std::string_view, 5> kRunEnds = {"complete", "timed-out", "setup-failed",
                                                      "connection-lost", "interrupted"};

constexpr std::array<std::string_view, 7> kRepairs = {
    "raise-isolation", "lock-read",      "move-after-commit", "one-transaction",
    "lock-again",      "move-statement", "self-update"};

constexpr std::array<std::string_view, 10> kRaceResults = {
    "confirmed", "stale read",   "error under overlap", "refused",        "order-dependent",
    "nothing",   "not feasible", "inconclusive",        "not replayable", "not reached"};
constexpr std::array<std::string_view, 10> kRaceResultSlugs = {
    "confirmed", "stale-read",   "error-under-overlap", "refused",        "order-dependent",
    "nothing",   "not-feasible", "inconclusive",        "not-replayable", "not-reached"};
constexpr std::array<std::string_view, 5> kRacePatterns = {
    "creation", "lost update", "check-then-act", "two writes", "read and write"};
constexpr std::array<std::string_view, 5> kRacePatternSlugs = {
    "creation", "lost-update", "check-then-act", "two-writes", "read-and-write"};

constexpr std::array<std::string_view, 4> kObstacles = {"waits", "ends", "fails", "reads-earlier"};

template <class Enumeration, std::size_t size>
std::string_view word(const std::array<std::string_view, size>& words, Enumeration value) {
  const auto index = static_cast<std::size_t>(value);
  HEDDLE_ASSERT(index < size);
  return words[index];
}

}  // namespace

std::string_view to_string(ObstacleKind kind) { return word(kObstacles, kind); }
std::string_view to_string(RepairKind kind) { return word(kRepairs, kind); }
std::string_view to_string(Verdict verdict) { return word(kVerdicts, verdict); }
std::string_view to_string(FindingStatus status) { return word(kStatuses, status); }
std::string_view slug(FindingStatus status) { return word(kStatusSlugs, status); }
bool is_unconfirmed(const Finding& finding) { return finding.status == FindingStatus::not_shown; }

std::string_view to_string(Effect effect) { return word(kEffects, effect); }
std::string_view to_string(Unit unit) { return word(kUnits, unit); }
std::string_view to_string(DependencyKind kind) { return word(kDependencies, kind); }
std::string_view to_string(OperationKind kind) { return word(kOperations, kind); }
std::string_view to_string(TransactionOutcome outcome) {
  return word(kTransactionOutcomes, outcome);
}
std::string_view to_string(TransactionState state) { return word(kTransactionStates, state); }
std::string_view to_string(ErrorClass error_class) { return word(kErrorClasses, error_class); }
std::string_view to_string(RaceResult result) { return word(kRaceResults, result); }
std::string_view slug(RaceResult result) { return word(kRaceResultSlugs, result); }
std::string_view to_string(RacePattern pattern) { return word(kRacePatterns, pattern); }
std::string_view slug(RacePattern pattern) { return word(kRacePatternSlugs, pattern); }
std::string_view to_string(RunEnd end) { return word(kRunEnds, end); }

}  // namespace heddle
