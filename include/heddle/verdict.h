/// Verdicts: never a bool, because a bound that was hit is neither yes nor no.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle {

/// The answer to a question about an input.
enum class Verdict : std::uint8_t { satisfied, violated, unknown };

/// How far a finding has been taken. Nothing is `confirmed` that was not executed.
enum class FindingStatus : std::uint8_t { possible, confirmed, refuted };

/// "satisfied", "possible", and so on.
std::string_view to_string(Verdict verdict);
std::string_view to_string(FindingStatus status);

}  // namespace heddle
