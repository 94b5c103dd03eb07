// ALTER TABLE.
#include "frontend/schema/tree.h"

namespace heddle::sql {
namespace {

// The end of the command that starts at `begin`: the next comma outside parentheses.
std::size_t end_of_command(const Tokens& tokens, std::size_t begin) {
  std::size_t end = begin;
  while (end < tokens.size() && !(tokens[end].depth == 0 && tokens.is_symbol(end, ','))) ++end;
  return end;
}

}  // namespace

void TreeDefinitions::read_alter(const Node& alter) {
  const std::string& kind = alter.text("objtype");
  if (kind != "OBJECT_TABLE" && kind != "OBJECT_FOREIGN_TABLE") return;
  const ObjectName name = name_of(alter["relation"]);
  Table* table = builder_.change_table(name, alter.is_true("missing_ok"));
  if (table == nullptr) return;
  std::size_t begin = 0;
  for (const Node& item : alter["cmds"]) {
    const std::size_t end = end_of_command(tokens_, begin);
    read_command(item.content(), *table, begin, end);
    begin = end + 1;
  }
}

void TreeDefinitions::read_command(const Node& command, Table& table, std::size_t begin,
                                   std::size_t end) {
  const std::string& kind = command.text("subtype");
  const std::string& name = command.text("name");
  const Node& definition = command["def"].content();
  const bool if_exists = command.is_true("missing_ok");
  const std::size_t offset = base_ + (begin < tokens_.size() ? tokens_[begin].offset : 0);
  if (kind == "AT_AddColumn") return read_column(definition, table, if_exists);
  if (kind == "AT_AddConstraint") return read_constraint(definition, table, nullptr);
  if (kind == "AT_DropConstraint") {
    return builder_.drop_constraint(table, name, offset, if_exists);
  }
  if (kind == "AT_DropColumn") return builder_.drop_column(table, name, offset, if_exists);
  if (kind == "AT_AttachPartition") {
    const ObjectName parent{.schema = table.schema, .name = table.name, .offset = offset};
    return builder_.create_partition(name_of(definition["name"]), parent);
  }
  if (kind == "AT_AddInherit") {
    return builder_.note(
        builder_.position(offset),
        "the rows of table " + table.name + " become rows of another one, which is not followed",
        "use one of the two tables only");
  }
  constexpr std::string_view kOfColumns[] = {
      "AT_ColumnDefault", "AT_SetNotNull",  "AT_DropNotNull",  "AT_AlterColumnType",
      "AT_AddIdentity",   "AT_SetIdentity", "AT_DropIdentity", "AT_DropExpression"};
  bool is_of_column = false;
  for (const std::string_view one : kOfColumns) is_of_column = is_of_column || one == kind;
  if (!is_of_column) return;
  TableColumn* column = builder_.change_column(table, name, offset);
  if (column == nullptr) return;
  if (kind == "AT_SetNotNull") column->not_null = true;
  if (kind == "AT_DropNotNull") column->not_null = false;
  if (kind == "AT_ColumnDefault") {
    // A serial column that loses its default is a plain one.
    if (column->generation == Generation::identity) column->generation = Generation::none;
    column->default_expression.clear();
    if (definition.is_present()) {
      set_default(*column, command["def"], expression_after(begin, "default", end));
    }
  }
  if (kind == "AT_AlterColumnType") {
    const Node& type = definition["typeName"];
    const std::size_t first = tokens_.index_at(number_of(type, "location"));
    std::size_t last = first;
    const std::uint32_t depth = first < tokens_.size() ? tokens_[first].depth : 0;
    while (last < end && !(tokens_[last].depth == depth &&
                           (tokens_.word(last) == "using" || tokens_.word(last) == "collate"))) {
      ++last;
    }
    column->type = read_type(type, first, last, nullptr);
  }
  read_identity_command(command, *column);
}

void TreeDefinitions::read_identity_command(const Node& command, TableColumn& column) {
  const std::string& kind = command.text("subtype");
  if (kind == "AT_AddIdentity") {
    column.generation = Generation::identity;
    column.always_generated = command["def"].content().text("generated_when") == "a";
  }
  if (kind == "AT_SetIdentity") {
    for (const Node& item : command["def"].content()["items"]) {
      const Node& option = item.content();
      if (option.text("defname") != "generated") continue;
      column.always_generated = number_of(option["arg"].content(), "ival") == 'a';
    }
  }
  if (kind == "AT_DropIdentity" || kind == "AT_DropExpression") {
    column.generation = Generation::none;
    column.always_generated = false;
    column.generation_expression.clear();
  }
}

}  // namespace heddle::sql
