#include "store/ring/database.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "store/control.h"
#include "store/quote.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// On the control connections, which write only what is to be at both servers anyway.
constexpr const char* kUnlogged = "SET SESSION sql_log_bin = 0";
// What setup blocks insert is numbered without gaps.
constexpr const char* kLogged =
    "SET SESSION sql_log_bin = 1, SESSION auto_increment_increment = 1, "
    "SESSION auto_increment_offset = 1";

std::string name_at_second(const std::string& table) { return table + " at r2"; }

// Its values are those of the table at the first server, so that generated ones are the same.
CatalogueTable at_second(CatalogueTable table) {
  ForeignKey same;
  same.table = table.name;
  for (const CatalogueColumn& column : table.columns) same.columns.push_back(column.name);
  same.referenced = same.columns;
  table.foreign_keys = {std::move(same)};
  table.name = name_at_second(table.name);
  return table;
}

bool is_same(const Reply& a, const Reply& b) {
  if (a.error || b.error) return a.error == b.error;
  return a.result->rows == b.result->rows;
}

}  // namespace

RingDatabase::RingDatabase(RingMembers members, std::string name)
    : members_(std::move(members)),
      name_(std::move(name)),
      delivery_(
          std::make_unique<RingDelivery>(members_, [this](std::size_t server, int connection) {
            return parts_[server]->is_blocked(connection, {});
          })) {}

Result<std::unique_ptr<RingDatabase>> RingDatabase::create(
    RingMembers members, const std::string& name, std::function<void(RingMembers)> give_back) {
  std::unique_ptr<RingDatabase> database(new RingDatabase(std::move(members), name));
  if (auto prepared = database->prepare(); !prepared) return prepared.error();
  database->give_back_ = std::move(give_back);
  return database;
}

Result<void> RingDatabase::prepare() {
  for (std::size_t server = 0; server < kRingSize; ++server) {
    RingMember& member = *members_[server];
    auto made = member.ask("CREATE DATABASE " + quote_with(name_, '`'));
    if (!made) return made.error();
    MariadbAddress address = member.address();
    address.database = name_;
    auto part = MariadbDatabase::connect(address);
    if (!part) return part.error();
    parts_[server] = std::move(*part);
    if (auto set = run_unlogged(server, kUnlogged); !set) return set;
  }
  return delivery_->start_over();
}

RingDatabase::~RingDatabase() {
  HEDDLE_ASSERT(sessions_.empty());
  bool is_clean = give_back_ != nullptr;
  for (std::size_t server = 0; server < kRingSize; ++server) {
    parts_[server].reset();
    is_clean =
        is_clean && members_[server]->ask("DROP DATABASE IF EXISTS " + quote_with(name_, '`'));
  }
  if (is_clean) give_back_(std::move(members_));
}

Result<void> RingDatabase::run_unlogged(std::size_t server, const std::string& text) {
  auto replies = parts_[server]->execute(text, kOwnQueryTimeoutMs);
  if (!replies) return replies.error();
  for (const Reply& reply : *replies) {
    if (!reply.error) continue;
    const std::string reason = in_one_line(reply.error->message);
    return store_trouble("MariaDB refused a statement of heddle's own: " + reason,
                         advice_for(reason));
  }
  return {};
}

Result<std::vector<std::unique_ptr<StoreSession>>> RingDatabase::open_sessions(
    const std::vector<SessionOptions>& options) {
  std::vector<std::unique_ptr<StoreSession>> sessions;
  for (const SessionOptions& one : options) {
    std::vector<std::unique_ptr<MariadbSession>> connections;
    for (const auto& part : parts_) {
      auto connection = part->open_session(one);
      if (!connection) return connection.error();
      connections.push_back(std::move(*connection));
    }
    sessions.push_back(std::make_unique<RingSession>(
        session_name(one.application_name), std::move(connections), *delivery_, sessions_));
  }
  return sessions;
}

Result<std::vector<Reply>> RingDatabase::run_logged(const std::string& text,
                                                    std::uint32_t timeout_ms) {
  if (auto set = run_unlogged(0, kLogged); !set) return set.error();
  auto replies = parts_[0]->execute(text, timeout_ms);
  if (auto set = run_unlogged(0, kUnlogged); !set) return set.error();
  return replies;
}

Result<std::vector<Reply>> RingDatabase::execute(const std::string& text,
                                                 std::uint32_t timeout_ms) {
  auto before = delivery_->logged_count(0);
  if (!before) return before.error();
  auto replies = run_logged(text, timeout_ms);
  if (!replies) return replies.error();
  auto after = delivery_->logged_count(0);
  if (!after) return after.error();
  if (*after != *before) {
    auto delivered = delivery_->return_to_start();
    if (!delivered) return delivered.error();
    if (*delivered) return replies;
    return store_trouble("r2 cannot apply what has been done at r1: " + delivery_->last_failure());
  }
  auto others = parts_[1]->execute(text, timeout_ms);
  if (!others) return others.error();
  const bool is_equal = std::ranges::equal(*replies, *others, is_same);
  if (!is_equal) std::ranges::move(*others, std::back_inserter(*replies));
  return replies;
}

Result<bool> RingDatabase::is_blocked(int backend, const std::vector<int>& /*others*/) {
  const auto found = sessions_.find(backend);
  if (found == sessions_.end()) return false;
  for (const auto& [server, connection] : found->second->active_connections()) {
    auto blocked = parts_[server]->is_blocked(connection, {});
    if (!blocked || *blocked) return blocked;
  }
  return false;
}

std::vector<int> RingDatabase::connections_at(std::size_t server) const {
  std::vector<int> connections;
  for (const auto& [number, session] : sessions_) {
    connections.push_back(session->connection_at(server));
  }
  const RingLink& link = delivery_->link(server);
  if (link.state() == LinkState::waits) connections.push_back(link.applier());
  return connections;
}

// Who waits for the applier waits for whom that waits for.
Result<void> RingDatabase::add_wait(std::size_t server, int connection, WaitState& state) {
  const RingLink& link = delivery_->link(server);
  const int applier = link.state() == LinkState::waits ? link.applier() : 0;
  std::vector<int> asked = {connection};
  if (applier != 0 && applier != connection) asked.push_back(applier);
  auto states = parts_[server]->wait_states(asked, connections_at(server));
  if (!states) return states.error();
  state.blocked = state.blocked || states->front().blocked;
  std::vector<int> blockers = states->front().blockers;
  if (std::ranges::find(blockers, applier) != blockers.end()) {
    blockers.insert(blockers.end(), states->back().blockers.begin(), states->back().blockers.end());
  }
  for (const auto& [number, session] : sessions_) {
    const bool blocks =
        std::ranges::find(blockers, session->connection_at(server)) != blockers.end();
    if (blocks) state.blockers.push_back(number);
  }
  return {};
}

Result<std::vector<WaitState>> RingDatabase::wait_states(const std::vector<int>& backends,
                                                         const std::vector<int>& /*others*/) {
  std::vector<WaitState> states(backends.size());
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const auto found = sessions_.find(backends[i]);
    if (found == sessions_.end()) continue;
    for (const auto& [server, connection] : found->second->active_connections()) {
      if (auto added = add_wait(server, connection, states[i]); !added) return added.error();
    }
  }
  return states;
}

Result<std::vector<CatalogueTable>> RingDatabase::read_catalogue() {
  auto tables = parts_[0]->read_catalogue();
  if (!tables) return tables.error();
  auto others = parts_[1]->read_catalogue();
  if (!others) return others.error();
  copies_.clear();
  for (const CatalogueTable& other : *others) {
    tables->push_back(at_second(other));
    copies_.emplace(tables->back().name, other.name);
  }
  std::ranges::sort(*tables, {}, &CatalogueTable::name);
  return tables;
}

Result<void> RingDatabase::learn_types() {
  for (const auto& part : parts_) {
    if (auto learnt = part->learn_types(); !learnt) return learnt;
  }
  return {};
}

Result<void> RingDatabase::take_snapshot() {
  watch_.begin();
  for (const auto& part : parts_) {
    if (auto taken = part->take_snapshot(); !taken) return taken;
  }
  return {};
}

Result<void> RingDatabase::restore_snapshot(const std::set<std::string>& changed) {
  watch_.begin();
  applied_at_watch_ = {};
  const auto delivered = delivery_->return_to_start();
  if (!delivered) return delivered.error();
  std::array<std::set<std::string>, kRingSize> tables;
  for (const std::string& table : changed) {
    const std::size_t server = server_of(table);
    tables[server].insert(server == 0 ? table : copies_.at(table));
  }
  for (std::size_t server = 0; server < kRingSize; ++server) {
    // What could not be delivered leaves rows of which nobody has told.
    for (const auto& [copy, table] : copies_) {
      if (!*delivered) tables[server].insert(table);
    }
    if (auto restored = parts_[server]->restore_snapshot(tables[server]); !restored)
      return restored;
  }
  return {};
}

Result<void> RingDatabase::wipe() {
  watch_.begin();
  applied_at_watch_ = {};
  if (auto delivered = delivery_->return_to_start(); !delivered) return delivered.error();
  for (const auto& part : parts_) {
    if (auto wiped = part->wipe(); !wiped) return wiped;
  }
  return {};
}

Result<std::vector<std::vector<Row>>> RingDatabase::read_rows(
    const std::vector<const CatalogueTable*>& tables, std::uint32_t timeout_ms) {
  if (auto delivered = delivery_->deliver_everything(); !delivered) return delivered.error();
  std::vector<std::vector<Row>> rows(tables.size());
  for (std::size_t server = 0; server < kRingSize; ++server) {
    std::vector<const CatalogueTable*> own;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (server_of(tables[i]->name) != server) continue;
      own.push_back(tables[i]);
      places.push_back(i);
    }
    auto read = parts_[server]->read_rows(own, timeout_ms);
    if (!read) return read.error();
    for (std::size_t i = 0; i < places.size(); ++i) rows[places[i]] = std::move((*read)[i]);
  }
  return rows;
}

Result<std::vector<std::vector<WatchedRow>>> RingDatabase::watch_rows(
    const std::vector<const CatalogueTable*>& tables) {
  std::vector<const CatalogueTable*> own;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (server_of(tables[i]->name) != 0) continue;
    own.push_back(tables[i]);
    places.push_back(i);
  }
  std::array<bool, kRingSize> has_applied{};
  std::array<std::vector<std::vector<WatchedRow>>, kRingSize> watched;
  for (std::size_t server = 0; server < kRingSize; ++server) {
    const std::size_t applied = delivery_->link(server).applied();
    has_applied[server] = std::exchange(applied_at_watch_[server], applied) != applied;
    auto rows = parts_[server]->watch_rows(own);
    if (!rows) return rows.error();
    watched[server] = std::move(*rows);
  }
  // Of the second server nothing is shown by itself.
  std::vector<std::vector<WatchedRow>> merged(tables.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    merged[places[i]] = watch_.merge(
        tables[places[i]]->name, {std::move(watched[0][i]), std::move(watched[1][i])}, has_applied);
  }
  return merged;
}

}  // namespace heddle
