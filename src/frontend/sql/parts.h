// Statements of PostgreSQL that change rows within WITH, taken apart.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "heddle/statement.h"

namespace heddle::sql {

// An earlier part, and whether it has to give rows, or to give none, for this one to do anything.
struct PartNeed {
  std::size_t part = 0;
  bool has_rows = true;
};

struct StatementPart {
  Statement statement;
  std::vector<PartNeed> needs;
};

// What each INSERT, UPDATE, DELETE and MERGE within the statement's WITH does, in their order, and
// last what the statement does besides, without a text. Empty: there is nothing of the kind.
std::vector<StatementPart> parts_of(std::string_view text);

}  // namespace heddle::sql
