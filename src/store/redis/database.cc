#include "store/redis/database.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/redis/parse.h"
#include "store/control.h"
#include "store/redis/connection.h"
#include "store/trouble.h"

namespace heddle {

namespace {

constexpr std::uint32_t kDiscardTimeoutMs = 10'000;

// A word that CLIENT SETNAME takes.
std::string client_name(const std::string& name) {
  std::string word = name;
  std::ranges::replace_if(word, [](char c) { return c <= ' ' || c > '~'; }, '_');
  return word;
}

// The value of `field=value` in a line of CLIENT LIST.
std::string_view client_field(std::string_view line, std::string_view field) {
  const std::string words = " " + std::string(line);
  const std::size_t at = words.find(fmt::format(" {}=", field));
  if (at == words.npos) return "";
  const std::string_view value = line.substr(at + field.size() + 1);
  return value.substr(0, value.find(' '));
}

// Before the value, so that a text tells its key: "3:abc".
std::string with_length(const std::string& text) { return fmt::format("{}:{}", text.size(), text); }

std::string key_in(const std::string& text) {
  std::size_t size = 0;
  const std::size_t colon = text.find(':');
  std::from_chars(text.data(), text.data() + std::min(colon, text.size()), size);
  return colon == text.npos ? "" : text.substr(colon + 1, size);
}

}  // namespace

RedisDatabase::RedisDatabase(RedisAddress address, int number, RedisConnection own,
                             bool is_throwaway)
    : address_(std::move(address)),
      number_(number),
      own_(std::move(own)),
      is_throwaway_(is_throwaway) {}

RedisDatabase::~RedisDatabase() {
  control_.reset();
  const bool emptied = static_cast<bool>(order_redis(*own_, {{"FLUSHDB"}}));
  own_.reset();
  if (on_close_) on_close_(emptied);
}

Result<std::unique_ptr<RedisDatabase>> RedisDatabase::connect(const RedisAddress& address,
                                                              int number, RedisConnection own,
                                                              bool is_throwaway) {
  std::unique_ptr<RedisDatabase> database(
      new RedisDatabase(address, number, std::move(own), is_throwaway));
  auto control = database->open_session("heddle");
  if (!control) return control.error();
  database->control_ = std::move(*control);
  return database;
}

Result<std::unique_ptr<RedisSession>> RedisDatabase::open_session(const std::string& name) {
  auto connection = connect_to_redis(address_);
  if (!connection) return connection.error();
  auto answers = order_redis(**connection, {{"SELECT", fmt::format("{}", number_)},
                                            {"CLIENT", "SETNAME", client_name(name)},
                                            {"CLIENT", "ID"}});
  if (!answers) return answers.error();
  const int client = static_cast<int>(answers->back()->integer);
  return std::make_unique<RedisSession>(std::move(*connection), client,
                                        [this](int id) { return cancel(id); });
}

Result<std::vector<std::unique_ptr<StoreSession>>> RedisDatabase::open_sessions(
    const std::vector<SessionOptions>& options) {
  std::vector<std::unique_ptr<StoreSession>> sessions;
  for (const SessionOptions& session : options) {
    auto opened = open_session(session.application_name);
    if (!opened) return opened.error();
    sessions.push_back(std::move(*opened));
  }
  return sessions;
}

// A transaction that a text leaves open would swallow the next one.
Result<std::vector<Reply>> RedisDatabase::execute(const std::string& text,
                                                  std::uint32_t timeout_ms) {
  auto replies = execute_on(*control_, kRedisProduct, text, timeout_ms);
  if (!replies || control_->transaction_state() == TransactionState::idle) return replies;
  auto discarded = execute_on(*control_, kRedisProduct, "DISCARD", kDiscardTimeoutMs);
  if (!discarded) return discarded.error();
  return replies;
}

// While a script runs, the server answers nothing else than that it is busy.
bool RedisDatabase::cancel(int client) {
  auto answers = ask_redis(*own_, {{"CLIENT", "UNBLOCK", fmt::format("{}", client), "ERROR"}});
  if (!answers) return false;
  if (!is_error(*answers->front())) return answers->front()->integer == 1;
  auto killed = ask_redis(*own_, {{"SCRIPT", "KILL"}, {"FUNCTION", "KILL"}});
  return killed && (!is_error(*killed->front()) || !is_error(*killed->back()));
}

Result<std::set<int>> RedisDatabase::blocked_clients() {
  auto answers = ask_redis(*own_, {{"CLIENT", "LIST"}});
  if (!answers) return answers.error();
  const std::string list = text_of(*answers->front());
  std::set<int> blocked;
  if (is_error(*answers->front())) {
    if (list.starts_with("BUSY")) return blocked;
    return store_trouble("Redis does not tell who waits: " + in_one_line(list),
                         "use a user who may ask CLIENT LIST");
  }
  for (const std::string& line : split(list, '\n')) {
    if (client_field(line, "flags").find('b') == std::string_view::npos) continue;
    const std::string_view id = client_field(line, "id");
    int number = 0;
    std::from_chars(id.data(), id.data() + id.size(), number);
    blocked.insert(number);
  }
  return blocked;
}

Result<bool> RedisDatabase::is_blocked(int backend, const std::vector<int>& /*others*/) {
  auto blocked = blocked_clients();
  if (!blocked) return blocked.error();
  return blocked->contains(backend);
}

// Whoever does not wait may be the one to push what is waited for.
Result<std::vector<WaitState>> RedisDatabase::wait_states(const std::vector<int>& backends,
                                                          const std::vector<int>& others) {
  auto blocked = blocked_clients();
  if (!blocked) return blocked.error();
  std::vector<WaitState> states;
  for (const int backend : backends) {
    WaitState& state = states.emplace_back();
    state.blocked = blocked->contains(backend);
    if (!state.blocked) continue;
    std::ranges::copy_if(others, std::back_inserter(state.blockers),
                         [&](int other) { return other != backend && !blocked->contains(other); });
  }
  return states;
}

Result<std::vector<CatalogueTable>> RedisDatabase::read_catalogue() {
  CatalogueTable table;
  table.name = table.quoted = table.rows = kRedisTable;
  for (const char* name : {kRedisKeyColumn, kRedisValueColumn, kRedisExpiresColumn}) {
    table.columns.push_back({name, "text", "", false, false});
  }
  table.key = {kRedisKeyColumn};
  return std::vector<CatalogueTable>{std::move(table)};
}

Result<void> RedisDatabase::take_snapshot() {
  auto keys = store_redis_keys(*own_);
  if (!keys) return keys.error();
  snapshot_ = std::move(*keys);
  return {};
}

// Also where no key is known to have changed: what expires has all its time again.
Result<void> RedisDatabase::restore_snapshot(const std::set<std::string>& /*changed*/) {
  return restore_redis_keys(*own_, snapshot_);
}

Result<std::vector<std::vector<Row>>> RedisDatabase::read_rows(
    const std::vector<const CatalogueTable*>& tables, std::uint32_t /*timeout_ms*/) {
  std::vector<std::vector<Row>> rows(tables.size());
  if (tables.empty()) return rows;
  auto keys = read_redis_keys(*own_);
  if (!keys) return keys.error();
  for (ShownKey& key : *keys) {
    rows[0].push_back(
        {std::move(key.key), std::move(key.value), key.expires ? Cell("yes") : std::nullopt});
  }
  return rows;
}

Result<std::vector<std::vector<WatchedRow>>> RedisDatabase::watch_rows(
    const std::vector<const CatalogueTable*>& tables) {
  std::vector<std::vector<WatchedRow>> rows(tables.size());
  if (tables.empty()) return rows;
  auto keys = read_redis_keys(*own_);
  if (!keys) return keys.error();
  for (const ShownKey& key : *keys) {
    WatchedRow& row = rows[0].emplace_back();
    row.value = key.value + (key.expires ? " (expires)" : "");
    row.text = with_length(key.key) + row.value;
    row.key = {key.key};
  }
  return rows;
}

Result<std::vector<std::size_t>> RedisDatabase::matching(
    const CatalogueTable& /*table*/, const std::string& /*alias*/, const std::string& predicate,
    const std::vector<WatchedVersion>& versions) {
  const auto keys = keys_of_redis_predicate(predicate);
  std::vector<std::size_t> numbers;
  for (const WatchedVersion& version : versions) {
    const bool matches = !keys || std::ranges::find(*keys, key_in(version.text)) != keys->end();
    if (matches) numbers.push_back(version.number);
  }
  return numbers;
}

Result<std::vector<std::optional<std::string>>> RedisDatabase::writers(
    const std::vector<int>& backends) {
  return std::vector<std::optional<std::string>>(backends.size());
}

SnapshotRule RedisDatabase::snapshot_rule(std::string_view /*level*/) const {
  return {.keeps = false, .locking_is_current = true, .at_commit = true};
}

bool RedisDatabase::is_true(const Cell& cell) const {
  return cell && *cell != "0" && !cell->empty();
}

// Functions are of the whole server; a scenario that makes any runs alone (cluster_state.h).
Result<void> RedisDatabase::wipe() {
  auto wiped = order_redis(*own_, {{"FLUSHDB"}});
  if (!wiped) return wiped.error();
  if (!is_throwaway_) return {};
  auto functions = ask_redis(*own_, {{"FUNCTION", "FLUSH"}});
  if (!functions) return functions.error();
  return {};
}

}  // namespace heddle
