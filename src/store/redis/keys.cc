// Keys are read in three rounds: their names, their types, their values.
#include "store/redis/keys.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/redis/reply.h"
#include "store/trouble.h"

namespace heddle {

namespace {

using Texts = std::vector<std::string>;

Texts texts_of(const redisReply& reply) {
  Texts texts;
  for (const redisReply* element : elements_of(reply)) texts.push_back(text_of(*element));
  return texts;
}

// "f: v" for each two texts.
Texts pairs_of(const redisReply& reply) {
  const Texts texts = texts_of(reply);
  Texts pairs;
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
    pairs.push_back(fmt::format("{}: {}", texts[i], texts[i + 1]));
  }
  return pairs;
}

std::string in_braces(const Texts& texts) { return "{" + join(texts, ", ") + "}"; }
std::string in_brackets(const Texts& texts) { return "[" + join(texts, ", ") + "]"; }

Texts sorted(Texts texts) {
  std::ranges::sort(texts);
  return texts;
}

std::string string_text(const redisReply& reply) { return text_of(reply); }
std::string list_text(const redisReply& reply) { return in_brackets(texts_of(reply)); }
std::string set_text(const redisReply& reply) { return in_braces(sorted(texts_of(reply))); }
std::string hash_text(const redisReply& reply) { return in_braces(sorted(pairs_of(reply))); }
std::string sorted_set_text(const redisReply& reply) { return in_braces(pairs_of(reply)); }

std::string stream_text(const redisReply& reply) {
  Texts entries;
  for (const redisReply* entry : elements_of(reply)) {
    const auto parts = elements_of(*entry);
    if (parts.size() != 2) continue;
    entries.push_back(
        fmt::format("({}) {}", shown_entry(text_of(*parts[0])), in_braces(pairs_of(*parts[1]))));
  }
  return in_brackets(entries);
}

struct Type {
  std::string_view name;  // as TYPE says it
  std::string_view command;
  std::array<std::string_view, 3> arguments;  // behind the key, as many as there are
  std::string (*text)(const redisReply&);
};

constexpr Type kTypes[] = {
    {"string", "GET", {}, string_text},
    {"list", "LRANGE", {"0", "-1"}, list_text},
    {"set", "SMEMBERS", {}, set_text},
    {"hash", "HGETALL", {}, hash_text},
    {"zset", "ZRANGE", {"0", "-1", "WITHSCORES"}, sorted_set_text},
    {"stream", "XRANGE", {"-", "+"}, stream_text},
};

const Type* find_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &Type::name);
  return found == std::end(kTypes) ? nullptr : found;
}

bool is_stream(const Type* type) { return type != nullptr && type->name == "stream"; }

// What PTTL answers.
constexpr long long kNoSuchKey = -2;

RedisArguments reading_command(const Type& type, const std::string& key) {
  RedisArguments arguments = {std::string(type.command), key};
  for (const std::string_view argument : type.arguments) {
    if (!argument.empty()) arguments.emplace_back(argument);
  }
  return arguments;
}

// Sorted; the server may name a key more than once.
Result<Texts> all_keys(redisContext& connection) {
  std::set<std::string> keys;
  std::string cursor = "0";
  do {
    auto replies = order_redis(connection, {{"SCAN", cursor, "COUNT", "1000"}});
    if (!replies) return replies.error();
    const auto parts = elements_of(*replies->front());
    if (parts.size() != 2) return store_trouble("Redis answered SCAN with no list of keys");
    cursor = text_of(*parts[0]);
    for (std::string& key : texts_of(*parts[1])) keys.insert(std::move(key));
  } while (cursor != "0");
  return Texts(keys.begin(), keys.end());
}

// How many entries each group of a stream has handed out without being told that they are done.
std::string groups_text(const redisReply& reply) {
  Texts groups;
  for (const redisReply* group : elements_of(reply)) {
    // name, NAME, consumers, 1, pending, 2, ...
    const Texts parts = texts_of(*group);
    const auto pending = std::ranges::find(parts, "pending");
    if (parts.size() < 2 || parts.end() - pending < 2) continue;
    groups.push_back(fmt::format("{}: {}", parts[1], *(pending + 1)));
  }
  return groups.empty() ? "" : " pending " + in_braces(sorted(std::move(groups)));
}

}  // namespace

Result<std::vector<ShownKey>> read_redis_keys(redisContext& connection) {
  const auto keys = all_keys(connection);
  if (!keys) return keys.error();
  std::vector<RedisArguments> commands;
  for (const std::string& key : *keys) commands.push_back({"TYPE", key});
  const auto types = order_redis(connection, commands);
  if (!types) return types.error();
  commands.clear();
  for (std::size_t i = 0; i < keys->size(); ++i) {
    const std::string& key = (*keys)[i];
    const Type* const type = find_type(text_of(*(*types)[i]));
    commands.push_back(type == nullptr ? RedisArguments{"DUMP", key} : reading_command(*type, key));
    commands.push_back({"PTTL", key});
    if (is_stream(type)) commands.push_back({"XINFO", "GROUPS", key});
  }
  const auto answers = ask_redis(connection, commands);
  if (!answers) return answers.error();
  std::vector<ShownKey> shown;
  auto next = answers->begin();
  for (std::size_t i = 0; i < keys->size(); ++i) {
    const Type* const type = find_type(text_of(*(*types)[i]));
    const redisReply& value = **next++;
    const redisReply& ttl = **next++;
    std::string groups = is_stream(type) ? groups_text(**next++) : "";
    if (is_error(value) || ttl.integer == kNoSuchKey) continue;
    const std::string text = type == nullptr ? text_of(value) : type->text(value);
    shown.push_back({(*keys)[i], text + groups, ttl.integer >= 0});
  }
  return shown;
}

Result<std::vector<StoredKey>> store_redis_keys(redisContext& connection) {
  const auto keys = all_keys(connection);
  if (!keys) return keys.error();
  std::vector<RedisArguments> commands;
  for (const std::string& key : *keys) {
    commands.push_back({"DUMP", key});
    commands.push_back({"PTTL", key});
  }
  const auto answers = order_redis(connection, commands);
  if (!answers) return answers.error();
  std::vector<StoredKey> stored;
  for (std::size_t i = 0; i < keys->size(); ++i) {
    const redisReply& dump = *(*answers)[2 * i];
    const redisReply& ttl = *(*answers)[2 * i + 1];
    if (dump.type != REDIS_REPLY_STRING) continue;
    // RESTORE takes 0 for a key that does not expire.
    const long long ttl_ms = ttl.integer < 0 ? 0 : std::max(ttl.integer, 1LL);
    stored.push_back({(*keys)[i], text_of(dump), fmt::format("{}", ttl_ms)});
  }
  return stored;
}

Result<void> restore_redis_keys(redisContext& connection, const std::vector<StoredKey>& keys) {
  std::vector<RedisArguments> commands = {{"FLUSHDB"}};
  for (const StoredKey& key : keys) commands.push_back({"RESTORE", key.key, key.ttl_ms, key.dump});
  const auto answers = order_redis(connection, commands);
  if (!answers) return answers.error();
  return {};
}

}  // namespace heddle
