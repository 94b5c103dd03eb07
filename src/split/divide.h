// Statements on tables of several services, as each service could run its part.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "heddle/program.h"
#include "split/reference_checks.h"
#include "split/services.h"

namespace heddle::chopping {

// Divides such statements of the functionality into what a caller does that asks each service for
// its part and joins what they return. Where that is not known, a SELECT becomes one in each
// service, in the order of its tables, with what of its predicate is about that service alone; a
// write keeps its own tables, and reads of the others come before it; what the statement returned
// is not known then. Adds a note for each. Returns into how many statements each that was divided
// became, by its number in list_statements().
// `checks`: what comes before statements that foreign keys between services are about; null:
// nothing.
std::map<std::size_t, std::size_t> divide_statements(Functionality& functionality,
                                                     const Schema& schema,
                                                     const TableServices& services,
                                                     std::vector<Diagnostic>& notes,
                                                     const ReferenceChecks* checks = nullptr);

}  // namespace heddle::chopping
