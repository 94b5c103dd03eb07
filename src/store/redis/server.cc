// A Redis server, started by heddle or given by its address, as a StoreServer.
#include "store/redis/server.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/redis/database.h"
#include "store/redis/throwaway.h"
#include "store/trouble.h"
#include "throwaway/guard.h"

namespace heddle {

namespace {

// A connection that has selected the logical database is the dead client's, and may still have
// commands to work on; or it is somebody else's, whose keys may be there by now.
bool is_database_in_use(redisContext& connection, int number) {
  const auto clients = order_redis(connection, {{"CLIENT", "LIST"}});
  return !clients ||
         text_of(*clients->front()).find(fmt::format(" db={} ", number)) != std::string::npos;
}

// Until the server has seen the dead client's connection end, or if others have taken the logical
// database since, it is claimed: then its keys are not ours to remove. `name` begins with its
// number.
bool empty_database(const std::string& name, const std::string& address) {
  const auto parsed = parse_redis_address(address);
  const int number = std::atoi(name.c_str());
  if (!parsed) return true;
  const auto connection = connect_to_redis(*parsed);
  if (!connection) return false;
  const auto claimed = claim_redis_database(**connection, number);
  return claimed && *claimed && !is_database_in_use(**connection, number) &&
         order_redis(**connection, {{"SELECT", std::to_string(number)}, {"FLUSHDB"}});
}

// Logical databases that heddle has claimed. All servers have the same numbers, so that a name is
// the number with the address behind it. Others may use one once heddle's connections have ended,
// so that it is not asked for long.
constexpr GuardedKind kGuardedRedisDatabases = {.remove = empty_database,
                                                .patience = std::chrono::seconds(2)};

constexpr int kUsualDatabases = 16;

// "redis_version:7.0.15" in what INFO answers.
std::string fact_in(const std::string& facts, std::string_view name) {
  for (const std::string& line : split(facts, '\n')) {
    if (line.starts_with(fmt::format("{}:", name))) {
      return std::string(trim(std::string_view(line).substr(name.size() + 1)));
    }
  }
  return "";
}

class RedisServer : public StoreServer {
 public:
  RedisServer(RedisAddress address, std::unique_ptr<ThrowawayRedis> throwaway)
      : throwaway_(std::move(throwaway)), address_(std::move(address)) {}

  Result<void> reach() {
    auto connection = connect_to_redis(address_);
    if (!connection) return connection.error();
    auto answers = ask_redis(**connection, {{"INFO", "server"}, {"CONFIG", "GET", "databases"}});
    if (!answers) return answers.error();
    version_ = fact_in(text_of(*answers->front()), "redis_version");
    const auto setting = elements_of(*answers->back());  // not everybody may ask
    if (setting.size() < 2) return {};
    const std::string count = text_of(*setting[1]);
    std::from_chars(count.data(), count.data() + count.size(), databases_);
    return {};
  }

  std::string description() const override {
    return fmt::format("Redis {}({})", version_.empty() ? "" : version_ + " ",
                       throwaway_ ? "throwaway" : "given");
  }

  bool is_throwaway() const override { return throwaway_ != nullptr; }
  Dialect dialect() const override { return Dialect::redis; }
  IsolationLevel default_level() const override { return IsolationLevel::serializable; }

  Result<void> offers(IsolationLevel level) const override {
    if (level == IsolationLevel::serializable) return {};
    return Diagnostic{.what = fmt::format("Redis has no level {}", definition(level).name),
                      .what_to_do =
                          "leave --isolation out: each command, and each MULTI ... EXEC, is "
                          "serializable by itself",
                      .file = "",
                      .position = {},
                      .trouble = Trouble::bad_input};
  }

  Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& /*preferred_name*/) override {
    auto connection = connect_to_redis(address_);
    if (!connection) return connection.error();
    auto number = throwaway_ ? take_number() : claim_number(**connection);
    if (!number) return number.error();
    auto selected = order_redis(**connection, {{"SELECT", fmt::format("{}", *number)}});
    if (!selected) return selected.error();
    const std::string entry = fmt::format("{} of {}", *number, to_text(address_));
    if (!throwaway_) guard_add(kGuardedRedisDatabases, entry, to_text(address_));
    auto database =
        RedisDatabase::connect(address_, *number, std::move(*connection), is_throwaway());
    if (!database) return database.error();
    (*database)->on_close([this, number = *number, entry](bool emptied) {
      if (throwaway_) return give_back(number);
      if (emptied) guard_forget(kGuardedRedisDatabases, entry);
    });
    return std::unique_ptr<StoreDatabase>(std::move(*database));
  }

 private:
  Diagnostic none_left() const {
    return Diagnostic{.what = fmt::format("none of the {} logical databases of the Redis server is "
                                          "empty and unclaimed, not counting number 0",
                                          databases_),
                      .what_to_do =
                          "empty one, raise the server's setting `databases`, or lower "
                          "--jobs",
                      .file = "",
                      .position = {},
                      .trouble = Trouble::environment};
  }

  Result<int> take_number() {
    const std::lock_guard lock(mutex_);
    for (int number = 0; number < databases_; ++number) {
      if (taken_.insert(number).second) return number;
    }
    return none_left();
  }

  void give_back(int number) {
    const std::lock_guard lock(mutex_);
    taken_.erase(number);
  }

  // From the last one down, and never number 0, the one that applications use unless they are told
  // otherwise: it may be empty only just now. A claim is looked at again, for whoever had it before
  // may have left keys.
  Result<int> claim_number(redisContext& connection) const {
    const auto is_empty = [&](int number) -> Result<bool> {
      auto answers = ask_redis(connection, {{"SELECT", fmt::format("{}", number)}, {"DBSIZE"}});
      if (!answers) return answers.error();
      return !is_error(*answers->front()) && answers->back()->type == REDIS_REPLY_INTEGER &&
             answers->back()->integer == 0;
    };
    for (int number = databases_ - 1; number > 0; --number) {
      auto empty = is_empty(number);
      if (!empty) return empty.error();
      if (!*empty) continue;
      auto claimed = claim_redis_database(connection, number);
      if (!claimed) return claimed.error();
      if (!*claimed) continue;
      empty = is_empty(number);
      if (!empty) return empty.error();
      if (*empty) return number;
    }
    return none_left();
  }

  std::unique_ptr<ThrowawayRedis> throwaway_;
  RedisAddress address_;
  std::string version_;
  int databases_ = kUsualDatabases;
  std::mutex mutex_;
  std::set<int> taken_;
};

}  // namespace

bool is_redis_address(std::string_view address) {
  return address == "redis" || address.starts_with("redis://") || address.starts_with("unix:");
}

Result<std::shared_ptr<StoreServer>> start_redis(const std::string& address) {
  std::unique_ptr<ThrowawayRedis> own;
  RedisAddress parsed;
  if (address == "redis") {
    auto started = ThrowawayRedis::start({});
    if (!started) return started.error();
    own = std::move(*started);
    parsed.socket = own->socket();
  } else {
    auto given = parse_redis_address(address);
    if (!given) return given.error();
    parsed = std::move(*given);
  }
  auto server = std::make_shared<RedisServer>(std::move(parsed), std::move(own));
  if (auto reached = server->reach(); !reached) return reached.error();
  return std::shared_ptr<StoreServer>(std::move(server));
}

}  // namespace heddle
