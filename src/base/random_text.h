// Texts that nobody can guess and that nobody else draws.
#pragma once

#include <cstddef>
#include <string>

#include "heddle/result.h"

namespace heddle {

/// Two hexadecimal digits for each of `bytes` random ones, which the system draws; at most 256.
/// Error: it has no source of them (environment).
Result<std::string> draw_hexadecimal(std::size_t bytes);

}  // namespace heddle
