#include "interpret/functions.h"

#include <map>

namespace heddle::interpreter {

namespace {

using Index = std::multimap<std::string_view, const Function*>;

const std::vector<Function>& table() {
  static const std::vector<Function> all = [] {
    std::vector<Function> rows;
    add_number_functions(rows);
    add_integer_functions(rows);
    add_text_functions(rows);
    add_comparisons(rows);
    add_time_functions(rows);
    return rows;
  }();
  return all;
}

const Index& index() {
  static const Index all = [] {
    Index rows;
    for (const Function& function : table()) rows.emplace(function.name, &function);
    return rows;
  }();
  return all;
}

}  // namespace

std::vector<const Function*> functions_of(std::string_view name) {
  std::vector<const Function*> rows;
  const auto [first, last] = index().equal_range(name);
  for (auto row = first; row != last; ++row) rows.push_back(row->second);
  return rows;
}

Value divides_by_zero(Base base, Errors& errors) {
  errors.raise("22012", "division by zero");
  return null_of(type_of(base));
}

}  // namespace heddle::interpreter
