// Histories as dbcop writes them, binary (bincode) and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// Diagnostics carry `name` and the byte at which the file stops making sense.
Result<TransactionHistory> read_dbcop_bincode(std::string_view bytes, const std::string& name);

// Diagnostics carry `name` and, where the JSON itself is wrong, the line and the column.
Result<TransactionHistory> read_dbcop_json(std::string_view bytes, const std::string& name);

}  // namespace heddle
