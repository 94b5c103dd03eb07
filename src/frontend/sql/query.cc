// SELECT, VALUES, set operations and common table expressions.
#include <algorithm>
#include <utility>

#include "frontend/sql/clause_text.h"
#include "frontend/sql/reader.h"

namespace heddle::sql {
namespace {

struct LockName {
  std::string_view name;
  LockingClause locking;
};
constexpr LockName kLockNames[] = {{"LCS_FORKEYSHARE", LockingClause::key_share},
                                   {"LCS_FORSHARE", LockingClause::share},
                                   {"LCS_FORNOKEYUPDATE", LockingClause::no_key_update},
                                   {"LCS_FORUPDATE", LockingClause::update}};

LockingClause locking_of(std::string_view name) {
  for (const LockName& one : kLockNames) {
    if (one.name == name) return one.locking;
  }
  return LockingClause::none;
}

WaitPolicy wait_policy_of(std::string_view name) {
  if (name == "LockWaitError") return WaitPolicy::nowait;
  return name == "LockWaitSkip" ? WaitPolicy::skip_locked : WaitPolicy::wait;
}

bool combines_queries(const Node& select) {
  const std::string& operation = select.text("op");
  return !operation.empty() && operation != "SETOP_NONE";
}

// A set operation with clauses of its own is read as a query of its own.
bool has_own_clauses(const Node& select) {
  return select["withClause"].is_present() || select["sortClause"].is_present() ||
         select["limitCount"].is_present() || select["limitOffset"].is_present();
}

// The node that gives a column its name: casts and collations pass the name on.
const Node& naming_node(const Node& value) {
  const Node* node = &value;
  while (node->type() == "TypeCast" || node->type() == "CollateClause") {
    node = &node->content()["arg"];
  }
  return *node;
}

// The name PostgreSQL gives a column without an alias, as far as its text tells simply.
std::string implied_name(const Node& value);

// Of what is no function but is written like one, or is a query.
std::string name_of_syntax(const Node& node) {
  const Node& content = node.content();
  const std::string type(node.type());
  if (type == "CoalesceExpr") return "coalesce";
  if (type == "A_ArrayExpr") return "array";
  if (type == "MinMaxExpr") return content.text("op") == "IS_LEAST" ? "least" : "greatest";
  if (type == "A_Expr" && content.text("kind") == "AEXPR_NULLIF") return "nullif";
  if (type == "CaseExpr") {
    const std::string name = implied_name(content["defresult"]);
    return name.empty() ? "case" : name;
  }
  if (type != "SubLink") return "";
  const std::string& kind = content.text("subLinkType");
  if (kind == "EXISTS_SUBLINK") return "exists";
  if (kind == "ARRAY_SUBLINK") return "array";
  const Node& targets = content["subselect"].content()["targetList"];
  if (kind != "EXPR_SUBLINK" || targets.first == nullptr) return "";
  const Node& target = targets.first->content();
  const std::string alias(target.text("name"));
  return alias.empty() ? implied_name(target["val"]) : alias;
}

// As PostgreSQL calls it; empty: it has no name for it.
std::string implied_name(const Node& value) {
  const Node& node = naming_node(value);
  if (value.type() == "TypeCast") {
    const std::string name = implied_name(node);
    const std::vector<std::string> type = string_list(value.content()["typeName"]["names"]);
    return name.empty() && !type.empty() ? type.back() : name;
  }
  if (node.type() == "ColumnRef") {
    std::vector<std::string> path = string_list(node.content()["fields"]);
    return path.empty() ? std::string() : path.back();
  }
  if (node.type() == "FuncCall") {
    std::vector<std::string> path = string_list(node.content()["funcname"]);
    return path.empty() ? std::string() : path.back();
  }
  return name_of_syntax(node);
}

bool is_count_call(const Node& value) {
  const Node& node = naming_node(value);
  if (node.type() != "FuncCall") return false;
  std::vector<std::string> path = string_list(node.content()["funcname"]);
  return !path.empty() && path.back() == "count";
}

// "*" or "t.*" when the value is one, else empty.
std::string star_text(const Tokens& tokens, const Node& value) {
  const Node& fields = value.content()["fields"];
  if (value.type() != "ColumnRef" || fields.last == nullptr || fields.last->type() != "A_Star") {
    return {};
  }
  std::string text;
  for (const std::string& name : string_list(fields)) text += name_text(tokens, name) + ".";
  return text + "*";
}

bool is_change(std::string_view type) {
  return type == "InsertStmt" || type == "UpdateStmt" || type == "DeleteStmt" ||
         type == "MergeStmt";
}

StatementKind kind_of_change(std::string_view type) {
  if (type == "InsertStmt") return StatementKind::insert;
  if (type == "UpdateStmt") return StatementKind::update;
  return type == "DeleteStmt" ? StatementKind::delete_ : StatementKind::merge;
}

// Whether no table is around it, whose columns it may name.
bool is_outermost(const Scope& scope) {
  for (const Scope* each = &scope; each != nullptr; each = each->outer) {
    if (!each->sources.empty()) return false;
  }
  return true;
}

// Whether the query may give no row although all tables that it names have some: it has others
// beside them, which are no tables, or nothing but a condition.
bool has_rows_of_its_own(const Scope& scope, const Node& select) {
  if (scope.sources.empty()) return select["whereClause"].is_present();
  return std::ranges::any_of(scope.sources,
                             [](const Source& source) { return source.inner_tables.empty(); });
}

}  // namespace

StatementReader::Outputs StatementReader::read_any(const Node& query, const Place& place,
                                                   Mentions& mentions) {
  if (!enter(place)) return {};
  std::string_view type = query.type();
  if (type == "SelectStmt") return read_select(query.content(), place, mentions);
  if (type == "InsertStmt") return read_insert(query.content(), place, mentions);
  if (type == "UpdateStmt") return read_update(query.content(), place, mentions);
  if (type == "DeleteStmt") return read_delete(query.content(), place, mentions);
  if (type == "MergeStmt") return read_merge(query.content(), place, mentions);
  statement_.calls_unknown_function = true;
  note("a query that is not understood");
  return {};
}

StatementReader::Outputs StatementReader::read_select(const Node& select, const Place& place,
                                                      Mentions& mentions) {
  if (!enter(place)) return {};
  return combines_queries(select) ? read_set_operation(select, place, mentions)
                                  : read_leaf(select, place, mentions);
}

// Chains of UNION nest as deep as they are long, so their queries are collected in a list.
StatementReader::Outputs StatementReader::read_set_operation(const Node& select, const Place& place,
                                                             Mentions& mentions) {
  Scope scope{.outer = place.scope, .sources = {}, .common_tables = {}};
  read_common_tables(select["withClause"], scope, place, mentions);
  Place inner{.scope = &scope, .outermost = false, .depth = place.depth + 1};
  Outputs outputs;
  bool is_first = true;
  std::vector<const Node*> pending{&select};
  while (!pending.empty()) {
    const Node& node = *pending.back();
    pending.pop_back();
    if (combines_queries(node) && (&node == &select || !has_own_clauses(node))) {
      if (!node.is_true("all")) statement_.aggregate = true;
      if (place.outermost) statement_.result_rows = ResultRows::groups;
      if (place.outermost && node.text("op") != "SETOP_UNION") statement_.drops_rows = true;
      pending.push_back(&node["rarg"]);
      pending.push_back(&node["larg"]);
      continue;
    }
    Outputs more = read_select(node, inner, mentions);
    if (is_first) {
      outputs = std::move(more);
    } else {
      merge_outputs(outputs, more);
    }
    is_first = false;
  }
  read_sorting(select, scope, outputs, place, mentions);
  from_tables_.clear();
  return outputs;
}

StatementReader::Outputs StatementReader::read_leaf(const Node& select, const Place& place,
                                                    Mentions& mentions) {
  Scope scope{.outer = place.scope, .sources = {}, .common_tables = {}};
  read_common_tables(select["withClause"], scope, place, mentions);
  const std::size_t first = conditions_.size();
  Mentions condition;
  read_from(select["fromClause"], scope, place, condition);
  read_condition(select["whereClause"], "where", scope, place, condition);
  mentions.add(condition);
  Mentions listed;
  Outputs outputs = select["valuesLists"].is_present()
                        ? read_values(select["valuesLists"], scope, place, listed)
                        : read_outputs(select["targetList"], scope, place, listed);
  mentions.add(listed);
  read_grouping(select, scope, place, mentions);
  read_sorting(select, scope, outputs, place, mentions);
  read_locking(select["lockingClause"], scope);
  if (place.outermost) {
    judge_row_by_row(scope, condition);
    judge_rows(select, listed);
    if (statement_.result_rows != ResultRows::one && has_rows_of_its_own(scope, select)) {
      statement_.drops_rows = true;
    }
  } else {
    end_conditions(first, scope);
  }
  from_tables_.clear();
  for (const Source& source : scope.sources) {
    from_tables_.insert(from_tables_.end(), source.inner_tables.begin(), source.inner_tables.end());
  }
  return outputs;
}

void StatementReader::judge_row_by_row(const Scope& scope, const Mentions& condition) {
  statement_.single_table_predicate = scope.sources.size() == 1 &&
                                      scope.sources[0].tables.size() == 1 && !condition.subquery &&
                                      !condition.set_returning && !condition.unknown_function;
}

// How many rows the outermost query has of those that it finds.
void StatementReader::judge_rows(const Node& select, const Mentions& listed) {
  const bool has_groups = select["groupClause"].is_present();
  const bool has_having = select["havingClause"].is_present();
  statement_.drops_rows = statement_.drops_rows || has_having;
  if (has_groups || has_having || select["distinctClause"].is_present()) {
    statement_.result_rows = ResultRows::groups;
  } else if (listed.aggregate) {
    statement_.result_rows = statement_.drops_rows ? ResultRows::groups : ResultRows::one;
  }
}

StatementReader::Outputs StatementReader::read_values(const Node& lists, Scope& scope,
                                                      const Place& place, Mentions& mentions) {
  std::vector<std::vector<std::string>> texts = value_rows(tokens_, first_location(lists));
  Outputs outputs;
  for (const Node& row : lists) {
    Outputs columns;
    for (const Node& value : row.content()["items"]) {
      Mentions read = read_expression(value, scope, place);
      mentions.add(read);
      OutputColumn column;
      std::size_t position = columns.size();
      column.name = "column" + std::to_string(position + 1);
      if (!texts.empty() && position < texts[0].size()) column.expression = texts[0][position];
      column.columns_read = {read.columns.begin(), read.columns.end()};
      column.generated = read.generated;
      columns.push_back(std::move(column));
    }
    if (outputs.empty()) {
      outputs = std::move(columns);
    } else {
      merge_outputs(outputs, columns);
    }
  }
  return outputs;
}

void StatementReader::read_grouping(const Node& select, const Scope& scope, const Place& place,
                                    Mentions& mentions) {
  constexpr std::string_view kClauses[] = {"distinctClause", "groupClause", "havingClause"};
  for (std::string_view clause : kClauses) {
    if (!select[clause].is_present()) continue;
    statement_.aggregate = true;
    mentions.add(read_expression(select[clause], scope, place));
  }
  mentions.add(read_expression(select["windowClause"], scope, place));
}

// ORDER BY may name an output column, which reads nothing more.
void StatementReader::read_sorting(const Node& select, const Scope& scope, const Outputs& outputs,
                                   const Place& place, Mentions& mentions) {
  for (const Node& item : select["sortClause"]) {
    const Node& key = item.content()["node"];
    std::vector<std::string> path = string_list(key.content()["fields"]);
    bool is_output = key.type() == "ColumnRef" && path.size() == 1 &&
                     std::any_of(outputs.begin(), outputs.end(), [&](const OutputColumn& output) {
                       return output.name == path[0];
                     });
    if (!is_output) mentions.add(read_expression(key, scope, place));
  }
  bool limited = false;
  for (std::string_view field : {"limitCount", "limitOffset"}) {
    if (!select[field].is_present()) continue;
    limited = true;
    mentions.add(read_expression(select[field], scope, place));
  }
  if (!place.outermost) return;
  statement_.ordered = select["sortClause"].is_present();
  statement_.limited = limited;
  const std::string& most = select["limitCount"].content()["ival"].text("ival");
  const bool may_be_none = select["limitCount"].is_present() && (most.empty() || most == "0");
  if (may_be_none || select["limitOffset"].is_present()) statement_.drops_rows = true;
}

void StatementReader::read_locking(const Node& clauses, const Scope& scope) {
  for (const Node& item : clauses) {
    const Node& clause = item.content();
    LockingClause locking = locking_of(clause.text("strength"));
    WaitPolicy policy = wait_policy_of(clause.text("waitPolicy"));
    std::vector<std::string> names;
    for (const Node& relation : clause["lockedRels"]) {
      names.push_back(relation.content().text("relname"));
    }
    for (const Source& source : scope.sources) {
      bool named =
          names.empty() || std::find(names.begin(), names.end(), source.name) != names.end();
      if (!named) continue;
      for (std::size_t index : source.inner_tables) {
        table(index).locking = std::max(table(index).locking, locking);
        if (policy != WaitPolicy::wait) table(index).wait_policy = policy;
      }
    }
  }
}

void StatementReader::read_common_tables(const Node& with, Scope& scope, const Place& place,
                                         Mentions& mentions) {
  bool recursive = with.is_true("recursive");
  Place inner{.scope = &scope, .outermost = false, .depth = place.depth + 1};
  for (const Node& item : with["ctes"]) {
    const Node& common = item.content();
    CommonTable result{.name = common.text("ctename"), .outputs = {}, .part = {}};
    // A recursive query sees itself; what it then reads, its first part has read already.
    if (recursive) scope.common_tables.push_back(result);
    const Node& query = common["ctequery"];
    const bool is_part = options_.takes_apart && is_change(query.type()) && is_outermost(scope);
    result.outputs = is_part ? read_part(common, scope, inner) : read_any(query, inner, mentions);
    if (is_part) result.part = parts_.size() - 1;
    rename_outputs(result.outputs, string_list(common["aliascolnames"]));
    if (recursive) scope.common_tables.pop_back();
    scope.common_tables.push_back(std::move(result));
  }
}

// Only the names of its common tables are shared with the statement around it.
StatementReader::Outputs StatementReader::read_part(const Node& common, const Scope& scope,
                                                    const Place& place) {
  const Node& query = common["ctequery"];
  StatementReader reader(tokens_, options_);
  reader.statement_.kind = kind_of_change(query.type());
  Mentions mentions;
  Outputs outputs = reader.read_any(
      query, {.scope = &scope, .outermost = true, .depth = place.depth + 1}, mentions);
  too_deep_ = too_deep_ || reader.too_deep_;
  reader.statement_.output = outputs;
  reader.statement_.returns_rows = !outputs.empty();
  Statement part = reader.finish();
  part.text = common_table_text(tokens_, first_location(common["location"]));
  parts_.push_back({.statement = std::move(part), .needs = reader.take_needs()});
  return outputs;
}

StatementReader::Outputs StatementReader::read_outputs(const Node& targets, const Scope& scope,
                                                       const Place& place, Mentions& mentions) {
  Outputs outputs;
  for (const Node& target : targets) {
    OutputColumn output = read_output(target.content(), scope, place, mentions);
    // The star of one derived table is its list of columns.
    bool expands = is_star(output) && scope.sources.size() == 1 &&
                   scope.sources[0].tables.empty() && !scope.sources[0].outputs.empty();
    if (!expands) {
      outputs.push_back(std::move(output));
      continue;
    }
    for (const OutputColumn& column : scope.sources[0].outputs) {
      outputs.push_back(column);
      if (!column.name.empty()) outputs.back().expression = column.name;
    }
  }
  return outputs;
}

OutputColumn StatementReader::read_output(const Node& target, const Scope& scope,
                                          const Place& place, Mentions& mentions) {
  const Node& value = target["val"];
  Mentions read = read_expression(value, scope, place);
  mentions.add(read);
  OutputColumn output;
  std::string star = star_text(tokens_, value);
  const std::string& alias = target.text("name");
  output.name = alias.empty() ? implied_name(value) : alias;
  output.expression =
      !star.empty() ? star : listed_expression(tokens_, first_location(target), alias);
  if (!star.empty()) output.name.clear();
  output.columns_read = {read.columns.begin(), read.columns.end()};
  output.generated = read.generated;
  output.is_count = is_count_call(value);
  return output;
}

}  // namespace heddle::sql
