// The drawing of a finding alone, as a part of a page.
#pragma once

#include <string>

#include "heddle/sched_finding.h"

namespace heddle {

std::string sched_picture(const SchedFinding& finding);

}  // namespace heddle
