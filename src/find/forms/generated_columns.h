// Columns that are computed from others of their row (GENERATED ALWAYS AS ...): whoever reads one
// reads those, and nobody writes it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heddle/program.h"
#include "heddle/schema.h"

namespace heddle::find {

class GeneratedColumns {
 public:
  GeneratedColumns() = default;
  explicit GeneratedColumns(const Schema& schema);

  // The value of the table's column, whose leaves are columns of the row; null: it is not computed.
  const Expression* find(const std::string& table, const std::string& column) const;

 private:
  std::map<std::pair<std::string, std::string>, Expression> expressions_;
};

// What is stored where the column is read: itself, or the columns that it is computed from.
std::vector<std::string> stored_columns(const Table* table, const std::string& column,
                                        const Schema& schema);

}  // namespace heddle::find
