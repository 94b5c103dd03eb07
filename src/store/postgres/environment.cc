#include "store/postgres/environment.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/client_environment.h"

namespace heddle {

namespace {

// Those of libpq that are no option of a connection.
constexpr std::array<std::string_view, 8> kMorePostgresVariables = {
    "PGDATESTYLE", "PGGEQO",        "PGLOCALEDIR",  "PGREQUIRESSL",
    "PGREALM",     "PGSERVICEFILE", "PGSYSCONFDIR", "PGTZ",
};

// Options of libpq that say who somebody is, prove it, or keep others from listening.
bool authenticates(std::string_view keyword) {
  constexpr std::array<std::string_view, 7> kKeywords = {
      "user",         "password",    "passfile",  "channel_binding",
      "require_auth", "requirepeer", "krbsrvname"};
  return keyword.starts_with("ssl") || keyword.starts_with("gss") ||
         std::ranges::find(kKeywords, keyword) != kKeywords.end();
}

using Option = std::pair<std::string, std::string>;

// Each option of libpq that has a variable, with its name.
std::vector<Option> read_options() {
  std::vector<Option> found;
  PQconninfoOption* const options = PQconninfoParse("", nullptr);
  for (const PQconninfoOption* option = options; option != nullptr && option->keyword != nullptr;
       ++option) {
    if (option->envvar != nullptr) found.emplace_back(option->keyword, option->envvar);
  }
  PQconninfoFree(options);
  return found;
}

const std::vector<Option>& postgres_options() {
  static const auto* const options = new std::vector<Option>(read_options());
  return *options;
}

}  // namespace

void take_postgres_environment() {
  std::vector<std::string_view> names(kMorePostgresVariables.begin(), kMorePostgresVariables.end());
  for (const auto& [keyword, name] : postgres_options()) names.push_back(name);
  take_variables(names);
}

void add_environment(ConnectionParameters& parameters) {
  take_postgres_environment();
  std::vector<std::string> ignored(kMorePostgresVariables.begin(), kMorePostgresVariables.end());
  std::erase(ignored, "PGREQUIRESSL");
  for (const auto& [keyword, name] : postgres_options()) {
    const auto value = taken_variable(name);
    if (!authenticates(keyword)) {
      ignored.push_back(name);
    } else if (value && !value->empty()) {
      parameters.emplace(keyword, *value);
    }
  }
  // What PGSSLMODE was called once.
  if (taken_variable("PGREQUIRESSL") == "1") parameters.emplace("sslmode", "require");
  tell_of_ignored(std::move(ignored));
}

}  // namespace heddle
