// The rows of a solution, made complete: with values for what has to be there, and the rows that
// foreign keys refer to.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "find/realize/realize.h"
#include "find/search/closed_world.h"
#include "find/values/solution_texts.h"

namespace heddle::find {

using ColumnsOfTables = std::map<const Table*, std::set<std::string>>;

class RowFiller {
 public:
  // The first two outlive it. `needed`: columns that are given a value although they may be null,
  // because what is computed from nothing is nothing.
  RowFiller(const Schema& schema, SolutionTexts& texts, ColumnsOfTables needed)
      : schema_(schema), texts_(texts), needed_(std::move(needed)) {}

  // Adds a row of the solution, once.
  void add(const Rows& rows, const InitialRow& row);
  // A row that a transaction makes itself.
  void add_made(FilledRow row) { made_.push_back(std::move(row)); }
  // All of them, and those that they refer to.
  std::vector<FilledRow> take();

 private:
  bool has_row(const Table& table, const std::vector<std::string>& columns,
               const std::vector<Cell>& values) const;
  void complete(FilledRow& row);
  void add_references(const FilledRow& row);

  const Schema& schema_;
  SolutionTexts& texts_;
  ColumnsOfTables needed_;
  std::vector<FilledRow> filled_;
  std::map<std::pair<const Table*, std::vector<Cell>>, std::size_t> named_;  // by key or number
  std::vector<FilledRow> made_;
};

}  // namespace heddle::find
