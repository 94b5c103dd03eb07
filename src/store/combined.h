// The stores of a scenario: one, or several as one. Then each session has a connection to each of
// them, tables carry the names of their stores ("cache.redis"), and whatever is asked of the
// whole is asked of the parts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/store.h"

namespace heddle {

// A store that is not the only one.
struct NamedServer {
  std::string name;
  std::shared_ptr<StoreServer> server;
};

// REQUIRES: more than one.
std::shared_ptr<StoreServer> combine(std::vector<NamedServer> servers);

// Of a table of one of several stores: "cache.redis".
std::string name_in_store(const std::string& store, const std::string& table);

}  // namespace heddle
