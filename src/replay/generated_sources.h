// Names of what can feed a value: the sources of GeneratedColumns::domains, found in the texts of
// expressions. Shared by the search for generated columns and the marking of results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "replay/generated.h"

namespace heddle {

// An expression and where it stands.
struct Fed {
  const Statement& statement;
  SessionId session;
  const std::string& expression;
  const std::vector<std::string>& columns_read;
  bool generated;
};

// The names of sources.
std::string column_source(const std::string& table, const std::string& column);
std::string variable_source(SessionId session, const std::string& name);

// "*" or "t.*".
bool is_all(std::string_view expression);

// Behind the last dot.
std::string_view last_part(std::string_view name);

// The catalogue's tables that a name can mean: that very one, else those of other schemas.
std::vector<std::string> find_tables(const GeneratedColumns& generated, const std::string& name);
std::vector<std::string> find_tables(const GeneratedColumns& generated, const TableUse& use);

// The tables of the statement that a column with this qualifier can belong to.
std::vector<std::string> tables_read(const GeneratedColumns& generated, const Statement& statement,
                                     std::string_view qualifier);

// What feeds the expression with generated values, as far as known: sources in
// GeneratedColumns::domains, and generators.
std::vector<std::string> sources_of(const GeneratedColumns& generated, const Fed& fed);

}  // namespace heddle
