// The rows of all stores of a system, seen from outside of it, and the way back to them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/config/config.h"
#include "heddle/result.h"
#include "race/outcome/observed_run.h"
#include "store/postgres/state.h"

namespace heddle {

class StoreStates {
 public:
  // Of each store of which the environment has heddle's own address; the others are named by
  // unseen(). Errors: environment where a server cannot be reached.
  static Result<StoreStates> open(const Config& config);

  const std::vector<std::string>& unseen() const { return unseen_; }
  std::vector<std::string> seen() const;
  // Looks at this database of the store's server; none: at the one of heddle's own address. What
  // was remembered of the store is forgotten.
  Result<void> look_at(const std::string& store, const std::optional<std::string>& database);
  // Looks anew at those whose server was away.
  Result<void> look_again();
  Result<std::vector<ObservedStore>> read();
  // The rows as they are now, for put_back().
  Result<void> remember();
  Result<void> remember(const std::string& store);
  // Whether rows and sequences of these stores are what they were. Errors: environment, with what
  // is in the way.
  Result<bool> put_back(const std::vector<std::string>& stores);
  // Those invariants of the file that do not hold. Errors: bad_input with the place of a query that
  // the store refuses.
  Result<std::vector<BrokenInvariant>> broken_invariants();

 private:
  struct Store {
    std::string name;
    std::string own = {};
    std::optional<std::string> database = {};
    PostgresState state;
    bool is_remembered = false;
  };

  Store* find(const std::string& name);
  static Result<void> open(Store& store);

  explicit StoreStates(const Config& config) : config_(&config) {}

  const Config* config_;
  std::vector<Store> stores_;
  std::vector<std::string> unseen_;
};

}  // namespace heddle
