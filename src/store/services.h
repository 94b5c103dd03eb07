// Services that divide the tables of a database: each has its own in a schema that nothing else
// sees, and each session a connection to each service, so that no transaction reaches from one
// service into another and a statement on tables of two finds only those of one.
//
// Whoever sets the rows up, looks at them or asks invariants sees all tables, in one database.
#pragma once

#include <memory>
#include <vector>

#include "heddle/result.h"
#include "heddle/scenario.h"
#include "store/store.h"

namespace heddle {

// The database with its tables divided as soon as its catalogue is read. Sessions have to be told
// which service what they send is for. Errors: bad_input, for a store other than PostgreSQL.
Result<std::unique_ptr<StoreDatabase>> divide_into_services(std::unique_ptr<StoreDatabase> database,
                                                            const Scenario& scenario);

}  // namespace heddle
