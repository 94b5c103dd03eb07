#include "race/accesses/access.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/path_pattern.h"
#include "base/text.h"
#include "frontend/sql/reader.h"
#include "race/accesses/effects.h"
#include "race/accesses/read_condition.h"
#include "race/accesses/row_uses.h"
#include "race/accesses/statement_accesses.h"
#include "race/accesses/views.h"

namespace heddle::race {
namespace {

bool is_of_the_system(const std::string& schema, const std::string& table,
                      const StoreTables& tables) {
  if (schema == "pg_catalog" || schema == "information_schema") return true;
  return table.starts_with("pg_") && tables.find(schema, table) == nullptr;
}

std::string table_name(const std::string& schema, const std::string& table,
                       const TraceTable* definition) {
  if (definition != nullptr) return definition->name;
  return (schema.empty() ? "public" : schema) + "." + table;
}

void add_names(std::vector<std::string>& names, const std::vector<std::string>& more,
               const TraceTable* definition) {
  for (const std::string& name : more) {
    const bool is_foreign = definition != nullptr && name != "*" && !has_column(*definition, name);
    if (!is_foreign && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::ranges::sort(names);
}

// Kinds whose text names tables and rows.
bool names_rows(StatementKind kind) {
  return kind == StatementKind::select || kind == StatementKind::insert ||
         kind == StatementKind::update || kind == StatementKind::delete_ ||
         kind == StatementKind::merge;
}

bool touches_nothing(StatementKind kind) {
  switch (kind) {
    case StatementKind::begin:
    case StatementKind::commit:
    case StatementKind::rollback:
    case StatementKind::savepoint:
    case StatementKind::rollback_to_savepoint:
    case StatementKind::release_savepoint:
    case StatementKind::prepare_transaction:
    case StatementKind::commit_prepared:
    case StatementKind::rollback_prepared:
    case StatementKind::set:
    case StatementKind::set_transaction:
    case StatementKind::maintenance:
    case StatementKind::notify:
    case StatementKind::lock_table:
      return true;
    default:
      return false;
  }
}

// Equality of the row in all these columns; what is not known of the row is not known here.
Condition same_in(const KnownRow& row, const std::vector<std::string>& columns) {
  std::vector<Condition> parts;
  for (const std::string& column : columns) {
    const auto value = row.find(column);
    Condition part{.kind = Condition::Kind::equal, .left = {.column = column}};
    if (value != row.end()) part.right.value = value->second;
    parts.push_back(std::move(part));
  }
  return all_of(std::move(parts));
}

// The rows that are in the way of an INSERT with ON CONFLICT.
Condition rows_in_the_way(const RowUse& use, const TraceTable* definition) {
  std::vector<Condition> ways;
  for (const KnownRow& row : use.new_rows) {
    if (!use.conflict_columns.empty()) {
      ways.push_back(same_in(row, use.conflict_columns));
    } else if (definition != nullptr) {
      for (const auto& key : definition->keys) ways.push_back(same_in(row, key));
    } else {
      ways.emplace_back();
    }
  }
  return any_of(std::move(ways));
}

// Gathers what all queries of one statement do to one table.
class AccessBuilder {
 public:
  AccessBuilder(const TraceStatement& unit, std::size_t place, const StoreTables& tables)
      : unit_(unit), place_(place), tables_(tables) {}

  std::vector<Access> build(const Statement& statement, const sql::Node& node) {
    statement_ = &statement;
    for (const TableUse& use : statement.tables) add_columns(use);
    for (const RowUse& use : read_row_uses(node, unit_.parameters, tables_)) add_rows(use);
    std::vector<Access> all;
    for (auto& [name, gathered] : by_table_) {
      Access access = finish(gathered);
      const bool is_view = access.definition != nullptr && !access.definition->view.empty();
      if (is_view)
        std::ranges::move(accesses_through_view(access, tables_), std::back_inserter(all));
      // What is written to a view may be for its triggers.
      const bool may_fire = is_view && access.writes() && !access.definition->triggers.empty();
      if (!is_view || may_fire) all.push_back(std::move(access));
    }
    return all;
  }

 private:
  struct Gathered {
    Access access;
    std::vector<Condition> looks;
    bool looks_at_rows = false;
    std::size_t uses = 0;
  };

  Gathered& gathered(const std::string& schema, const std::string& table) {
    const TraceTable* definition = tables_.find(schema, table);
    const std::string name = table_name(schema, table, definition);
    const auto [place, is_new] = by_table_.try_emplace(name);
    if (is_new) {
      place->second.access = {.unit = unit_.unit,
                              .place = place_,
                              .table = name,
                              .definition = definition,
                              .kind = statement_->kind};
    }
    return place->second;
  }

  void add_columns(const TableUse& use) {
    if (is_of_the_system(use.schema, use.table, tables_)) return;
    Gathered& whole = gathered(use.schema, use.table);
    Access& access = whole.access;
    access.reads = access.reads || use.read;
    if (use.read) add_names(access.columns_read, use.columns_read, access.definition);
    if (use.written) add_names(access.columns_written, use.columns_written, access.definition);
    if (use.locking > access.locking) access.locking = use.locking;
    if (use.wait_policy != WaitPolicy::wait) access.wait_policy = use.wait_policy;
    if (names_rows(statement_->kind)) return;
    // COPY, TRUNCATE and what is defined anew: any rows.
    access.inserts = access.updates = access.deletes = use.written;
    if (use.written) access.new_rows.emplace_back();
    whole.looks_at_rows = true;
    whole.looks.push_back(always());
  }

  void add_rows(const RowUse& use) {
    if (is_of_the_system(use.schema, use.table, tables_)) return;
    Gathered& whole = gathered(use.schema, use.table);
    Access& access = whole.access;
    ++whole.uses;
    access.inserts = access.inserts || use.inserts;
    access.updates = access.updates || use.updates;
    access.deletes = access.deletes || use.deletes;
    access.new_rows.insert(access.new_rows.end(), use.new_rows.begin(), use.new_rows.end());
    for (const auto& [column, value] : use.assigned) access.assigned[column] = value;
    access.takes_conflicts = access.takes_conflicts || use.takes_conflicts;
    if (!use.looks && !use.takes_conflicts) return;
    whole.looks_at_rows = true;
    whole.looks.push_back(use.takes_conflicts ? rows_in_the_way(use, access.definition)
                                              : use.condition);
  }

  Access finish(Gathered& whole) const {
    Access& access = whole.access;
    access.uses = whole.uses;
    access.reads = access.reads || whole.looks_at_rows;
    access.looks = whole.looks_at_rows ? any_of(std::move(whole.looks)) : any_of({});
    if (whole.looks_at_rows) access.there = partial_rows(access.looks);
    for (const std::string& column : columns_of(access.looks)) {
      access.deciding_columns.push_back(column);
    }
    add_names(access.deciding_columns, statement_->predicate_columns, access.definition);
    // Rows of a limited query also depend on what they are sorted by.
    if (statement_->limited) access.deciding_columns = {"*"};
    if (place_ < unit_.results.size()) take_result(unit_.results[place_], whole.uses, access);
    return std::move(access);
  }

  void take_result(const TraceResult& result, std::size_t uses, Access& access) const {
    access.rows = access.writes() ? result.rows_changed.value_or(0) : result.row_count;
    if (uses != 1) return;
    const std::vector<KnownRow> rows = named_rows(
        result, access.definition != nullptr ? columns_of_table(result, *access.definition)
                                             : columns_by_text(result));
    if (rows.empty()) return;
    const bool are_all = result.row_count == rows.size() && !result.is_suspended;
    if (access.inserts) {
      if (access.takes_conflicts || !are_all) return;
      if (rows.size() == access.new_rows.size()) {
        for (std::size_t i = 0; i < rows.size(); ++i) complete(access, i, rows[i]);
      } else if (access.new_rows.size() == 1) {
        access.new_rows = rows;  // of INSERT ... SELECT
      }
      return;
    }
    access.seen = rows;
    for (KnownRow& row : access.seen) {
      for (const auto& [column, value] : access.assigned) row.erase(column);
    }
    access.has_seen_all = are_all && !statement_->aggregate;
  }

  static void complete(Access& access, std::size_t at, const KnownRow& returned) {
    for (const auto& [column, value] : returned) {
      const bool is_drawn = access.new_rows[at].insert_or_assign(column, value).second;
      if (is_drawn) add_names(access.drawn, {column}, nullptr);
    }
  }

  // Which columns of a result are which of a table.
  using ResultColumns = std::vector<std::pair<std::size_t, std::string>>;

  static ResultColumns columns_of_table(const TraceResult& result, const TraceTable& table) {
    ResultColumns columns;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
      const TraceColumn& column = result.columns[i];
      const auto name = table.columns.find(column.column);
      if (column.table == table.number && name != table.columns.end()) {
        columns.emplace_back(i, name->second);
      }
    }
    return columns;
  }

  // Without a catalogue: what a statement on one table returns of it, under its own name.
  ResultColumns columns_by_text(const TraceResult& result) const {
    ResultColumns columns;
    if (by_table_.size() != 1) return columns;
    const std::vector<OutputColumn>& outputs = statement_->output;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
      const std::string& name = result.columns[i].name;
      const bool is_star = outputs.size() == 1 && outputs.front().expression == "*";
      const bool is_plain =
          outputs.size() == result.columns.size() && outputs[i].columns_read.size() <= 1 &&
          (outputs[i].expression == name || outputs[i].expression.ends_with("." + name));
      if (result.columns[i].table != 0 && (is_star || is_plain)) columns.emplace_back(i, name);
    }
    return columns;
  }

  static std::vector<KnownRow> named_rows(const TraceResult& result, const ResultColumns& columns) {
    std::vector<KnownRow> rows;
    for (const auto& values : result.rows) {
      if (columns.empty()) break;
      KnownRow& row = rows.emplace_back();
      for (const auto& [at, name] : columns) {
        if (at < values.size()) row[name] = known_value(values[at]);
      }
    }
    return rows;
  }

  const TraceStatement& unit_;
  std::size_t place_;
  const StoreTables& tables_;
  const Statement* statement_ = nullptr;
  std::map<std::string, Gathered> by_table_;
};

// "public.settle" of CALL public.settle(1); empty: it is no CALL.
std::string called_procedure(const sql::Node& node) {
  if (node.type() != "CallStmt") return {};
  return join(sql::string_list(node.content()["funccall"]["funcname"]), ".");
}

// Statements behind the one that failed were not executed.
std::size_t executed_statements(const TraceStatement& unit, std::size_t count) {
  if (!unit.error) return count;
  return std::min(count, unit.results.size() + 1);
}

}  // namespace

std::vector<Access> accesses_of_statement(const TraceStatement& unit, std::size_t place,
                                          const ParsedText& parsed, const StoreTables& tables,
                                          Effects& effects) {
  const Statement& statement = parsed.statements[place];
  const sql::Node& node = *parsed.tree.statements[place].node;
  if (touches_nothing(statement.kind)) return {};
  const std::string procedure = called_procedure(node);
  const bool is_opaque = statement.tables.empty() && !names_rows(statement.kind) &&
                         procedure.empty() && statement.kind != StatementKind::cursor &&
                         statement.kind != StatementKind::explain;
  std::vector<Access> all;
  if (is_opaque) {
    all.push_back(any_table_access(unit, place, statement.kind));
  } else if (statement.calls_unknown_function) {
    std::vector<std::string> names = statement.functions;
    if (!procedure.empty()) names.push_back(procedure);
    all = effects.of_functions(names, statement.kind);
  }
  AccessBuilder builder(unit, place, tables);
  std::vector<Access> own = builder.build(statement, node);
  std::vector<Access> further = effects.of_writes(own);
  std::ranges::move(own, std::back_inserter(all));
  std::ranges::move(further, std::back_inserter(all));
  return all;
}

std::vector<Access> read_accesses(const TraceStatement& unit, const ParsedText& parsed,
                                  const StoreTables& tables) {
  if (unit.is_skipped || unit.kind == "prepare" || unit.kind == "more_rows") return {};
  if (unit.kind == "call" || !parsed.is_read || unit.text_size > unit.text.size()) {
    return {any_table_access(unit, 0, StatementKind::other)};
  }
  std::vector<Access> all;
  const std::size_t count = executed_statements(unit, parsed.statements.size());
  for (std::size_t i = 0; i < count; ++i) {
    Effects effects(unit, i, tables);
    std::ranges::move(accesses_of_statement(unit, i, parsed, tables, effects),
                      std::back_inserter(all));
  }
  return all;
}

bool is_identity(const TraceTable* table, std::string_view column,
                 const std::vector<std::string>& patterns) {
  const std::string name = to_lower(column);
  if (is_one_of(name, {"id", "uid", "guid", "uuid", "key", "serial"}) || name.ends_with("_id")) {
    return true;
  }
  const auto fits = [&](const std::string& pattern) {
    return matches_glob(to_lower(pattern), name);
  };
  if (std::ranges::any_of(patterns, fits)) return true;
  const auto has = [&](const auto& columns) { return is_one_of(column, columns); };
  if (table == nullptr) return false;
  return std::ranges::any_of(table->keys, has) ||
         std::ranges::any_of(table->foreign_keys, has, &TraceForeignKey::columns);
}

}  // namespace heddle::race
