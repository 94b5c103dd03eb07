/// History: what was observed, row by row: which transaction installed which version of which row,
/// and which versions each read saw. No total order of operations is implied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/id.h"

namespace heddle {

/// A row, by table and key.
struct RowName {
  std::string table;
  std::string key;  ///< "id=1"; the whole row's text where the table has no key

  friend auto operator<=>(const RowName&, const RowName&) = default;
};

/// One state of a row. The versions of a row are ordered by the commits of their writers
/// (History::versions_of), never by value.
struct RowVersion {
  RowId row;
  std::optional<TransactionId> writer;  ///< none: there before the first transaction
  std::optional<std::string> value;     ///< the row's text; none: the row does not exist
  bool final = true;  ///< false: the writer overwrote it before it ended (intermediate version)
};

enum class OperationKind : std::uint8_t { read, write, predicate_read };

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

enum class TransactionOutcome : std::uint8_t { committed, aborted, unknown };

struct HistoryTransaction {
  std::uint32_t session = 0;
  std::string name;  ///< "s1" or "s1#2" where the session has several
  TransactionOutcome outcome = TransactionOutcome::committed;
  std::vector<OperationId> operations;  ///< in program order
};

struct History {
  std::vector<HistoryTransaction> transactions;
  std::vector<Operation> operations;
  std::vector<RowName> rows;
  std::vector<RowVersion> versions;
  std::vector<std::vector<VersionId>> versions_of;  ///< per row, in version order; committed and
                                                    ///< initial versions only
};

}  // namespace heddle
