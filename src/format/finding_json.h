// A finding as a part of a larger document.
#pragma once

#include "format/json.h"
#include "heddle/finding.h"

namespace heddle {

Json write_finding(const Finding& finding);

}  // namespace heddle
