#include "store/open/given_schema.h"

#include <utility>

#include <fmt/format.h>

#include "store/address_text.h"
#include "store/given_server.h"
#include "store/mariadb/address.h"
#include "store/mariadb/schema.h"
#include "store/open/store_profiles.h"
#include "store/postgres/address.h"
#include "store/postgres/schema.h"

namespace heddle {

namespace {

constexpr std::string_view kUsual =
    "postgres://user@host:port/database or mysql://user@host:port/database";

Diagnostic names_no_database() {
  return {.what = "the address names no database", .what_to_do = fmt::format("write {}", kUsual)};
}

Result<SchemaText> read_postgres(const std::string& address) {
  auto parameters = parse_postgres_address(address);
  if (!parameters) return parameters.error();
  // libpq would take the one that is called like the user.
  const bool names_database = parameters->contains("dbname") || parameters->contains("service");
  if (!names_database) return names_no_database();
  return read_postgres_schema(*parameters);
}

Result<SchemaText> read_mariadb(const std::string& address) {
  auto parsed = parse_mariadb_address(address);
  if (!parsed) return parsed.error();
  if (parsed->database.empty()) return names_no_database();
  return read_mariadb_schema(*parsed);
}

Result<SchemaText> read_from(const std::string& address) {
  const StoreProfile* const profile = find_store_profile(address);
  if (profile != nullptr && !profile->has_databases) {
    return Diagnostic{.what = "tables can be read from PostgreSQL, MariaDB and MySQL only",
                      .what_to_do = fmt::format("write {}, or name a file", kUsual)};
  }
  // A throwaway server would have none.
  const bool is_url = address.find("://") != address.npos;
  const bool is_given = is_url || address.find('=') != address.npos;
  if (profile != nullptr && is_given) {
    return profile->kind == StoreKind::mariadb ? read_mariadb(address) : read_postgres(address);
  }
  if (!is_url) return names_no_database();
  return unreadable_address(address, "heddle knows no such store", std::string(kUsual));
}

}  // namespace

bool is_store_address(std::string_view address) {
  return address.find("://") != address.npos || find_store_profile(address) != nullptr;
}

Result<SchemaText> read_schema_text(const std::string& address) {
  Result<SchemaText> read = read_from(address);
  const std::string store = without_password(address);
  if (!read) {
    Diagnostic trouble = read.error();
    // An unreadable address is quoted already.
    if (trouble.what.find(store) == trouble.what.npos) trouble.file = store;
    return without_passwords_of(address, std::move(trouble));
  }
  note_given_server();
  read->store = store;
  for (Diagnostic& note : read->notes) note.file = store;
  if (read->text.empty()) {
    // There are tables, but none that may be looked at.
    if (!read->notes.empty()) return read->notes.front();
    return Diagnostic{.what = "the database has no tables",
                      .what_to_do = "name the database that the program works on",
                      .file = store};
  }
  return read;
}

}  // namespace heddle
