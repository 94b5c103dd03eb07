// What a way of failing should leave is a row of a table: the functionality whole, nothing of it,
// or either. Who reads in between comes before or behind the functionality then, and must have read
// something else than where that does not run at all: else its read is none of what never
// completes.
#include "split/failures/judge_failure.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "compare/outcome.h"
#include "explore/explain.h"
#include "explore/finding_id.h"

namespace heddle::failures {

namespace {

// Sessions one after the other, and what they left.
struct SerialCalls {
  std::vector<std::size_t> sessions;
  Outcome outcome;
  Run run;
};

class FailureJudge {
 public:
  FailureJudge(const Rehearsal& rehearsal, const PlacedFailure& placed,
               const ChoppedProgram& chopped, const StagedCalls& staged, Runner& runner)
      : rehearsal_(rehearsal),
        failure_(placed.failure),
        chopped_(chopped),
        staged_(staged),
        runner_(runner),
        fixed_(fixed_values(runner.initial_tables())) {}

  Result<FoundExecution> judge(const std::string& store) {
    Result<SerialCalls> failed = run_failing();
    if (!failed) return failed.error();
    if (auto trouble = trouble_of(*failed)) return *std::move(trouble);
    std::vector<SerialCalls> right;
    for (const std::vector<std::size_t>& order : right_orders()) {
      Result<SerialCalls> serial = run(order);
      if (!serial) return serial.error();
      if (auto trouble = trouble_of(*serial)) return *std::move(trouble);
      right.push_back(std::move(*serial));
    }
    if (staged_.reader && reads_as_alone(*failed, right.front())) {
      const Result<bool> builds_on_it = is_right_without_reader();
      if (!builds_on_it) return builds_on_it.error();
      if (!*builds_on_it) {
        return not_shown(store, fmt::format("{} gets the same answers without {}",
                                            name(*staged_.reader), name(staged_.whole)));
      }
    }
    return compare_all(*std::move(failed), right, store);
  }

 private:
  static std::optional<FoundExecution> trouble_of(const SerialCalls& calls) {
    if (calls.run.end == RunEnd::complete) return std::nullopt;
    const bool is_limit =
        calls.run.end == RunEnd::timed_out || calls.run.end == RunEnd::interrupted;
    return FoundExecution{
        .status = is_limit ? FindingStatus::possible : FindingStatus::not_executable,
        .reason =
            calls.run.trouble.empty() ? std::string(to_string(calls.run.end)) : calls.run.trouble,
        .is_cut_short = is_limit,
        .finding = {}};
  }

  // One run is no proof: with other rows and arguments something may be lost.
  FoundExecution not_shown(const std::string& store, const std::string& why) const {
    return {.status = FindingStatus::not_shown,
            .reason = fmt::format("executed on {}: {}", store, why),
            .was_run = true,
            .runs = 1,
            .finding = {}};
  }

  Result<SerialCalls> run(const std::vector<std::size_t>& sessions) {
    std::vector<SerialBlock> blocks;
    for (const std::size_t session : sessions) {
      blocks.push_back({.session = SessionId(static_cast<std::uint32_t>(session)),
                        .steps = staged_.scenario.sessions[session].steps,
                        .extent = SerialBlock::Extent::rest});
    }
    Result<Run> done = runner_.run_serial(blocks);
    if (!done) return done.error();
    SerialCalls calls{.sessions = sessions, .outcome = {}, .run = std::move(*done)};
    calls.outcome = outcome_of(calls.run, staged_.scenario, unseen());
    return calls;
  }

  // Sessions whose answers nobody compares: what a failed call says is no part of it.
  std::vector<SessionId> unseen() const {
    std::vector<SessionId> sessions;
    for (std::size_t i = 0; i < staged_.scenario.sessions.size(); ++i) {
      if (staged_.reader != i) sessions.emplace_back(static_cast<std::uint32_t>(i));
    }
    return sessions;
  }

  // What the store itself reads for a write shows in rows alone: then these are wrong because of
  // the reader only where they are right without it.
  Result<bool> is_right_without_reader() {
    if (failure_.way != FailureWay::compensation) return false;
    const Result<SerialCalls> compensated = run_failing(false);
    if (!compensated) return compensated.error();
    const Result<SerialCalls> nothing = run({});
    if (!nothing) return nothing.error();
    return compensated->run.end == RunEnd::complete &&
           is_equal(compensated->outcome, nothing->outcome, fixed_);
  }

  Result<SerialCalls> run_failing(bool has_reader = true) {
    std::vector<std::size_t> sessions{staged_.stopped};
    if (staged_.reader && has_reader) sessions.push_back(*staged_.reader);
    if (failure_.way == FailureWay::lost_answer) sessions.push_back(staged_.whole);
    if (failure_.way != FailureWay::compensation) return run(sessions);
    Result<SerialCalls> alone = run({staged_.stopped});
    if (!alone || alone->run.end != RunEnd::complete) return alone;
    for (const std::size_t session : undone_by(alone->run)) sessions.push_back(session);
    return run(sessions);
  }

  // The compensations of what ran, the last first.
  std::vector<std::size_t> undone_by(const Run& run) const {
    const std::map<std::size_t, std::size_t> last = last_statements(run);
    std::vector<std::pair<std::size_t, std::size_t>> undone;  // by when the undone one ended
    for (std::size_t i = 0; i < staged_.undone_by.size(); ++i) {
      const auto ran = last.find(rehearsal_.undone_by()[i].sub_transaction);
      if (ran != last.end()) undone.emplace_back(ran->second, staged_.undone_by[i]);
    }
    std::ranges::sort(undone, std::ranges::greater());
    std::vector<std::size_t> sessions;
    for (const auto& [when, session] : undone) sessions.push_back(session);
    return sessions;
  }

  // Of each sub-transaction that ran, the place of its last statement among all that were sent.
  std::map<std::size_t, std::size_t> last_statements(const Run& run) const {
    std::map<std::size_t, std::size_t> sub_of;
    const auto& subs = chopped_.sub_transactions[failure_.at.functionality];
    for (std::size_t i = 0; i < subs.size(); ++i) {
      for (const std::size_t statement : subs[i].statements) sub_of[statement] = i;
    }
    std::map<std::size_t, std::size_t> last;
    std::size_t place = 0;
    for (const StepRecord& record : run.records) {
      for (const std::optional<std::size_t>& statement : record.statements) {
        ++place;
        if (statement && sub_of.contains(*statement)) last[sub_of[*statement]] = place;
      }
    }
    return last;
  }

  // Who reads alone comes first.
  std::vector<std::vector<std::size_t>> right_orders() const {
    std::vector<std::vector<std::size_t>> orders;
    const bool may_be_whole = failure_.way != FailureWay::compensation;
    const bool may_be_nothing = failure_.way != FailureWay::lost_answer;
    if (!staged_.reader) {
      if (may_be_whole) orders.push_back({staged_.whole});
      if (may_be_nothing) orders.emplace_back();
      return orders;
    }
    orders.push_back({*staged_.reader});
    if (!may_be_whole) return orders;
    orders.push_back({staged_.whole, *staged_.reader});
    orders.push_back({*staged_.reader, staged_.whole});
    return orders;
  }

  bool reads_as_alone(const SerialCalls& failed, const SerialCalls& alone) const {
    const auto answers = [](const SerialCalls& calls) {
      return Outcome{.sessions = calls.outcome.sessions, .tables = {}, .invariants = {}};
    };
    return is_equal(answers(failed), answers(alone), fixed_);
  }

  FoundExecution compare_all(SerialCalls failed, const std::vector<SerialCalls>& right,
                             const std::string& store) const {
    Finding finding;
    finding.effect = Effect::internal;
    for (const SerialCalls& serial : right) {
      OutcomeComparison comparison =
          compare(failed.outcome, serial.outcome, staged_.scenario, fixed_);
      if (comparison.equal()) {
        return not_shown(store, fmt::format("it ends as {} does", order_text(serial)));
      }
      if (comparison.final_equal) finding.effect = Effect::external;
      finding.serial.push_back(
          {.order = names(serial), .differences = std::move(comparison.differences)});
    }
    finding.broken_invariants = broken_in(failed, right);
    finding.kind = staged_.reader ? AnomalyKind::aborted_read : AnomalyKind::unserializable_outcome;
    finding.status = FindingStatus::confirmed;
    finding.store = store;
    finding.scenario = staged_.scenario;
    finding.schedule = failed.run.planned;
    finding.run = std::move(failed.run);
    explain_failure(finding);
    std::vector<Finding> one;
    one.push_back(std::move(finding));
    assign_ids(one);
    FoundExecution confirmed{.status = FindingStatus::confirmed,
                             .reason = "",
                             .was_run = true,
                             .runs = 1,
                             .finding = std::move(one.front())};
    confirmed.broken_invariants = confirmed.finding->broken_invariants;
    return confirmed;
  }

  // That hold after everything that is right.
  static std::vector<std::string> broken_in(const SerialCalls& failed,
                                            const std::vector<SerialCalls>& right) {
    std::vector<std::string> broken;
    std::size_t next = 0;
    for (const InvariantOutcome& outcome : failed.run.invariants) {
      const std::size_t number = next++;
      const bool holds_elsewhere = std::ranges::all_of(
          right, [&](const SerialCalls& serial) { return serial.run.invariants[number].holds; });
      if (!outcome.holds && holds_elsewhere) broken.push_back(outcome.name);
    }
    return broken;
  }

  void explain_failure(Finding& finding) const {
    finding.explanation = explain(finding, runner_.initial_tables());
    std::vector<std::string> after;
    for (const PlacedStep& placed : finding.schedule.steps) {
      const std::size_t session = finding.scenario.steps[placed.step.index()].session.index();
      const std::string& who = name(session);
      const bool is_known =
          session == staged_.stopped || std::ranges::find(after, who) != after.end();
      if (!is_known) after.push_back(who);
    }
    finding.explanation.then = fmt::format(
        "Then {} {}{}.", chopped_.program.functionalities[failure_.at.functionality].name,
        failure_.way == FailureWay::lost_answer
            ? "commits what it has done so far, and its caller does not learn of that"
            : "commits what it has done so far, and stops",
        after.empty() ? "" : "; what comes then is " + join(after, ", then "));
    std::vector<std::string> clauses;
    for (const SerialComparison& serial : finding.serial) {
      const Difference& difference = telling(serial);
      clauses.push_back(fmt::format("{} gives {} for the {} where this run gives {}",
                                    join(serial.order, " then "), difference.serial,
                                    difference.where, difference.observed));
    }
    finding.explanation.however = fmt::format("However, {}.", join(clauses, "; "));
  }

  // What was read is what is wrong with a read; else of rows that stay wrong.
  const Difference& telling(const SerialComparison& serial) const {
    const auto found = std::ranges::find_if(serial.differences, [&](const Difference& difference) {
      return difference.where.starts_with("final rows") != staged_.reader.has_value();
    });
    return found == serial.differences.end() ? serial.differences.front() : *found;
  }

  std::vector<std::string> names(const SerialCalls& calls) const {
    std::vector<std::string> all;
    for (const std::size_t session : calls.sessions) all.push_back(name(session));
    if (all.empty()) all.push_back(name(staged_.whole) + " not at all");
    return all;
  }

  std::string order_text(const SerialCalls& calls) const {
    return calls.sessions.empty() ? name(staged_.whole) + " not at all"
                                  : join(names(calls), ", then ");
  }

  const std::string& name(std::size_t session) const {
    return staged_.scenario.sessions[session].name;
  }

  const Rehearsal& rehearsal_;
  const SplitFailure& failure_;
  const ChoppedProgram& chopped_;
  const StagedCalls& staged_;
  Runner& runner_;
  FixedValues fixed_;
};

}  // namespace

Result<FoundExecution> judge_failure(const Rehearsal& rehearsal, const PlacedFailure& placed,
                                     const ChoppedProgram& chopped, const StagedCalls& staged,
                                     Runner& runner, const std::string& store) {
  return FailureJudge(rehearsal, placed, chopped, staged, runner).judge(store);
}

}  // namespace heddle::failures
