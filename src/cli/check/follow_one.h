// heddle check --follow: one history, while it grows.
#pragma once

#include <string>
#include <vector>

#include "cli/check/check_one.h"
#include "heddle/result.h"
#include "heddle/verdict.h"

namespace heddle {

struct FollowedHistory {
  std::vector<std::string> reports;
  Verdict verdict = Verdict::unknown;
  bool is_interrupted = false;  // the verdict is of what was there until then
};

// Reads the file, or "-", until a violation is found, its end is reached (standard input and pipes
// have one), a bound is hit or a signal comes.
Result<FollowedHistory> follow_one(const CheckRequest& request, const std::string& path,
                                   const TextOptions& options);

}  // namespace heddle
