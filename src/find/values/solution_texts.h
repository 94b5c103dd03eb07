// The values of a solution as the texts that a store takes them in.
//
// A solution knows numbers only. What stands for a text of the program is that text again; other
// numbers become texts of their own, the same number the same text.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "find/values/sql_value.h"
#include "heddle/outcome.h"
#include "heddle/schema.h"
#include "smt/solver.h"

namespace heddle::find {

// Of a variable of PL/pgSQL: "numeric(12,2)", "integer[]", or an enumeration's name.
ColumnType type_named(std::string_view name);

class SolutionTexts {
 public:
  // All outlive it. REQUIRES of the calls: the solver's last check said yes.
  SolutionTexts(Evaluator& evaluator, smt::Solver& solver, const Schema& schema);

  // None: null.
  Cell text_of(const SqlValue& value, const ColumnType& type);
  // Some value for a column of which nothing is known but that it is not null; another one for each
  // `number`.
  std::string any_text(const ColumnType& type, std::size_t number);

 private:
  std::string text(const std::string& number, const ColumnType& type);
  std::string array(const SqlValue& value, const ColumnType& type);
  std::string word(const std::string& number);
  std::string label(const std::string& number, const ColumnType& type);
  struct Neighbours {
    const std::string* low = nullptr;  // null: there is none
    const std::string* high = nullptr;
  };
  Neighbours neighbours(std::int64_t number) const;
  std::optional<std::string> word_between(std::int64_t number) const;
  std::optional<std::string> written(const std::string& number, const ColumnType& type) const;

  Evaluator& evaluator_;
  smt::Solver& solver_;
  const Schema& schema_;
  std::map<std::string, std::string> words_;  // by number
};

}  // namespace heddle::find
