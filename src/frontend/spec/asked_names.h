// Messages about relations that an invariant names and that there are not.
#pragma once

#include <string>
#include <vector>

#include "frontend/spec/text/asked_relations.h"
#include "heddle/result.h"
#include "heddle/scenario.h"

namespace heddle {

// `names`: of the tables, or of the functionalities that may be called. Error: bad_input, with the
// place of the relation in `file`; it is none of them, or may be several.
Result<void> check_asked_name(const SqlBlock& block, const AskedRelation& relation,
                              const std::string& file, const std::vector<std::string>& names);

}  // namespace heddle
