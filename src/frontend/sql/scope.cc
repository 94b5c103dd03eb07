#include "frontend/sql/scope.h"

#include <algorithm>

namespace heddle::sql {

void Mentions::add(const Mentions& other) {
  columns.insert(other.columns.begin(), other.columns.end());
  generated = generated || other.generated;
  subquery = subquery || other.subquery;
  set_returning = set_returning || other.set_returning;
  unknown_function = unknown_function || other.unknown_function;
  aggregate = aggregate || other.aggregate;
}

const CommonTable* find_common_table(const Scope& scope, std::string_view name) {
  for (const Scope* current = &scope; current != nullptr; current = current->outer) {
    const std::vector<CommonTable>& tables = current->common_tables;
    auto found = std::find_if(tables.rbegin(), tables.rend(),
                              [&](const CommonTable& table) { return table.name == name; });
    if (found != tables.rend()) return &*found;
  }
  return nullptr;
}

const Source* find_source(const Scope& scope, std::string_view schema, std::string_view name) {
  for (const Scope* current = &scope; current != nullptr; current = current->outer) {
    for (const Source& source : current->sources) {
      bool same_schema = schema.empty() || source.schema.empty() || source.schema == schema;
      if (source.name == name && same_schema) return &source;
    }
  }
  return nullptr;
}

bool is_star(const OutputColumn& output) {
  return output.expression == "*" || output.expression.ends_with(".*");
}

void rename_outputs(std::vector<OutputColumn>& outputs, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size() && i < outputs.size(); ++i) {
    if (is_star(outputs[i])) return;
    outputs[i].name = names[i];
  }
}

void merge_outputs(std::vector<OutputColumn>& first, const std::vector<OutputColumn>& second) {
  for (std::size_t i = 0; i < first.size() && i < second.size(); ++i) {
    if (is_star(first[i]) || is_star(second[i])) return;
    for (const std::string& column : second[i].columns_read) {
      insert_name(first[i].columns_read, column);
    }
    first[i].generated = first[i].generated || second[i].generated;
    first[i].is_count = first[i].is_count && second[i].is_count;
  }
}

void insert_name(std::vector<std::string>& names, const std::string& name) {
  auto place = std::lower_bound(names.begin(), names.end(), name);
  if (place == names.end() || *place != name) names.insert(place, name);
}

}  // namespace heddle::sql
