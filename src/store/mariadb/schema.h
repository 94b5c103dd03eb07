// The tables of a database of MariaDB or MySQL.
#pragma once

#include "heddle/result.h"
#include "store/mariadb/address.h"
#include "store/schema_text.h"

namespace heddle {

// From its catalogue. `text` stays empty where there are no tables.
Result<SchemaText> read_mariadb_schema(const MariadbAddress& address);

}  // namespace heddle
