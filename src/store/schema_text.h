// The tables of a database that exists, as the text that defines them.
//
//   Result<SchemaText> read = read_schema_text("postgres://me@localhost/shop");
//   parse_schema(read->text, read->dialect)
//
// Text, because src/store knows no front end, and because files are read from text, too: what holds
// for those holds for databases. Reading changes nothing: the transaction is a read-only one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "heddle/statement.h"
#include "store/mariadb_address.h"
#include "store/postgres_session.h"

namespace heddle {

struct SchemaText {
  std::string store;  // the address, without a password
  Dialect dialect = Dialect::postgres;
  std::string text;               // CREATE and ALTER statements; empty: there are no tables
  std::vector<Diagnostic> notes;  // what the text cannot say
};

// Whether it has the form of an address rather than that of a file's name.
bool is_store_address(std::string_view address);

// Reads the catalogue of the database that the address names. Errors name the address without its
// password: not readable or of a store without tables, no database named (bad_input), no answer, no
// such database, refused (environment), no tables (bad_input).
Result<SchemaText> read_schema_text(const std::string& address);

// The two kinds of it. `text` stays empty where there are no tables.
Result<SchemaText> read_postgres_schema(const ConnectionParameters& parameters);
Result<SchemaText> read_mariadb_schema(const MariadbAddress& address);

}  // namespace heddle
