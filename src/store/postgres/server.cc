// A PostgreSQL server, started by heddle or given by its address, as a StoreServer.
#include "store/postgres/server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/database_name.h"
#include "store/postgres/address.h"
#include "store/postgres/database.h"
#include "store/postgres/environment.h"
#include "store/postgres/run_claim.h"
#include "store/postgres/runs.h"
#include "store/postgres/throwaway.h"
#include "store/quote.h"
#include "store/server_runs.h"
#include "store/store.h"
#include "store/trouble.h"
#include "throwaway/guard.h"

namespace heddle {

namespace {

class PostgresServer : public StoreServer {
 public:
  PostgresServer(ConnectionParameters parameters, std::unique_ptr<ThrowawayPostgres> throwaway,
                 NewNameDraw draw)
      : throwaway_(std::move(throwaway)),
        parameters_(std::move(parameters)),
        draw_(std::move(draw)) {}

  Result<void> reach() {
    if (parameters_["dbname"].empty()) parameters_["dbname"] = "postgres";
    if (!throwaway_) {
      const auto run = run_mark();
      if (!run) return run.error();
      parameters_["application_name"] = run_application(*run);
    }
    auto connected = PostgresDatabase::connect(parameters_);
    if (!connected) return connected.error();
    auto facts = (*connected)
                     ->execute(
                         "SELECT current_setting('server_version'), "
                         "current_setting('default_transaction_isolation')",
                         kTimeoutMs);
    if (!facts) return facts.error();
    if (facts->empty() || !facts->front().result) return {};
    const Row& row = facts->front().result->rows.at(0);
    version_ = row[0]->substr(0, row[0]->find(' '));
    default_level_ = find_isolation_level("postgres:" + *row[1]).value_or(default_level_);
    idle_ = std::move(*connected);
    return {};
  }

  std::string description() const override {
    return fmt::format("PostgreSQL {} ({})", version_, throwaway_ ? "throwaway" : "given");
  }

  bool is_throwaway() const override { return throwaway_ != nullptr; }
  Dialect dialect() const override { return Dialect::postgres; }

  IsolationLevel default_level() const override { return default_level_; }

  Result<void> offers(IsolationLevel level) const override {
    if (!postgres_level(level).empty()) return {};
    return Diagnostic{
        .what = fmt::format("PostgreSQL has no level {}", definition(level).name),
        .what_to_do = "use read-committed, snapshot (its repeatable read) or serializable",
        .file = "",
        .position = {},
        .trouble = Trouble::bad_input};
  }

  Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& preferred_name) override {
    drop_abandoned();
    if (!throwaway_) {
      if (auto held = claim_.hold(parameters_); !held) return held.error();
    }
    const auto name = create_under_new_name(names_for(preferred_name),
                                            [this](const std::string& one) { return create(one); });
    if (!name) return name.error();
    ConnectionParameters parameters = parameters_;
    parameters["dbname"] = *name;
    auto database = PostgresDatabase::connect(parameters);
    if (!database) return database.error();
    (*database)->on_close(
        [this, name = *name] { throwaway_ ? abandon(name) : drop_database(name); });
    return std::unique_ptr<StoreDatabase>(std::move(*database));
  }

 private:
  static constexpr std::uint32_t kTimeoutMs = 60'000;
  static constexpr std::string_view kInsufficientPrivilege = "42501";
  static constexpr std::string_view kObjectInUse = "55006";
  // duplicate_database; and unique_violation, where two make one of the same name at a time.
  static constexpr std::string_view kNameIsTaken[] = {"42P04", "23505"};
  // Each takes some 8 MB.
  static constexpr std::size_t kMostAbandoned = 8;

  // On a server of heddle's own the preferred name is the first that is tried.
  NewNames names_for(const std::string& preferred_name) {
    NewNames names;
    if (throwaway_) {
      names.draw = [this, preferred_name]() -> Result<std::string> {
        const bool is_first = !preferred_name.empty() && !preferred_taken_.exchange(true);
        return is_first ? preferred_name : own_database_name(++databases_);
      };
      return names;
    }
    names.draw = draw_;
    names.announce = [this](const std::string& name) {
      guard_add(kGuardedPostgresDatabases, name, to_conninfo(parameters_));
    };
    names.forget = [](const std::string& name) { guard_forget(kGuardedPostgresDatabases, name); };
    return names;
  }

  Result<Creation> create(const std::string& name) {
    const std::string statement =
        fmt::format("CREATE DATABASE {} TEMPLATE template0", quote_identifier(name));
    const auto error = execute_alone(statement);
    if (!error) return error.error();
    if (!*error) return Creation::made;
    if (std::ranges::find(kNameIsTaken, (*error)->code) != std::end(kNameIsTaken)) {
      return Creation::name_is_taken;
    }
    return refusal(statement, **error);
  }

  // One statement of CREATE or DROP DATABASE, on the connection that is kept for these, or on one
  // of its own where that is in use or broken.
  Result<std::optional<StepError>> execute_alone(const std::string& statement) {
    auto reply = ask_alone(statement);
    if (!reply) return reply.error();
    return reply->error;
  }

  Result<Reply> ask_alone(const std::string& statement) {
    std::unique_ptr<PostgresDatabase> connection = take_idle();
    if (!connection) {
      auto connected = PostgresDatabase::connect(parameters_);
      if (!connected) return connected.error();
      connection = std::move(*connected);
    }
    auto replies = connection->execute(statement, kTimeoutMs);
    if (!replies) return replies.error();
    const std::lock_guard lock(mutex_);
    idle_ = std::move(connection);
    return replies->empty() ? Reply{} : std::move(replies->front());
  }

  std::unique_ptr<PostgresDatabase> take_idle() {
    const std::lock_guard lock(mutex_);
    if (idle_ && !idle_->is_open()) idle_.reset();
    return std::move(idle_);
  }

  static Diagnostic refusal(const std::string& statement, const StepError& error) {
    if (error.error_class == ErrorClass::connection_lost) return lost_connection();
    const std::string reason = in_one_line(error.message);
    return store_trouble(fmt::format("PostgreSQL refused {}: {}", statement, reason),
                         error.code == kInsufficientPrivilege
                             ? "give a user who may create databases"
                             : advice_for(reason));
  }

  // A throwaway server goes as a whole; only one that serves for long drops databases before.
  void abandon(const std::string& name) {
    const std::lock_guard lock(mutex_);
    abandoned_.push_back(name);
  }

  void drop_abandoned() {
    std::vector<std::string> dropped;
    {
      const std::lock_guard lock(mutex_);
      while (abandoned_.size() > kMostAbandoned) {
        dropped.push_back(std::move(abandoned_.front()));
        abandoned_.pop_front();
      }
    }
    for (const std::string& name : dropped) drop_database(name);
  }

  // A server that is gone has no database left to drop. What keeps a database from being dropped,
  // such as a prepared transaction, goes first.
  void drop_database(const std::string& name) {
    const std::string statement =
        fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", quote_identifier(name));
    await_no_sessions(name);
    auto error = execute_alone(statement);
    if (error && *error && (*error)->code == kObjectInUse) {
      wipe(name);
      error = execute_alone(statement);
    }
    if (error && !*error && !throwaway_) guard_forget(kGuardedPostgresDatabases, name);
  }

  // Sessions that were closed just now may still be on their way out: DROP DATABASE, which meets
  // one, looks again after 100 ms only.
  void await_no_sessions(const std::string& name) {
    const std::string question = fmt::format(
        "SELECT FROM pg_catalog.pg_stat_activity WHERE datname = {} LIMIT 1", quote_literal(name));
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (std::chrono::steady_clock::now() < end) {
      const auto reply = ask_alone(question);
      if (!reply || !reply->result || reply->result->rows.empty()) return;
    }
  }

  void wipe(const std::string& name) {
    ConnectionParameters parameters = parameters_;
    parameters["dbname"] = name;
    auto database = PostgresDatabase::connect(parameters);
    if (database) (void)(*database)->wipe();
  }

  std::unique_ptr<ThrowawayPostgres> throwaway_;
  PostgresRunClaim claim_;
  ConnectionParameters parameters_;
  NewNameDraw draw_;
  std::string version_;
  IsolationLevel default_level_ = IsolationLevel::postgres_read_committed;
  std::atomic<std::uint32_t> databases_ = 0;
  std::atomic<bool> preferred_taken_ = false;  // there is one preferred name
  std::mutex mutex_;
  std::deque<std::string> abandoned_;       // guarded by mutex_
  std::unique_ptr<PostgresDatabase> idle_;  // guarded by mutex_; null: in use, or there is none
};

}  // namespace

bool is_postgres_address(std::string_view address) {
  return address == "postgres" || address == "postgresql" || address.starts_with("postgres://") ||
         address.starts_with("postgresql://") || address.find('=') != std::string_view::npos;
}

Result<std::shared_ptr<StoreServer>> start_postgres(const std::string& address,
                                                    const NewNameDraw& draw) {
  take_postgres_environment();
  std::unique_ptr<ThrowawayPostgres> own;
  const bool throwaway = address == "postgres" || address == "postgresql";
  if (throwaway) {
    auto started = ThrowawayPostgres::start({});
    if (!started) return started.error();
    own = std::move(*started);
  }
  auto parameters = throwaway ? parse_conninfo(own->conninfo()) : parse_postgres_address(address);
  if (!parameters) return parameters.error();
  auto server = std::make_shared<PostgresServer>(std::move(*parameters), std::move(own), draw);
  if (auto reached = server->reach(); !reached) return reached.error();
  return std::shared_ptr<StoreServer>(std::move(server));
}

}  // namespace heddle
