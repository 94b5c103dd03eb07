// The keys of a logical database: as people read them, and as they are stored again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/redis/connection.h"

namespace heddle {

struct ShownKey {
  std::string key;
  std::string value;
  bool expires = false;  // when is not told: it would differ between equal runs
};

// All keys, sorted. A list is [a, b], a set {a, b}, a hash {f: v}, a sorted set {a: 1} by score, a
// stream [(1-1) {f: v}]. A key that vanishes meanwhile is left out.
Result<std::vector<ShownKey>> read_redis_keys(redisContext& connection);

struct StoredKey {
  std::string key;
  std::string dump;
  std::string ttl_ms;  // "0": it does not expire
};

Result<std::vector<StoredKey>> store_redis_keys(redisContext& connection);
// Replaces whatever is there by these keys; those that expire have all their time again.
Result<void> restore_redis_keys(redisContext& connection, const std::vector<StoredKey>& keys);

}  // namespace heddle
