#include "frontend/java/classes/redis_methods.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace heddle::java {

namespace {

using Part = RedisPart;
using Form = RedisForm;
using Gives = RedisGives;

constexpr std::array kParts = {
    std::pair<std::string_view, Part>{"JedisPool", Part::source},
    std::pair<std::string_view, Part>{"JedisPoolAbstract", Part::source},
    std::pair<std::string_view, Part>{"JedisSentinelPool", Part::source},
    std::pair<std::string_view, Part>{"RedisClient", Part::source},
    std::pair<std::string_view, Part>{"StatefulRedisConnection", Part::source},
    std::pair<std::string_view, Part>{"Jedis", Part::commands},
    std::pair<std::string_view, Part>{"JedisPooled", Part::commands},
    std::pair<std::string_view, Part>{"UnifiedJedis", Part::commands},
    std::pair<std::string_view, Part>{"JedisCommands", Part::commands},
    std::pair<std::string_view, Part>{"RedisCommands", Part::commands},
    std::pair<std::string_view, Part>{"Transaction", Part::group},
    std::pair<std::string_view, Part>{"Pipeline", Part::group},
    std::pair<std::string_view, Part>{"RedisTemplate", Part::template_},
    std::pair<std::string_view, Part>{"StringRedisTemplate", Part::template_},
    std::pair<std::string_view, Part>{"RedisOperations", Part::template_},
    std::pair<std::string_view, Part>{"ValueOperations", Part::values},
    std::pair<std::string_view, Part>{"HashOperations", Part::hashes},
    std::pair<std::string_view, Part>{"ListOperations", Part::lists},
    std::pair<std::string_view, Part>{"SetOperations", Part::sets},
    std::pair<std::string_view, Part>{"ZSetOperations", Part::sorted_sets},
};

struct Given {
  Part from;
  std::string_view method;
  std::string_view type;
};

constexpr std::array kGiven = {
    Given{Part::source, "getResource", "Jedis"},
    Given{Part::source, "connect", "StatefulRedisConnection"},
    Given{Part::source, "sync", "RedisCommands"},
    Given{Part::template_, "opsForValue", "ValueOperations"},
    Given{Part::template_, "opsForHash", "HashOperations"},
    Given{Part::template_, "opsForList", "ListOperations"},
    Given{Part::template_, "opsForSet", "SetOperations"},
    Given{Part::template_, "opsForZSet", "ZSetOperations"},
    Given{Part::values, "getOperations", "RedisTemplate"},
};

// Jedis and Lettuce have Redis's own names. Those of its commands that may use keys and are not
// here are taken to do anything.
constexpr std::array kMethods = {
    RedisMethod{Part::commands, "get", "get", Form::shape, Gives::text},
    RedisMethod{Part::commands, "set", "set", Form::set, Gives::ok},
    RedisMethod{Part::commands, "setex", "setex", Form::shape, Gives::ok},
    RedisMethod{Part::commands, "psetex", "psetex", Form::shape, Gives::ok},
    RedisMethod{Part::commands, "setnx", "setnx", Form::shape, Gives::count},
    RedisMethod{Part::commands, "del", "del", Form::each, Gives::count},
    RedisMethod{Part::commands, "unlink", "del", Form::each, Gives::count},
    RedisMethod{Part::commands, "exists", "exists", Form::shape, Gives::found},
    RedisMethod{Part::commands, "incr", "incr", Form::shape, Gives::number},
    RedisMethod{Part::commands, "incrBy", "incrby", Form::shape, Gives::number},
    RedisMethod{Part::commands, "incrby", "incrby", Form::shape, Gives::number},
    RedisMethod{Part::commands, "decr", "decr", Form::shape, Gives::number},
    RedisMethod{Part::commands, "decrBy", "decrby", Form::shape, Gives::number},
    RedisMethod{Part::commands, "decrby", "decrby", Form::shape, Gives::number},
    RedisMethod{Part::commands, "getSet", "get", Form::then_set, Gives::text},
    RedisMethod{Part::commands, "getset", "get", Form::then_set, Gives::text},
    RedisMethod{Part::commands, "setGet", "get", Form::then_set, Gives::text},
    RedisMethod{Part::commands, "getDel", "get", Form::then_del, Gives::text},
    RedisMethod{Part::commands, "getdel", "get", Form::then_del, Gives::text},
    RedisMethod{Part::commands, "expire", "expire", Form::shape, Gives::count},
    RedisMethod{Part::commands, "pexpire", "pexpire", Form::shape, Gives::count},
    RedisMethod{Part::commands, "persist", "persist", Form::shape, Gives::count},
    RedisMethod{Part::commands, "mset", "set", Form::pairs, Gives::ok},
    RedisMethod{Part::commands, "hget", "HGET", Form::reads, Gives::text},
    RedisMethod{Part::commands, "hset", "HSET", Form::writes, Gives::number},
    RedisMethod{Part::commands, "hsetnx", "HSETNX", Form::writes, Gives::number},
    RedisMethod{Part::commands, "hdel", "HDEL", Form::writes, Gives::number},
    RedisMethod{Part::commands, "hincrBy", "HINCRBY", Form::writes, Gives::number},
    RedisMethod{Part::commands, "hincrby", "HINCRBY", Form::writes, Gives::number},
    RedisMethod{Part::commands, "hexists", "HEXISTS", Form::reads, Gives::number},
    RedisMethod{Part::commands, "hlen", "HLEN", Form::reads, Gives::number},
    RedisMethod{Part::commands, "hgetAll", "HGETALL", Form::reads, Gives::some},
    RedisMethod{Part::commands, "hgetall", "HGETALL", Form::reads, Gives::some},
    RedisMethod{Part::commands, "hmget", "HMGET", Form::reads, Gives::some},
    RedisMethod{Part::commands, "hkeys", "HKEYS", Form::reads, Gives::some},
    RedisMethod{Part::commands, "hvals", "HVALS", Form::reads, Gives::some},
    RedisMethod{Part::commands, "lpush", "LPUSH", Form::writes, Gives::number},
    RedisMethod{Part::commands, "rpush", "RPUSH", Form::writes, Gives::number},
    RedisMethod{Part::commands, "lpop", "LPOP", Form::writes, Gives::text},
    RedisMethod{Part::commands, "rpop", "RPOP", Form::writes, Gives::text},
    RedisMethod{Part::commands, "llen", "LLEN", Form::reads, Gives::number},
    RedisMethod{Part::commands, "lindex", "LINDEX", Form::reads, Gives::text},
    RedisMethod{Part::commands, "lrange", "LRANGE", Form::reads, Gives::some},
    RedisMethod{Part::commands, "sadd", "SADD", Form::writes, Gives::number},
    RedisMethod{Part::commands, "srem", "SREM", Form::writes, Gives::number},
    RedisMethod{Part::commands, "scard", "SCARD", Form::reads, Gives::number},
    RedisMethod{Part::commands, "smembers", "SMEMBERS", Form::reads, Gives::some},
    RedisMethod{Part::commands, "zadd", "ZADD", Form::writes, Gives::number},
    RedisMethod{Part::commands, "zrem", "ZREM", Form::writes, Gives::number},
    RedisMethod{Part::commands, "zcard", "ZCARD", Form::reads, Gives::number},
    RedisMethod{Part::commands, "zrange", "ZRANGE", Form::reads, Gives::some},
    RedisMethod{Part::commands, "append", "APPEND", Form::writes, Gives::number},
    RedisMethod{Part::commands, "strlen", "STRLEN", Form::reads, Gives::number},
    RedisMethod{Part::commands, "ttl", "TTL", Form::reads, Gives::number},
    RedisMethod{Part::template_, "delete", "del", Form::shape, Gives::whether},
    RedisMethod{Part::template_, "unlink", "del", Form::shape, Gives::whether},
    RedisMethod{Part::template_, "hasKey", "exists", Form::shape, Gives::found},
    RedisMethod{Part::template_, "expire", "expire", Form::shape, Gives::whether},
    RedisMethod{Part::template_, "persist", "persist", Form::shape, Gives::whether},
    RedisMethod{Part::values, "get", "get", Form::shape, Gives::text},
    RedisMethod{Part::values, "set", "set", Form::set, Gives::nothing},
    RedisMethod{Part::values, "setIfAbsent", "setnx", Form::set, Gives::whether},
    RedisMethod{Part::values, "setIfPresent", "setxx", Form::set, Gives::whether},
    RedisMethod{Part::values, "increment", "incrby", Form::shape, Gives::number},
    RedisMethod{Part::values, "decrement", "decrby", Form::shape, Gives::number},
    RedisMethod{Part::values, "getAndSet", "get", Form::then_set, Gives::text},
    RedisMethod{Part::values, "getAndDelete", "get", Form::then_del, Gives::text},
    RedisMethod{Part::hashes, "get", "HGET", Form::reads, Gives::text},
    RedisMethod{Part::hashes, "put", "HSET", Form::writes, Gives::nothing},
    RedisMethod{Part::hashes, "putIfAbsent", "HSETNX", Form::writes, Gives::some},
    RedisMethod{Part::hashes, "delete", "HDEL", Form::writes, Gives::number},
    RedisMethod{Part::hashes, "increment", "HINCRBY", Form::writes, Gives::number},
    RedisMethod{Part::hashes, "hasKey", "HEXISTS", Form::reads, Gives::some},
    RedisMethod{Part::hashes, "entries", "HGETALL", Form::reads, Gives::some},
    RedisMethod{Part::hashes, "keys", "HKEYS", Form::reads, Gives::some},
    RedisMethod{Part::hashes, "values", "HVALS", Form::reads, Gives::some},
    RedisMethod{Part::hashes, "size", "HLEN", Form::reads, Gives::number},
    RedisMethod{Part::lists, "leftPush", "LPUSH", Form::writes, Gives::number},
    RedisMethod{Part::lists, "rightPush", "RPUSH", Form::writes, Gives::number},
    RedisMethod{Part::lists, "leftPop", "LPOP", Form::writes, Gives::text},
    RedisMethod{Part::lists, "rightPop", "RPOP", Form::writes, Gives::text},
    RedisMethod{Part::lists, "size", "LLEN", Form::reads, Gives::number},
    RedisMethod{Part::lists, "range", "LRANGE", Form::reads, Gives::some},
    RedisMethod{Part::sets, "add", "SADD", Form::writes, Gives::number},
    RedisMethod{Part::sets, "remove", "SREM", Form::writes, Gives::number},
    RedisMethod{Part::sets, "size", "SCARD", Form::reads, Gives::number},
    RedisMethod{Part::sets, "members", "SMEMBERS", Form::reads, Gives::some},
};

// Of pools, clients and connections, and of none that a template's operations have.
constexpr std::array<std::string_view, 30> kHarmless = {"close",
                                                        "isClosed",
                                                        "isOpen",
                                                        "isConnected",
                                                        "ping",
                                                        "auth",
                                                        "shutdown",
                                                        "shutdownAsync",
                                                        "quit",
                                                        "disconnect",
                                                        "info",
                                                        "echo",
                                                        "publish",
                                                        "getClient",
                                                        "setTimeout",
                                                        "setOptions",
                                                        "isBroken",
                                                        "getDB",
                                                        "destroy",
                                                        "returnResource",
                                                        "getNumActive",
                                                        "toString",
                                                        "hashCode",
                                                        "equals",
                                                        "setAutoFlushCommands",
                                                        "flushCommands",
                                                        "clientSetname",
                                                        "getConnectionFactory",
                                                        "convertAndSend",
                                                        "afterPropertiesSet"};

// What may use keys, besides what is followed.
constexpr std::array<std::string_view, 34> kOthers = {"exec",
                                                      "syncAndReturnAll",
                                                      "discard",
                                                      "multi",
                                                      "pipelined",
                                                      "execute",
                                                      "executePipelined",
                                                      "rename",
                                                      "renamenx",
                                                      "renameIfAbsent",
                                                      "eval",
                                                      "evalsha",
                                                      "mget",
                                                      "multiGet",
                                                      "msetnx",
                                                      "multiSet",
                                                      "keys",
                                                      "scan",
                                                      "flushDB",
                                                      "flushdb",
                                                      "flushAll",
                                                      "flushall",
                                                      "sismember",
                                                      "isMember",
                                                      "zincrby",
                                                      "zscore",
                                                      "incrementScore",
                                                      "rpoplpush",
                                                      "lrem",
                                                      "ltrim",
                                                      "lset",
                                                      "setrange",
                                                      "boundValueOps",
                                                      "boundHashOps"};

}  // namespace

RedisPart redis_part(std::string_view type) {
  const auto* const found =
      std::ranges::find(kParts, type, [](const auto& row) { return row.first; });
  return found == kParts.end() ? Part::none : found->second;
}

const RedisMethod* find_redis_method(RedisPart part, std::string_view name) {
  const Part of = part == Part::group ? Part::commands : part;
  const auto* const found = std::ranges::find_if(kMethods, [&](const RedisMethod& method) {
    return method.part == of && method.name == name;
  });
  return found == kMethods.end() ? nullptr : found;
}

std::string_view type_given_by(RedisPart part, std::string_view method) {
  const auto* const found = std::ranges::find_if(
      kGiven, [&](const Given& given) { return given.from == part && given.method == method; });
  return found == kGiven.end() ? "" : found->type;
}

bool is_harmless_redis_method(std::string_view name) { return is_one_of(name, kHarmless); }

bool is_redis_method(std::string_view name) {
  return std::ranges::find(kMethods, name, &RedisMethod::name) != kMethods.end() ||
         std::ranges::find(kGiven, name, &Given::method) != kGiven.end() ||
         is_one_of(name, kOthers);
}

bool mentions_redis(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kPackages = {
      "redis.clients.jedis", "io.lettuce.core", "org.springframework.data.redis"};
  return std::ranges::any_of(
      kPackages, [&](std::string_view package) { return text.find(package) != text.npos; });
}

}  // namespace heddle::java
