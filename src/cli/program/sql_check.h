// Whether a file that a user names is one of SQL at all.
#pragma once

#include <optional>

#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

// Says so where the text has statements, and none of them is one of the dialect.
std::optional<Diagnostic> refuse_garbage(const SourceText& file, Dialect dialect);

}  // namespace heddle
