// Findings of random content in which every member takes every kind of value, for tests. They are
// well-formed, that is, their ids are in range, and mean nothing.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "format/sample_finding_testing.h"
#include "heddle/finding.h"

namespace heddle::sample {

class RandomFinding {
 public:
  explicit RandomFinding(std::uint32_t seed) : random_(seed) {}

  Finding make();

 private:
  static constexpr const char* kSpec = R"spec(
setup { SELECT 1; }
session a step a1 { SELECT ':x'; } step "a 2" { COMMIT; }
session "b ""c" setup { BEGIN; } step "(*)" { SELECT 2; }
invariant "always" { SELECT true; }
)spec";

  std::size_t below(std::size_t end) { return random_() % end; }
  bool coin() { return below(2) == 0; }

  template <class Enumeration>
  Enumeration one_of(std::size_t count) {
    return static_cast<Enumeration>(below(count));
  }

  template <class Make>
  auto several(const Make& make) {
    std::vector<decltype(make())> values;
    for (std::size_t count = below(4); count > 0; --count) values.push_back(make());
    return values;
  }

  std::string text() {
    static const std::vector<std::string> kParts = {
        "a", " ", "\"", "\\", "\n", "\t", "é", "漢", "😀", "\xff", "\xc3", "\x1b", "/", "hex", ""};
    std::string result;
    for (std::size_t count = below(5); count > 0; --count) result += kParts[below(kParts.size())];
    if (below(20) == 0) result += '\0';
    return result;
  }
  std::vector<std::string> texts() {
    return several([&] { return text(); });
  }
  Cell value() { return coin() ? Cell(text()) : std::nullopt; }
  std::vector<Row> rows() {
    return several([&] { return several([&] { return value(); }); });
  }
  std::vector<Column> columns() {
    return several([&] { return Column{text(), text(), text(), coin(), text()}; });
  }

  StepId step() { return StepId(below(finding_.scenario.steps.size())); }
  SessionId session() { return SessionId(below(finding_.scenario.sessions.size())); }
  std::vector<SessionId> sessions() {
    return several([&] { return session(); });
  }

  Blocker blocker() {
    switch (below(3)) {
      case 0:
        return {Blocker::Kind::once, StepId(), 0};
      case 1:
        return {Blocker::Kind::other_step, step(), 0};
      default:
        return {Blocker::Kind::notices, step(), static_cast<std::uint32_t>(below(5))};
    }
  }
  Schedule schedule() {
    return {several([&] { return PlacedStep{step(), several([&] { return blocker(); })}; })};
  }

  Reply reply() {
    if (coin()) {
      return {std::nullopt, StepError{one_of<ErrorClass>(7), text(), text(), text(), text()}};
    }
    return {ResultSet{columns(), rows(), coin(), coin(), text()}, std::nullopt};
  }
  std::vector<Reply> replies() {
    return several([&] { return reply(); });
  }

  StepRecord record() {
    StepRecord record{step(),     below(9), below(9), coin(),    coin(),
                      sessions(), texts(),  text(),   replies(), one_of<TransactionState>(3)};
    if (coin()) record.call_end = reply();
    return record;
  }

  // Events that tell of a record need one.
  Event event(std::size_t records) {
    Event event;
    event.kind = records > 0 ? one_of<Event::Kind>(10) : Event::Kind::notice;
    event.session = session();
    event.global = coin();
    if (records > 0) event.record = below(records);
    event.replies = replies();
    event.text = text();
    return event;
  }

  Run run() {
    Run run;
    run.planned = schedule();
    run.records = several([&] { return record(); });
    run.events = several([&] { return event(run.records.size()); });
    run.tables = several([&] { return TableState{text(), columns(), rows()}; });
    run.invariants = several([&] { return InvariantOutcome{text(), coin(), rows(), texts()}; });
    run.aborted = sessions();
    run.end = one_of<RunEnd>(5);
    run.trouble = text();
    return run;
  }

  VersionId version() { return VersionId(below(kVersions)); }
  std::vector<VersionId> versions() {
    return several([&] { return version(); });
  }

  Operation operation(OperationKind kind, TransactionId transaction, VersionId version) {
    Operation operation;
    operation.kind = kind;
    operation.transaction = transaction;
    operation.step = static_cast<std::uint32_t>(below(9));
    if (kind != OperationKind::predicate_read) operation.version = version;
    operation.table = text();
    operation.predicate = text();
    operation.visible = versions();
    operation.matching = versions();
    return operation;
  }

  void add(History& history, Operation operation) {
    history.transactions[operation.transaction.index()].operations.push_back(
        OperationId(history.operations.size()));
    history.operations.push_back(std::move(operation));
  }

  // Every version with a writer has its write, as a well-formed history must.
  History history() {
    History history;
    for (std::size_t i = 0; i < kTransactions; ++i) {
      history.transactions.push_back(
          {static_cast<std::uint32_t>(below(9)), text(), one_of<TransactionOutcome>(3), {}});
    }
    for (std::size_t i = 0; i < kRows; ++i) history.rows.push_back({text(), text()});
    history.versions_of.resize(kRows);
    for (std::size_t i = 0; i < kVersions; ++i) {
      RowVersion version{RowId(below(kRows)), std::nullopt, value(), coin()};
      if (coin()) {
        version.writer = TransactionId(below(kTransactions));
        add(history, operation(OperationKind::write, *version.writer, VersionId(i)));
      }
      if (coin()) history.versions_of[version.row.index()].push_back(VersionId(i));
      history.versions.push_back(version);
    }
    for (std::size_t i = 0; i < kReads; ++i) {
      const auto kind = coin() ? OperationKind::read : OperationKind::predicate_read;
      add(history, operation(kind, TransactionId(below(kTransactions)), version()));
    }
    return history;
  }

  DependencyEdge edge(TransactionId from, TransactionId to) {
    const auto operation = [&] { return OperationId(below(finding_.history.operations.size())); };
    return {one_of<DependencyKind>(4), coin(),    from,     to, operation(), operation(),
            RowId(below(kRows)),       version(), version()};
  }

  Cycle cycle() {
    Cycle cycle;
    cycle.kind = one_of<AnomalyKind>(anomaly_kinds().size());
    const std::vector<TransactionId> nodes =
        several([&] { return TransactionId(below(kTransactions)); });
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      cycle.edges.push_back(edge(nodes[i], nodes[(i + 1) % nodes.size()]));
    }
    if (coin()) cycle.illegal_read = OperationId(below(finding_.history.operations.size()));
    return cycle;
  }

  static constexpr std::size_t kTransactions = 3;
  static constexpr std::size_t kReads = 3;
  static constexpr std::size_t kRows = 2;
  static constexpr std::size_t kVersions = 5;

  std::mt19937 random_;
  Finding finding_;
};

inline Finding RandomFinding::make() {
  finding_.scenario = parse(kSpec, text());
  finding_.id = text();
  finding_.kind = one_of<AnomalyKind>(anomaly_kinds().size());
  finding_.effect = one_of<Effect>(2);
  finding_.error_only = coin();
  finding_.status = one_of<FindingStatus>(5);
  finding_.boundary_problem = coin();
  finding_.unit = one_of<Unit>(2);
  finding_.store = text();
  if (coin()) finding_.isolation = one_of<IsolationLevel>(isolation_levels().size());
  finding_.schedule = schedule();
  finding_.run = run();
  finding_.serial = several([&] {
    return SerialComparison{texts(), several([&] { return Difference{text(), text(), text()}; })};
  });
  finding_.broken_invariants = texts();
  finding_.history = history();
  finding_.cycles = several([&] { return cycle(); });
  finding_.cause_steps = texts();
  finding_.rows = texts();
  if (!finding_.run.records.empty() && coin()) {
    finding_.wrong_step = below(finding_.run.records.size());
  }
  finding_.explanation = {text(), text(), text()};
  finding_.also = several([&] { return schedule(); });
  if (coin()) finding_.suppressed = text();
  return std::move(finding_);
}

}  // namespace heddle::sample
