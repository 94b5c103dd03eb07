// One statement of any kind: which reader it needs, and what the kinds without a query mean.
#include <algorithm>

#include "base/text.h"
#include "frontend/sql/clause_text.h"
#include "frontend/sql/reader.h"

namespace heddle::sql {
namespace {

struct KindOfNode {
  std::string_view type;
  StatementKind kind;
};

// Statements that run a query come first; the rest are named for what they do to the database.
constexpr KindOfNode kKinds[] = {
    {"SelectStmt", StatementKind::select},
    {"InsertStmt", StatementKind::insert},
    {"UpdateStmt", StatementKind::update},
    {"DeleteStmt", StatementKind::delete_},
    {"MergeStmt", StatementKind::merge},
    {"TruncateStmt", StatementKind::truncate},
    {"LockStmt", StatementKind::lock_table},
    {"VariableSetStmt", StatementKind::set},
    {"VariableShowStmt", StatementKind::set},
    {"ConstraintsSetStmt", StatementKind::set},
    {"DiscardStmt", StatementKind::set},
    {"VacuumStmt", StatementKind::maintenance},
    {"ReindexStmt", StatementKind::maintenance},
    {"ClusterStmt", StatementKind::maintenance},
    {"CheckPointStmt", StatementKind::maintenance},
    {"CallStmt", StatementKind::call},
    {"DoStmt", StatementKind::call},
    {"ListenStmt", StatementKind::notify},
    {"NotifyStmt", StatementKind::notify},
    {"UnlistenStmt", StatementKind::notify},
    {"DeclareCursorStmt", StatementKind::cursor},
    {"FetchStmt", StatementKind::cursor},
    {"ClosePortalStmt", StatementKind::cursor},
    {"PrepareStmt", StatementKind::prepare},
    {"ExecuteStmt", StatementKind::prepare},
    {"DeallocateStmt", StatementKind::prepare},
    {"CopyStmt", StatementKind::copy},
    {"ExplainStmt", StatementKind::explain},
    {"CreateRoleStmt", StatementKind::cluster_definition},
    {"AlterRoleStmt", StatementKind::cluster_definition},
    {"AlterRoleSetStmt", StatementKind::cluster_definition},
    {"DropRoleStmt", StatementKind::cluster_definition},
    {"GrantRoleStmt", StatementKind::cluster_definition},
    {"CreatedbStmt", StatementKind::cluster_definition},
    {"DropdbStmt", StatementKind::cluster_definition},
    {"AlterDatabaseStmt", StatementKind::cluster_definition},
    {"AlterDatabaseSetStmt", StatementKind::cluster_definition},
    {"AlterDatabaseRefreshCollStmt", StatementKind::cluster_definition},
    {"CreateTableSpaceStmt", StatementKind::cluster_definition},
    {"DropTableSpaceStmt", StatementKind::cluster_definition},
    {"AlterTableSpaceOptionsStmt", StatementKind::cluster_definition},
    {"AlterTableMoveAllStmt", StatementKind::cluster_definition},
    {"AlterSystemStmt", StatementKind::cluster_definition},
    {"CreateSubscriptionStmt", StatementKind::cluster_definition},
    {"AlterSubscriptionStmt", StatementKind::cluster_definition},
    {"DropSubscriptionStmt", StatementKind::cluster_definition},
    {"CreateStmt", StatementKind::data_definition},
    {"CreateTableAsStmt", StatementKind::data_definition},
    {"CreateForeignTableStmt", StatementKind::data_definition},
    {"ViewStmt", StatementKind::data_definition},
    {"IndexStmt", StatementKind::data_definition},
    {"RuleStmt", StatementKind::data_definition},
    {"RenameStmt", StatementKind::data_definition},
    {"CommentStmt", StatementKind::data_definition},
    {"GrantStmt", StatementKind::data_definition},
    {"DefineStmt", StatementKind::data_definition},
    {"SecLabelStmt", StatementKind::data_definition},
    {"ReassignOwnedStmt", StatementKind::data_definition},
    {"ImportForeignSchemaStmt", StatementKind::data_definition},
    {"RefreshMatViewStmt", StatementKind::data_definition},
    {"CompositeTypeStmt", StatementKind::data_definition},
};

// All others that create, alter or drop do so to an object of the database.
StatementKind kind_of(std::string_view type) {
  for (const KindOfNode& one : kKinds) {
    if (one.type == type) return one.kind;
  }
  bool defines =
      type.starts_with("Create") || type.starts_with("Alter") || type.starts_with("Drop");
  return defines ? StatementKind::data_definition : StatementKind::other;
}

struct TransactionKind {
  std::string_view name;
  StatementKind kind;
};
constexpr TransactionKind kTransactionKinds[] = {
    {"TRANS_STMT_BEGIN", StatementKind::begin},
    {"TRANS_STMT_START", StatementKind::begin},
    {"TRANS_STMT_COMMIT", StatementKind::commit},
    {"TRANS_STMT_ROLLBACK", StatementKind::rollback},
    {"TRANS_STMT_SAVEPOINT", StatementKind::savepoint},
    {"TRANS_STMT_RELEASE", StatementKind::release_savepoint},
    {"TRANS_STMT_ROLLBACK_TO", StatementKind::rollback_to_savepoint},
    {"TRANS_STMT_PREPARE", StatementKind::prepare_transaction},
    {"TRANS_STMT_COMMIT_PREPARED", StatementKind::commit_prepared},
    {"TRANS_STMT_ROLLBACK_PREPARED", StatementKind::rollback_prepared},
};

bool is_query(std::string_view type) {
  return type == "SelectStmt" || type == "InsertStmt" || type == "UpdateStmt" ||
         type == "DeleteStmt" || type == "MergeStmt";
}

// SELECT ... INTO t: the clause is in the first query of a set operation.
const Node& into_clause(const Node& node) {
  const Node* select = &node.content();
  while ((*select)["larg"].is_present()) select = &(*select)["larg"];
  return (*select)["intoClause"];
}

// A constant of SET: 'serializable', on, 1.
std::string constant_text(const Node& value) {
  const Node& constant = value.content();
  if (constant["sval"].is_present()) return to_lower(constant["sval"].text("sval"));
  if (constant["boolval"].is_present()) return constant["boolval"].is_true("boolval") ? "1" : "0";
  if (constant["ival"].is_present()) {
    return constant["ival"]["ival"].is_present() ? constant["ival"].text("ival") : "0";
  }
  return {};
}

std::optional<bool> to_bool(const std::string& text) {
  for (std::string_view word : {"1", "on", "true", "yes", "t", "y"}) {
    if (text == word) return true;
  }
  for (std::string_view word : {"0", "off", "false", "no", "f", "n"}) {
    if (text == word) return false;
  }
  return std::nullopt;
}

// Applies one setting of a transaction: `name` without default_ or transaction_.
void apply_mode(std::string_view name, std::string text, Statement& statement) {
  if (name == "isolation") {
    std::replace(text.begin(), text.end(), '-', ' ');
    if (!text.empty() && text != "default") statement.isolation = text;
  }
  if (name == "read_only") statement.read_only = to_bool(text);
  if (name == "deferrable") statement.deferrable = to_bool(text);
}

std::string_view mode_name(std::string_view setting) {
  for (std::string_view prefix : {"default_transaction_", "transaction_", "tx_"}) {
    if (setting.starts_with(prefix)) return setting.substr(prefix.size());
  }
  return {};
}

}  // namespace

StatementReader::StatementReader(const Tokens& tokens, ReaderOptions options)
    : tokens_(tokens), options_(std::move(options)) {}

std::string all_of(const std::vector<std::string>& conditions) {
  if (conditions.size() < 2) return conditions.empty() ? std::string() : conditions[0];
  return "(" + join(conditions, ") AND (") + ")";
}

Statement StatementReader::read(const Node& node) {
  std::string_view type = node.type();
  statement_.kind = kind_of(type);
  if (is_query(type)) {
    read_query(node);
  } else {
    read_utility(type, node.content());
  }
  return finish();
}

Statement StatementReader::finish() {
  std::vector<std::string> all;
  std::vector<std::string> filters;
  for (const Condition& condition : conditions_) {
    all.push_back(condition.text);
    if (!condition.is_of_outer_join) filters.push_back(condition.text);
  }
  statement_.predicate = all_of(all);
  statement_.filter = all_of(filters);
  // An aggregate of nothing is something.
  if (statement_.result_rows == ResultRows::one) needs_.clear();
  return std::move(statement_);
}

void StatementReader::read_query(const Node& node) {
  Mentions mentions;
  statement_.output = read_any(node, {.scope = nullptr, .outermost = true, .depth = 0}, mentions);
  statement_.returns_rows = !statement_.output.empty() || node.type() == "SelectStmt";
  if (node.type() != "SelectStmt") return;
  const Node& into = into_clause(node);
  if (!into.is_present()) return;
  statement_.kind = StatementKind::data_definition;
  statement_.returns_rows = false;
  statement_.output.clear();
  add_named_table(into["rel"], true);
}

void StatementReader::read_utility(std::string_view type, const Node& content) {
  switch (statement_.kind) {
    case StatementKind::truncate:
      for (const Node& item : content["relations"]) add_named_table(item.content(), true);
      break;
    case StatementKind::lock_table:
      for (const Node& item : content["relations"]) add_named_table(item.content(), false);
      break;
    case StatementKind::maintenance:
      for (const Node& item : content["rels"]) {
        add_named_table(item.content()["relation"], false);
      }
      if (content["relation"].is_present()) add_named_table(content["relation"], false);
      break;
    case StatementKind::set:
      statement_.returns_rows = type == "VariableShowStmt";
      read_setting(content);
      break;
    case StatementKind::call:
      read_code(content);
      break;
    case StatementKind::cursor:
      statement_.returns_rows = type == "FetchStmt" && !content.is_true("ismove");
      read_executed(content["query"]);
      break;
    case StatementKind::prepare:
      if (type == "ExecuteStmt") read_code(content);
      statement_.returns_rows = type == "ExecuteStmt";
      break;
    case StatementKind::copy:
      read_copy(content);
      break;
    case StatementKind::explain:
      read_explained(content);
      break;
    case StatementKind::data_definition:
      read_definition(type, content);
      break;
    default:
      if (type == "TransactionStmt") {
        read_transaction(content);
      } else if (statement_.kind == StatementKind::other) {
        statement_.calls_unknown_function = true;
        note("statement " + std::string(type));
      }
  }
}

// A query inside another statement that runs now, or whose reads are counted now.
void StatementReader::read_executed(const Node& node) {
  if (!node.is_present()) return;
  if (node.type() == "ExecuteStmt") return read_code(node.content());
  if (!is_query(node.type())) return;
  Mentions mentions;
  read_any(node, {.scope = nullptr, .outermost = true, .depth = 0}, mentions);
}

// CALL, DO, EXECUTE: what runs is not in this text.
void StatementReader::read_code(const Node& content) {
  statement_.calls_unknown_function = true;
  note("code that is not in the text");
  Scope scope;
  read_expression(content["funccall"]["args"], scope, {.scope = &scope});
  read_expression(content["params"], scope, {.scope = &scope});
}

void StatementReader::read_explained(const Node& content) {
  statement_.returns_rows = true;
  for (const Node& item : content["options"]) {
    const Node& option = item.content();
    if (option.text("defname") != "analyze") continue;
    std::string value = to_lower(option["arg"].content().text("sval"));
    if (to_bool(value).value_or(true)) return read_executed(content["query"]);
  }
}

void StatementReader::add_named_table(const Node& range, bool written) {
  if (range.text("relname").empty()) return;
  TableUse& use = table(add_table(range));
  use.written = written;
  if (written) use.columns_written = {"*"};
}

void StatementReader::read_definition(std::string_view type, const Node& content) {
  if (type == "CreateTableAsStmt") {
    add_named_table(content["into"]["rel"], true);
    // WITH NO DATA does not run the query.
    if (!content["into"].is_true("skipData")) read_executed(content["query"]);
    return;
  }
  if (type == "RefreshMatViewStmt") {
    statement_.calls_unknown_function = true;
    note("REFRESH MATERIALIZED VIEW");
  }
  if (type == "DropStmt") return read_dropped(content);
  if (type == "CreateForeignTableStmt") {
    return add_named_table(content["base"]["relation"], true);
  }
  for (std::string_view field : {"relation", "view", "sequence", "table", "typevar"}) {
    add_named_table(content[field], true);
  }
}

// DROP TABLE a.b, c: each object is a list of names.
void StatementReader::read_dropped(const Node& content) {
  constexpr std::string_view kTables[] = {"OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW",
                                          "OBJECT_FOREIGN_TABLE", "OBJECT_SEQUENCE"};
  const std::string& type = content.text("removeType");
  if (std::find(std::begin(kTables), std::end(kTables), type) == std::end(kTables)) return;
  for (const Node& object : content["objects"]) {
    std::vector<std::string> path = string_list(object.content()["items"]);
    if (path.empty()) continue;
    TableUse use;
    use.table = path.back();
    if (path.size() > 1) use.schema = path[path.size() - 2];
    use.written = true;
    use.columns_written = {"*"};
    statement_.tables.push_back(std::move(use));
  }
}

void StatementReader::read_transaction(const Node& content) {
  for (const TransactionKind& one : kTransactionKinds) {
    if (one.name == content.text("kind")) statement_.kind = one.kind;
  }
  if (content.is_true("chain")) note("AND CHAIN: the next transaction begins at once");
  read_modes(content["options"]);
}

void StatementReader::read_modes(const Node& options) {
  for (const Node& item : options) {
    const Node& option = item.content();
    apply_mode(mode_name(option.text("defname")), constant_text(option["arg"]), statement_);
  }
}

void StatementReader::read_setting(const Node& content) {
  const std::string& name = content.text("name");
  if (content.text("kind") == "VAR_SET_MULTI") {
    statement_.kind = StatementKind::set_transaction;
    return read_modes(content["args"]);
  }
  if (content["args"].first == nullptr) return;
  apply_mode(mode_name(name), constant_text(*content["args"].first), statement_);
}

void StatementReader::read_copy(const Node& content) {
  read_executed(content["query"]);
  if (!content["relation"].is_present()) return;
  TableUse& use = table(add_table(content["relation"]));
  use.written = content.is_true("is_from");
  use.read = !use.written;
  std::vector<std::string> columns = string_list(content["attlist"]);
  if (columns.empty()) columns.emplace_back("*");
  std::sort(columns.begin(), columns.end());
  (use.written ? use.columns_written : use.columns_read) = columns;
  statement_.returns_rows = false;
}

}  // namespace heddle::sql
