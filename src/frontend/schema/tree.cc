#include "frontend/schema/tree.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "frontend/sql/reader.h"

namespace heddle::sql {
namespace {

// The bits of TableLikeClause's options.
constexpr std::size_t kLikeConstraints = 1U << 2U;
constexpr std::size_t kLikeDefaults = 1U << 3U;
constexpr std::size_t kLikeGenerated = 1U << 4U;
constexpr std::size_t kLikeIdentity = 1U << 5U;
constexpr std::size_t kLikeIndexes = 1U << 6U;

template <class Objects>
auto find_object(Objects& objects, const ObjectName& name) {
  return std::find_if(objects.begin(), objects.end(), [&](const auto& one) {
    return one.name == name.name && is_same_schema(one.schema, name.schema, Dialect::postgres);
  });
}

template <class Objects>
void drop_object(Objects& objects, const ObjectName& name) {
  auto found = find_object(objects, name);
  if (found != objects.end()) objects.erase(found);
}

}  // namespace

std::size_t number_of(const Node& node, std::string_view field) {
  const std::string& text = node.text(field);
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

ObjectName TreeDefinitions::name_of(const Node& range) const {
  return {.schema = range.text("schemaname"),
          .name = range.text("relname"),
          .offset = base_ + number_of(range, "location")};
}

ObjectName TreeDefinitions::name_in(const Node& names) const {
  const std::vector<std::string> path = string_list(names);
  if (path.empty()) return {};
  return {.schema = path.size() > 1 ? path[path.size() - 2] : "",
          .name = path.back(),
          .offset = base_ + (tokens_.size() > 0 ? tokens_[0].offset : 0)};
}

std::size_t TreeDefinitions::offset_of(const Node& node) const {
  return base_ + number_of(node, "location");
}

SourcePosition TreeDefinitions::position_of(const Node& node) const {
  return builder_.position(offset_of(node));
}

void TreeDefinitions::read(const Node& statement) {
  struct Definition {
    std::string_view type;
    void (TreeDefinitions::*read)(const Node&);
  };
  constexpr Definition kDefinitions[] = {
      {"CreateStmt", &TreeDefinitions::read_create},
      {"CreateTableAsStmt", &TreeDefinitions::read_create_as},
      {"SelectStmt", &TreeDefinitions::read_select_into},
      {"IndexStmt", &TreeDefinitions::read_index},
      {"CreateSeqStmt", &TreeDefinitions::read_sequence},
      {"CreateEnumStmt", &TreeDefinitions::read_enumeration},
      {"AlterEnumStmt", &TreeDefinitions::read_new_label},
      {"CreateDomainStmt", &TreeDefinitions::read_domain},
      {"DropStmt", &TreeDefinitions::read_drop},
      {"RenameStmt", &TreeDefinitions::read_rename},
      {"AlterObjectSchemaStmt", &TreeDefinitions::read_new_schema},
      {"AlterTableStmt", &TreeDefinitions::read_alter},
      {"CreateSchemaStmt", &TreeDefinitions::read_schema},
      {"ViewStmt", &TreeDefinitions::read_view},
  };
  if (statement.type() == "CreateForeignTableStmt") {
    return read_create(statement.content()["base"]);
  }
  for (const Definition& one : kDefinitions) {
    if (one.type == statement.type()) return (this->*one.read)(statement.content());
  }
}

void TreeDefinitions::read_create(const Node& create) {
  const ObjectName name = name_of(create["relation"]);
  if (create["partbound"].is_present()) {
    for (const Node& parent : create["inhRelations"]) {
      builder_.create_partition(name, name_of(parent.content()));
    }
    return;
  }
  Table table;
  table.schema = name.schema;
  table.name = name.name;
  read_parents(create, table);
  if (create["ofTypename"].is_present()) {
    table.columns_known = false;
    builder_.note(builder_.position(name.offset),
                  "table " + to_string(name) + " has the columns of a type, which are not read",
                  "list the columns in CREATE TABLE");
  }
  read_elements(create["tableElts"], table);
  builder_.create_table(std::move(table), name, create.is_true("if_not_exists"));
}

// INHERITS
void TreeDefinitions::read_parents(const Node& create, Table& table) {
  for (const Node& item : create["inhRelations"]) {
    const ObjectName name = name_of(item.content());
    const Table* parent = builder_.source_table(name);
    if (parent == nullptr) continue;
    const Table copy = *parent;
    builder_.copy_table(copy, table, {.identities = false, .keys = false, .checks = true});
    builder_.note(builder_.position(name.offset),
                  "the rows of table " + table.name + " are rows of " + copy.name +
                      ", too, which is not followed",
                  "use one of the two tables only");
  }
}

void TreeDefinitions::read_elements(const Node& elements, Table& table) {
  // Table constraints may stand before the columns they are on.
  for (const Node& element : elements) {
    if (element.type() == "ColumnDef") read_column(element.content(), table, false);
    if (element.type() == "TableLikeClause") read_like(element.content(), table);
  }
  for (const Node& element : elements) {
    if (element.type() == "Constraint") read_constraint(element.content(), table, nullptr);
  }
}

void TreeDefinitions::read_like(const Node& like, Table& table) {
  const Table* from = builder_.source_table(name_of(like["relation"]));
  if (from == nullptr) {
    table.columns_known = false;
    return;
  }
  const std::size_t options = number_of(like, "options");
  auto has = [&](std::size_t bit) { return (options & bit) != 0; };
  const Table copy = *from;
  builder_.copy_table(copy, table,
                      {.defaults = has(kLikeDefaults),
                       .identities = has(kLikeIdentity),
                       .generated = has(kLikeGenerated),
                       .keys = has(kLikeIndexes),
                       .checks = has(kLikeConstraints)});
}

void TreeDefinitions::read_create_as(const Node& create) {
  if (create.text("objtype") != "OBJECT_TABLE") return;
  const ObjectName name = name_of(create["into"]["rel"]);
  Table table;
  table.columns_known = false;
  builder_.note(builder_.position(name.offset),
                "the columns of table " + to_string(name) + " are those of a query",
                "list them in CREATE TABLE and fill it with INSERT");
  builder_.create_table(std::move(table), name, create.is_true("if_not_exists"));
}

// SELECT ... INTO t makes a table as well.
void TreeDefinitions::read_select_into(const Node& select) {
  if (select["intoClause"].is_present()) {
    const ObjectName name = name_of(select["intoClause"]["rel"]);
    Table table;
    table.columns_known = false;
    builder_.note(builder_.position(name.offset),
                  "the columns of table " + to_string(name) + " are those of a query",
                  "list them in CREATE TABLE and fill it with INSERT");
    builder_.create_table(std::move(table), name, false);
  }
}

void TreeDefinitions::read_index(const Node& index) {
  if (!index.is_true("unique")) return;
  const ObjectName name = name_of(index["relation"]);
  Table* table = builder_.change_table(name);
  if (table == nullptr) return;
  UniqueConstraint unique{.name = index.text("idxname"),
                          .columns = {},
                          .nulls_not_distinct = index.is_true("nulls_not_distinct"),
                          .check_time = CheckTime::statement,
                          .position = builder_.position(name.offset)};
  bool is_plain = !index["whereClause"].is_present();
  for (const Node& item : index["indexParams"]) {
    const std::string& column = item.content().text("name");
    is_plain = is_plain && !column.empty();
    unique.columns.push_back(column);
  }
  if (!is_plain) {
    table->unique_known = false;
    return builder_.note(unique.position,
                         "the unique index on table " + table->name +
                             " is on some rows or on expressions, and is not followed");
  }
  table->unique_constraints.push_back(std::move(unique));
}

void TreeDefinitions::read_sequence(const Node& create) {
  const ObjectName name = name_of(create["sequence"]);
  if (find_object(builder_.sequences(), name) != builder_.sequences().end()) return;
  builder_.sequences().push_back(
      {.schema = name.schema, .name = name.name, .position = builder_.position(name.offset)});
}

void TreeDefinitions::read_enumeration(const Node& create) {
  const ObjectName name = name_in(create["typeName"]);
  drop_object(builder_.enumerations(), name);
  builder_.enumerations().push_back({.schema = name.schema,
                                     .name = name.name,
                                     .labels = string_list(create["vals"]),
                                     .position = builder_.position(name.offset)});
}

// ALTER TYPE ... ADD VALUE and RENAME VALUE.
void TreeDefinitions::read_new_label(const Node& alter) {
  auto found = find_object(builder_.enumerations(), name_in(alter["typeName"]));
  if (found == builder_.enumerations().end()) return;
  std::vector<std::string>& labels = found->labels;
  const std::string& value = alter.text("newVal");
  if (alter["oldVal"].is_present()) {
    std::replace(labels.begin(), labels.end(), alter.text("oldVal"), value);
  } else if (std::find(labels.begin(), labels.end(), value) == labels.end()) {
    auto at = labels.end();
    if (alter["newValNeighbor"].is_present()) {
      at = std::find(labels.begin(), labels.end(), alter.text("newValNeighbor"));
      if (at != labels.end() && alter.is_true("newValIsAfter")) ++at;
    }
    labels.insert(at, value);
  }
}

void TreeDefinitions::read_domain(const Node& create) {
  const ObjectName name = name_in(create["domainname"]);
  Domain domain{
      .schema = name.schema, .name = name.name, .position = builder_.position(name.offset)};
  TableColumn column;
  std::size_t end = tokens_.size();
  for (const Node& item : create["constraints"]) {
    end = std::min(end, tokens_.index_at(number_of(item.content(), "location")));
  }
  const Node& type = create["typeName"];
  domain.type = read_type(type, tokens_.index_at(number_of(type, "location")), end, nullptr);
  for (const Node& item : create["constraints"]) {
    const Node& constraint = item.content();
    const std::string& kind = constraint.text("contype");
    const std::size_t begin = tokens_.index_at(number_of(constraint, "location"));
    std::size_t next = tokens_.size();
    for (const Node& other : create["constraints"]) {
      const std::size_t at = tokens_.index_at(number_of(other.content(), "location"));
      if (at > begin) next = std::min(next, at);
    }
    if (kind == "CONSTR_NOTNULL") domain.not_null = true;
    if (kind == "CONSTR_CHECK") {
      domain.checks.push_back(read_check(constraint));
      domain.checks.back().columns.clear();
    }
    if (kind == "CONSTR_DEFAULT") {
      set_default(column, constraint["raw_expr"], expression_after(begin, "default", next));
    }
  }
  domain.default_expression = column.default_expression;
  drop_object(builder_.domains(), name);
  builder_.domains().push_back(std::move(domain));
}

void TreeDefinitions::read_drop(const Node& drop) {
  const std::string& kind = drop.text("removeType");
  for (const Node& object : drop["objects"]) {
    const bool is_type = object.type() == "TypeName";
    const ObjectName name = name_in(object.content()[is_type ? "names" : "items"]);
    if (kind == "OBJECT_TABLE" || kind == "OBJECT_FOREIGN_TABLE") {
      builder_.drop_table(name, drop.is_true("missing_ok"),
                          drop.text("behavior") == "DROP_CASCADE");
    }
    if (kind == "OBJECT_VIEW") builder_.drop_view(name);
    if (kind == "OBJECT_SEQUENCE") drop_object(builder_.sequences(), name);
    if (kind == "OBJECT_TYPE") drop_object(builder_.enumerations(), name);
    if (kind == "OBJECT_DOMAIN") drop_object(builder_.domains(), name);
  }
}

void TreeDefinitions::read_rename(const Node& rename) {
  const std::string& kind = rename.text("renameType");
  const std::string& to = rename.text("newname");
  const ObjectName name = name_of(rename["relation"]);
  const bool if_exists = rename.is_true("missing_ok");
  if (kind == "OBJECT_SEQUENCE") {
    auto found = find_object(builder_.sequences(), name);
    if (found != builder_.sequences().end()) found->name = to;
    return;
  }
  if (kind == "OBJECT_TYPE" || kind == "OBJECT_DOMAIN") {
    return builder_.note(builder_.position(base_), "a type is renamed, which is not followed",
                         "give it its name in CREATE TYPE");
  }
  const bool is_of_table =
      kind == "OBJECT_TABLE" || kind == "OBJECT_COLUMN" || kind == "OBJECT_TABCONSTRAINT";
  if (!is_of_table || rename.text("relationType") == "OBJECT_VIEW") return;
  Table* table = builder_.change_table(name, if_exists);
  if (table == nullptr) return;
  const std::string& from = rename.text("subname");
  if (kind == "OBJECT_TABLE") builder_.rename_table(name, to);
  if (kind == "OBJECT_COLUMN") builder_.rename_column(*table, from, to, name.offset);
  if (kind == "OBJECT_TABCONSTRAINT") builder_.rename_constraint(*table, from, to);
}

// ALTER TABLE ... SET SCHEMA
void TreeDefinitions::read_new_schema(const Node& alter) {
  if (alter.text("objectType") != "OBJECT_TABLE") return;
  Table* table = builder_.change_table(name_of(alter["relation"]), alter.is_true("missing_ok"));
  if (table == nullptr) return;
  for (Table& other : builder_.tables()) {
    for (ForeignKeyConstraint& key : other.foreign_keys) {
      const bool is_reference =
          key.referenced_table == table->name && key.referenced_schema == table->schema;
      if (is_reference) key.referenced_schema = alter.text("newschema");
    }
  }
  table->schema = alter.text("newschema");
}

// The query as it is written, without WITH CHECK OPTION.
void TreeDefinitions::read_view(const Node& create) {
  const ObjectName name = name_of(create["view"]);
  View view;
  view.columns = string_list(create["aliases"]);
  std::size_t begin = tokens_.index_at(name.offset - base_);
  const auto is_as = [&](std::size_t at) {
    return tokens_[at].depth == 0 && tokens_.word(at) == "as";
  };
  while (begin < tokens_.size() && !is_as(begin)) ++begin;
  ++begin;
  std::size_t end = tokens_.size();
  while (end > begin && tokens_.is_symbol(end - 1, ';')) --end;
  const bool has_option =
      end > begin + 2 && tokens_.word(end - 1) == "option" && tokens_.word(end - 2) == "check";
  if (has_option) {
    while (end > begin && tokens_.word(end) != "with") --end;
  }
  if (begin >= end) return;
  view.query = std::string(tokens_.text(begin, end));
  if (tokens_.word(1) == "recursive" || tokens_.word(3) == "recursive") {
    const std::string columns = join(view.columns, ", ");
    view.query = "WITH RECURSIVE " + name.name + "(" + columns + ") AS (" + view.query +
                 ") SELECT " + columns + " FROM " + name.name;
  }
  builder_.create_view(std::move(view), name);
}

// CREATE SCHEMA s CREATE TABLE ...
void TreeDefinitions::read_schema(const Node& create) {
  for (const Node& element : create["schemaElts"]) {
    if (element.type() != "CreateSchemaStmt") read(element);
  }
}

}  // namespace heddle::sql
