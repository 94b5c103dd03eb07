// A finding as a part of a larger document.
#pragma once

#include "format/json/json.h"
#include "heddle/finding.h"

namespace heddle {

// What the member "heddle" says.
constexpr const char* kFindingDocument = "finding/1";

Json write_finding(const Finding& finding);

}  // namespace heddle
