// The catalogue of a database of SQLite, and rows as SQL text.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace heddle {

// How a table is copied.
struct SqliteCopy {
  std::string columns;       // that can be written to, with the number of the row where it has one
  bool shows_rowid = false;  // the number of the row is a column
};

struct SqliteCatalogue {
  std::vector<CatalogueTable> tables;  // sorted by name
  std::vector<SqliteCopy> copies;      // of each table
  bool can_restore = true;             // copies of rows are all that there is
  bool has_sequences = false;
};

// The SELECTs that ask for it, and what their results say.
std::string sqlite_catalogue_text();
SqliteCatalogue to_sqlite_catalogue(const std::vector<std::vector<Row>>& results);

// As SqlDatabase::watching_text and SqlDatabase::matching_text.
std::string sqlite_watching_text(const CatalogueTable& table);
std::string sqlite_matching_text(const CatalogueTable& table, const std::string& alias,
                                 const std::string& predicate,
                                 const std::vector<WatchedVersion>& versions);

// Truth values are numbers.
bool is_sqlite_true(const Cell& cell);

}  // namespace heddle
