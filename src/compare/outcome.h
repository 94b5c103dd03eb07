// The oracle's eye: the part of a run that must equal a serial run's, and the comparison.
//
//   Outcome run = outcome_of(interleaved, scenario, interleaved.aborted);
//   Outcome serial = outcome_of(serial_run, scenario, {});
//   OutcomeComparison comparison = compare(run, serial, scenario, fixed_values(initial_tables));
//   if (!comparison.equal()) report(comparison.differences);
//
// Waits, notices, skipped steps and the order of events between sessions are no part of an outcome.
// Values in generated columns (Column::generated) are equal up to one renaming of the whole
// outcome: a bijection of the values of each domain, the same in all tables and results.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/finding.h"
#include "heddle/outcome.h"
#include "heddle/scenario.h"

namespace heddle {

// The replies of one execution of a step.
struct StepOutcome {
  StepId step;
  std::vector<Reply> replies;
  // Of a functionality, which may spread the same statements over other steps: they are counted
  // from its beginning on.
  bool is_call = false;
  std::optional<Reply> call_end = {};  // what its caller got
};

struct Outcome {
  std::vector<std::vector<StepOutcome>> sessions;  // by SessionId, each in program order
  std::vector<TableState> tables;                  // sorted by name
  std::vector<InvariantOutcome> invariants;        // only whether they hold is compared
};

// A value of a generated column.
struct GeneratedValue {
  std::string domain;  // Column::domain
  std::string value;

  friend auto operator<=>(const GeneratedValue&, const GeneratedValue&) = default;
};

// Generated values that were there before the first step: each is renamed to itself only.
using FixedValues = std::set<GeneratedValue>;

// An execution of a step, counted from 0 among the executions of that step.
struct StepOccurrence {
  StepId step;
  std::size_t occurrence = 0;

  friend bool operator==(const StepOccurrence&, const StepOccurrence&) = default;
};

struct OutcomeComparison {
  bool final_equal = true;  // final rows and invariants
  // Results, errors and rows affected. Where the final state is equal, under a renaming that also
  // makes the final state equal.
  bool reads_equal = true;
  // The bound on the search for a renaming was hit, and nothing else differed: taken as equal, so
  // that no anomaly is claimed that may be none.
  bool exact = true;
  std::vector<Difference> differences;      // reads in program order, then tables; empty iff equal
  std::vector<StepOccurrence> wrong_steps;  // whose reads differ, in the order of `differences`
  std::vector<std::string> wrong_tables;    // whose final rows differ

  bool equal() const { return final_equal && reads_equal; }
};

// Leaves out the steps of `removed` sessions and the skipped ones.
Outcome outcome_of(const Run& run, const Scenario& scenario, const std::vector<SessionId>& removed);

// The values in generated columns of `tables`, the state before the first step, after
// mark_generated.
FixedValues fixed_values(const std::vector<TableState>& tables);

// Whether compare would say equal: the cheap question, without the differences.
bool is_equal(const Outcome& run, const Outcome& serial, const FixedValues& fixed = {});

// `scenario` names the steps in the differences.
OutcomeComparison compare(const Outcome& run, const Outcome& serial, const Scenario& scenario,
                          const FixedValues& fixed = {});

// Equal keys imply equal outcomes up to renaming. Equal outcomes have equal keys but for rare
// symmetric ones: group by the key first, then compare the groups' representatives.
std::string canonical_key(const Outcome& outcome, const FixedValues& fixed = {});

}  // namespace heddle
