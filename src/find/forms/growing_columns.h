// Columns of which every statement of a program makes more: versions and counters. As long as each
// UPDATE computes from the newest version of the row, its later versions have the higher numbers.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "find/forms/statement_form.h"
#include "heddle/program.h"

namespace heddle::find {

class GrowingColumns {
 public:
  // What a functionality does. `form_of`: what is prepared for each of its statements.
  void add(const Functionality& functionality,
           const std::function<const StatementForm&(const ProgramStatement&)>& form_of);

  // Whether each version of a row has a higher number there than those before it.
  bool grows(const std::string& table, const std::string& column) const;

 private:
  using Column = std::pair<std::string, std::string>;  // of a table

  void add(const ProgramStatement& statement, const StatementForm& form,
           const std::vector<Expression>& arguments);
  void add_write(const StatementForm& form, std::size_t source,
                 const std::vector<Expression>& arguments);

  std::set<Column> grown_;
  std::set<Column> set_;         // to anything else
  std::set<std::string> open_;   // tables of which anything may be written
  std::set<std::string> lost_;   // that lose rows
  std::set<std::string> named_;  // that get rows whose keys the client chooses
};

}  // namespace heddle::find
