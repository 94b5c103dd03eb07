// Histories as AWDIT writes them: "r key value" and "w key value" lines, "-----" between
// transactions, "=====" between sessions.
#pragma once

#include <string>
#include <string_view>

#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// Diagnostics carry `name`, the line and the column. Linear in the size of the text.
Result<TransactionHistory> read_awdit(std::string_view bytes, const std::string& name);

}  // namespace heddle
