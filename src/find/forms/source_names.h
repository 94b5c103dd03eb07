// Which column of which table, or which value of the client, a name in a statement means.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "find/forms/row_sources.h"
#include "heddle/program.h"
#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle::find {

// What it is made of outlives it; the sources may become more.
class SourceNames {
 public:
  SourceNames(const Statement& statement, const Schema& schema, const RowSources& sources)
      : statement_(statement), schema_(schema), sources_(sources) {}

  // As the dialect compares names.
  bool same(std::string_view a, std::string_view b) const;
  // As the table calls its column.
  std::string column_name(const RowSource& source, const std::string& name) const;
  // Sorted; `*` stands for all.
  std::vector<std::string> columns_of(const RowSource& source,
                                      const std::vector<std::string>& names) const;
  // The first table that has it; an unknown value: none has.
  std::optional<Expression> resolve(const std::vector<std::string>& path) const;
  // Of an inner query: a name without a table is its own column, if it has that.
  std::optional<Expression> resolve_inside(const std::vector<std::string>& path,
                                           std::size_t source) const;
  // Whether a name within an inner query can mean one table alone.
  bool is_clear(const std::vector<std::string>& path, std::size_t source) const;

 private:
  bool inserts_rows_of_others() const;

  const Statement& statement_;
  const Schema& schema_;
  const RowSources& sources_;
};

}  // namespace heddle::find
