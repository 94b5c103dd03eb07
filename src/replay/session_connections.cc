#include "replay/session_connections.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "heddle/statement.h"
#include "program/connections.h"
#include "store/connected_database.h"
#include "store/services.h"

namespace heddle {

namespace {

// The first session whose functionality has several; null: there is none.
const Session* find_caller(const Scenario& scenario) {
  for (std::size_t i = 0; i < scenario.sessions.size(); ++i) {
    const Functionality* called = called_functionality(scenario, SessionId(i));
    if (called != nullptr && program::uses_several_connections(*called)) {
      return &scenario.sessions[i];
    }
  }
  return nullptr;
}

// The owner of a sequence that is named in a string, as in nextval('orders_id_seq').
std::optional<std::size_t> owner_of_named(const std::string& text, const StoreDatabase& database) {
  for (std::size_t begin = text.find('\''); begin != std::string::npos;) {
    const std::size_t end = text.find('\'', begin + 1);
    if (end == std::string::npos) return std::nullopt;
    std::string name = text.substr(begin + 1, end - begin - 1);
    constexpr std::string_view kPublic = "public.";
    if (name.starts_with(kPublic)) name.erase(0, kPublic.size());
    if (name.size() > 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
    if (const auto owner = database.service_of(name)) return owner;
    begin = text.find('\'', end + 1);
  }
  return std::nullopt;
}

ConnectionTurn::Kind kind_of(const std::vector<Statement>& statements) {
  const auto all_are = [&](std::initializer_list<StatementKind> kinds) {
    return !statements.empty() && std::ranges::all_of(statements, [&](const Statement& statement) {
      return std::ranges::find(kinds, statement.kind) != kinds.end();
    });
  };
  using Kind = StatementKind;
  if (all_are({Kind::begin, Kind::savepoint, Kind::set_transaction})) {
    return ConnectionTurn::Kind::next;
  }
  return all_are({Kind::commit, Kind::rollback}) ? ConnectionTurn::Kind::end
                                                 : ConnectionTurn::Kind::current;
}

}  // namespace

std::string uses_of_several_connections(const Scenario& scenario) {
  const Session* const caller = find_caller(scenario);
  if (caller == nullptr) return "";
  return scenario.program->program.functionalities[caller->call->functionality].name +
         " has transactions open on several connections at the same time";
}

Result<std::unique_ptr<StoreDatabase>> with_connections(std::unique_ptr<StoreDatabase> database,
                                                        const Scenario& scenario) {
  const Session* const caller = find_caller(scenario);
  if (caller == nullptr) {
    return scenario.services.empty() ? std::move(database)
                                     : divide_into_services(std::move(database), scenario);
  }
  const bool is_one = scenario.services.empty() && database->part_count() == 1;
  if (!is_one || !database->takes_connections()) {
    return Diagnostic{.what = uses_of_several_connections(scenario) +
                              ", which is run on PostgreSQL or MariaDB alone",
                      .what_to_do = "name one of them, and take services and other stores out",
                      .file = scenario.file,
                      .position = caller->call->text.position,
                      .trouble = Trouble::bad_input};
  }
  std::size_t most = 1;
  for (std::size_t i = 0; i < scenario.sessions.size(); ++i) {
    const Functionality* called = called_functionality(scenario, SessionId(i));
    if (called != nullptr) most = std::max(most, program::connection_count(*called));
  }
  return std::unique_ptr<StoreDatabase>(
      std::make_unique<ConnectedDatabase>(std::move(database), most));
}

Result<ConnectionTurn> service_turn(const std::string& text, const StoreDatabase& database) {
  const auto statements = parse_statements(text, database.dialect());
  if (!statements) return ConnectionTurn();
  std::optional<std::pair<std::string, std::size_t>> first;
  for (const Statement& statement : *statements) {
    for (const TableUse& use : statement.tables) {
      const std::optional<std::size_t> owner = database.service_of(use.table);
      if (!owner) continue;
      if (first && first->second != *owner) {
        return Diagnostic{.what = fmt::format("{} and {} are tables of different services, which "
                                              "share no statement and no transaction",
                                              first->first, use.table),
                          .what_to_do = "ask each service for its part",
                          .file = "",
                          .position = {},
                          .trouble = Trouble::bad_input};
      }
      first = {use.table, *owner};
    }
  }
  if (first) return ConnectionTurn{.kind = ConnectionTurn::Kind::one, .connection = first->second};
  if (const auto owner = owner_of_named(text, database)) {
    return ConnectionTurn{.kind = ConnectionTurn::Kind::one, .connection = *owner};
  }
  return ConnectionTurn{.kind = kind_of(*statements)};
}

}  // namespace heddle
