/// Finding: an anomaly, the schedule that shows it, and what executing that schedule gave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/dependency.h"
#include "heddle/explanation.h"
#include "heddle/history.h"
#include "heddle/isolation.h"
#include "heddle/outcome.h"
#include "heddle/scenario.h"
#include "heddle/schedule.h"
#include "heddle/verdict.h"

namespace heddle {

/// Internal: the final state differs from every serial order's. External: only reads differ.
enum class Effect : std::uint8_t { internal, external };

/// "internal", "external".
std::string_view to_string(Effect effect);

/// The place where a run and a serial order part.
struct Difference {
  std::string where;     ///< "final rows of account", "result of step r2", "error of step w1"
  std::string observed;  ///< text of the run's side
  std::string serial;    ///< text of the serial order's side
};

/// One serial order of the units and how the anomalous run differs from it.
struct SerialComparison {
  std::vector<std::string> order;       ///< names of the units, "s1", "s2"
  std::vector<Difference> differences;  ///< never empty for an anomaly
};

struct Finding {
  std::string id;  ///< stable: a hash of the scenario's statements, the kind and the cause
  AnomalyKind kind = AnomalyKind::unserializable_outcome;
  Effect effect = Effect::internal;
  /// External: some serial order differs in nothing but that sessions end in errors, or do not.
  bool error_only = false;
  FindingStatus status = FindingStatus::possible;
  bool boundary_problem = false;  ///< exists only between sessions: a transaction ends too early
  Unit unit = Unit::session;
  std::string store;  ///< "PostgreSQL 15.4 (throwaway)"
  std::optional<IsolationLevel>
      isolation;  ///< the level given to the sessions; none: as the file says
  Scenario scenario;
  Schedule schedule;  ///< the smallest bad one of its group
  Run run;            ///< what executing `schedule` gave
  std::vector<SerialComparison> serial;
  std::vector<std::string> broken_invariants;
  std::vector<Cycle> cycles;  ///< in `history`
  History history;
  std::vector<std::string> cause_steps;   ///< steps on the cycle
  std::vector<std::string> rows;          ///< "account(id=1)"
  std::optional<std::size_t> wrong_step;  ///< index into run.records: where it went wrong
  Explanation explanation;
  std::vector<Schedule> also;  ///< the other bad schedules of the same cause, smallest first
  std::optional<std::string> suppressed;  ///< why it is known and left alone; none: it counts
};

/// Whether it is an order that was expected to go wrong, and that no run has shown to: what would
/// confirm it is any outcome that no serial order has.
bool is_unconfirmed(const Finding& finding);

/// The finding as a JSON document, "heddle": "finding/1" (docs/formats/finding.md).
std::string to_json(const Finding& finding);

/// Reads such a document; diagnostics name `file`, line and column.
Result<Finding> parse_finding(std::string_view json, std::string_view file);

}  // namespace heddle
