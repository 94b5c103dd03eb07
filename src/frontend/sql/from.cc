// FROM and its joins: which tables are read, and under which names their columns are known.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "frontend/sql/clause_text.h"
#include "frontend/sql/reader.h"

namespace heddle::sql {
namespace {

std::vector<std::size_t> joined(const std::vector<std::size_t>& left,
                                const std::vector<std::size_t>& right) {
  std::vector<std::size_t> all = left;
  all.insert(all.end(), right.begin(), right.end());
  return all;
}

void append(std::vector<std::size_t>& all, const std::vector<std::size_t>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// The name of the only source; empty when there are several or it has none.
std::string only_name(const Scope& scope, const std::vector<std::size_t>& sources) {
  return sources.size() == 1 ? scope.sources[sources[0]].name : std::string();
}

// Of an outer join, the sides that may have no row for one of the other.
struct MissingSides {
  bool left = false;
  bool right = false;
};

MissingSides missing_sides(const Node& join) {
  const std::string& type = join.text("jointype");
  return {.left = type == "JOIN_RIGHT" || type == "JOIN_FULL",
          .right = type == "JOIN_LEFT" || type == "JOIN_FULL"};
}

// The table whose rows the query gives, as many of them as there are; null: it does something else.
const Node* only_source(const Node& select) {
  constexpr std::string_view kClauses[] = {"withClause",   "whereClause", "groupClause",
                                           "havingClause", "limitCount",  "limitOffset",
                                           "valuesLists",  "larg"};
  for (const std::string_view clause : kClauses) {
    if (select[clause].is_present()) return nullptr;
  }
  for (const Node& target : select["targetList"]) {
    const std::string_view type = target.content()["val"].type();
    if (type != "A_Const" && type != "ColumnRef") return nullptr;
  }
  const Node* only = nullptr;
  for (const Node& item : select["fromClause"]) {
    if (only != nullptr || item.type() != "RangeVar") return nullptr;
    only = &item;
  }
  return only;
}

// What has other columns than the tables in it: a derived table, a common table, a function, or
// tables under another name or with other names of columns.
bool hides_tables(const Source& source) { return source.tables.size() != 1 || source.renamed; }

bool may_be_column(const Tokens& tokens, std::size_t place) {
  static constexpr std::array<std::string_view, 14> kOperators = {
      "and", "or",   "not",  "is",      "null",     "true",  "false",
      "in",  "like", "from", "between", "distinct", "ilike", "symmetric"};
  const bool is_name =
      tokens[place].kind == TokenKind::word || tokens[place].kind == TokenKind::quoted_name;
  return is_name && !tokens.is_symbol(place + 1, '(') &&
         std::ranges::find(kOperators, tokens.word(place)) == kOperators.end();
}

// As the parser gives it.
std::string parsed_name(const Tokens& tokens, std::size_t place) {
  if (tokens[place].kind == TokenKind::word) return tokens.word(place);
  const std::string_view text = tokens.text(place);
  return text.size() < 2 ? std::string(text) : std::string(text.substr(1, text.size() - 2));
}

// Whether the name, which stands without a table's, may be a column of the source.
bool may_have_column(const Source& source, const std::string& name) {
  if (!source.tables.empty()) return true;
  return std::ranges::any_of(source.outputs, [&](const OutputColumn& output) {
    return is_star(output) || output.name == name;
  });
}

// Whether the condition may be about what hides tables, whose name and columns may be those of
// a table around it, too.
bool may_name_hidden(const std::string& condition, const Scope& scope) {
  const Tokens tokens(condition);
  for (const Scope* each = &scope; each != nullptr; each = each->outer) {
    for (const Source& source : each->sources) {
      if (!hides_tables(source)) continue;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!may_be_column(tokens, i)) continue;
        const bool is_qualifier = tokens.is_symbol(i + 1, '.');
        const bool is_qualified = i > 0 && tokens.is_symbol(i - 1, '.');
        const std::string name = parsed_name(tokens, i);
        if (is_qualifier ? source.name == name : !is_qualified && may_have_column(source, name)) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

void StatementReader::read_from(const Node& items, Scope& scope, const Place& place,
                                Mentions& mentions) {
  for (const Node& item : items) read_from_item(item, scope, place, mentions);
}

StatementReader::FromItem StatementReader::read_from_item(const Node& item, Scope& scope,
                                                          const Place& place, Mentions& mentions) {
  if (!enter(place)) return {};
  std::string_view type = item.type();
  const Node& content = item.content();
  if (type == "RangeVar") return read_range_table(content, scope, place);
  if (type == "JoinExpr") return read_join(content, scope, place, mentions);
  if (type == "RangeSubselect") return read_derived(content, scope, place, mentions);
  if (type == "RangeTableSample") {
    mentions.add(read_expression(content["args"], scope, place));
    mentions.set_returning = true;  // a sample is not the table
    note("TABLESAMPLE");
    return read_from_item(content["relation"], scope, place, mentions);
  }
  return read_function(content, scope, place, mentions);
}

StatementReader::FromItem StatementReader::read_join(const Node& join, Scope& scope,
                                                     const Place& place, Mentions& mentions) {
  const MissingSides missing = missing_sides(join);
  Place on_left = place;
  ++on_left.depth;
  Place on_right = on_left;
  on_left.may_be_missing = place.may_be_missing || missing.left;
  on_right.may_be_missing = place.may_be_missing || missing.right;
  FromItem left = read_from_item(join["larg"], scope, on_left, mentions);
  FromItem right = read_from_item(join["rarg"], scope, on_right, mentions);
  const std::size_t first = conditions_.size();
  read_join_columns(join, scope, left, right, place);
  read_condition(join["quals"], "on", scope, place, mentions);
  const bool is_inner = !missing.left && !missing.right;
  // Those rows that may be missing anyway are chosen by it alone.
  const bool chooses_left = missing.left ? !missing.right : is_inner && place.may_be_missing;
  const bool chooses_right = missing.right ? !missing.left : is_inner && place.may_be_missing;
  if (chooses_left) join_by(first, scope, left);
  if (chooses_right) join_by(first, scope, right);
  for (std::size_t i = first; i < conditions_.size(); ++i) {
    conditions_[i].is_of_outer_join = place.may_be_missing || !is_inner;
  }
  if (missing.left) let_miss(scope, left);
  if (missing.right) let_miss(scope, right);
  FromItem item{.sources = joined(left.sources, right.sources)};
  if (!join["alias"].is_present()) return item;

  // An alias of a join hides the names inside it.
  Source alias{.schema = {},
               .name = join["alias"].text("aliasname"),
               .tables = {},
               .inner_tables = {},
               .outputs = {},
               .renamed = join["alias"]["colnames"].is_present()};
  for (std::size_t index : item.sources) {
    Source& source = scope.sources[index];
    append(alias.tables, source.tables);
    append(alias.inner_tables, source.inner_tables);
    alias.outputs.insert(alias.outputs.end(), source.outputs.begin(), source.outputs.end());
    alias.renamed = alias.renamed || source.renamed;
    source.name.clear();
  }
  scope.sources.push_back(std::move(alias));
  return {.sources = {scope.sources.size() - 1}};
}

// The conditions from `first` on say which of the item's rows are joined. Those of tables that may
// be missing within the item say nothing of the item itself.
void StatementReader::join_by(std::size_t first, const Scope& scope, const FromItem& item) {
  std::vector<std::string> texts;
  for (std::size_t i = first; i < conditions_.size(); ++i) {
    if (!may_name_hidden(conditions_[i].text, scope)) texts.push_back(conditions_[i].text);
  }
  for (const std::size_t source : item.sources) choose_by(texts, scope.sources[source]);
}

// Columns of derived tables and under other names are not those of tables.
void StatementReader::choose_by(const std::vector<std::string>& texts, const Source& source) {
  if (source.renamed) return;
  for (const std::size_t index : source.tables) {
    if (aside_.contains(index)) continue;
    TableUse& use = table(index);
    std::vector<std::string> all = texts;
    if (!use.join_condition.empty()) all.push_back(use.join_condition);
    use.join_condition = all_of(all);
  }
}

void StatementReader::let_miss(const Scope& scope, const FromItem& item) {
  for (const std::size_t source : item.sources) {
    for (const std::size_t index : scope.sources[source].inner_tables) {
      table(index).may_be_missing = true;
      aside_.insert(index);
    }
  }
}

// Those from `first` on are of an inner query, whose rows they choose.
void StatementReader::end_conditions(std::size_t first, const Scope& scope) {
  std::vector<std::string> texts;
  for (std::size_t i = first; i < conditions_.size(); ++i) {
    const bool is_clear =
        !conditions_[i].is_of_outer_join && !may_name_hidden(conditions_[i].text, scope);
    if (is_clear) texts.push_back(conditions_[i].text);
  }
  conditions_.resize(first);
  if (texts.empty()) return;
  for (const Source& source : scope.sources) choose_by(texts, source);
}

// USING and NATURAL compare columns of the same name without saying so in a condition.
void StatementReader::read_join_columns(const Node& join, const Scope& scope, const FromItem& left,
                                        const FromItem& right, const Place& place) {
  if (join.is_true("isNatural")) {
    note("NATURAL JOIN");
    read_column_everywhere(scope, left, "*");
    read_column_everywhere(scope, right, "*");
    return;
  }
  for (const std::string& column : string_list(join["usingClause"])) {
    read_column_everywhere(scope, left, column);
    read_column_everywhere(scope, right, column);
    if (place.outermost) insert_name(statement_.predicate_columns, column);
    std::string left_name = only_name(scope, left.sources);
    std::string right_name = only_name(scope, right.sources);
    if (!left_name.empty() && !right_name.empty()) {
      std::string name = name_text(tokens_, column);
      conditions_.push_back({.text = name_text(tokens_, left_name) + "." + name + " = " +
                                     name_text(tokens_, right_name) + "." + name});
    } else if (place.outermost) {
      note("JOIN ... USING of more than two tables");
    }
  }
}

void StatementReader::read_column_everywhere(const Scope& scope, const FromItem& item,
                                             const std::string& column) {
  Mentions ignored;
  for (std::size_t index : item.sources) read_of_source(scope.sources[index], column, ignored);
}

std::size_t StatementReader::add_table(const Node& range) {
  TableUse use;
  use.schema = range.text("schemaname");
  use.table = range.text("relname");
  use.alias = range["alias"].text("aliasname");
  statement_.tables.push_back(std::move(use));
  return statement_.tables.size() - 1;
}

StatementReader::FromItem StatementReader::read_range_table(const Node& range, Scope& scope,
                                                            const Place& place) {
  std::string table_name = range.text("relname");
  std::string alias = range["alias"].text("aliasname");
  std::vector<std::string> renamed = string_list(range["alias"]["colnames"]);
  Source source;
  source.schema = alias.empty() ? range.text("schemaname") : std::string();
  source.name = alias.empty() ? table_name : alias;
  const CommonTable* common =
      range["schemaname"].is_present() ? nullptr : find_common_table(scope, table_name);
  if (common != nullptr) {
    const bool is_needed = common->part && place.outermost && !place.may_be_missing;
    if (is_needed) needs_.push_back({.part = *common->part, .has_rows = true});
    source.outputs = common->outputs;
    rename_outputs(source.outputs, renamed);
  } else {
    std::size_t index = add_table(range);
    table(index).read = true;
    table(index).may_be_missing = !place.outermost;
    source.tables = {index};
    source.inner_tables = {index};
    source.renamed = !renamed.empty();
  }
  scope.sources.push_back(std::move(source));
  return {.sources = {scope.sources.size() - 1}};
}

StatementReader::FromItem StatementReader::read_derived(const Node& derived, Scope& scope,
                                                        const Place& place, Mentions& mentions) {
  // Without LATERAL the items beside it are not visible inside; the common tables are.
  Scope beside{.outer = scope.outer, .sources = {}, .common_tables = scope.common_tables};
  const Scope* visible = derived.is_true("lateral") ? &scope : &beside;
  Source source;
  source.outputs =
      read_any(derived["subquery"],
               {.scope = visible, .outermost = false, .depth = place.depth + 1}, mentions);
  source.name = derived["alias"].text("aliasname");
  rename_outputs(source.outputs, string_list(derived["alias"]["colnames"]));
  source.inner_tables = std::exchange(from_tables_, {});
  mentions.subquery = true;
  scope.sources.push_back(std::move(source));
  return {.sources = {scope.sources.size() - 1}};
}

// A function, ROWS FROM, XMLTABLE: its columns are the alias's, or one of the alias's name.
StatementReader::FromItem StatementReader::read_function(const Node& function, Scope& scope,
                                                         const Place& place, Mentions& mentions) {
  Mentions arguments = read_expression(function, scope, place);
  mentions.add(arguments);
  mentions.set_returning = true;
  Source source;
  source.name = function["alias"].text("aliasname");
  std::vector<std::string> names = string_list(function["alias"]["colnames"]);
  for (const Node& definition : function["coldeflist"]) {
    names.push_back(definition.content().text("colname"));
  }
  if (names.empty()) names.push_back(source.name);
  for (std::string& name : names) {
    OutputColumn output;
    output.name = std::move(name);
    output.expression = "(function)";
    output.columns_read = {arguments.columns.begin(), arguments.columns.end()};
    output.generated = arguments.generated;
    source.outputs.push_back(std::move(output));
  }
  scope.sources.push_back(std::move(source));
  return {.sources = {scope.sources.size() - 1}};
}

void StatementReader::read_condition(const Node& condition, std::string_view keyword,
                                     const Scope& scope, const Place& place, Mentions& mentions) {
  if (!condition.is_present()) return;
  Mentions read = read_expression(condition, scope, place);
  mentions.add(read);
  std::string text = condition_text(tokens_, keyword, first_location(condition));
  if (!text.empty()) conditions_.push_back({.text = std::move(text)});
  if (!place.outermost) return;
  for (const std::string& column : read.columns) {
    insert_name(statement_.predicate_columns, column);
  }
  if (options_.takes_apart && keyword == "where") read_needs(condition, scope);
}

// EXISTS and NOT EXISTS of all that a part gives.
void StatementReader::read_needs(const Node& condition, const Scope& scope) {
  const Node& content = condition.content();
  if (condition.type() == "BoolExpr" && content.text("boolop") == "AND_EXPR") {
    for (const Node& operand : content["args"]) read_needs(operand, scope);
    return;
  }
  bool has_rows = true;
  const Node* inner = &condition;
  if (condition.type() == "BoolExpr" && content.text("boolop") == "NOT_EXPR") {
    has_rows = false;
    for (const Node& operand : content["args"]) inner = &operand;
  }
  if (inner->type() != "SubLink" || inner->content().text("subLinkType") != "EXISTS_SUBLINK")
    return;
  const Node* only = only_source(inner->content()["subselect"].content());
  if (only == nullptr || only->content()["schemaname"].is_present()) return;
  const CommonTable* common = find_common_table(scope, only->content().text("relname"));
  if (common != nullptr && common->part) {
    needs_.push_back({.part = *common->part, .has_rows = has_rows});
  }
}

}  // namespace heddle::sql
