// What heddle record --check prints.
#pragma once

#include <string>

#include "record/check/record_check.h"
#include "report/text/text_options.h"

namespace heddle {

std::string record_check_text(const RecordCheck& check, const TextOptions& options);

}  // namespace heddle
