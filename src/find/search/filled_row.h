// A row for an INSERT.
#pragma once

#include <map>
#include <string>

#include "heddle/outcome.h"
#include "heddle/schema.h"

namespace heddle::find {

// Columns that are not in it have their defaults.
struct FilledRow {
  const Table* table = nullptr;
  std::map<std::string, Cell> cells;
};

}  // namespace heddle::find
