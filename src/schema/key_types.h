// Which type a column needs for its foreign keys.
#pragma once

#include "heddle/schema.h"

namespace heddle::sql {

struct ColumnPlace {
  const Table* table = nullptr;
  const TableColumn* column = nullptr;
};

// The column whose type this one is to have in another dialect than the schema's: itself, or the
// one that it refers to where PostgreSQL or MariaDB would refuse the key otherwise. A value that
// the other type cannot hold could not refer to anything.
ColumnPlace type_place(const Schema& schema, const Table& table, const TableColumn& column,
                       Dialect to);

}  // namespace heddle::sql
