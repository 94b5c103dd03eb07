#include "store/postgres/filled_columns.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 7> kUuidCalls = {"gen_random_uuid(",
                                                        "uuid_generate_v1(",
                                                        "uuid_generate_v1mc(",
                                                        "uuid_generate_v4(",
                                                        "uuid_generate_v7(",
                                                        "uuidv7(",
                                                        "uuidv4("};
constexpr std::array<std::string_view, 10> kClockCalls = {"now()",
                                                          "current_timestamp",
                                                          "clock_timestamp()",
                                                          "statement_timestamp()",
                                                          "localtimestamp",
                                                          "current_time",
                                                          "localtime",
                                                          "transaction_timestamp()",
                                                          "timeofday()",
                                                          "'now'"};

bool has_one(const std::string& text, const auto& parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

// "public.orders_seq", "\"Orders_SEQ\"": its own name, as mappers spell it.
std::string bare_name(const std::string& name) {
  std::string bare = to_lower(name.substr(name.rfind('.') + 1));
  std::erase(bare, '"');
  return bare;
}

// The sequence by which a program numbers the rows of the table; empty: none is called so.
std::string sequence_of(const CatalogueTable& table, const CatalogueColumn& column,
                        const std::vector<std::string>& sequences) {
  const bool is_number = is_one_of(column.type, {"integer", "bigint", "smallint", "numeric"});
  const bool is_key = table.key.size() == 1 && table.key.front() == column.name;
  if (!is_number || !is_key || !column.default_expression.empty()) return "";
  const std::string own = bare_name(table.name);
  for (const std::string& sequence : sequences) {
    const std::string name = bare_name(sequence);
    if (name == "hibernate_sequence" || name == own + "_seq" || name == own + "_sequence" ||
        name == own + '_' + to_lower(column.name) + "_seq" || name == "seq_" + own) {
      return sequence;
    }
  }
  return "";
}

// The domain of what a column's default makes; empty: the default is a constant, or none.
std::string domain_of(const CatalogueTable& table, const CatalogueColumn& column) {
  const std::string own = table.name + '.' + column.name;
  if (column.identity) return own;
  const std::string expression = to_lower(column.default_expression);
  const std::size_t next = expression.find("nextval(");
  if (next != std::string::npos) {
    // Columns that share a sequence share its numbers.
    const std::size_t begin = expression.find('\'', next);
    const std::size_t end = expression.find('\'', begin + 1);
    return begin == std::string::npos || end == std::string::npos
               ? own
               : expression.substr(begin + 1, end - begin - 1);
  }
  if (has_one(expression, kUuidCalls) || expression.find("random()") != std::string::npos) {
    return own;
  }
  return has_one(expression, kClockCalls) ? "clock" : "";
}

Column* find_column(std::vector<Column>& columns, const std::string& name) {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

// Whether the reference made a column known to be filled.
bool follow_reference(const ForeignKey& key, std::vector<Column>& from, std::vector<Column>& to) {
  bool is_new = false;
  for (std::size_t i = 0; i < std::min(key.columns.size(), key.referenced.size()); ++i) {
    Column* const column = find_column(from, key.columns[i]);
    const Column* const referenced = find_column(to, key.referenced[i]);
    if (column == nullptr || referenced == nullptr) continue;
    if (!referenced->generated || column->generated || referenced->domain == "clock") continue;
    column->generated = true;
    column->domain = referenced->domain;
    is_new = true;
  }
  return is_new;
}

}  // namespace

std::vector<std::vector<Column>> mark_filled_columns(const std::vector<CatalogueTable>& tables,
                                                     const std::vector<std::string>& sequences) {
  std::vector<std::vector<Column>> all;
  for (const CatalogueTable& table : tables) {
    std::vector<Column>& columns = all.emplace_back();
    for (const CatalogueColumn& column : table.columns) {
      std::string domain = domain_of(table, column);
      if (domain.empty()) domain = sequence_of(table, column, sequences);
      columns.push_back({.name = column.name,
                         .table = table.name,
                         .source = column.name,
                         .generated = !domain.empty(),
                         .domain = domain,
                         .type = column.type});
    }
  }
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      for (const ForeignKey& key : tables[i].foreign_keys) {
        const auto to = std::ranges::find(tables, key.table, &CatalogueTable::name);
        if (to == tables.end()) continue;
        const auto place = static_cast<std::size_t>(to - tables.begin());
        is_new = follow_reference(key, all[i], all[place]) || is_new;
      }
    }
  }
  return all;
}

}  // namespace heddle
