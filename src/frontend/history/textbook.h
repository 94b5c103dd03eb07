// Histories as textbooks write them: r1[x=0] w1[x=1] c1.
#pragma once

#include <string>
#include <string_view>

#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// Diagnostics carry `name`, the line and the column. Linear in the size of the text.
Result<TransactionHistory> read_textbook(std::string_view bytes, const std::string& name);

}  // namespace heddle
