// What heddle record --check prints for other programs.
#pragma once

#include <string>

#include "record/check/record_check.h"

namespace heddle {

// One JSON object on one line. docs/record-check.md says what is in it.
std::string record_check_json(const RecordCheck& check);

}  // namespace heddle
