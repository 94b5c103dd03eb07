// MicroRacer's table of how candidates come about.
#pragma once

#include "heddle/race.h"
#include "report/text/layout.h"

namespace heddle {

ListTable paper_table(const RaceTable& table);

}  // namespace heddle
