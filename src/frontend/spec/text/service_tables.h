// The names of tables in `service NAME { account, "Order Lines" }`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// The pieces between separators that stand outside of double quotes.
std::vector<std::string> split_outside_quotes(std::string_view text, char separator);

// The table that the text names in a statement of PostgreSQL, if it is a name without a schema and
// nothing else.
std::optional<std::string> table_named_by(std::string_view text);

// The text that names the table: in quotes only where it needs them.
std::string name_of_table(const std::string& table);

}  // namespace heddle
