// The rows that a statement makes, changes or deletes, as queries on the same tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle::chopping {

// The query of an INSERT ... SELECT. None: it has another form.
std::optional<std::string> inserted_rows(const Statement& statement);
// Which columns of its table an INSERT gives values, in their order.
std::vector<std::string> inserted_columns(const Statement& statement, const Table& table);
// What an UPDATE or a DELETE goes through, with these values, which are SQL texts. None: it has
// another form.
std::optional<std::string> changed_rows(const Statement& statement,
                                        const std::vector<std::string>& values);
// What an UPDATE or a row of an INSERT gives the column, as SQL text; null: nothing that has one.
const std::string* written_text(const Statement& statement, const Table& table,
                                const std::string& column, std::size_t row = 0);

}  // namespace heddle::chopping
