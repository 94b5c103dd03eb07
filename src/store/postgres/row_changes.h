// The statements that make the rows of a table what they were.
#pragma once

#include <string>
#include <vector>

#include "heddle/outcome.h"
#include "store/store.h"

namespace heddle {

// A row as it is, and where.
struct PlacedRow {
  std::string part;   // the table or partition, as SQL needs it
  std::string place;  // ctid
  Row row;
};

struct RowChanges {
  std::vector<std::string> deletes = {};
  std::vector<std::string> updates = {};
  std::vector<std::string> inserts = {};
};

// The query of all rows with their places; its columns are those of the table behind two more.
std::string placed_rows_text(const CatalogueTable& table);

// The statements that fill the empty table.
std::vector<std::string> fill_texts(const CatalogueTable& table, const std::vector<Row>& rows);

// From the rows that are there to those that were. `is_free`: nothing refers to rows, so that a
// changed row may go and come back; else rows of equal keys are updated.
RowChanges changes_of(const CatalogueTable& table, const std::vector<PlacedRow>& present,
                      const std::vector<Row>& wanted, bool is_free);

}  // namespace heddle
