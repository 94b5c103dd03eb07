#include "replay/service_turn.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "heddle/statement.h"

namespace heddle {

namespace {

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

ServiceTurn::Kind kind_of(const std::vector<Statement>& statements) {
  const auto all_are = [&](std::initializer_list<StatementKind> kinds) {
    return !statements.empty() && std::ranges::all_of(statements, [&](const Statement& statement) {
      return std::ranges::find(kinds, statement.kind) != kinds.end();
    });
  };
  using Kind = StatementKind;
  if (all_are({Kind::begin, Kind::savepoint, Kind::set_transaction})) {
    return ServiceTurn::Kind::next;
  }
  return all_are({Kind::commit, Kind::rollback}) ? ServiceTurn::Kind::end
                                                 : ServiceTurn::Kind::current;
}

}  // namespace

Result<ServiceTurn> service_turn(const std::string& text, const StoreDatabase& database) {
  const auto statements = parse_statements(text, database.dialect());
  if (!statements) return ServiceTurn();
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
  if (first) return ServiceTurn{.kind = ServiceTurn::Kind::one, .service = first->second};
  if (const auto owner = owner_of_named(text, database)) {
    return ServiceTurn{.kind = ServiceTurn::Kind::one, .service = *owner};
  }
  return ServiceTurn{.kind = kind_of(*statements)};
}

}  // namespace heddle
