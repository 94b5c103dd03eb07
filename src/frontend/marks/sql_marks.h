// Code in a file of SQL, by its first words: routines, triggers, and statements outside of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/marks/scan.h"

namespace heddle::marks {

enum class SqlMarkKind : std::uint8_t {
  routine,
  trigger,
  inheritance,  // a table whose rows are rows of another one, too
  table,        // CREATE TABLE
  statement,    // one that reads or changes rows, outside of a routine
};

struct SqlMark {
  SqlMarkKind kind = SqlMarkKind::statement;
  std::string name;              // of what is created, in lower case, without its schema
  std::uint32_t first_line = 0;  // behind the statement before
  std::uint32_t line = 0;
};

std::vector<SqlMark> sql_marks(const ScannedText& scanned);

}  // namespace heddle::marks
