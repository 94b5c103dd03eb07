// Runs a system behind the proxies for a while, and looks whether all of it passes through them.
#pragma once

#include "frontend/config/config.h"
#include "heddle/result.h"
#include "record/check/record_check.h"
#include "record/recording.h"

namespace heddle {

// `options` as for a recording, without a file: the trace is thrown away. A system that does not
// come up is a problem of the check. Errors: what keeps heddle from starting it; interrupted.
Result<RecordCheck> check_system(const Config& config, RecordOptions options);

}  // namespace heddle
