// Well-formedness of histories and cycles that come from files: every id must point somewhere, and
// what belongs together must agree. The rest of heddle asserts nothing beyond this.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "heddle/dependency.h"
#include "heddle/history.h"

namespace heddle {

namespace {

using Flaw = std::optional<std::string>;

template <class... Parts>
Flaw flaw(fmt::format_string<Parts...> text, Parts&&... parts) {
  return fmt::format(text, std::forward<Parts>(parts)...);
}

Flaw version_flaw(const History& history, std::size_t index) {
  const RowVersion& version = history.versions[index];
  if (version.row.index() >= history.rows.size()) {
    return flaw("version {} is of row {}, which does not exist", index, version.row.index());
  }
  if (version.writer && version.writer->index() >= history.transactions.size()) {
    return flaw("version {} was written by transaction {}, which does not exist", index,
                version.writer->index());
  }
  return std::nullopt;
}

Flaw row_flaw(const History& history, std::size_t row) {
  std::vector<VersionId> seen = history.versions_of[row];
  for (const VersionId version : seen) {
    if (version.index() >= history.versions.size()) {
      return flaw("row {} has version {}, which does not exist", row, version.index());
    }
    if (history.versions[version.index()].row.index() != row) {
      return flaw("row {} has version {}, which is of another row", row, version.index());
    }
  }
  std::ranges::sort(seen);
  if (std::ranges::adjacent_find(seen) != seen.end()) {
    return flaw("row {} has the same version twice", row);
  }
  return std::nullopt;
}

Flaw operation_flaw(const History& history, std::size_t index) {
  const Operation& operation = history.operations[index];
  if (operation.transaction.index() >= history.transactions.size()) {
    return flaw("operation {} is of transaction {}, which does not exist", index,
                operation.transaction.index());
  }
  std::vector<VersionId> versions = operation.visible;
  versions.insert(versions.end(), operation.matching.begin(), operation.matching.end());
  if (operation.kind != OperationKind::predicate_read) versions.push_back(operation.version);
  for (const VersionId version : versions) {
    if (version.index() >= history.versions.size()) {
      return flaw("operation {} names version {}, which does not exist", index, version.index());
    }
  }
  if (operation.kind == OperationKind::write &&
      history.versions[operation.version.index()].writer != operation.transaction) {
    return flaw("operation {} writes version {}, which another transaction wrote", index,
                operation.version.index());
  }
  return std::nullopt;
}

Flaw transaction_flaw(const History& history, std::size_t index) {
  for (const OperationId operation : history.transactions[index].operations) {
    if (operation.index() >= history.operations.size()) {
      return flaw("transaction {} has operation {}, which does not exist", index,
                  operation.index());
    }
    if (history.operations[operation.index()].transaction.index() != index) {
      return flaw("transaction {} has operation {}, which is of another one", index,
                  operation.index());
    }
  }
  return std::nullopt;
}

// The first flaw that `find` sees among the things numbered from 0 to `count`.
Flaw first_flaw(const History& history, std::size_t count,
                Flaw (*find)(const History&, std::size_t)) {
  for (std::size_t index = 0; index < count; ++index) {
    if (Flaw found = find(history, index)) return found;
  }
  return std::nullopt;
}

// A version that a transaction installed must have the write that installed it.
Flaw missing_write(const History& history) {
  std::vector<bool> written(history.versions.size(), false);
  for (const Operation& operation : history.operations) {
    if (operation.kind == OperationKind::write) written[operation.version.index()] = true;
  }
  for (std::size_t index = 0; index < written.size(); ++index) {
    if (history.versions[index].writer && !written[index]) {
      return flaw("version {} has a writer but no write", index);
    }
  }
  return std::nullopt;
}

Flaw edge_flaw(const History& history, const DependencyEdge& edge) {
  if (std::max(edge.from, edge.to).index() >= history.transactions.size()) {
    return flaw("an edge joins transactions that do not exist");
  }
  if (edge.kind == DependencyKind::so) return std::nullopt;
  if (std::max(edge.from_operation, edge.to_operation).index() >= history.operations.size()) {
    return flaw("an edge joins operations that do not exist");
  }
  if (edge.row.index() >= history.rows.size()) return flaw("an edge is on a row that is not there");
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_flaw(const History& history) {
  if (history.versions_of.size() != history.rows.size()) {
    return flaw("there are {} rows but versions of {}", history.rows.size(),
                history.versions_of.size());
  }
  if (Flaw found = first_flaw(history, history.versions.size(), version_flaw)) return found;
  if (Flaw found = first_flaw(history, history.rows.size(), row_flaw)) return found;
  if (Flaw found = first_flaw(history, history.operations.size(), operation_flaw)) return found;
  if (Flaw found = first_flaw(history, history.transactions.size(), transaction_flaw)) return found;
  return missing_write(history);
}

std::optional<std::string> find_flaw(const Cycle& cycle, const History& history) {
  if (cycle.illegal_read && cycle.illegal_read->index() >= history.operations.size()) {
    return flaw("the illegal read {} does not exist", cycle.illegal_read->index());
  }
  for (const DependencyEdge& edge : cycle.edges) {
    if (Flaw found = edge_flaw(history, edge)) return found;
  }
  for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
    const TransactionId end = cycle.edges[i].to;
    const TransactionId start = cycle.edges[(i + 1) % cycle.edges.size()].from;
    if (history.transactions[end.index()].session != history.transactions[start.index()].session) {
      return flaw("edges {} and {} of a cycle do not meet", i, (i + 1) % cycle.edges.size());
    }
  }
  return std::nullopt;
}

}  // namespace heddle
