// What a history's operations read, as far as single reads go; shared by those who judge reads
// and those who describe them.
#pragma once

#include <optional>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/history.h"

namespace heddle {

// Whether the transaction's effects are part of the final state. An unknown outcome counts as
// committed when one of its versions stands in versions_of.
std::vector<bool> committed_transactions(const History& history);

// These, and those whose reads count all the same.
std::vector<bool> counted_transactions(const History& history);

// A version that no transaction should have seen, and why (aborted_read, intermediate_read).
struct IllegalVersion {
  VersionId version;
  AnomalyKind kind = AnomalyKind::aborted_read;
};

// The illegal versions that the operation read. A predicate reads a version when that version, or
// any committed one of its row, satisfies the predicate: other rows have no say in its result.
// REQUIRES: committed == committed_transactions(history).
std::vector<IllegalVersion> illegal_versions(const History& history,
                                             const std::vector<bool>& committed,
                                             OperationId operation);

}  // namespace heddle
