// What the store did to the steps of a run so that it did not go as somebody who knows of no
// isolation would expect: waits, ended sessions, reads of what was there before.
#pragma once

#include <vector>

#include "heddle/finding.h"
#include "heddle/why_not.h"

namespace heddle {

// REQUIRES: run and scenario of the finding are there; rows are named as far as its history tells.
std::vector<Obstacle> obstacles_of(const Finding& finding);

}  // namespace heddle
