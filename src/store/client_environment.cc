#include "store/client_environment.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

// Those of libpq that are no option of a connection.
constexpr std::array<std::string_view, 8> kMorePostgresVariables = {
    "PGDATESTYLE", "PGGEQO",        "PGLOCALEDIR",  "PGREQUIRESSL",
    "PGREALM",     "PGSERVICEFILE", "PGSYSCONFDIR", "PGTZ",
};

constexpr std::string_view kMariadbPassword = "MYSQL_PWD";
constexpr std::array<std::string_view, 13> kMariadbVariables = {
    "LIBMYSQL_ENABLE_CLEARTEXT_PLUGIN",
    "LIBMYSQL_PLUGINS",
    "LIBMYSQL_PLUGIN_DIR",
    "MARIADB_HOME",
    "MARIADB_PLUGIN_DIR",
    "MARIADB_TCP_PORT",
    "MARIADB_TLS_DISABLE_PEER_VERIFICATION",
    "MARIADB_UNIX_PORT",
    "MYSQL_GROUP_SUFFIX",
    "MYSQL_HOME",
    "MYSQL_PWD",
    "MYSQL_TCP_PORT",
    "MYSQL_UNIX_PORT",
};

// Options of libpq that say who somebody is, prove it, or keep others from listening.
bool authenticates(std::string_view keyword) {
  constexpr std::array<std::string_view, 7> kKeywords = {
      "user",         "password",    "passfile",  "channel_binding",
      "require_auth", "requirepeer", "krbsrvname"};
  return keyword.starts_with("ssl") || keyword.starts_with("gss") ||
         std::ranges::find(kKeywords, keyword) != kKeywords.end();
}

// Each option of libpq that has a variable, with its name.
std::vector<std::pair<std::string, std::string>> postgres_options() {
  std::vector<std::pair<std::string, std::string>> found;
  PQconninfoOption* const options = PQconninfoParse("", nullptr);
  for (const PQconninfoOption* option = options; option != nullptr && option->keyword != nullptr;
       ++option) {
    if (option->envvar != nullptr) found.emplace_back(option->keyword, option->envvar);
  }
  PQconninfoFree(options);
  return found;
}

// One per process, never destroyed: others may end after it.
class TakenVariables {
 public:
  static TakenVariables& of_this_process() {
    static auto* taken = new TakenVariables;
    return *taken;
  }

  std::optional<std::string> value(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::vector<std::pair<std::string, std::string>>& options() const { return options_; }

  void listen(std::function<void(const std::string&)> listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
  }

  // Those of the variables that are set.
  void tell(std::vector<std::string> variables) {
    std::erase_if(variables, [&](const std::string& name) { return !values_.contains(name); });
    std::ranges::sort(variables);
    const std::string names = join(variables, ", ");
    const std::lock_guard lock(mutex_);
    if (variables.empty() || std::exchange(told_[names], true) || !listener_) return;
    listener_(
        fmt::format("{} {} ignored: from the environment a given server's address takes only what "
                    "authenticates and encrypts",
                    names, variables.size() == 1 ? "is" : "are"));
  }

 private:
  TakenVariables() : options_(postgres_options()) {
    for (const auto& [keyword, name] : options_) take(name);
    for (const std::string_view name : kMorePostgresVariables) take(std::string(name));
    for (const std::string_view name : kMariadbVariables) take(std::string(name));
  }

  void take(const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return;
    values_.emplace(name, value);
    ::unsetenv(name.c_str());
  }

  std::vector<std::pair<std::string, std::string>> options_;
  std::map<std::string, std::string, std::less<>> values_;
  std::mutex mutex_;
  std::function<void(const std::string&)> listener_;  // guarded by mutex_, as the next
  std::map<std::string, bool> told_;
};

}  // namespace

void take_client_environment() { TakenVariables::of_this_process(); }

void add_environment(ConnectionParameters& parameters) {
  TakenVariables& taken = TakenVariables::of_this_process();
  std::vector<std::string> ignored(kMorePostgresVariables.begin(), kMorePostgresVariables.end());
  std::erase(ignored, "PGREQUIRESSL");
  for (const auto& [keyword, name] : taken.options()) {
    const auto value = taken.value(name);
    if (!authenticates(keyword)) {
      ignored.push_back(name);
    } else if (value && !value->empty()) {
      parameters.emplace(keyword, *value);
    }
  }
  // What PGSSLMODE was called once.
  if (taken.value("PGREQUIRESSL") == "1") parameters.emplace("sslmode", "require");
  taken.tell(std::move(ignored));
}

void add_environment(MariadbAddress& address) {
  TakenVariables& taken = TakenVariables::of_this_process();
  if (address.password.empty()) address.password = taken.value(kMariadbPassword).value_or("");
  std::vector<std::string> ignored(kMariadbVariables.begin(), kMariadbVariables.end());
  std::erase(ignored, kMariadbPassword);
  taken.tell(std::move(ignored));
}

void tell_of_ignored_variables(std::function<void(const std::string& line)> listener) {
  TakenVariables::of_this_process().listen(std::move(listener));
}

}  // namespace heddle
