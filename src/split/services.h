// Which service owns which table.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "heddle/split.h"

namespace heddle::chopping {

class TableServices {
 public:
  // Both outlive it. REQUIRES: the cut is match_cut()'s.
  TableServices(const Cut& cut, const Schema& schema);

  // Of the statement's tables. A statement that may use any table is of all services.
  std::set<std::size_t> of(const Statement& statement) const;
  // None: no service owns it.
  std::optional<std::size_t> of(const TableUse& use) const;

 private:
  const Cut& cut_;
  const Schema& schema_;
  std::map<std::string, std::size_t> services_;  // by the schema's names
};

// Whether nobody knows which tables it uses.
bool may_use_any_table(const Statement& statement);

// As a cut names it: also in another case where the dialect folds names that are not quoted. Null:
// there is none.
const Table* table_named(const std::string& name, const Schema& schema);

}  // namespace heddle::chopping
