#include "store/postgres/address.h"

#include <fmt/format.h>

#include "base/text.h"
#include "store/address_text.h"
#include "store/percent.h"
#include "store/postgres/environment.h"

namespace heddle {
namespace {

// In the parts of a URL a slash means something, too.
std::string part_of_url(std::string_view text) {
  std::string part;
  for (const char c : percent_encoded(text)) {
    if (c == '/') {
      part += "%2F";
    } else {
      part += c;
    }
  }
  return part;
}

}  // namespace

Result<ConnectionParameters> parse_conninfo(const std::string& address) {
  char* error = nullptr;
  PQconninfoOption* options = PQconninfoParse(address.c_str(), &error);
  if (options == nullptr) {
    const std::string why(trim(error == nullptr ? "out of memory" : error));
    PQfreemem(error);
    return unreadable_address(address, why, "postgres or postgres://user@host:port/database");
  }
  ConnectionParameters parameters;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val != nullptr) parameters[option->keyword] = option->val;
  }
  PQconninfoFree(options);
  return parameters;
}

Result<ConnectionParameters> parse_postgres_address(const std::string& address) {
  auto parameters = parse_conninfo(address);
  if (parameters) add_environment(*parameters);
  return parameters;
}

std::string to_conninfo(const ConnectionParameters& parameters) {
  std::string text;
  for (const auto& [keyword, value] : parameters) {
    std::string quoted;
    for (const char c : value) {
      if (c == '\'' || c == '\\') quoted += '\\';
      quoted += c;
    }
    text += fmt::format("{}{}='{}'", text.empty() ? "" : " ", keyword, quoted);
  }
  return text;
}

std::string server_of(const ConnectionParameters& parameters) {
  const auto value = [&](const char* name, const char* otherwise) {
    const auto found = parameters.find(name);
    return found == parameters.end() || found->second.empty() ? otherwise : found->second;
  };
  const std::string host = value("hostaddr", value("host", "localhost").c_str());
  const std::string port = value("port", "5432");
  if (host.starts_with('/')) return host + "/.s.PGSQL." + port;
  return (host.find(':') == host.npos ? host : "[" + host + "]") + ":" + port;
}

std::string url_of(const ConnectionParameters& parameters, const std::string& address,
                   const std::string& scheme) {
  const bool is_jdbc = scheme.starts_with("jdbc:");
  std::string user;
  std::string database;
  std::string options;
  const auto add_option = [&options](const std::string& name, const std::string& text) {
    options += (options.empty() ? "?" : "&") + name + "=" + part_of_url(text);
  };
  for (const auto& [name, text] : parameters) {
    if (name == "user" && !is_jdbc) user = part_of_url(text) + user;
    if (name == "password" && !is_jdbc) user += ":" + part_of_url(text);
    if ((name == "user" || name == "password") && is_jdbc) add_option(name, text);
    if (name == "dbname") database = part_of_url(text);
    if (name == "options" || name == "application_name") add_option(name, text);
  }
  add_option("sslmode", "disable");
  return scheme + "://" + (user.empty() ? "" : user + "@") + address + "/" + database + options;
}

}  // namespace heddle
