#include "frontend/plpgsql/declared_type.h"

#include "base/text.h"

namespace heddle::plpgsql {

namespace {

const Table* table_named(std::string_view name, const Schema& schema) {
  const std::size_t dot = name.rfind('.');
  const std::string of = dot == name.npos ? "" : fold_name(name.substr(0, dot), schema.dialect);
  const std::string_view last = dot == name.npos ? name : name.substr(dot + 1);
  return find_table(schema, fold_name(last, schema.dialect), schema.dialect, of);
}

}  // namespace

std::string declared_type(std::string_view written, const Schema& schema) {
  constexpr std::string_view kOfColumn = "%type";
  const std::string_view name = trim(written);
  const std::string folded = to_lower(name);
  if (folded.ends_with("%rowtype") || folded == "record") return std::string(written);
  if (!folded.ends_with(kOfColumn)) {
    return table_named(name, schema) == nullptr ? std::string(written)
                                                : std::string(name) + "%ROWTYPE";
  }
  const std::string_view path = trim(name.substr(0, name.size() - kOfColumn.size()));
  const std::size_t dot = path.rfind('.');
  if (dot == path.npos) return std::string(written);
  const Table* table = table_named(path.substr(0, dot), schema);
  const TableColumn* column =
      table == nullptr
          ? nullptr
          : find_column(*table, fold_name(path.substr(dot + 1), schema.dialect), schema.dialect);
  // What counts up is no type of a variable.
  const bool is_known = column != nullptr && !column->type.text.empty() &&
                        to_lower(column->type.text).find("serial") == std::string::npos;
  return is_known ? column->type.text : std::string(written);
}

}  // namespace heddle::plpgsql
