// Every edge of a counterexample says which of two operations came first, and so does the program
// order. What these leave open is decided by the order of the transactions. Where they contradict
// each other, which a cycle of reads and writes may do, program order wins.

#include "report/check/diagram.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "report/check/timeline.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

// An operation of a transaction, or its end.
struct DiagramStep {
  TransactionId transaction;
  std::optional<std::uint32_t> operation;  // none: the end

  friend bool operator==(const DiagramStep&, const DiagramStep&) = default;
};

using DiagramPair = std::pair<DiagramStep, DiagramStep>;

class StepOrder {
 public:
  StepOrder(const Counterexample& counterexample, const CheckNames& names) : names_(names) {
    for (const TransactionId id : names.transactions()) {
      std::vector<DiagramStep> steps;
      for (const std::uint32_t operation : names.shown(id)) steps.push_back({id, operation});
      if (steps.empty()) continue;
      if (outcome(id) != TransactionOutcome::unknown) steps.push_back({id, std::nullopt});
      left_.push_back(std::move(steps));
    }
    note(counterexample.cycle, 0);
    note_operation(counterexample);
    if (!counterexample.operation) note_reads();
  }

  std::vector<DiagramStep> run() {
    std::vector<DiagramStep> order;
    while (!left_.empty()) {
      auto next = std::ranges::find_if(
          left_, [&](const auto& steps) { return steps.empty() || !is_blocked(steps.front()); });
      if (next == left_.end()) next = left_.begin();
      if (next->empty()) {
        left_.erase(next);
        continue;
      }
      order.push_back(next->front());
      next->erase(next->begin());
    }
    return order;
  }

 private:
  TransactionOutcome outcome(TransactionId id) const {
    return names_.history().transactions[id.index()].outcome;
  }

  void add(const DiagramStep& first, const DiagramStep& second) {
    if (first.transaction != second.transaction) pairs_.emplace_back(first, second);
  }

  void note(const std::vector<RecordedEdge>& edges, std::uint32_t depth) {
    for (const RecordedEdge& edge : edges) {
      if (depth < kDeepestBecause) note(edge.because, depth + 1);
      if (!edge.from) continue;
      if (edge.from_operation && edge.to_operation) {
        // What is read was committed, as a rule.
        const bool flows = edge.kind == DependencyKind::wr;
        add({*edge.from, flows ? std::nullopt : edge.from_operation}, {edge.to, edge.to_operation});
        if (flows) add({*edge.from, edge.from_operation}, {edge.to, edge.to_operation});
      } else if (edge.kind == DependencyKind::so || edge.kind == DependencyKind::rt) {
        const std::vector<std::uint32_t> operations = names_.shown(edge.to);
        if (!operations.empty()) add({*edge.from, std::nullopt}, {edge.to, operations.front()});
      }
    }
  }

  void note_operation(const Counterexample& counterexample) {
    if (!counterexample.operation || !counterexample.other) return;
    const TransactionId reader = names_.owner(*counterexample.operation);
    const TransactionId writer = names_.owner(*counterexample.other);
    add({writer, counterexample.other}, {reader, counterexample.operation});
    add({reader, counterexample.operation}, {writer, std::nullopt});
  }

  // What is read was written before, also where the counterexample does not say so.
  void note_reads() {
    const TransactionHistory& history = names_.history();
    for (const auto& readers : left_) {
      for (const DiagramStep& read : readers) {
        if (!read.operation || is_write(history.operations[*read.operation])) continue;
        for (const auto& writers : left_) {
          for (const DiagramStep& write : writers) {
            if (write.operation && returns(*read.operation, *write.operation)) {
              add({write.transaction, std::nullopt}, read);
            }
          }
        }
      }
    }
  }

  static bool is_write(const KeyOperation& operation) {
    return operation.action == KeyAction::write || operation.action == KeyAction::append;
  }

  bool returns(std::uint32_t read, std::uint32_t write) const {
    const TransactionHistory& history = names_.history();
    const KeyOperation& seen = history.operations[read];
    const KeyOperation& written = history.operations[write];
    if (seen.key != written.key || !is_write(written) || seen.value == kUnseen) return false;
    if (seen.action != KeyAction::read_list) return seen.value == written.value;
    const std::span<const Value> list = history.lists[seen.list()];
    return std::ranges::find(list, written.value) != list.end();
  }

  bool is_left(const DiagramStep& step) const {
    return std::ranges::any_of(
        left_, [&](const auto& steps) { return std::ranges::find(steps, step) != steps.end(); });
  }

  bool is_blocked(const DiagramStep& step) const {
    return std::ranges::any_of(pairs_, [&](const DiagramPair& pair) {
      return pair.second == step && is_left(pair.first);
    });
  }

  const CheckNames& names_;
  std::vector<std::vector<DiagramStep>> left_;  // per transaction, in program order
  std::vector<DiagramPair> pairs_;              // the first comes before the second
};

StyledLine line_of_step(const DiagramStep& step, const Counterexample& counterexample,
                        const CheckNames& names) {
  const TransactionHistory& history = names.history();
  const std::string number = names.name(step.transaction).substr(1);
  if (!step.operation) {
    const bool aborted =
        history.transactions[step.transaction.index()].outcome == TransactionOutcome::aborted;
    return {aborted ? TextStyle::error : TextStyle::commit, (aborted ? "a" : "c") + number};
  }
  const KeyAction action = history.operations[*step.operation].action;
  const bool writes = action == KeyAction::write || action == KeyAction::append;
  StyledLine line{writes ? TextStyle::write : TextStyle::read, names.notation(*step.operation)};
  if (counterexample.operation == step.operation) {
    line.style = TextStyle::wrong;
    line.text += "  ◀ here";
  }
  return line;
}

}  // namespace

std::string render_check_diagram(const Counterexample& counterexample, const CheckNames& names,
                                 const TextOptions& options) {
  constexpr std::size_t kNarrowestColumn = 16;
  constexpr std::size_t kMostRows = 60;
  const TransactionHistory& history = names.history();
  const std::vector<DiagramStep> steps = StepOrder(counterexample, names).run();
  if (steps.empty()) return "";
  std::map<std::uint32_t, std::size_t> columns;
  for (const DiagramStep& step : steps) {
    columns[history.transactions[step.transaction.index()].session] = 0;
  }
  Grid grid;
  for (auto& [session, column] : columns) {
    column = grid.header.size();
    grid.header.push_back(session_text(history, session));
  }
  const bool fits = options.width >= grid.header.size() * kNarrowestColumn;
  const std::vector<std::string> sessions = grid.header;
  if (!fits) grid.header = {"session", "operation"};
  for (const DiagramStep& step : steps) {
    if (grid.rows.size() == kMostRows) break;
    const std::size_t column = columns[history.transactions[step.transaction.index()].session];
    std::vector<StyledCell> row(grid.header.size());
    if (!fits) row[0] = {{TextStyle::plain, sessions[column]}};
    row[fits ? column : 1] = {line_of_step(step, counterexample, names)};
    grid.rows.push_back(std::move(row));
  }
  const std::string more =
      steps.size() > kMostRows ? fmt::format("... and {} more\n", steps.size() - kMostRows) : "";
  return render_grid(grid, options) + more;
}

std::string render_check_times(const Counterexample& counterexample, const CheckNames& names,
                               const TextOptions& options) {
  const bool needs_times = std::ranges::any_of(counterexample.cycle, [](const RecordedEdge& edge) {
    return edge.kind == DependencyKind::rt;
  });
  if (!needs_times) return "";
  std::vector<TimelineBar> bars;
  for (const TransactionId id : names.transactions()) {
    const RecordedTransaction& txn = names.history().transactions[id.index()];
    bars.push_back(
        {names.name(id) + " " + session_text(names.history(), txn.session), txn.began, txn.ended});
  }
  return render_timeline(bars, options);
}

}  // namespace heddle
