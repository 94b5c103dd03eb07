// Transactions of Jepsen histories.
#pragma once

#include "frontend/history/history_reading.h"
#include "frontend/history/jepsen_source.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// Whether an event has a vector of micro-operations as its value, or :txn as its function.
bool is_transaction(const JepsenOperation& operation);

Result<TransactionHistory> read_jepsen_transactions(OperationSource& source,
                                                    const ReadHistoryOptions& options);

}  // namespace heddle
