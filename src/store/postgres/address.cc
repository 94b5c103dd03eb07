#include "store/postgres/address.h"

#include "base/text.h"
#include "store/address_text.h"
#include "store/postgres/environment.h"

namespace heddle {

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

}  // namespace heddle
