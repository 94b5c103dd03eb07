// How many steps a session has that runs a functionality.
#pragma once

#include <cstdint>
#include <optional>

#include "heddle/program.h"

namespace heddle {

// Where more are possible, or nobody knows how many. What the last step does is all that is left,
// so that too few only make what can come in between coarser.
inline constexpr std::uint32_t kUsualCallSteps = 20;

// The statements that the functionality can execute at most, the ends of its transactions included;
// none: a loop can go round any number of times.
std::optional<std::uint64_t> most_call_steps(const Functionality& functionality);

// `stated`, else as many as are possible, if that is known and not many.
std::uint32_t call_steps(const Functionality& functionality, std::optional<std::uint32_t> stated);

}  // namespace heddle
