// Histories as Plume, PolySI and IsoVista write them: r(key,value,session,transaction) lines.
#pragma once

#include <string>
#include <string_view>

#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// Diagnostics carry `name`, the line and the column. Linear in the size of the text.
Result<TransactionHistory> read_plume(std::string_view bytes, const std::string& name);

}  // namespace heddle
