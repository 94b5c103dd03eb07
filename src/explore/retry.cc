#include "explore/retry.h"

#include <algorithm>
#include <utility>

#include "replay/serial.h"

namespace heddle {

namespace {

// Only the final state counts: what the first attempt read its user never saw.
Outcome final_state(Outcome outcome) {
  outcome.sessions.clear();
  return outcome;
}

// A run in which every session does all its steps, for asking about the serial orders.
Run whole_run(const SessionScripts& scripts) {
  Run run;
  for (const std::vector<PlacedStep>& script : scripts) {
    for (const PlacedStep& placed : script) {
      StepRecord record;
      record.step = placed.step;
      run.records.push_back(std::move(record));
    }
  }
  return run;
}

}  // namespace

Result<std::optional<RetryReport>> examine_retries(const Scenario& scenario,
                                                   const SearchResult& found,
                                                   const std::vector<SessionScripts>& scripts,
                                                   Runner& runner) {
  SerialOrders orders(scenario, runner);
  const FixedValues fixed = fixed_values(runner.initial_tables());
  RetryReport report;
  for (const OutcomeClass& outcome : found.classes) {
    if (outcome.smallest.aborted.empty()) continue;
    const SessionScripts& own = scripts[outcome.script];
    auto serial = orders.orders_for(whole_run(own), Unit::session);
    if (!serial) return serial.error();
    const Schedule& schedule = outcome.smallest.planned;
    auto run = runner.run_retried(own, follow(scenario, schedule));
    if (!run) return run.error();
    if (auto ended = check_end(scenario, *run); !ended) return ended.error();
    if (run->end != RunEnd::complete || run->aborted.empty() || !(*serial)->complete) continue;
    ++report.runs;
    const Outcome state = final_state(outcome_of(*run, scenario, {}));
    const bool is_serial = std::ranges::any_of((*serial)->runs, [&](const SerialRun& order) {
      return is_equal(state, final_state(order.outcome), fixed);
    });
    if (is_serial) {
      ++report.repaired;
    } else if (!report.repeats) {
      report.repeats = schedule;
      for (const SessionId session : run->aborted) {
        report.retried.push_back(scenario.sessions[session.index()].name);
      }
    }
  }
  if (report.runs == 0) return std::optional<RetryReport>();
  return std::optional(std::move(report));
}

}  // namespace heddle
