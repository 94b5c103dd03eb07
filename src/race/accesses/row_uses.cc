#include "race/accesses/row_uses.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "frontend/sql/reader.h"
#include "race/accesses/read_condition.h"

namespace heddle::race {
namespace {

using sql::Node;

constexpr std::size_t kDeepestQuery = 100;

// A table in FROM, or the one that is written.
struct LevelTable {
  std::string name;  // by which columns are qualified
  const TraceTable* table = nullptr;
  std::size_t use = 0;
  bool may_be_missing = false;  // of an outer join: WHERE does not say which rows are looked at
};

struct Level {
  std::vector<LevelTable> tables = {};
  bool has_other_sources = false;  // common tables, subqueries, functions
  bool is_inner = false;           // names may be those of the query around it
};

class RowUseReader {
 public:
  RowUseReader(const std::vector<TraceParameter>& parameters, const StoreTables& tables)
      : parameters_(parameters), tables_(tables) {}

  void read(const Node& node, std::size_t depth) {
    if (depth > kDeepestQuery) return;
    const std::string_view type = node.type();
    if (type == "SelectStmt") return read_select(node.content(), depth);
    if (type == "InsertStmt") return read_insert(node.content(), depth);
    if (type == "UpdateStmt") return read_update(node.content(), depth);
    if (type == "DeleteStmt") return read_delete(node.content(), depth);
    if (type == "MergeStmt") return read_merge(node.content(), depth);
    search_below(node, depth);
  }

  std::vector<RowUse> take() { return std::move(uses_); }

 private:
  using Names = std::vector<std::string>;

  // Finds queries inside of expressions, with a list of pending nodes: operators nest deeply.
  void search_below(const Node& node, std::size_t depth) {
    std::vector<const Node*> pending{&node};
    while (!pending.empty()) {
      const Node& each = *pending.back();
      pending.pop_back();
      const bool is_query = &each != &node && each.type().ends_with("Stmt");
      if (is_query) {
        read(each, depth + 1);
        continue;
      }
      for (const Node& child : each) pending.push_back(&child);
    }
  }

  void read_common_tables(const Node& with, std::size_t depth) {
    for (const Node& item : with["ctes"]) {
      const Node& common = item.content();
      const std::string& name = common.text("ctename");
      const std::size_t first = uses_.size();
      hidden_.push_back(name);
      read(common["ctequery"], depth + 1);
      note_outputs(name, common["ctequery"], first);
    }
  }

  // A row that a common table writes and returns is known as far as its values are.
  void note_outputs(const std::string& name, const Node& query, std::size_t first) {
    if (first >= uses_.size()) return;
    const RowUse& use = uses_[first];
    const std::vector<KnownRow> rows = use.inserts ? use.new_rows : partial_rows(use.condition);
    if (rows.size() != 1) return;
    KnownRow& outputs = outputs_[name];
    for (const char* list : {"returningList", "targetList"}) {
      if (use.updates && std::string_view(list) == "targetList") continue;
      for (const Node& target : query.content()[list]) {
        const Names path = sql::string_list(target.content()["val"].content()["fields"]);
        const std::string& alias = target.content().text("name");
        if (path.empty()) continue;
        const auto value = rows.front().find(path.back());
        const bool may_differ = use.assigned.contains(path.back());
        if (value == rows.front().end() || may_differ) continue;
        outputs[alias.empty() ? path.back() : alias] = value->second;
      }
    }
  }

  std::size_t add_use(const Node& relation, Level& level, bool may_be_missing) {
    const std::string& alias = relation["alias"].text("aliasname");
    RowUse use{
        .schema = relation.text("schemaname"), .table = relation.text("relname"), .alias = alias};
    const std::string name = alias.empty() ? use.table : alias;
    level.tables.push_back({.name = name,
                            .table = tables_.find(use.schema, use.table),
                            .use = uses_.size(),
                            .may_be_missing = may_be_missing});
    uses_.push_back(std::move(use));
    return uses_.size() - 1;
  }

  void read_source(const Node& item, Level& level, bool may_be_missing, std::size_t depth) {
    if (depth > kDeepestQuery) return;
    const std::string_view type = item.type();
    const Node& content = item.content();
    if (type == "RangeVar") {
      const bool is_common = content.text("schemaname").empty() &&
                             std::ranges::find(hidden_, content.text("relname")) != hidden_.end();
      if (is_common) {
        level.has_other_sources = true;
      } else {
        uses_[add_use(content, level, may_be_missing)].looks = true;
      }
      return;
    }
    if (type == "RangeTableSample") {
      return read_source(content["relation"], level, may_be_missing, depth + 1);
    }
    if (type == "JoinExpr") {
      const std::string& kind = content.text("jointype");
      const bool loses_left = kind == "JOIN_RIGHT" || kind == "JOIN_FULL";
      const bool loses_right = kind == "JOIN_LEFT" || kind == "JOIN_FULL";
      read_source(content["larg"], level, may_be_missing || loses_left, depth + 1);
      read_source(content["rarg"], level, may_be_missing || loses_right, depth + 1);
      if (kind == "JOIN_INNER") joins_.push_back(&content["quals"]);
      search_below(content["quals"], depth);
      return;
    }
    level.has_other_sources = true;
    search_below(item, depth);
  }

  // The column of the table that a path means, seen from the level.
  std::string owned_column(const Level& level, const LevelTable& table, const Names& path) const {
    if (path.empty()) return {};
    const std::string& column = path.back();
    if (path.size() > 1) return path[path.size() - 2] == table.name ? column : std::string();
    const auto may_have = [&](const LevelTable& each) {
      return each.table == nullptr || has_column(*each.table, column);
    };
    if (!may_have(table)) return {};
    const auto owners = std::ranges::count_if(level.tables, may_have);
    const bool is_sure = table.table != nullptr || (!level.has_other_sources && !level.is_inner);
    return owners == 1 && is_sure ? column : std::string();
  }

  ConditionReader reader_for(const Level& level, const LevelTable& table) const {
    return {.owner = [&level, &table,
                      this](const Names& path) { return owned_column(level, table, path); },
            .parameters = &parameters_};
  }

  // What WHERE and the conditions of inner joins say of each table.
  void apply_conditions(const Level& level, const Node& where, std::size_t first_join) {
    for (const LevelTable& each : level.tables) {
      if (each.may_be_missing) continue;
      const ConditionReader reader = reader_for(level, each);
      std::vector<Condition> parts{read_condition(where, reader)};
      for (std::size_t i = first_join; i < joins_.size(); ++i) {
        parts.push_back(read_condition(*joins_[i], reader));
      }
      uses_[each.use].condition = all_of(std::move(parts));
    }
    joins_.resize(first_join);
  }

  void read_select(const Node& select, std::size_t depth) {
    if (depth > kDeepestQuery) return;
    read_common_tables(select["withClause"], depth);
    if (select["larg"].is_present()) {
      read_select(select["larg"], depth + 1);
      read_select(select["rarg"], depth + 1);
      return;
    }
    const std::size_t first_join = joins_.size();
    Level level{.is_inner = depth > 0};
    for (const Node& item : select["fromClause"]) read_source(item, level, false, depth);
    apply_conditions(level, select["whereClause"], first_join);
    constexpr std::string_view kClauses[] = {"targetList",   "whereClause", "groupClause",
                                             "havingClause", "sortClause",  "valuesLists",
                                             "limitCount",   "limitOffset"};
    for (const std::string_view clause : kClauses) search_below(select[clause], depth);
  }

  void read_update(const Node& update, std::size_t depth) {
    read_common_tables(update["withClause"], depth);
    const std::size_t first_join = joins_.size();
    Level level{.is_inner = depth > 0};
    const std::size_t target = add_use(update["relation"], level, false);
    uses_[target].looks = uses_[target].updates = true;
    uses_[target].assigned = assigned_values(update["targetList"]);
    for (const Node& item : update["fromClause"]) read_source(item, level, false, depth);
    apply_conditions(level, update["whereClause"], first_join);
    for (const char* clause : {"targetList", "whereClause", "returningList"}) {
      search_below(update[clause], depth);
    }
  }

  void read_delete(const Node& remove, std::size_t depth) {
    read_common_tables(remove["withClause"], depth);
    const std::size_t first_join = joins_.size();
    Level level{.is_inner = depth > 0};
    const std::size_t target = add_use(remove["relation"], level, false);
    uses_[target].looks = uses_[target].deletes = true;
    for (const Node& item : remove["usingClause"]) read_source(item, level, false, depth);
    apply_conditions(level, remove["whereClause"], first_join);
    for (const char* clause : {"whereClause", "returningList"}) search_below(remove[clause], depth);
  }

  // Each row may be made, changed or removed.
  void read_merge(const Node& merge, std::size_t depth) {
    read_common_tables(merge["withClause"], depth);
    const std::size_t first_join = joins_.size();
    Level level{.is_inner = depth > 0};
    const std::size_t target = add_use(merge["relation"], level, false);
    RowUse& use = uses_[target];
    use.looks = use.updates = use.deletes = use.inserts = true;
    use.new_rows.emplace_back();
    read_source(merge["sourceRelation"], level, false, depth);
    joins_.resize(first_join);
    search_below(merge["mergeWhenClauses"], depth);
  }

  KnownRow assigned_values(const Node& targets) const {
    KnownRow assigned;
    for (const Node& item : targets) {
      const Node& target = item.content();
      assigned[target.text("name")] = read_constant(target["val"], parameters_);
    }
    return assigned;
  }

  Names inserted_columns(const Node& insert, const LevelTable& target) const {
    Names columns;
    for (const Node& item : insert["cols"]) columns.push_back(item.content().text("name"));
    if (columns.empty() && target.table != nullptr) {
      for (const auto& [number, name] : target.table->columns) columns.push_back(name);
    }
    return columns;
  }

  void read_insert(const Node& insert, std::size_t depth) {
    read_common_tables(insert["withClause"], depth);
    Level level{.is_inner = depth > 0};
    const std::size_t target = add_use(insert["relation"], level, false);
    const Names columns = inserted_columns(insert, level.tables.front());
    uses_[target].inserts = true;
    const Node& select = insert["selectStmt"].content();
    if (select["valuesLists"].is_present()) {
      for (const Node& list : select["valuesLists"]) {
        uses_[target].new_rows.push_back(value_row(list.content()["items"], columns));
      }
      search_below(select["valuesLists"], depth);
    } else if (insert["selectStmt"].is_present()) {
      const std::size_t first = uses_.size();
      read(insert["selectStmt"], depth + 1);
      uses_[target].new_rows.push_back(selected_row(select, columns, first));
    } else {
      uses_[target].new_rows.emplace_back();  // DEFAULT VALUES
    }
    read_conflict(insert["onConflictClause"], target, depth);
  }

  void read_conflict(const Node& conflict, std::size_t target, std::size_t depth) {
    if (!conflict.is_present()) return;
    RowUse& use = uses_[target];
    use.takes_conflicts = true;
    for (const Node& element : conflict["infer"]["indexElems"]) {
      use.conflict_columns.push_back(element.content().text("name"));
    }
    if (conflict.text("action") != "ONCONFLICT_UPDATE") return;
    use.updates = true;
    use.assigned = assigned_values(conflict["targetList"]);
    search_below(conflict["targetList"], depth);
    search_below(conflict["whereClause"], depth);
  }

  KnownRow value_row(const Node& items, const Names& columns) const {
    KnownRow row;
    std::size_t at = 0;
    for (const Node& item : items) {
      if (at < columns.size() && item.type() != "SetToDefault") {
        row[columns[at]] = read_constant(item, parameters_);
      }
      ++at;
    }
    return row;
  }

  // A row of INSERT ... SELECT: constants, columns that the query binds to one value, and those of
  // a common table whose row is known.
  KnownRow selected_row(const Node& select, const Names& columns, std::size_t first) const {
    KnownRow bound;
    for (std::size_t i = first; i < uses_.size(); ++i) {
      for (const auto& [column, values] : bindings_of(uses_[i].condition)) {
        if (values.size() == 1 && uses_.size() == first + 1) bound[column] = values.front();
      }
    }
    const bool is_one = select["fromClause"].first == select["fromClause"].last;
    if (is_one && select["fromClause"].is_present()) {
      const Node& relation = select["fromClause"].first->content();
      const auto outputs = outputs_.find(relation.text("relname"));
      if (outputs != outputs_.end()) bound = outputs->second;
    }
    KnownRow row;
    std::size_t at = 0;
    for (const Node& target : select["targetList"]) {
      const Node& value = target.content()["val"];
      if (at >= columns.size()) break;
      row[columns[at]] = read_constant(value, parameters_);
      const Names path = sql::string_list(value.content()["fields"]);
      const auto known = path.empty() ? bound.end() : bound.find(path.back());
      if (value.type() == "ColumnRef" && known != bound.end()) row[columns[at]] = known->second;
      ++at;
    }
    return row;
  }

  const std::vector<TraceParameter>& parameters_;
  const StoreTables& tables_;
  std::vector<RowUse> uses_;
  std::vector<std::string> hidden_;          // names of common tables
  std::map<std::string, KnownRow> outputs_;  // of common tables that give one known row
  std::vector<const Node*> joins_;           // conditions of joins of the levels that are read
};

}  // namespace

std::vector<RowUse> read_row_uses(const Node& statement,
                                  const std::vector<TraceParameter>& parameters,
                                  const StoreTables& tables) {
  RowUseReader reader(parameters, tables);
  reader.read(statement, 0);
  return reader.take();
}

}  // namespace heddle::race
