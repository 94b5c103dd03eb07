// Columns and constraints of CREATE and ALTER TABLE.
//
// The tree has no ends of expressions, so they are cut out of the text: one after DEFAULT ends
// where the next constraint of the column starts, all others stand in parentheses.
#include <algorithm>

#include "base/text.h"
#include "frontend/schema/tree.h"
#include "frontend/sql/reader.h"
#include "schema/types.h"

namespace heddle::sql {
namespace {

struct ActionLetter {
  std::string_view letter;
  ReferentialAction action;
};
constexpr ActionLetter kActionLetters[] = {
    {"a", ReferentialAction::no_action},   {"r", ReferentialAction::restrict},
    {"c", ReferentialAction::cascade},     {"n", ReferentialAction::set_null},
    {"d", ReferentialAction::set_default},
};

ReferentialAction to_action(const std::string& letter) {
  for (const ActionLetter& one : kActionLetters) {
    if (one.letter == letter) return one.action;
  }
  return ReferentialAction::no_action;
}

CheckTime check_time_of(const Node& constraint) {
  if (constraint.is_true("initdeferred")) return CheckTime::deferred;
  return constraint.is_true("deferrable") ? CheckTime::deferrable : CheckTime::statement;
}

// What DEFERRABLE and the like after a constraint of a column say of it.
void apply_attribute(const std::string& kind, CheckTime* time) {
  if (time == nullptr) return;
  if (kind == "CONSTR_ATTR_DEFERRABLE" && *time == CheckTime::statement) {
    *time = CheckTime::deferrable;
  }
  if (kind == "CONSTR_ATTR_DEFERRED") *time = CheckTime::deferred;
}

bool calls_nextval(const Node& expression) {
  if (expression.type() != "FuncCall") return false;
  const std::vector<std::string> name = string_list(expression.content()["funcname"]);
  return !name.empty() && name.back() == "nextval";
}

std::vector<std::uint32_t> numbers_in(const Node& constants) {
  std::vector<std::uint32_t> numbers;
  for (const Node& item : constants) {
    const Node& constant = item.content();
    if (!constant["ival"].is_present()) return {};
    numbers.push_back(static_cast<std::uint32_t>(number_of(constant["ival"], "ival")));
  }
  return numbers;
}

}  // namespace

std::vector<std::string> mentioned_columns(const Node& expression) {
  std::set<std::string> columns;
  std::vector<const Node*> pending{&expression};
  while (!pending.empty()) {
    const Node* node = pending.back();
    pending.pop_back();
    if (node->name == "ColumnRef") {
      const std::vector<std::string> path = string_list((*node)["fields"]);
      if (!path.empty()) columns.insert(path.back());
    }
    for (const Node& child : *node) pending.push_back(&child);
  }
  return {columns.begin(), columns.end()};
}

std::string plain_text(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < std::min(end, tokens.size()); ++i) {
    const std::size_t previous = i > begin ? tokens[i - 1].offset + tokens[i - 1].size : 0;
    if (i > begin && tokens[i].offset > previous) {
      // Strings on two lines are one string.
      const bool are_strings =
          tokens[i].kind == TokenKind::string && tokens[i - 1].kind == TokenKind::string;
      text += are_strings ? "\n" : " ";
    }
    text += tokens.text(i);
  }
  return text;
}

// The first token behind the column or constraint that starts at token `begin`.
std::size_t TreeDefinitions::end_of_element(std::size_t begin) const {
  if (begin >= tokens_.size()) return tokens_.size();
  const std::uint32_t depth = tokens_[begin].depth;
  std::size_t end = begin;
  while (end < tokens_.size() && tokens_[end].depth >= depth &&
         !(tokens_[end].depth == depth &&
           (tokens_.is_symbol(end, ',') || tokens_.is_symbol(end, ';')))) {
    ++end;
  }
  return end;
}

// The expression after the first `word` from token `begin` on; the one in parentheses where it is
// not DEFAULT's.
std::string TreeDefinitions::expression_after(std::size_t begin, std::string_view word,
                                              std::size_t end) const {
  std::size_t at = begin;
  while (at < end && tokens_.word(at) != word) ++at;
  if (at + 1 >= end) return {};
  if (word == "default") return plain_text(tokens_, at + 1, end);
  std::size_t open = at + 1;
  while (open < end && !tokens_.is_symbol(open, '(')) ++open;
  std::size_t close = open + 1;
  while (close < end && tokens_[close].depth > tokens_[open].depth) ++close;
  return plain_text(tokens_, open + 1, close);
}

void TreeDefinitions::read_column(const Node& definition, Table& table, bool if_not_exists) {
  const std::size_t first = tokens_.index_at(number_of(definition, "location"));
  std::vector<std::size_t> starts{end_of_element(first)};
  for (const Node& item : definition["constraints"]) {
    starts.push_back(tokens_.index_at(number_of(item.content(), "location")));
  }
  const Node& collation = definition["collClause"];
  if (collation.is_present()) starts.push_back(tokens_.index_at(number_of(collation, "location")));
  std::sort(starts.begin(), starts.end());
  const std::string& name = definition.text("colname");
  TableColumn* known = builder_.find_column(table, name);
  // A partition's options of its parent's column, or a column that is merged with an inherited one.
  const bool is_option = known != nullptr && !definition["typeName"].is_present();
  if (!is_option) {
    TableColumn column;
    column.name = name;
    column.position = position_of(definition);
    bool is_serial = false;
    const Node& type = definition["typeName"];
    column.type =
        read_type(type, tokens_.index_at(number_of(type, "location")), starts[0], &is_serial);
    if (is_serial) {
      column.generation = Generation::identity;
      column.not_null = true;
    }
    if (!builder_.add_column(table, std::move(column), if_not_exists)) return;
    known = &table.columns.back();
  }
  const auto index = static_cast<std::size_t>(known - table.columns.data());
  CheckTime* time = nullptr;
  for (const Node& item : definition["constraints"]) {
    const Node& constraint = item.content();
    const std::string& kind = constraint.text("contype");
    const std::size_t at = tokens_.index_at(number_of(constraint, "location"));
    const std::size_t end = *std::upper_bound(starts.begin(), std::prev(starts.end()), at);
    apply_attribute(kind, time);
    if (kind.starts_with("CONSTR_ATTR_")) continue;
    read_column_constraint(constraint, table, index, end);
    time = nullptr;
    if (kind == "CONSTR_UNIQUE") time = &table.unique_constraints.back().check_time;
    if (kind == "CONSTR_FOREIGN") time = &table.foreign_keys.back().check_time;
  }
}

ColumnType TreeDefinitions::read_type(const Node& type, std::size_t begin, std::size_t end,
                                      bool* serial) {
  ColumnType result;
  std::vector<std::string> names = string_list(type["names"]);
  for (std::size_t i = begin; i < end; ++i) {
    const std::string word = tokens_.word(i);
    const bool is_option = word == "storage" || word == "compression" || word == "options";
    if (is_option && i > begin && tokens_[i].depth == tokens_[begin].depth) end = i;
  }
  result.text = plain_text(tokens_, begin, end);
  if (names.empty()) return result;
  const bool is_own = names.size() > 1 && names[names.size() - 2] != "pg_catalog" &&
                      find_type(names.back(), Dialect::postgres) == ValueType::unknown;
  if (!is_own) result.type = find_type(names.back(), Dialect::postgres);
  result.arguments = numbers_in(type["typmods"]);
  if (result.type == ValueType::interval) result.arguments.clear();
  if (type["arrayBounds"].is_present()) {
    result.element = result.type;
    result.type = ValueType::array;
  }
  if (serial != nullptr) *serial = names.size() == 1 && is_serial(names[0]);
  return result;
}

void TreeDefinitions::set_default(TableColumn& column, const Node& expression, std::string text) {
  column.default_expression = std::move(text);
  if (calls_nextval(expression)) column.generation = Generation::identity;
}

void TreeDefinitions::read_column_constraint(const Node& constraint, Table& table,
                                             std::size_t index, std::size_t end) {
  TableColumn& column = table.columns[index];
  const std::string& kind = constraint.text("contype");
  const std::size_t begin = tokens_.index_at(number_of(constraint, "location"));
  if (kind == "CONSTR_NOTNULL") {
    column.not_null = true;
  } else if (kind == "CONSTR_DEFAULT") {
    set_default(column, constraint["raw_expr"], expression_after(begin, "default", end));
  } else if (kind == "CONSTR_IDENTITY") {
    column.generation = Generation::identity;
    column.always_generated = constraint.text("generated_when") == "a";
    column.not_null = true;
  } else if (kind == "CONSTR_GENERATED") {
    column.generation = Generation::expression;
    column.always_generated = true;
    column.generation_expression = expression_after(begin, "as", end);
  } else {
    read_constraint(constraint, table, &column);
  }
}

void TreeDefinitions::read_constraint(const Node& constraint, Table& table,
                                      const TableColumn* column) {
  const std::string& kind = constraint.text("contype");
  if (kind == "CONSTR_PRIMARY") read_key(constraint, table, column, true);
  if (kind == "CONSTR_UNIQUE") read_key(constraint, table, column, false);
  if (kind == "CONSTR_FOREIGN") read_foreign_key(constraint, table, column);
  if (kind == "CONSTR_CHECK") table.checks.push_back(read_check(constraint));
  if (kind == "CONSTR_EXCLUSION") {
    table.unique_known = false;
    builder_.note(position_of(constraint),
                  "the exclusion constraint of table " + table.name + " is not followed");
  }
}

void TreeDefinitions::read_key(const Node& constraint, Table& table, const TableColumn* column,
                               bool is_primary) {
  if (take_index(constraint, table, is_primary)) return;
  Columns columns = string_list(constraint["keys"]);
  if (columns.empty() && column != nullptr) columns = {column->name};
  if (is_primary) {
    return builder_.set_primary_key(table, std::move(columns), constraint.text("conname"),
                                    offset_of(constraint));
  }
  table.unique_constraints.push_back(
      {.name = constraint.text("conname"),
       .columns = std::move(columns),
       .nulls_not_distinct = constraint.is_true("nulls_not_distinct"),
       .check_time = check_time_of(constraint),
       .position = position_of(constraint)});
}

// ADD CONSTRAINT name PRIMARY KEY USING INDEX i: the index was read as a constraint.
bool TreeDefinitions::take_index(const Node& constraint, Table& table, bool is_primary) {
  const std::string& index = constraint.text("indexname");
  if (index.empty()) return false;
  std::vector<UniqueConstraint>& all = table.unique_constraints;
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const UniqueConstraint& one) { return one.name == index; });
  const std::string& name = constraint.text("conname");
  if (found == all.end()) {
    builder_.note(position_of(constraint),
                  "no unique index " + index + " of table " + table.name + " is known",
                  "create it before");
  } else if (is_primary) {
    builder_.set_primary_key(table, found->columns, name.empty() ? index : name,
                             offset_of(constraint));
    all.erase(found);
  } else {
    if (!name.empty()) found->name = name;
    found->check_time = check_time_of(constraint);
  }
  return true;
}

void TreeDefinitions::read_foreign_key(const Node& constraint, Table& table,
                                       const TableColumn* column) {
  const Node& referenced = constraint["pktable"];
  ForeignKeyConstraint key{.name = constraint.text("conname"),
                           .columns = string_list(constraint["fk_attrs"]),
                           .referenced_schema = referenced.text("schemaname"),
                           .referenced_table = referenced.text("relname"),
                           .referenced_columns = string_list(constraint["pk_attrs"]),
                           .on_delete = to_action(constraint.text("fk_del_action")),
                           .on_update = to_action(constraint.text("fk_upd_action")),
                           .check_time = check_time_of(constraint),
                           .position = position_of(constraint)};
  if (key.columns.empty() && column != nullptr) key.columns = {column->name};
  const std::string of = "a foreign key of table " + table.name;
  if (constraint.text("fk_matchtype") == "f") {
    builder_.note(key.position, of + " has MATCH FULL, which is read as MATCH SIMPLE");
  }
  if (constraint["fk_del_set_cols"].is_present()) {
    builder_.note(key.position, of + " sets some of its columns on DELETE, which is read as all");
  }
  table.foreign_keys.push_back(std::move(key));
}

Check TreeDefinitions::read_check(const Node& constraint) {
  const std::size_t begin = tokens_.index_at(number_of(constraint, "location"));
  return {.name = constraint.text("conname"),
          .expression = expression_after(begin, "check", tokens_.size()),
          .columns = mentioned_columns(constraint["raw_expr"]),
          .position = position_of(constraint)};
}

}  // namespace heddle::sql
