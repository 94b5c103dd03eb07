// Reads the tables of a database that an address names.
//
//   Result<SchemaText> read = read_schema_text("postgres://me@localhost/shop");
//   parse_schema(read->text, read->dialect)
#pragma once

#include <string>
#include <string_view>

#include "heddle/result.h"
#include "store/schema_text.h"

namespace heddle {

// Whether it has the form of an address rather than that of a file's name.
bool is_store_address(std::string_view address);

// Reads the catalogue of the database that the address names. Errors name the address without its
// password: not readable or of a store without tables, no database named (bad_input), no answer, no
// such database, refused (environment), no tables (bad_input).
Result<SchemaText> read_schema_text(const std::string& address);

}  // namespace heddle
