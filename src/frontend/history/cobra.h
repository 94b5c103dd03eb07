// Histories as Cobra's clients log them: one binary file for each session.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

struct CobraLog {
  std::string name;  // of the file; without ".log" it is the name of the session
  std::string_view bytes;
};

// Diagnostics carry the name of the log and the byte at which it stops making sense. Sessions are
// in the order of `logs`.
Result<TransactionHistory> read_cobra(std::span<const CobraLog> logs);

}  // namespace heddle
