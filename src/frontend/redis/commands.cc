#include "frontend/redis/commands.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/text.h"

namespace heddle {

namespace {

using Kind = StatementKind;
using Keys = RedisKeys;
using Use = RedisUse;
using Answer = RedisAnswer;

constexpr bool kExpires = true;
constexpr bool kGenerated = true;

struct Names {
  RedisCommandRow row;
  std::string_view names;  // separated by spaces; a second word stands behind a dot
};

// Redis 7. What is not here is unknown, and may do anything: what changes the server itself or
// leaves the database.
constexpr Names kCommands[] = {
    // Of one key.
    {{Kind::select, Keys::first, Use::read},
     "get getrange substr strlen getbit bitcount bitpos bitfield_ro hget hmget hexists hlen "
     "hstrlen lindex llen lrange lpos scard sismember smismember zcard zcount zlexcount zscore "
     "zmscore zrange zrangebylex zrangebyscore zrevrange zrevrangebylex zrevrangebyscore zrank "
     "zrevrank geodist geohash geopos geosearch georadius_ro georadiusbymember_ro xlen type dump"},
    {{Kind::select, Keys::first, Use::read, false, false, Answer::set}, "hkeys hvals smembers"},
    {{Kind::select, Keys::first, Use::read, false, false, Answer::map}, "hgetall"},
    {{Kind::select, Keys::first, Use::read, false, false, Answer::scanned_set}, "sscan"},
    {{Kind::select, Keys::first, Use::read, false, false, Answer::scanned_map}, "hscan zscan"},
    {{Kind::select, Keys::first, Use::read, false, false, Answer::entries},
     "xrange xrevrange xpending"},
    {{Kind::select, Keys::first, Use::read, false, kGenerated},
     "hrandfield srandmember zrandmember"},
    {{Kind::select, Keys::first, Use::read, kExpires}, "ttl expiretime pexpiretime"},
    {{Kind::select, Keys::first, Use::read, kExpires, kGenerated}, "pttl"},
    {{Kind::update, Keys::first, Use::read_and_write},
     "append decr decrby incr incrby incrbyfloat setnx setrange setbit bitfield hdel hincrby "
     "hincrbyfloat hmset hset hsetnx linsert lpop lpush lpushx lrem lset ltrim rpop rpush rpushx "
     "sadd srem zadd zincrby zpopmax zpopmin zrem zremrangebylex zremrangebyrank zremrangebyscore "
     "geoadd pfadd xack xdel xsetid xtrim"},
    {{Kind::update, Keys::first, Use::read_and_write, false, kGenerated}, "spop xadd"},
    {{Kind::update, Keys::first, Use::read_and_write, false, false, Answer::entries},
     "xautoclaim xclaim"},
    {{Kind::update, Keys::first, Use::read_and_write, kExpires},
     "getset getdel getex expire expireat pexpire pexpireat persist restore"},
    {{Kind::update, Keys::first, Use::write_or_options, kExpires}, "set"},
    {{Kind::update, Keys::first, Use::write, kExpires}, "setex psetex"},
    {{Kind::select, Keys::second, Use::read, false, kGenerated},
     "object.encoding object.freq object.idletime object.refcount memory.usage debug.object"},
    {{Kind::select, Keys::second, Use::read, false, false, Answer::entries},
     "xinfo.consumers xinfo.groups xinfo.stream"},
    {{Kind::update, Keys::second, Use::read_and_write},
     "xgroup.create xgroup.createconsumer xgroup.delconsumer xgroup.destroy xgroup.setid"},
    // Of several.
    {{Kind::select, Keys::all, Use::read}, "mget exists touch"},
    {{Kind::select, Keys::all, Use::read, false, false, Answer::set}, "sdiff sinter sunion"},
    {{Kind::select, Keys::first_two, Use::read}, "lcs"},
    {{Kind::select, Keys::counted, Use::read}, "sintercard zdiff zinter zintercard zunion"},
    {{Kind::select, Keys::streams, Use::read, false, false, Answer::entries}, "xread"},
    {{Kind::select, Keys::sorted, Use::read}, "sort_ro"},
    {{Kind::update, Keys::sorted, Use::read_or_store, kExpires}, "sort"},
    {{Kind::update, Keys::first_and_stored, Use::read_or_store, kExpires},
     "georadius georadiusbymember"},
    {{Kind::update, Keys::pairs, Use::write, kExpires}, "mset"},
    {{Kind::update, Keys::pairs, Use::read_and_write, kExpires}, "msetnx"},
    {{Kind::update, Keys::all, Use::read_and_write, kExpires},
     "sdiffstore sinterstore sunionstore"},
    // Counting stores the count in the value itself.
    {{Kind::update, Keys::all, Use::read_and_write}, "pfcount pfmerge"},
    {{Kind::update, Keys::second_on, Use::read_and_write, kExpires}, "bitop"},
    {{Kind::update, Keys::first_two, Use::read_and_write, kExpires},
     "geosearchstore zrangestore rename renamenx copy"},
    {{Kind::update, Keys::first_two, Use::read_and_write},
     "blmove brpoplpush lmove rpoplpush smove"},
    {{Kind::update, Keys::first_and_counted, Use::read_and_write, kExpires},
     "zdiffstore zinterstore zunionstore"},
    {{Kind::update, Keys::all_but_last, Use::read_and_write}, "blpop brpop bzpopmax bzpopmin"},
    {{Kind::update, Keys::counted, Use::read_and_write}, "lmpop zmpop"},
    {{Kind::update, Keys::counted_after_timeout, Use::read_and_write}, "blmpop bzmpop"},
    {{Kind::update, Keys::streams, Use::read_and_write, false, false, Answer::entries},
     "xreadgroup"},
    {{Kind::delete_, Keys::all, Use::read_and_write, kExpires}, "del unlink"},
    // Of all there are.
    {{Kind::select, Keys::everything, Use::read}, "dbsize"},
    {{Kind::select, Keys::everything, Use::read, false, kGenerated}, "randomkey"},
    {{Kind::select, Keys::everything, Use::read, false, false, Answer::set}, "keys"},
    {{Kind::select, Keys::everything, Use::read, false, false, Answer::scanned_set}, "scan"},
    {{Kind::delete_, Keys::everything, Use::write, kExpires}, "flushdb flushall"},
    // A script may use keys that it does not declare.
    {{Kind::select, Keys::everything, Use::read, kExpires}, "eval_ro evalsha_ro fcall_ro"},
    {{Kind::call, Keys::everything, Use::read_and_write, kExpires}, "eval evalsha fcall"},
    // Of none.
    {{Kind::begin, Keys::none, Use::none}, "multi"},
    {{Kind::commit, Keys::none, Use::none}, "exec"},
    {{Kind::rollback, Keys::none, Use::none}, "discard"},
    {{Kind::set, Keys::all, Use::read}, "watch"},
    {{Kind::set, Keys::none, Use::none},
     "unwatch select client hello reset auth quit readonly readwrite asking subscribe psubscribe "
     "ssubscribe unsubscribe punsubscribe sunsubscribe monitor"},
    {{Kind::select, Keys::none, Use::none},
     "ping echo lolwut role command pubsub wait config.get acl.cat acl.list acl.users acl.whoami "
     "acl.getuser function.list function.dump script.exists"},
    {{Kind::select, Keys::none, Use::none, false, kGenerated},
     "time lastsave info client.id client.info client.list slowlog.get slowlog.len acl.genpass"},
    {{Kind::notify, Keys::none, Use::none}, "publish spublish"},
};

using Table = std::unordered_map<std::string, const RedisCommandRow*>;

Table make_table() {
  Table table;
  for (const Names& names : kCommands) {
    for (const std::string& name : split(names.names, ' ')) {
      if (!name.empty()) table.emplace(name, &names.row);
    }
  }
  return table;
}

using Arguments = std::vector<std::string>;
using Found = std::optional<std::vector<std::string>>;

// Every `step`-th argument from `first` to before `end`.
Found range(const Arguments& arguments, std::size_t first, std::size_t end, std::size_t step = 1) {
  std::vector<std::string> keys;
  for (std::size_t i = first; i < std::min(end, arguments.size()); i += step) {
    keys.push_back(arguments[i]);
  }
  if (keys.empty()) return std::nullopt;
  return keys;
}

Found counted(const Arguments& arguments, std::size_t at) {
  if (at >= arguments.size()) return std::nullopt;
  const std::string& text = arguments[at];
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool fits =
      error == std::errc() && end == text.data() + text.size() && count < arguments.size() - at;
  if (!fits) return std::nullopt;
  return range(arguments, at + 1, at + 1 + count);
}

Found joined_words(Found some, const Found& others) {
  if (!some || !others) return std::nullopt;
  some->insert(some->end(), others->begin(), others->end());
  return some;
}

Found after_streams(const Arguments& arguments) {
  const auto word = std::ranges::find_if(
      arguments, [](const std::string& text) { return equal_ignoring_case(text, "streams"); });
  if (word == arguments.end()) return std::nullopt;
  const auto first = static_cast<std::size_t>(word - arguments.begin()) + 1;
  return range(arguments, first, first + (arguments.size() - first) / 2);
}

Found with_stored(const Arguments& arguments) {
  Found keys = range(arguments, 1, 2);
  for (std::size_t i = 2; keys && i + 1 < arguments.size(); ++i) {
    if (equal_ignoring_case(arguments[i], "store") ||
        equal_ignoring_case(arguments[i], "storedist")) {
      keys->push_back(arguments[i + 1]);
    }
  }
  return keys;
}

}  // namespace

const RedisCommandRow* find_redis_command(const std::vector<std::string>& arguments) {
  static const Table table = make_table();
  if (arguments.empty()) return nullptr;
  const std::string name = to_lower(arguments[0]);
  auto found = table.end();
  if (arguments.size() > 1) found = table.find(name + "." + to_lower(arguments[1]));
  if (found == table.end()) found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

std::optional<std::vector<std::string>> redis_keys(const RedisCommandRow& row,
                                                   const std::vector<std::string>& arguments) {
  const std::size_t size = arguments.size();
  switch (row.keys) {
    case Keys::none:
      return std::vector<std::string>();
    case Keys::first:
      return range(arguments, 1, 2);
    case Keys::second:
      return range(arguments, 2, 3);
    case Keys::first_two:
      return range(arguments, 1, 3);
    case Keys::all:
      return range(arguments, 1, size);
    case Keys::second_on:
      return range(arguments, 2, size);
    case Keys::all_but_last:
      return range(arguments, 1, size - 1);
    case Keys::pairs:
      return range(arguments, 1, size, 2);
    case Keys::counted:
      return counted(arguments, 1);
    case Keys::counted_after_timeout:
      return counted(arguments, 2);
    case Keys::first_and_counted:
      return joined_words(range(arguments, 1, 2), counted(arguments, 2));
    case Keys::streams:
      return after_streams(arguments);
    case Keys::first_and_stored:
      return with_stored(arguments);
    case Keys::sorted: {
      const bool names_more =
          has_redis_option(arguments, 2, "by") || has_redis_option(arguments, 2, "get");
      return names_more ? std::nullopt : with_stored(arguments);
    }
    case Keys::everything:
      break;
  }
  return std::nullopt;
}

bool has_redis_option(const std::vector<std::string>& arguments, std::size_t first,
                      std::string_view word) {
  for (std::size_t i = first; i < arguments.size(); ++i) {
    if (equal_ignoring_case(arguments[i], word)) return true;
  }
  return false;
}

}  // namespace heddle
