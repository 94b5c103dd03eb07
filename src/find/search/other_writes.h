// What transactions outside of a cycle may write while it happens: any number of calls of any
// functionality of the program, at any time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "find/terms/rows.h"
#include "find/terms/search_input.h"
#include "heddle/program.h"

namespace heddle::find {

// The values that a cell may have got.
struct WrittenByOthers {
  bool is_any = false;
  std::vector<Expression> constants = {};  // literals, where it is one of these
};

class OtherWrites {
 public:
  // `input` outlives it.
  explicit OtherWrites(const SearchInput& input);

  // Null: nobody writes it.
  const WrittenByOthers* cell(const std::string& table, const std::string& column) const;
  bool makes_rows(const std::string& table) const { return made_.contains(table); }
  bool removes_rows(const std::string& table) const { return removed_.contains(table); }
  // All that anybody changes.
  const Changes& changes() const { return changes_; }

 private:
  void add(const FormedStatement& formed);
  void add_anything(const Table& table);
  void add_computed(const Table& table, const std::string& column);
  void add_value(const std::string& table, const std::string& column, const Expression* value);
  void add_actions(const Schema& schema);

  const SearchInput& input_;
  Changes changes_;
  std::set<std::string> made_;
  std::set<std::string> removed_;
  std::map<std::pair<std::string, std::string>, WrittenByOthers> cells_;
};

// The literal that the value is, also where the client gives it; null: it is none.
const Expression* constant_in(const Expression& value, const std::vector<Expression>& arguments);

}  // namespace heddle::find
