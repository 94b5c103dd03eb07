#include "explore/classify.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "explore/explain.h"
#include "explore/finding_id.h"
#include "vocabulary/history_reads.h"

namespace heddle {

namespace {

// The operations that the cycle, or the illegal read, is made of.
std::vector<OperationId> operations_on_cycle(const Finding& finding) {
  std::vector<OperationId> operations;
  if (finding.cycles.empty()) return operations;
  const Cycle& cycle = finding.cycles.front();
  const History& history = finding.history;
  for (const DependencyEdge& edge : cycle.edges) {
    if (edge.kind == DependencyKind::so) continue;
    operations.insert(operations.end(), {edge.from_operation, edge.to_operation});
  }
  if (!cycle.illegal_read) return operations;
  operations.push_back(*cycle.illegal_read);
  for (const IllegalVersion& illegal :
       illegal_versions(history, committed_transactions(history), *cycle.illegal_read)) {
    for (std::size_t i = 0; i < history.operations.size(); ++i) {
      const Operation& write = history.operations[i];
      if (write.kind == OperationKind::write && write.version == illegal.version) {
        operations.emplace_back(i);
      }
    }
  }
  return operations;
}

// The last step, in the order of completion, that the cycle needs.
std::optional<std::size_t> closing_step(const Finding& finding) {
  std::optional<std::size_t> latest;
  for (const OperationId operation : operations_on_cycle(finding)) {
    const std::size_t record = finding.history.operations[operation.index()].step;
    if (record >= finding.run.records.size()) continue;
    if (!latest || finding.run.records[record].completed > finding.run.records[*latest].completed) {
      latest = record;
    }
  }
  return latest;
}

std::vector<std::string> steps_on_cycle(const Finding& finding) {
  std::set<std::size_t> records;
  for (const OperationId operation : operations_on_cycle(finding)) {
    records.insert(finding.history.operations[operation.index()].step);
  }
  std::vector<std::string> names;
  for (const std::size_t record : records) {
    if (record < finding.run.records.size()) {
      names.push_back(finding.scenario.steps[finding.run.records[record].step.index()].name);
    }
  }
  return names;
}

// Which sessions the cycle goes through.
std::set<std::uint32_t> sessions_on_cycle(const Finding& finding) {
  std::set<std::uint32_t> sessions;
  if (finding.cycles.empty()) return sessions;
  for (const DependencyEdge& edge : finding.cycles.front().edges) {
    sessions.insert(finding.history.transactions[edge.from.index()].session);
    sessions.insert(finding.history.transactions[edge.to.index()].session);
  }
  for (const OperationId operation : operations_on_cycle(finding)) {
    const TransactionId transaction = finding.history.operations[operation.index()].transaction;
    sessions.insert(finding.history.transactions[transaction.index()].session);
  }
  return sessions;
}

std::string cause_of(const Finding& finding) {
  std::string cause = fmt::format("{}/{}/{}", definition(finding.kind).slug,
                                  finding.error_only ? "error only" : to_string(finding.effect),
                                  finding.boundary_problem);
  for (const std::uint32_t session : sessions_on_cycle(finding)) {
    cause += "/" + finding.scenario.sessions[session].name;
  }
  cause += "/" + join(finding.rows, ",") + "/" + join(finding.broken_invariants, ",");
  return cause;
}

AnomalyKind kind_of(const Finding& finding, bool anomalous) {
  if (!anomalous) return AnomalyKind::broken_invariant;
  if (finding.cycles.empty()) return AnomalyKind::unserializable_outcome;
  return finding.cycles.front().kind;
}

// What ran, and where; nothing of what came of it.
Finding run_of(const FindingContext& context, const OutcomeClass& outcome, FindingStatus status) {
  Finding finding;
  finding.scenario = context.scenario;
  finding.unit = context.unit;
  finding.store = context.store;
  finding.isolation = context.isolation;
  finding.status = status;
  finding.schedule = outcome.smallest.planned;
  finding.run = outcome.smallest;
  return finding;
}

}  // namespace

Result<Finding> make_finding(const FindingContext& context, const OutcomeClass& outcome,
                             const SessionScripts& scripts, Judgement judgement, Runner& runner) {
  Finding finding = run_of(context, outcome, FindingStatus::confirmed);
  finding.effect = judgement.anomalous ? judgement.effect : Effect::internal;
  finding.error_only = judgement.anomalous && judgement.error_only;
  finding.boundary_problem = judgement.boundary_problem;
  finding.serial = std::move(judgement.serial);
  finding.broken_invariants = std::move(judgement.broken_invariants);
  finding.also.assign(outcome.schedules.begin() + 1, outcome.schedules.end());

  const FixedValues fixed = fixed_values(runner.initial_tables());
  auto observed = runner.run_observed(scripts, follow(context.scenario, finding.schedule));
  if (!observed && observed.error().trouble == Trouble::interrupted) return observed.error();
  if (observed) {
    if (auto ended = check_end(context.scenario, observed->run); !ended) return ended.error();
  }
  // Watching must not have changed the run; where it did, the finding stays without a cycle.
  if (observed && observed->run.planned == finding.schedule &&
      canonical_key(judged_outcome(observed->run, context.scenario, context.unit), fixed) ==
          canonical_key(judged_outcome(finding.run, context.scenario, context.unit), fixed)) {
    finding.history = std::move(observed->history);
    finding.cycles =
        find_anomalies(finding.history, dependency_graph(finding.history), context.unit);
  }
  finding.kind = kind_of(finding, judgement.anomalous);
  if (!finding.cycles.empty()) finding.rows = rows_of(finding.cycles.front(), finding.history);
  finding.cause_steps = steps_on_cycle(finding);
  finding.wrong_step = closing_step(finding);
  finding.explanation = explain(finding, runner.initial_tables());
  return finding;
}

Finding unconfirmed_run(const FindingContext& context, const OutcomeClass& outcome,
                        const std::vector<std::string>& equal_order,
                        const std::vector<TableState>& initial) {
  Finding finding = run_of(context, outcome, FindingStatus::not_shown);
  finding.explanation = explain_unconfirmed(finding, equal_order, initial);
  return finding;
}

std::vector<Finding> group_by_cause(std::vector<Finding> findings) {
  std::map<std::string, Finding> groups;
  for (Finding& finding : findings) {
    const auto [entry, is_new] = groups.try_emplace(cause_of(finding));
    Finding& group = entry->second;
    if (is_new) {
      group = std::move(finding);
      continue;
    }
    if (is_simpler(finding.scenario, finding.schedule, group.schedule)) std::swap(group, finding);
    group.also.push_back(finding.schedule);
    group.also.insert(group.also.end(), finding.also.begin(), finding.also.end());
  }
  std::vector<Finding> grouped;
  for (auto& [cause, finding] : groups) {
    std::sort(finding.also.begin(), finding.also.end(), [&](const Schedule& a, const Schedule& b) {
      return is_simpler(finding.scenario, a, b);
    });
    grouped.push_back(std::move(finding));
  }
  std::sort(grouped.begin(), grouped.end(), [](const Finding& a, const Finding& b) {
    const auto rank = [](const Finding& finding) {
      return std::make_tuple(finding.broken_invariants.empty(), finding.effect, finding.error_only,
                             count_switches(finding.scenario, finding.schedule), finding.kind,
                             cause_of(finding));
    };
    return rank(a) < rank(b);
  });
  assign_ids(grouped);
  return grouped;
}

}  // namespace heddle
