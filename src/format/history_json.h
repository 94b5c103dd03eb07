// Histories and the cycles found in them. Ids are positions in the lists of the history.
#pragma once

#include <vector>

#include "format/json/json.h"
#include "format/json/json_reader.h"
#include "heddle/dependency.h"
#include "heddle/history.h"

namespace heddle {

Json write_history(const History& history);
// Every id that is read is in range.
History read_history(const JsonPlace& place);

Json write_cycles(const std::vector<Cycle>& cycles);
std::vector<Cycle> read_cycles(const JsonPlace& place, const History& history);

}  // namespace heddle
