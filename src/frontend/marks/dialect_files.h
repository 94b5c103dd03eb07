// Of one application for several databases: which of its files of SQL are meant.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/program.h"

namespace heddle::marks {

struct DialectChoice {
  std::set<std::string> left_out;  // files for other databases
  std::optional<Dialect> dialect;  // of those that are kept; none: nothing tells
  std::string remark;              // which database was chosen, and what was left out
};

// Files are for a database by a word of their path (db/mysql/schema.sql, schema-h2.sql), else by
// words that only its dialect has. Where files for several define the same table, those of the
// given dialect are kept, else PostgreSQL's, else those that name no database. None: the files do
// not exclude each other. Files in `named` stay in any case.
std::optional<DialectChoice> choose_dialect_files(const std::vector<SourceText>& files,
                                                  const std::set<std::string>& named,
                                                  std::optional<Dialect> given);

// The database that a word of the path names; empty: none.
std::string_view database_of(std::string_view path);

}  // namespace heddle::marks
