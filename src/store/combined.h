// The stores of a scenario: one, or several as one. Then each session has a connection to each of
// them, tables carry the names of their stores ("cache.redis"), and whatever is asked of the
// whole is asked of the parts.
#pragma once

#include <memory>
#include <string>

#include "heddle/replay.h"
#include "heddle/result.h"
#include "heddle/scenario.h"
#include "store/store.h"

namespace heddle {

// Starts or reaches the stores that the scenario declares, where `on` says or as throwaway servers
// of their kinds; without a declaration one. Errors: as open_server; an address for a store that
// the scenario does not have.
Result<std::shared_ptr<StoreServer>> open_stores(const Scenario& scenario,
                                                 const StoreAddresses& on);

// Of a table of one of several stores: "cache.redis".
std::string name_in_store(const std::string& store, const std::string& table);

}  // namespace heddle
