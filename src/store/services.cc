#include "store/services.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "store/connected_database.h"
#include "store/control.h"
#include "store/quote.h"
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

class ServiceDatabase : public ConnectedDatabase {
 public:
  ServiceDatabase(std::unique_ptr<StoreDatabase> whole, const Scenario& scenario)
      : ConnectedDatabase(std::move(whole), scenario.services.size()),
        services_(scenario.services),
        file_(scenario.file) {
    for (std::size_t k = 0; k < services_.size(); ++k) {
      schemas_.push_back(schema_of(services_, k));
      prefixes_.push_back(schemas_[k] + ".");
      for (const std::string& table : services_[k].tables) owners_[table] = k;
    }
  }

  // A session has one transaction at a time, of whatever service.
  std::size_t connection_count() const override { return 1; }

  std::optional<std::size_t> service_of(const std::string& relation) const override {
    const auto owner = owners_.find(relation);
    return owner == owners_.end() ? std::nullopt : std::optional(owner->second);
  }

  Result<std::vector<CatalogueTable>> read_catalogue() override {
    if (auto moved = move_tables(); !moved) return moved.error();
    auto tables = whole().read_catalogue();
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

  Result<void> restore_snapshot(const std::set<std::string>& changed) override {
    std::set<std::string> full;
    for (const std::string& table : changed) {
      const std::optional<std::size_t> owner = service_of(table);
      full.insert(owner ? prefixes_[*owner] + table : table);
    }
    return whole().restore_snapshot(full);
  }

  Result<std::vector<std::optional<std::string>>> writers(
      const std::vector<int>& backends) override {
    return whole().writers(current_backends(backends));
  }

 protected:
  SessionOptions options_of(const SessionOptions& session, std::size_t connection) const override {
    SessionOptions part = session;
    if (services_[connection].isolation) part.level = services_[connection].isolation;
    part.schema = schemas_[connection];
    return part;
  }
  std::vector<std::string> prefixes() const override { return prefixes_; }

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
    auto replies = whole().execute(text, kOwnQueryTimeoutMs);
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

  const std::vector<ServiceDeclaration> services_;
  const std::string file_;
  std::vector<std::string> schemas_;           // of each service
  std::vector<std::string> prefixes_;          // of its tables in the catalogue
  std::map<std::string, std::size_t> owners_;  // of tables and their sequences
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
