// What a cut does to the schema: foreign keys whose two tables come to lie in two services.
#pragma once

#include <vector>

#include "heddle/split.h"

namespace heddle::chopping {

// REQUIRES: the cut is match_cut()'s.
std::vector<TornKey> find_torn_keys(const Cut& cut, const Schema& schema);

// Leaves the schema without them.
void erase_torn_keys(const std::vector<TornKey>& torn, Schema& schema);

}  // namespace heddle::chopping
