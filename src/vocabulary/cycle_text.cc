// Text of rows and cycles. A cycle is a chain "unit -edge-> unit ... -> first unit"; where it
// enters a session in one transaction and leaves it in another both transactions are named.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "heddle/dependency.h"
#include "vocabulary/history_reads.h"

namespace heddle {

namespace {

const std::string& name_of(const History& history, TransactionId transaction) {
  return history.transactions[transaction.index()].name;
}

std::string row_text(const History& history, RowId row) {
  return to_string(history.rows[row.index()]);
}

// The operation that evaluated the predicate: wr edges end in it, rw edges start from it.
const Operation& predicate_of(const History& history, const DependencyEdge& edge) {
  const OperationId reader =
      edge.kind == DependencyKind::wr ? edge.to_operation : edge.from_operation;
  return history.operations[reader.index()];
}

std::string edge_text(const History& history, const DependencyEdge& edge) {
  if (edge.kind == DependencyKind::so) return "-so->";
  std::string text = fmt::format("-{} {}", to_string(edge.kind), row_text(history, edge.row));
  if (edge.predicate) {
    const std::string& predicate = predicate_of(history, edge).predicate;
    text +=
        predicate.empty() ? std::string(" among all rows") : fmt::format(" in \"{}\"", predicate);
  }
  return text + "->";
}

std::string chain_text(const Cycle& cycle, const History& history) {
  // The place between an edge and the next one, with both transactions where they differ.
  const auto meeting = [&](TransactionId entered, TransactionId left) {
    if (entered == left) return name_of(history, entered);
    return fmt::format("{}/{}", name_of(history, entered), name_of(history, left));
  };
  const std::string ends = meeting(cycle.edges.back().to, cycle.edges.front().from);
  std::string text = ends;
  for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
    const bool last = i + 1 == cycle.edges.size();
    text += fmt::format(" {} {}", edge_text(history, cycle.edges[i]),
                        last ? ends : meeting(cycle.edges[i].to, cycle.edges[i + 1].from));
  }
  return text;
}

std::string read_text(const Cycle& cycle, const History& history) {
  const Operation& operation = history.operations[cycle.illegal_read->index()];
  std::vector<std::string> parts;
  for (const IllegalVersion& illegal :
       illegal_versions(history, committed_transactions(history), *cycle.illegal_read)) {
    const RowVersion& version = history.versions[illegal.version.index()];
    parts.push_back(fmt::format(
        "{} from {}, which {}", row_text(history, version.row), name_of(history, *version.writer),
        illegal.kind == AnomalyKind::aborted_read ? "did not commit" : "changed it again"));
  }
  return fmt::format("{} reads {}", name_of(history, operation.transaction), join(parts, "; "));
}

}  // namespace

std::string to_string(const RowName& row) { return fmt::format("{}({})", row.table, row.key); }

std::string to_string(const Cycle& cycle, const History& history) {
  if (cycle.illegal_read) return read_text(cycle, history);
  return cycle.edges.empty() ? std::string() : chain_text(cycle, history);
}

std::vector<std::string> rows_of(const Cycle& cycle, const History& history) {
  std::vector<std::string> rows;
  for (const DependencyEdge& edge : cycle.edges) {
    if (edge.kind != DependencyKind::so) rows.push_back(row_text(history, edge.row));
  }
  if (cycle.illegal_read) {
    for (const IllegalVersion& illegal :
         illegal_versions(history, committed_transactions(history), *cycle.illegal_read)) {
      rows.push_back(row_text(history, history.versions[illegal.version.index()].row));
    }
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace heddle
