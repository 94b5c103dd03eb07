// The stores that heddle knows: a row for each, with what addresses name it, its levels, and what
// can be done with it. Whoever asks what a store can do asks here.
//
//   const StoreProfile* profile = find_store_profile("mysql://me@host/");
//   profile->product                                               // "MariaDB"
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "heddle/isolation.h"
#include "heddle/result.h"
#include "heddle/statement.h"
#include "store/store.h"

namespace heddle {

enum class StoreKind : std::uint8_t { postgres, mariadb, ring, redis, sqlite, replicated };

struct StoreProfile {
  StoreKind kind;
  std::string_view word;     // the address of a private one: "postgres"
  std::string_view product;  // as a subject: "the replicated store"
  Dialect dialect;
  // What the store as a whole keeps, weaker levels before those that imply them. A server may offer
  // the same by other names (StoreServer::offers).
  std::span<const IsolationLevel> (*levels)();
  std::string_view usual;      // addresses of private ones: "sqlite, sqlite:wal"
  std::string_view given;      // an address of one that runs already; empty: there is no such
  bool outlives = true;        // something of a private one would outlive a process that is killed
  bool has_databases = false;  // a given one has databases, with tables to read and to drop
  bool executes_causes = false;  // find --on
  bool executes_cuts = false;    // split --on
  bool (*is_address)(std::string_view);
  // REQUIRES: is_address(address); the guard has been started if it `outlives`.
  Result<std::shared_ptr<StoreServer>> (*start)(const std::string& address);
};

// In the order in which people are told of them.
std::span<const StoreProfile> store_profiles();

// Null: heddle knows no such store.
const StoreProfile* find_store_profile(std::string_view address);

}  // namespace heddle
