#include "store/services.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "store/control.h"
#include "store/quote.h"
#include "store/service_session.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// PostgreSQL cuts off long names.
std::string schema_of(const std::vector<ServiceDeclaration>& services, std::size_t k) {
  constexpr std::size_t kLongestName = 40;
  const std::string& name = services[k].name;
  return name.size() > kLongestName ? fmt::format("service {}", k + 1) : "service_" + name;
}

// nextval('service_M1.orders_id_seq'::regclass) -> orders_id_seq
std::string sequence_in(const std::string& default_expression, const std::string& schema) {
  constexpr std::string_view kNext = "nextval('";
  if (!default_expression.starts_with(kNext)) return "";
  std::string name = default_expression.substr(kNext.size());
  name.erase(std::min(name.find("'::"), name.size()));
  for (const std::string& prefix : {schema + ".", quote_identifier(schema) + "."}) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  if (name.size() > 1 && name.front() == '"') name = name.substr(1, name.size() - 2);
  return name;
}

class ServiceDatabase : public StoreDatabase {
 public:
  ServiceDatabase(std::unique_ptr<StoreDatabase> whole, const Scenario& scenario)
      : whole_(std::move(whole)), services_(scenario.services), file_(scenario.file) {
    for (std::size_t k = 0; k < services_.size(); ++k) {
      schemas_.push_back(schema_of(services_, k));
      prefixes_.push_back(schemas_[k] + ".");
      for (const std::string& table : services_[k].tables) owners_[table] = k;
    }
  }

  std::optional<std::size_t> service_of(const std::string& relation) const override {
    const auto owner = owners_.find(relation);
    return owner == owners_.end() ? std::nullopt : std::optional(owner->second);
  }

  Dialect dialect() const override { return whole_->dialect(); }

  Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) override {
    std::vector<SessionOptions> of_parts;
    for (const SessionOptions& session : options) {
      for (std::size_t k = 0; k < services_.size(); ++k) {
        SessionOptions part = session;
        if (services_[k].isolation) part.level = services_[k].isolation;
        part.schema = schemas_[k];
        of_parts.push_back(std::move(part));
      }
    }
    auto opened = whole_->open_sessions(of_parts);
    if (!opened) return opened.error();
    backends_.assign(options.size(), {});
    places_.clear();
    std::vector<std::unique_ptr<StoreSession>> sessions;
    for (std::size_t i = 0; i < options.size(); ++i) {
      std::vector<std::unique_ptr<StoreSession>> parts;
      for (std::size_t k = 0; k < services_.size(); ++k) {
        std::unique_ptr<StoreSession>& part = (*opened)[i * services_.size() + k];
        backends_[i].push_back(part->backend_id());
        parts.push_back(std::move(part));
      }
      places_.push_back(std::make_shared<std::size_t>(0));
      sessions.push_back(std::make_unique<ServiceSession>(std::move(parts), prefixes_, places_[i],
                                                          static_cast<int>(i) + 1));
    }
    return sessions;
  }

  Result<std::vector<Reply>> execute(const std::string& text, std::uint32_t timeout_ms) override {
    return whole_->execute(text, timeout_ms);
  }

  Result<bool> is_blocked(int backend, const std::vector<int>& others) override {
    return whole_->is_blocked(current_backend(backend), all_backends(others));
  }

  Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                             const std::vector<int>& others) override {
    auto states = whole_->wait_states(current_backends(backends), all_backends(others));
    if (!states) return states;
    for (WaitState& state : *states) {
      std::set<int> blockers;
      for (const int blocker : state.blockers) {
        for (std::size_t i = 0; i < backends_.size(); ++i) {
          if (std::ranges::find(backends_[i], blocker) == backends_[i].end()) continue;
          blockers.insert(static_cast<int>(i) + 1);
        }
      }
      state.blockers.assign(blockers.begin(), blockers.end());
    }
    return states;
  }

  Result<std::vector<CatalogueTable>> read_catalogue() override {
    if (auto moved = move_tables(); !moved) return moved.error();
    auto tables = whole_->read_catalogue();
    if (!tables) return tables;
    std::set<std::string> known;
    for (CatalogueTable& table : *tables) {
      const std::optional<std::size_t> owner = take_prefix(table.name);
      if (owner) known.insert(table.name);
      for (ForeignKey& key : table.foreign_keys) take_prefix(key.table);
      for (const CatalogueColumn& column : table.columns) {
        const std::string sequence =
            owner ? sequence_in(column.default_expression, schemas_[*owner]) : "";
        if (!sequence.empty()) owners_[sequence] = *owner;
      }
    }
    std::ranges::sort(*tables, {}, &CatalogueTable::name);
    for (const ServiceDeclaration& service : services_) {
      for (const std::string& table : service.tables) {
        if (known.contains(table)) continue;
        return Diagnostic{.what = fmt::format("service {} has a table {} that no setup makes",
                                              service.name, table),
                          .what_to_do = "make the table, or take it out of the service",
                          .file = file_,
                          .position = service.position,
                          .trouble = Trouble::bad_input};
      }
    }
    return tables;
  }

  Result<void> learn_types() override { return whole_->learn_types(); }
  bool can_restore() const override { return whole_->can_restore(); }
  Result<void> take_snapshot() override { return whole_->take_snapshot(); }

  Result<void> restore_snapshot(const std::set<std::string>& changed) override {
    std::set<std::string> full;
    for (const std::string& table : changed) {
      const std::optional<std::size_t> owner = service_of(table);
      full.insert(owner ? prefixes_[*owner] + table : table);
    }
    return whole_->restore_snapshot(full);
  }

  std::string cleaning_text() const override { return whole_->cleaning_text(); }
  std::string rollback_text() const override { return whole_->rollback_text(); }

  Result<std::vector<std::vector<Row>>> read_rows(const std::vector<const CatalogueTable*>& tables,
                                                  std::uint32_t timeout_ms) override {
    return whole_->read_rows(tables, timeout_ms);
  }
  Result<std::vector<std::vector<WatchedRow>>> watch_rows(
      const std::vector<const CatalogueTable*>& tables) override {
    return whole_->watch_rows(tables);
  }
  bool shows_uncommitted() const override { return whole_->shows_uncommitted(); }
  Result<std::vector<std::vector<WatchedRow>>> watch_uncommitted_rows(
      const std::vector<const CatalogueTable*>& tables) override {
    return whole_->watch_uncommitted_rows(tables);
  }
  bool shows_equal_writes() const override { return whole_->shows_equal_writes(); }
  Result<std::vector<std::size_t>> matching(const CatalogueTable& table, const std::string& alias,
                                            const std::string& predicate,
                                            const std::vector<WatchedVersion>& versions) override {
    return whole_->matching(table, alias, predicate, versions);
  }
  Result<std::vector<std::optional<std::string>>> writers(
      const std::vector<int>& backends) override {
    return whole_->writers(current_backends(backends));
  }
  std::string level_text() const override { return whole_->level_text(); }
  SnapshotRule snapshot_rule(std::string_view level) const override {
    return whole_->snapshot_rule(level);
  }
  bool is_true(const Cell& cell) const override { return whole_->is_true(cell); }
  Result<void> wipe() override { return whole_->wipe(); }

 private:
  // Setups make their tables where they always do.
  Result<void> move_tables() {
    std::string text;
    std::string path = "public";
    for (std::size_t k = 0; k < services_.size(); ++k) {
      const std::string schema = quote_identifier(schemas_[k]);
      text += fmt::format("CREATE SCHEMA IF NOT EXISTS {};", schema);
      for (const std::string& table : services_[k].tables) {
        text += fmt::format("ALTER TABLE IF EXISTS public.{} SET SCHEMA {};",
                            quote_identifier(table), schema);
      }
      path += ", " + schema;
    }
    text += fmt::format("SET search_path = {}", path);
    auto replies = whole_->execute(text, kOwnQueryTimeoutMs);
    if (!replies) return replies.error();
    for (const Reply& reply : *replies) {
      if (!reply.error) continue;
      return Diagnostic{
          .what = "the tables cannot be divided: " + in_one_line(reply.error->message),
          .what_to_do = "divide other tables, or none",
          .file = file_,
          .position = services_.front().position,
          .trouble = Trouble::bad_input};
    }
    return {};
  }

  // Of a table's name the schema of the service that has it.
  std::optional<std::size_t> take_prefix(std::string& table) const {
    for (std::size_t k = 0; k < prefixes_.size(); ++k) {
      if (!table.starts_with(prefixes_[k])) continue;
      table.erase(0, prefixes_[k].size());
      return k;
    }
    return std::nullopt;
  }

  // The connection over which the session is sent something, or was last.
  int current_backend(int backend) const {
    const auto session = static_cast<std::size_t>(backend) - 1;
    return backends_[session][*places_[session]];
  }
  std::vector<int> current_backends(const std::vector<int>& backends) const {
    std::vector<int> current;
    for (const int backend : backends) current.push_back(current_backend(backend));
    return current;
  }
  std::vector<int> all_backends(const std::vector<int>& backends) const {
    std::vector<int> all;
    for (const int backend : backends) {
      const std::vector<int>& own = backends_[static_cast<std::size_t>(backend) - 1];
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  std::unique_ptr<StoreDatabase> whole_;
  const std::vector<ServiceDeclaration> services_;
  const std::string file_;
  std::vector<std::string> schemas_;                  // of each service
  std::vector<std::string> prefixes_;                 // of its tables in the catalogue
  std::map<std::string, std::size_t> owners_;         // of tables and their sequences
  std::vector<std::vector<int>> backends_;            // of each session to each service
  std::vector<std::shared_ptr<std::size_t>> places_;  // of each session
};

}  // namespace

Result<std::unique_ptr<StoreDatabase>> divide_into_services(std::unique_ptr<StoreDatabase> database,
                                                            const Scenario& scenario) {
  if (database->part_count() == 1 && database->has_schemas()) {
    return std::unique_ptr<StoreDatabase>(
        std::make_unique<ServiceDatabase>(std::move(database), scenario));
  }
  return Diagnostic{.what = "services divide the tables of one store, which is PostgreSQL",
                    .what_to_do = "take the services out, or the other store",
                    .file = scenario.file,
                    .position = scenario.services.front().position,
                    .trouble = Trouble::bad_input};
}

}  // namespace heddle
