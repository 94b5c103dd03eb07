// A row that is inserted while the cycle happens is taken for one whose cells have had their values
// before and that comes into being: as long as nobody deletes rows of the table it has been none
// other. Only where somebody does, an INSERT gives its cells new values.
#include "find/search/other_writes.h"

#include <algorithm>
#include <charconv>

namespace heddle::find {

namespace {

bool is_removal(StatementKind kind) {
  return kind == StatementKind::delete_ || kind == StatementKind::truncate;
}

bool is_plain_change(StatementKind kind) {
  return kind == StatementKind::insert || kind == StatementKind::update || is_removal(kind);
}

// Whether the text of the statement is the one that runs.
bool is_read_exactly(const FormedStatement& formed) {
  const ProgramStatement& statement = *formed.statement;
  return !formed.form.is_unknown && !statement.made_text && statement.approximated.empty() &&
         statement.statement.over_approximated.empty() &&
         !statement.statement.calls_unknown_function;
}

}  // namespace

const Expression* constant_in(const Expression& value, const std::vector<Expression>& arguments) {
  if (value.kind == ExpressionKind::literal) return &value;
  if (value.kind != ExpressionKind::variable || !value.text.starts_with('$')) return nullptr;
  std::size_t number = 0;
  std::from_chars(value.text.data() + 1, value.text.data() + value.text.size(), number);
  if (number < 1 || number > arguments.size()) return nullptr;
  const Expression& argument = arguments[number - 1];
  return argument.kind == ExpressionKind::literal ? &argument : nullptr;
}

OtherWrites::OtherWrites(const SearchInput& input) : input_(input) {
  changes_.add(input.changes);
  for (const Prepared& prepared : input.prepared) {
    for (const FormedStatement& formed : prepared.statements) {
      const StatementForm& form = formed.form;
      for (std::size_t i = 0; i < form.sources.size(); ++i) {
        if (form.sources[i].is_written && form.removes(i)) removed_.insert(form.sources[i].name);
      }
    }
  }
  const Schema& schema = input.program.schema;
  add_actions(schema);
  for (const Prepared& prepared : input.prepared) {
    for (const FormedStatement& formed : prepared.statements) add(formed);
  }
  if (!input.program.has_triggers) return;
  for (const Table& table : schema.tables) add_anything(table);
}

const WrittenByOthers* OtherWrites::cell(const std::string& table,
                                         const std::string& column) const {
  for (const std::string& name : {column, std::string("*")}) {
    const auto found = cells_.find({table, name});
    if (found != cells_.end()) return &found->second;
  }
  return nullptr;
}

void OtherWrites::add_anything(const Table& table) {
  made_.insert(table.name);
  removed_.insert(table.name);
  StatementForm form;
  form.kind = StatementKind::insert;
  RowSource& source = form.sources.add({});
  source.table = &table;
  source.name = table.name;
  source.is_written = true;
  source.written_columns = {"*"};
  for (const TableColumn& column : table.columns) {
    source.written_columns.push_back(column.name);
    cells_[{table.name, column.name}].is_any = true;
  }
  cells_[{table.name, "*"}].is_any = true;
  changes_.add(form);
}

// Rows that refer to a row go with it, or get other values.
void OtherWrites::add_actions(const Schema& schema) {
  const auto acts = [](ReferentialAction action) {
    return action != ReferentialAction::no_action && action != ReferentialAction::restrict;
  };
  for (const Table& table : schema.tables) {
    const bool is_acted_on =
        std::ranges::any_of(table.foreign_keys, [&](const ForeignKeyConstraint& key) {
          return acts(key.on_delete) || acts(key.on_update);
        });
    if (is_acted_on) add_anything(table);
  }
}

void OtherWrites::add(const FormedStatement& formed) {
  const StatementForm& form = formed.form;
  for (const RowSource& source : form.sources) {
    // What goes or changes with other rows add_actions() knows.
    if (!source.is_written || !source.is_named()) continue;
    const bool is_known =
        source.table != nullptr && is_plain_change(form.kind) && is_read_exactly(formed);
    if (!is_known && source.table != nullptr) add_anything(*source.table);
    if (!is_known || is_removal(form.kind)) continue;
    const bool inserts = form.kind == StatementKind::insert;
    if (inserts) made_.insert(source.name);
    const auto value_in = [&](const std::vector<Assignment>& assignments,
                              const std::string& column) -> const Expression* {
      const auto found = std::ranges::find(assignments, column, &Assignment::column);
      if (found == assignments.end()) return nullptr;
      return constant_in(found->value, formed.statement->arguments);
    };
    for (const TableColumn& column : source.table->columns) {
      const bool is_written =
          std::ranges::find(source.written_columns, column.name) != source.written_columns.end() ||
          std::ranges::find(source.written_columns, "*") != source.written_columns.end();
      const bool is_computed =
          column.written_by_any_update || column.generation == Generation::expression;
      if (inserts && removed_.contains(source.name)) add_value(source.name, column.name, nullptr);
      if (is_computed) add_computed(*source.table, column.name);
      if (!is_written) continue;
      if (!inserts) {
        add_value(source.name, column.name, value_in(form.assignments, column.name));
      } else if (form.on_conflict) {
        add_value(source.name, column.name, value_in(form.updates, column.name));
      }
    }
  }
}

// No statement names it, and yet it changes.
void OtherWrites::add_computed(const Table& table, const std::string& column) {
  StatementForm form;
  form.kind = StatementKind::update;
  RowSource& source = form.sources.add({});
  source.table = &table;
  source.name = table.name;
  source.is_written = true;
  source.written_columns = {column};
  changes_.add(form);
  add_value(table.name, column, nullptr);
}

// `value`: null where it is any.
void OtherWrites::add_value(const std::string& table, const std::string& column,
                            const Expression* value) {
  WrittenByOthers& written = cells_[{table, column}];
  if (value == nullptr) {
    written.is_any = true;
  } else {
    written.constants.push_back(*value);
  }
}

}  // namespace heddle::find
