// Findings made up by hand, for the tests of what shows and stores findings.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "heddle/finding.h"

namespace heddle::sample {

// Writes down a run step by step:
//
//   RunNotes notes(parse(kSpec));
//   notes.done("r1", {rows({"balance"}, {{"100"}})});
//   notes.waits("w2", "s1");
//   notes.resumes("w2", {tag("UPDATE 1")});
class RunNotes {
 public:
  explicit RunNotes(Scenario scenario) { finding_.scenario = std::move(scenario); }

  void done(std::string_view step, std::vector<Reply> replies) {
    StepRecord record;
    record.step = find_step(step);
    record.launched = record.completed = ++clock_;
    record.replies = std::move(replies);
    add(std::move(record));
  }

  void waits(std::string_view step, std::string_view session) {
    StepRecord record;
    record.step = find_step(step);
    record.launched = ++clock_;
    record.waited = true;
    record.blocked_by = {find_session(session)};
    add(std::move(record));
  }

  void resumes(std::string_view step, const std::vector<Reply>& replies) {
    for (StepRecord& record : finding_.run.records) {
      if (record.step != find_step(step)) continue;
      record.completed = ++clock_;
      record.replies = replies;
    }
  }

  void skipped(std::string_view step) {
    StepRecord record;
    record.step = find_step(step);
    record.skipped = true;
    add(std::move(record));
  }

  // The row's new value, written by the last step.
  void writes(const std::string& table, const std::string& key, const std::string& value) {
    History& history = finding_.history;
    const Step& step = finding_.scenario.steps[finding_.run.records.back().step.index()];
    const TransactionId writer(history.transactions.size());
    const VersionId version(history.versions.size());
    const OperationId write(history.operations.size());
    history.rows.push_back({table, key});
    history.versions.push_back({RowId(history.rows.size() - 1), writer, value, true});
    history.versions_of.push_back({version});
    history.transactions.push_back(
        {step.session.value, "t", TransactionOutcome::committed, {write}});
    Operation operation;
    operation.kind = OperationKind::write;
    operation.transaction = writer;
    operation.step = static_cast<std::uint32_t>(finding_.run.records.size() - 1);
    operation.version = version;
    history.operations.push_back(operation);
  }

  Finding& finding() { return finding_; }

  StepId find_step(std::string_view name) const {
    for (std::size_t i = 0; i < finding_.scenario.steps.size(); ++i) {
      if (finding_.scenario.steps[i].name == name) return StepId(i);
    }
    HEDDLE_ASSERT(false);
  }

  SessionId find_session(std::string_view name) const {
    for (std::size_t i = 0; i < finding_.scenario.sessions.size(); ++i) {
      if (finding_.scenario.sessions[i].name == name) return SessionId(i);
    }
    HEDDLE_ASSERT(false);
  }

 private:
  void add(StepRecord record) {
    finding_.schedule.steps.push_back({record.step, {}});
    finding_.run.planned = finding_.schedule;
    finding_.run.records.push_back(std::move(record));
  }

  Finding finding_;
  std::size_t clock_ = 0;
};

inline Reply rows(std::initializer_list<std::string> names, std::vector<Row> content) {
  ResultSet result;
  for (const std::string& name : names) result.columns.push_back({name, "", "", false});
  result.command_tag = "SELECT " + std::to_string(content.size());
  result.rows = std::move(content);
  result.has_rows = true;
  return {result, std::nullopt};
}

inline Reply tag(const std::string& text) {
  ResultSet result;
  result.command_tag = text;
  return {result, std::nullopt};
}

inline Reply error(ErrorClass error_class, const std::string& code, const std::string& message) {
  return {std::nullopt, StepError{error_class, code, "ERROR", message, ""}};
}

inline Scenario parse(std::string_view spec, std::string_view file) {
  Result<Scenario> scenario = parse_scenario(spec, file);
  HEDDLE_ASSERT(scenario.has_value());
  return std::move(*scenario);
}

inline constexpr const char* kLostUpdateSpec =
    R"(setup { CREATE TABLE account (id int PRIMARY KEY, balance int); }
setup { INSERT INTO account VALUES (1, 100); }
teardown { DROP TABLE account; }

session s1
setup { BEGIN ISOLATION LEVEL READ COMMITTED; }
step r1 { SELECT balance FROM account WHERE id = 1; }
step w1 { UPDATE account SET balance = 110 WHERE id = 1; }
step c1 { COMMIT; }

session s2
setup { BEGIN ISOLATION LEVEL READ COMMITTED; }
step r2 { SELECT balance FROM account WHERE id = 1; }
step w2 { UPDATE account SET balance = 120 WHERE id = 1; }
step c2 { COMMIT; }
)";

// The reads and writes of the lost update: both read the first version, each writes one of its own.
inline History lost_update_history() {
  History history;
  history.transactions = {{0, "s1", TransactionOutcome::committed, {}},
                          {1, "s2", TransactionOutcome::committed, {}}};
  history.rows = {{"account", "id=1"}};
  history.versions = {{RowId(0), std::nullopt, "(1, 100)", true},
                      {RowId(0), TransactionId(0), "(1, 110)", true},
                      {RowId(0), TransactionId(1), "(1, 120)", true}};
  history.versions_of = {{VersionId(0), VersionId(1), VersionId(2)}};
  const auto operate = [&](OperationKind kind, std::size_t transaction, std::uint32_t record,
                           std::size_t version) {
    history.transactions[transaction].operations.push_back(OperationId(history.operations.size()));
    history.operations.push_back(
        {kind, TransactionId(transaction), record, VersionId(version), "", "", {}, {}});
  };
  operate(OperationKind::read, 0, 0, 0);
  operate(OperationKind::read, 1, 1, 0);
  operate(OperationKind::write, 0, 2, 1);
  operate(OperationKind::write, 1, 3, 2);
  return history;
}

// The second session overwrites (ww) what the first wrote over the version that the second had
// read (rw).
inline Cycle lost_update_cycle() {
  const auto edge = [](DependencyKind kind, std::size_t from, std::size_t to,
                       std::size_t from_operation, std::size_t to_operation,
                       std::size_t from_version, std::size_t to_version) {
    return DependencyEdge{kind,
                          false,
                          TransactionId(from),
                          TransactionId(to),
                          OperationId(from_operation),
                          OperationId(to_operation),
                          RowId(0),
                          VersionId(from_version),
                          VersionId(to_version)};
  };
  return {AnomalyKind::lost_update,
          {edge(DependencyKind::rw, 1, 0, 1, 2, 0, 1), edge(DependencyKind::ww, 0, 1, 2, 3, 1, 2)},
          std::nullopt};
}

// Two sessions set what each computed from the balance it had read; the second waits for the first.
inline Finding lost_update() {
  RunNotes notes(parse(kLostUpdateSpec, "lost_update.spec"));
  notes.done("r1", {rows({"balance"}, {{"100"}})});
  notes.done("r2", {rows({"balance"}, {{"100"}})});
  notes.done("w1", {tag("UPDATE 1")});
  notes.waits("w2", "s1");
  notes.done("c1", {tag("COMMIT")});
  notes.resumes("w2", {tag("UPDATE 1")});
  notes.done("c2", {tag("COMMIT")});

  Finding& finding = notes.finding();
  finding.history = lost_update_history();
  finding.cycles = {lost_update_cycle()};
  finding.id = "5f3a90c1";
  finding.kind = AnomalyKind::lost_update;
  finding.effect = Effect::internal;
  finding.status = FindingStatus::confirmed;
  finding.store = "PostgreSQL 15.4 (throwaway)";
  finding.serial = {{{"s1", "s2"}, {{"result of step r2", "(100)", "(110)"}}},
                    {{"s2", "s1"},
                     {{"final rows of account", "(1, 120)", "(1, 110)"},
                      {"result of step r1", "(100)", "(120)"}}}};
  finding.cause_steps = {"r2", "w1", "w2"};
  finding.rows = {"account(id=1)"};
  finding.wrong_step = 3;
  finding.explanation = {
      "account(id=1) hold balance = 100 before the first step.",
      "s2 reads it in step r2, s1 writes balance = 110 in step w1, and s2 writes balance = 120 in "
      "step w2 over it, from what it had read before.",
      "if s1 runs first s2 must read 110, and if s2 runs first s1 must write after it: no order of "
      "the two lets both read 100."};
  finding.run.tables = {{"account",
                         {{"id", "account", "id", false}, {"balance", "account", "balance", false}},
                         {{"1", "120"}}}};
  finding.also = {{finding.schedule}};
  std::swap(finding.also[0].steps[0], finding.also[0].steps[1]);
  return finding;
}

}  // namespace heddle::sample
