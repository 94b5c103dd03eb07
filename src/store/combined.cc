#include "store/combined.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"

namespace heddle {

namespace {

// Tables of "public" are called without it, in replies too.
std::string plain_name(const std::string& table) {
  constexpr std::string_view kPublic = "public.";
  return table.starts_with(kPublic) ? table.substr(kPublic.size()) : table;
}

class CombinedSession : public StoreSession, public PartedSession {
 public:
  CombinedSession(const std::vector<std::string>& names,
                  std::vector<std::unique_ptr<StoreSession>> parts, int number)
      : names_(names), parts_(std::move(parts)), number_(number) {}

  PartedSession* parted() override { return this; }
  void turn_to(std::size_t store) override {
    HEDDLE_ASSERT(store < parts_.size());
    current_ = store;
  }
  StoreSession& part(std::size_t store) override { return *parts_[store]; }

  Result<void> send(const std::string& text) override { return current().send(text); }
  Result<bool> busy() override { return current().busy(); }
  int socket() const override { return parts_[current_]->socket(); }
  std::vector<Reply> take_replies() override {
    std::vector<Reply> replies = current().take_replies();
    for (Reply& reply : replies) {
      if (!reply.result) continue;
      for (Column& column : reply.result->columns) {
        if (!column.table.empty()) {
          column.table = name_in_store(names_[current_], plain_name(column.table));
        }
      }
    }
    return replies;
  }
  std::vector<std::string> take_notices() override {
    std::vector<std::string> all;
    for (const auto& part : parts_)
      std::ranges::move(part->take_notices(), std::back_inserter(all));
    return all;
  }
  // The senders of notifications have numbers of their store.
  std::vector<Notification> take_notifications() override {
    std::vector<Notification> all;
    for (const auto& part : parts_) {
      std::ranges::move(part->take_notifications(), std::back_inserter(all));
    }
    return all;
  }
  TransactionState transaction_state() const override {
    TransactionState state = TransactionState::idle;
    for (const auto& part : parts_) state = std::max(state, part->transaction_state());
    return state;
  }
  bool awaits_deadlock_check() const override { return parts_[current_]->awaits_deadlock_check(); }
  bool cancel() override { return current().cancel(); }
  int backend_id() const override { return number_; }

 private:
  StoreSession& current() { return *parts_[current_]; }

  const std::vector<std::string>& names_;
  std::vector<std::unique_ptr<StoreSession>> parts_;
  std::size_t current_ = 0;
  int number_;
};

class CombinedDatabase : public StoreDatabase {
 public:
  CombinedDatabase(const std::vector<NamedServer>& servers,
                   std::vector<std::unique_ptr<StoreDatabase>> parts)
      : servers_(servers), parts_(std::move(parts)) {
    for (const NamedServer& server : servers) names_.push_back(server.name);
  }

  std::size_t part_count() const override { return parts_.size(); }
  StoreDatabase& part(std::size_t store) override { return *parts_[store]; }
  Dialect dialect() const override { return parts_.front()->dialect(); }

  Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) override {
    std::vector<std::vector<std::unique_ptr<StoreSession>>> of_sessions(options.size());
    backends_.assign(options.size(), {});
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      std::vector<SessionOptions> own = options;
      // A store without the level has its own.
      for (SessionOptions& session : own) {
        if (session.level && !servers_[k].server->offers(*session.level)) session.level.reset();
      }
      auto sessions = parts_[k]->open_sessions(own);
      if (!sessions) return sessions.error();
      for (std::size_t i = 0; i < options.size(); ++i) {
        backends_[i].push_back((*sessions)[i]->backend_id());
        of_sessions[i].push_back(std::move((*sessions)[i]));
      }
    }
    std::vector<std::unique_ptr<StoreSession>> sessions;
    for (std::size_t i = 0; i < options.size(); ++i) {
      sessions.push_back(std::make_unique<CombinedSession>(names_, std::move(of_sessions[i]),
                                                           static_cast<int>(i) + 1));
    }
    return sessions;
  }

  Result<std::vector<Reply>> execute(const std::string& text, std::uint32_t timeout_ms) override {
    return parts_.front()->execute(text, timeout_ms);
  }

  Result<bool> is_blocked(int backend, const std::vector<int>& others) override {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      auto blocked = parts_[k]->is_blocked(backend_in(backend, k), backends_in(others, k));
      if (!blocked || *blocked) return blocked;
    }
    return false;
  }

  Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                             const std::vector<int>& others) override {
    std::vector<WaitState> states(backends.size());
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      auto own = parts_[k]->wait_states(backends_in(backends, k), backends_in(others, k));
      if (!own) return own.error();
      for (std::size_t i = 0; i < states.size(); ++i) {
        states[i].blocked = states[i].blocked || (*own)[i].blocked;
        for (const int blocker : (*own)[i].blockers) {
          for (std::size_t session = 0; session < backends_.size(); ++session) {
            if (backends_[session][k] == blocker) {
              states[i].blockers.push_back(static_cast<int>(session) + 1);
            }
          }
        }
      }
    }
    return states;
  }

  Result<std::vector<CatalogueTable>> read_catalogue() override {
    std::vector<CatalogueTable> all;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      auto tables = parts_[k]->read_catalogue();
      if (!tables) return tables.error();
      for (CatalogueTable& table : *tables) {
        table.store = k;
        table.name = name_in_store(names_[k], table.name);
        for (ForeignKey& key : table.foreign_keys) key.table = name_in_store(names_[k], key.table);
        all.push_back(std::move(table));
      }
    }
    std::ranges::sort(all, {}, &CatalogueTable::name);
    return all;
  }

  void keep_one_copy(bool only) override {
    for (const auto& part : parts_) part->keep_one_copy(only);
  }
  bool can_restore() const override {
    return std::ranges::all_of(parts_, [](const auto& part) { return part->can_restore(); });
  }

  Result<void> take_snapshot() override {
    return each([](StoreDatabase& part) { return part.take_snapshot(); });
  }

  Result<void> restore_snapshot(const std::set<std::string>& changed) override {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::string prefix = name_in_store(names_[k], "");
      std::set<std::string> own;
      for (const std::string& table : changed) {
        if (table.starts_with(prefix)) own.insert(table.substr(prefix.size()));
      }
      if (auto restored = parts_[k]->restore_snapshot(own); !restored) return restored;
    }
    return {};
  }

  // New sessions do for all of them.
  std::string cleaning_text() const override { return ""; }

  Result<std::vector<std::vector<Row>>> read_rows(const std::vector<const CatalogueTable*>& tables,
                                                  std::uint32_t timeout_ms) override {
    return gather<std::vector<Row>>(tables, [&](StoreDatabase& part, const auto& own) {
      return part.read_rows(own, timeout_ms);
    });
  }

  Result<std::vector<std::vector<WatchedRow>>> watch_rows(
      const std::vector<const CatalogueTable*>& tables) override {
    return watch(tables, [](StoreDatabase& part, const auto& own) { return part.watch_rows(own); });
  }
  bool shows_uncommitted() const override {
    return std::ranges::any_of(parts_, [](const auto& part) { return part->shows_uncommitted(); });
  }
  Result<std::vector<std::vector<WatchedRow>>> watch_uncommitted_rows(
      const std::vector<const CatalogueTable*>& tables) override {
    return watch(tables, [](StoreDatabase& part, const auto& own) {
      return part.watch_uncommitted_rows(own);
    });
  }

  Result<std::vector<std::size_t>> matching(const CatalogueTable& table, const std::string& alias,
                                            const std::string& predicate,
                                            const std::vector<WatchedVersion>& versions) override {
    return parts_[table.store]->matching(table, alias, predicate, versions);
  }

  Result<std::vector<std::optional<std::string>>> writers(
      const std::vector<int>& backends) override {
    std::vector<std::optional<std::string>> numbers(backends.size() * parts_.size());
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      auto own = parts_[k]->writers(backends_in(backends, k));
      if (!own) return own.error();
      for (std::size_t i = 0; i < backends.size(); ++i) {
        if ((*own)[i]) numbers[i * parts_.size() + k] = name_in_store(names_[k], *(*own)[i]);
      }
    }
    return numbers;
  }

  std::string level_text() const override { return parts_.front()->level_text(); }
  SnapshotRule snapshot_rule(std::string_view level) const override {
    return parts_.front()->snapshot_rule(level);
  }
  bool is_true(const Cell& cell) const override { return parts_.front()->is_true(cell); }

  Result<void> wipe() override {
    return each([](StoreDatabase& part) { return part.wipe(); });
  }

 private:
  int backend_in(int backend, std::size_t store) const {
    return backends_[static_cast<std::size_t>(backend) - 1][store];
  }
  std::vector<int> backends_in(const std::vector<int>& backends, std::size_t store) const {
    std::vector<int> own;
    for (const int backend : backends) own.push_back(backend_in(backend, store));
    return own;
  }

  // What `look` sees of the tables, with writers whose names are theirs alone in all stores.
  template <class Look>
  Result<std::vector<std::vector<WatchedRow>>> watch(
      const std::vector<const CatalogueTable*>& tables, const Look& look) {
    auto watched = gather<std::vector<WatchedRow>>(tables, look);
    if (!watched) return watched.error();
    for (std::size_t i = 0; i < tables.size(); ++i) {
      for (WatchedRow& row : (*watched)[i]) {
        if (!row.writer.empty()) row.writer = name_in_store(names_[tables[i]->store], row.writer);
      }
    }
    return watched;
  }

  template <class Action>
  Result<void> each(const Action& action) {
    for (const auto& part : parts_) {
      if (auto done = action(*part); !done) return done;
    }
    return {};
  }

  // Asks each part for its tables; the answers in the order of the tables.
  template <class Answer, class Ask>
  Result<std::vector<Answer>> gather(const std::vector<const CatalogueTable*>& tables,
                                     const Ask& ask) {
    std::vector<Answer> answers(tables.size());
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      std::vector<const CatalogueTable*> own;
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < tables.size(); ++i) {
        if (tables[i]->store != k) continue;
        own.push_back(tables[i]);
        places.push_back(i);
      }
      auto answered = ask(*parts_[k], own);
      if (!answered) return answered.error();
      for (std::size_t i = 0; i < places.size(); ++i) {
        answers[places[i]] = std::move((*answered)[i]);
      }
    }
    return answers;
  }

  const std::vector<NamedServer>& servers_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<StoreDatabase>> parts_;
  std::vector<std::vector<int>> backends_;  // of each session in each store
};

class CombinedServer : public StoreServer {
 public:
  explicit CombinedServer(std::vector<NamedServer> servers) : servers_(std::move(servers)) {}

  const StoreServer& part(std::size_t store) const override { return *servers_[store].server; }

  // "db: PostgreSQL 15.4 (throwaway), cache: Redis 7.0.15 (throwaway)"
  std::string description() const override {
    std::vector<std::string> all;
    for (const NamedServer& server : servers_) {
      all.push_back(fmt::format("{}: {}", server.name, server.server->description()));
    }
    return join(all, ", ");
  }
  bool is_throwaway() const override {
    return std::ranges::all_of(
        servers_, [](const NamedServer& server) { return server.server->is_throwaway(); });
  }
  Dialect dialect() const override { return servers_.front().server->dialect(); }
  IsolationLevel default_level() const override { return servers_.front().server->default_level(); }
  // One of them suffices.
  Result<void> offers(IsolationLevel level) const override {
    for (const NamedServer& server : servers_) {
      if (server.server->offers(level)) return {};
    }
    return servers_.front().server->offers(level);
  }
  Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& preferred_name) override {
    std::vector<std::unique_ptr<StoreDatabase>> parts;
    for (const NamedServer& server : servers_) {
      auto database = server.server->create_database(preferred_name);
      if (!database) return database.error();
      parts.push_back(std::move(*database));
    }
    return std::unique_ptr<StoreDatabase>(
        std::make_unique<CombinedDatabase>(servers_, std::move(parts)));
  }

 private:
  const std::vector<NamedServer> servers_;
};

// The address of each of the scenario's stores; of one where it declares none.
}  // namespace

std::string name_in_store(const std::string& store, const std::string& table) {
  return store + "." + table;
}

std::shared_ptr<StoreServer> combine(std::vector<NamedServer> servers) {
  return std::make_shared<CombinedServer>(std::move(servers));
}

}  // namespace heddle
