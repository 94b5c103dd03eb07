// Commands of Redis as Statements, on one table whose rows are keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "heddle/statement.h"

namespace heddle {

// What the table of all keys is called, and its columns.
inline constexpr const char* kRedisTable = "redis";
inline constexpr const char* kRedisKeyColumn = "key";
inline constexpr const char* kRedisValueColumn = "value";
inline constexpr const char* kRedisExpiresColumn = "expires";

// parse_statements for Dialect::redis. Errors as those of split_redis.
Result<std::vector<Statement>> parse_redis(std::string_view text);

// `key = 'a'` or `key IN ('a', 'b')`, quotes doubled.
std::string redis_predicate(const std::vector<std::string>& keys);
// The keys in such a predicate; none where it is another.
std::optional<std::vector<std::string>> keys_of_redis_predicate(std::string_view predicate);

}  // namespace heddle
