// @ChoppedTransaction(originalTransaction = "order", microservice = "m1"), as programs for MAD have
// it.
#pragma once

#include <string>

#include "frontend/java/classes/classes.h"
#include "heddle/result.h"

namespace heddle::java {

// The functionality that the method is a part of; empty: it is a whole one. Errors: bad_input, with
// the place, for what the annotation does not have, and for a name that is no constant text.
Result<std::string> original_transaction(const Method& method, const Classes& classes);

}  // namespace heddle::java
