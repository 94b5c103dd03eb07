// ALTER TABLE of MySQL and SQLite.
#include <algorithm>
#include <iterator>
#include <utility>

#include "frontend/schema/tokens.h"

namespace heddle::sql {

void TokenDefinitions::read_alter() {
  static_cast<void>(accept("online") || accept("offline"));
  accept("ignore");
  if (!accept("table")) return;
  const bool if_exists = accept("if exists");
  ObjectName name;
  if (!accept_object(name)) return static_cast<void>(fail("ALTER TABLE cannot be read"));
  if (builder_.change_table(name, if_exists) == nullptr) return;
  while (at_ < statement_.size()) {
    const std::size_t part = end_of_part(statement_.size());
    if (!read_change(name, part)) return;
    at_ = part + 1;
  }
}

// One change; what is none of the schema's is passed by.
bool TokenDefinitions::read_change(const ObjectName& name, std::size_t end) {
  Table* table = builder_.find_table(name);
  if (table == nullptr) return false;  // renamed by the change before
  if (accept("add")) return read_addition(*table, end);
  if (accept("drop")) return read_removal(*table, end);
  if (accept("modify")) return read_redefinition(*table, end, false);
  if (accept("change")) return read_redefinition(*table, end, true);
  if (accept("alter")) return read_alteration(*table, end);
  if (accept("rename")) return read_renaming(name, *table);
  return true;
}

bool TokenDefinitions::read_addition(Table& table, std::size_t end) {
  const bool is_column = accept("column");
  const bool if_not_exists = accept("if not exists");
  Table added;
  added.schema = table.schema;
  added.name = table.name;
  placement_ = {};
  if (statement_.is_symbol(at_, "(")) {
    const std::size_t close = statement_.after_parenthesis(at_) - 1;
    ++at_;
    read_elements(added, std::min(close, end));
  } else if (!(is_column ? read_column(added, end) : read_element(added, end))) {
    return false;
  }
  for (const TableColumn& column : added.columns) {
    if (builder_.add_column(table, column, if_not_exists)) place(table, column.name, placement_);
  }
  add_constraints(table, added);
  return true;
}

void TokenDefinitions::add_constraints(Table& table, Table& from) {
  auto append = [](auto& to, auto& added) {
    to.insert(to.end(), std::make_move_iterator(added.begin()),
              std::make_move_iterator(added.end()));
  };
  append(table.unique_constraints, from.unique_constraints);
  table.unique_known = table.unique_known && from.unique_known;
  append(table.foreign_keys, from.foreign_keys);
  append(table.checks, from.checks);
  if (from.primary_key.empty()) return;
  builder_.set_primary_key(table, from.primary_key, from.primary_key_name, offset());
}

void TokenDefinitions::place(Table& table, const std::string& column, const Placement& placement) {
  if (!placement.is_first && placement.after.empty()) return;
  auto& all = table.columns;
  auto at = [&](const TableColumn* one) { return all.begin() + (one - all.data()); };
  const TableColumn moved = *builder_.find_column(table, column);
  if (!placement.is_first) {
    const TableColumn* before = builder_.change_column(table, placement.after, offset());
    if (before == nullptr || before->name == moved.name) return;
  }
  all.erase(at(builder_.find_column(table, column)));
  auto to = all.begin();
  if (!placement.is_first) to = std::next(at(builder_.find_column(table, placement.after)));
  all.insert(to, moved);
}

bool TokenDefinitions::read_removal(Table& table, std::size_t end) {
  if (accept("primary key")) {
    builder_.drop_primary_key(table);
    return true;
  }
  const bool is_constraint = accept("foreign key") || accept("constraint") || accept("check") ||
                             accept("key") || accept("index");
  const bool is_index =
      is_constraint && (statement_.is_word(at_ - 1, "key") || statement_.is_word(at_ - 1, "index"));
  if (!is_constraint) accept("column");
  // ALTER TABLE ... DROP PARTITION and the like are none of the schema's.
  if (!is_constraint && at_word("partition")) return true;
  const bool if_exists = accept("if exists");
  const std::size_t where = offset();
  std::string name;
  if (at_ >= end || !accept_name(name)) return fail("ALTER TABLE cannot be read");
  if (is_constraint) {
    builder_.drop_constraint(table, name, where, if_exists || is_index);
  } else {
    builder_.drop_column(table, name, where, if_exists);
  }
  return true;
}

// MODIFY a int, CHANGE a b int
bool TokenDefinitions::read_redefinition(Table& table, std::size_t end, bool renames) {
  accept("column");
  const bool if_exists = accept("if exists");
  const std::size_t where = offset();
  std::string name;
  const std::size_t first = at_;
  if (!accept_name(name)) return fail("ALTER TABLE cannot be read");
  if (!renames) at_ = first;
  if (if_exists && builder_.find_column(table, name) == nullptr) return true;
  Table redefined;
  redefined.name = table.name;
  placement_ = {};
  if (!read_column(redefined, end) || redefined.columns.empty()) return false;
  TableColumn& column = redefined.columns[0];
  if (builder_.change_column(table, name, where) == nullptr) return true;
  if (renames) builder_.rename_column(table, name, column.name, where);
  TableColumn* known = builder_.find_column(table, column.name);
  if (known == nullptr) return true;
  *known = column;
  place(table, column.name, placement_);
  add_constraints(table, redefined);
  return true;
}

// ALTER a SET DEFAULT 1, ALTER a DROP DEFAULT
bool TokenDefinitions::read_alteration(Table& table, std::size_t end) {
  if (at_word("index") || at_word("check") || at_word("constraint")) return true;
  accept("column");
  const std::size_t where = offset();
  std::string name;
  if (!accept_name(name)) return fail("ALTER TABLE cannot be read");
  TableColumn* column = builder_.change_column(table, name, where);
  if (column == nullptr) return true;
  if (accept("drop default")) column->default_expression.clear();
  if (accept("set default")) read_default(table, *column, end);
  return true;
}

bool TokenDefinitions::read_renaming(const ObjectName& name, Table& table) {
  const std::size_t where = offset();
  std::string from;
  std::string to;
  if (accept("index") || accept("key")) {
    if (!accept_name(from) || !accept("to") || !accept_name(to)) {
      return fail("ALTER TABLE cannot be read");
    }
    builder_.rename_constraint(table, from, to);
    return true;
  }
  // The word TO may itself be missing in MySQL, COLUMN in SQLite.
  const bool is_column = accept("column") || statement_.is_word(at_ + 1, "to");
  if (is_column) {
    if (!accept_name(from) || !accept("to") || !accept_name(to)) {
      return fail("ALTER TABLE cannot be read");
    }
    builder_.rename_column(table, from, to, where);
    return true;
  }
  static_cast<void>(accept("to") || accept("as"));
  ObjectName renamed;
  if (!accept_object(renamed)) return fail("ALTER TABLE cannot be read");
  builder_.rename_table(name, renamed.name);
  return true;
}

}  // namespace heddle::sql
