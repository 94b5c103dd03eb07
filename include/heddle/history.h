/// History: what was observed, row by row: which transaction installed which version of which row,
/// and which versions each read saw. No total order of operations is implied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/id.h"

namespace heddle {

/// A row, by table and key.
struct RowName {
  std::string table;
  std::string key;  ///< "id=1"; the whole row's text where the table has no key

  friend auto operator<=>(const RowName&, const RowName&) = default;
};

/// "account(id=1)".
std::string to_string(const RowName& row);

/// One state of a row. The versions of a row are ordered by the commits of their writers
/// (History::versions_of), never by value.
struct RowVersion {
  RowId row;
  std::optional<TransactionId> writer;  ///< none: there before the first transaction
  std::optional<std::string> value;     ///< the row's text; none: the row does not exist
  bool final = true;  ///< false: the writer overwrote it before it ended (intermediate version)
};

/// What an operation does: to one row, or to all rows that a predicate selects.
enum class OperationKind : std::uint8_t { read, write, predicate_read };

/// "read", "write", "predicate-read".
std::string_view to_string(OperationKind kind);

/// One read or write of a row, or the evaluation of a predicate over a table.
struct Operation {
  OperationKind kind = OperationKind::read;
  TransactionId transaction;
  std::uint32_t step = 0;           ///< StepRecord index in the run, for reports
  VersionId version;                ///< read, write: the version seen or installed
  std::string table;                ///< predicate_read
  std::string predicate;            ///< predicate_read: "balance > 0"; empty: the whole table
  std::vector<VersionId> visible;   ///< predicate_read: per row of the table, the version in force
  std::vector<VersionId> matching;  ///< predicate_read: all versions, seen or not, that satisfy it
};

/// `unknown`: nobody was told; it counts as committed when one of its versions is in versions_of.
enum class TransactionOutcome : std::uint8_t { committed, aborted, unknown };

/// "committed", "aborted", "unknown".
std::string_view to_string(TransactionOutcome outcome);

struct HistoryTransaction {
  std::uint32_t session = 0;
  std::string name;  ///< "s1" or "s1#2" where the session has several
  TransactionOutcome outcome = TransactionOutcome::committed;
  std::vector<OperationId> operations;  ///< in program order
  /// Those of its session that were open at the same time, on other connections: which of them came
  /// first is not said. Not kept in documents.
  std::vector<TransactionId> beside = {};
  /// It has not committed, and what it read counts all the same: somebody was told, and it was not
  /// the store that ended it. Not kept in documents.
  bool reads_count = false;
};

struct History {
  std::vector<HistoryTransaction> transactions;
  std::vector<Operation> operations;
  std::vector<RowName> rows;
  std::vector<RowVersion> versions;
  std::vector<std::vector<VersionId>> versions_of;  ///< per row, in version order; committed and
                                                    ///< initial versions only
};

/// What makes the history unusable (an id that points nowhere, a version of another row), or none
/// when it is well formed. For histories read from files.
std::optional<std::string> find_flaw(const History& history);

}  // namespace heddle
