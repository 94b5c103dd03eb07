// Facts first: the rows the cycle is about, the dependencies in the order in which the steps ran,
// and the first difference to the closest serial orders. The text only joins them.
#include "explore/explain.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "vocabulary/history_reads.h"

namespace heddle {

namespace {

constexpr std::size_t kMostRows = 4;
constexpr std::size_t kMostOrdersTold = 3;

const std::string& session_name(const Finding& finding, TransactionId transaction) {
  return finding.history.transactions[transaction.index()].name;
}

std::string step_name(const Finding& finding, OperationId operation) {
  const std::uint32_t record = finding.history.operations[operation.index()].step;
  if (record >= finding.run.records.size()) return "?";
  return finding.scenario.steps[finding.run.records[record].step.index()].name;
}

std::string row_text(const Row& row) {
  std::vector<std::string> cells;
  for (const Cell& value : row) cells.push_back(value.value_or("NULL"));
  return "(" + join(cells, ", ") + ")";
}

std::string table_text(const TableState& table) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < std::min(kMostRows, table.rows.size()); ++i) {
    rows.push_back(row_text(table.rows[i]));
  }
  if (table.rows.size() > kMostRows) {
    rows.push_back(fmt::format("{} more rows", table.rows.size() - kMostRows));
  }
  if (rows.empty()) return fmt::format("{} be empty", table.name);
  return fmt::format("{} hold {}", table.name, join(rows, ", "));
}

// Tables on the cycle; all of them where no cycle was seen.
std::vector<const TableState*> tables_at_hand(const Finding& finding,
                                              const std::vector<TableState>& initial) {
  std::set<std::string> names;
  for (const Cycle& cycle : finding.cycles) {
    for (const DependencyEdge& edge : cycle.edges) {
      if (edge.kind != DependencyKind::so) {
        names.insert(finding.history.rows[edge.row.index()].table);
      }
    }
  }
  std::vector<const TableState*> tables;
  for (const TableState& table : initial) {
    if (names.empty() || names.contains(table.name)) tables.push_back(&table);
  }
  return tables;
}

std::string let_text(const Finding& finding, const std::vector<TableState>& initial) {
  std::vector<std::string> parts;
  for (const TableState* table : tables_at_hand(finding, initial)) {
    parts.push_back(table_text(*table));
  }
  std::vector<std::string> sessions;
  for (const Session& session : finding.scenario.sessions) {
    std::vector<std::string> steps;
    for (const PlacedStep& placed : finding.schedule.steps) {
      const Step& step = finding.scenario.steps[placed.step.index()];
      if (&finding.scenario.sessions[step.session.index()] == &session) steps.push_back(step.name);
    }
    if (!steps.empty()) {
      sessions.push_back(fmt::format("{} run {}", session.name, join(steps, ", ")));
    }
  }
  std::string text = parts.empty() ? "" : "Let " + join(parts, " and ") + ". ";
  return text + "Let " + join(sessions, " and ") + ".";
}

// One dependency as a clause: who did what before whom.
std::string edge_text(const Finding& finding, const DependencyEdge& edge) {
  if (edge.kind == DependencyKind::so) {
    return fmt::format("{} comes before {} in the same session", session_name(finding, edge.from),
                       session_name(finding, edge.to));
  }
  const RowName& name = finding.history.rows[edge.row.index()];
  const std::string row = fmt::format("{}({})", name.table, name.key);
  const std::string& from = session_name(finding, edge.from);
  const std::string& to = session_name(finding, edge.to);
  const std::string from_step = step_name(finding, edge.from_operation);
  const std::string to_step = step_name(finding, edge.to_operation);
  switch (edge.kind) {
    case DependencyKind::wr:
      if (!finding.history.versions[edge.to_version.index()].value) {
        return fmt::format("{} finds gone in {} what {} deleted in {}: {}", to, to_step, from,
                           from_step, row);
      }
      return fmt::format("{} reads in {} what {} wrote to {} in {}", to, to_step, from, row,
                         from_step);
    case DependencyKind::ww:
      return fmt::format("{} overwrites in {} what {} wrote to {} in {}", to, to_step, from, row,
                         from_step);
    default:
      if (edge.predicate) {
        return fmt::format("{} looks in {} before {} makes {} match in {}", from, from_step, to,
                           row, to_step);
      }
      return fmt::format("{} reads in {} before {} changes {} in {}", from, from_step, to, row,
                         to_step);
  }
}

// What a read saw that was never to be seen, as clauses.
std::vector<std::string> illegal_read_texts(const Finding& finding, OperationId read) {
  const History& history = finding.history;
  const std::string& reader = session_name(finding, history.operations[read.index()].transaction);
  std::vector<std::string> clauses;
  for (const IllegalVersion& illegal :
       illegal_versions(history, committed_transactions(history), read)) {
    const RowVersion& version = history.versions[illegal.version.index()];
    const RowName& name = history.rows[version.row.index()];
    const auto write = std::ranges::find_if(history.operations, [&](const Operation& operation) {
      return operation.kind == OperationKind::write && operation.version == illegal.version;
    });
    if (!version.writer || write == history.operations.end()) continue;
    const OperationId by(static_cast<std::size_t>(write - history.operations.begin()));
    const std::string& writer = session_name(finding, *version.writer);
    clauses.push_back(fmt::format(
        "{} reads in {} what {} wrote to {}({}) in {}, and {} {}", reader, step_name(finding, read),
        writer, name.table, name.key, step_name(finding, by), writer,
        illegal.kind == AnomalyKind::aborted_read ? "does not commit"
                                                  : "changes it again before it commits"));
  }
  return clauses;
}

std::string then_text(const Finding& finding) {
  const std::string order = to_string(finding.scenario, finding.schedule);
  std::vector<std::string> clauses;
  if (!finding.cycles.empty()) {
    const Cycle& cycle = finding.cycles.front();
    if (cycle.illegal_read) clauses = illegal_read_texts(finding, *cycle.illegal_read);
    for (const DependencyEdge& edge : cycle.edges) clauses.push_back(edge_text(finding, edge));
  }
  if (clauses.empty()) return fmt::format("Then, in the order {}, the run ends as shown.", order);
  return fmt::format("Then, in the order {}, {}.", order, join(clauses, "; "));
}

// For an internal anomaly the final rows tell more than a read on the way.
const Difference& telling_difference(const Finding& finding, const SerialComparison& serial) {
  if (finding.effect == Effect::internal) {
    for (const Difference& difference : serial.differences) {
      if (difference.where.starts_with("final rows")) return difference;
    }
  }
  return serial.differences.front();
}

std::string however_text(const Finding& finding) {
  std::vector<std::string> clauses;
  for (std::size_t i = 0; i < std::min(kMostOrdersTold, finding.serial.size()); ++i) {
    const SerialComparison& serial = finding.serial[i];
    if (serial.differences.empty()) continue;
    const Difference& difference = telling_difference(finding, serial);
    clauses.push_back(fmt::format("{} gives {} for the {} where this run gives {}",
                                  join(serial.order, " then "), difference.serial, difference.where,
                                  difference.observed));
  }
  if (clauses.empty()) {
    return "However, " +
           (finding.broken_invariants.empty()
                ? std::string("nothing else is wrong")
                : "the invariant " + join(finding.broken_invariants, ", ") +
                      " does not hold at the end") +
           ".";
  }
  std::string text = "However, run one after the other, " + join(clauses, "; ") +
                     ": no serial order has this outcome.";
  if (finding.boundary_problem) {
    text +=
        " The transactions alone are serializable: what must look like one action ends its "
        "transaction too early.";
  }
  return text;
}

}  // namespace

Explanation explain(const Finding& finding, const std::vector<TableState>& initial) {
  return {let_text(finding, initial), then_text(finding), however_text(finding)};
}

Explanation explain_unconfirmed(const Finding& finding, const std::vector<std::string>& equal_order,
                                const std::vector<TableState>& initial) {
  const std::string ended =
      equal_order.empty()
          ? "the store ends sessions, and nothing is left to compare"
          : fmt::format("the run ends as {} do one after the other", join(equal_order, ", "));
  return {
      let_text(finding, initial),
      fmt::format("Then, in the order {}, {}.", to_string(finding.scenario, finding.schedule),
                  ended),
      "However, that is no proof, and nothing is confirmed: a run of this order that ends as no "
      "serial order does would confirm it."};
}

}  // namespace heddle
