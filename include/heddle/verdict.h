/// Verdicts: never a bool, because a bound that was hit is neither yes nor no.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle {

/// The answer to a question about an input.
enum class Verdict : std::uint8_t { satisfied, violated, unknown };

/// How far a finding has been taken, what people should look at first before the rest. Nothing is
/// `confirmed` that was not executed, and nothing `refuted` that was not proved.
enum class FindingStatus : std::uint8_t {
  confirmed,       ///< a run has an outcome that no serial order explains
  possible,        ///< the analysis says so, and nobody has tried, or not at its level
  not_executable,  ///< nobody could try: no rows and arguments are known, or the store cannot
  not_shown,       ///< runs did not show it; other rows, arguments or orders may
  refuted,         ///< proved: it cannot happen, or does no harm where it happens
};

/// "satisfied", "possible", "not shown", and so on.
std::string_view to_string(Verdict verdict);
std::string_view to_string(FindingStatus status);
/// As documents have it: "not-shown".
std::string_view slug(FindingStatus status);

}  // namespace heddle
