// Stores of which each run has a copy of the database as a whole.
//
// While they stand, clients of these stores get the copy, whatever database they name, and heddle
// looks at the copy, too. PostgreSQL copies no database that is in use, so that connections are
// ended whenever a copy is taken; clients have to connect anew.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "race/replay/replayed_system.h"
#include "race/replay/store_states.h"
#include "store/postgres/clones.h"

namespace heddle {

// Connections that were ended, by store.
using EndedConnections = std::map<std::string, std::size_t>;

class StoreClones {
 public:
  // Takes the stores' databases, as they are now, as what renew() goes back to. Errors:
  // environment, where one cannot be copied. REQUIRES: the system is at rest; system and states
  // outlive it.
  static Result<std::unique_ptr<StoreClones>> take(ReplayedSystem& system, StoreStates& states,
                                                   const std::vector<std::string>& stores);

  StoreClones(const StoreClones&) = delete;
  StoreClones& operator=(const StoreClones&) = delete;
  // give_back(), where nobody did.
  ~StoreClones();

  // A new copy of each, whose rows are remembered. Returns the connections that were ended since
  // the last time.
  Result<EndedConnections> renew();
  // Clients get the stores' own databases again, and heddle looks at these.
  EndedConnections give_back();

 private:
  // A database of a server, which may be that of several stores.
  struct Cloned {
    std::unique_ptr<PostgresClones> clones;
    std::string model = {};
    std::string present = {};  // the copy in use; empty: none
    std::vector<std::string> stores = {};
  };

  StoreClones(ReplayedSystem& system, StoreStates& states) : system_(system), states_(states) {}

  Result<void> renew(Cloned& cloned);
  void use(const std::string& store, const std::optional<std::string>& database);

  ReplayedSystem& system_;
  StoreStates& states_;
  std::map<std::string, Cloned> databases_;  // by heddle's own address
  EndedConnections ended_;
  bool is_given_back_ = false;
};

// Errors: bad_input where a store that the file wants cloned cannot be, with who may not do what.
Result<void> check_clone_rights(const Config& config);

}  // namespace heddle
