// Statements are read by PostgreSQL's parser, each text once. A column that a statement compares
// with a constant has that value in all rows it used; what an UPDATE sets may have been anything
// before, and so says nothing unless the predicate names it, too.
#include "race/requests/row_uses.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "heddle/statement.h"

namespace heddle {
namespace {

std::string without_schema(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return std::string(dot == name.npos ? name : name.substr(dot + 1));
}

std::string counting_name(const RaceSettings& settings, const std::string& store) {
  const auto alias = settings.aliases.find(store);
  return alias == settings.aliases.end() ? store : alias->second;
}

// The tables of a store, by number and by name.
struct KnownTables {
  std::map<std::uint32_t, const TraceTable*> by_number = {};
  std::map<std::string, const TraceTable*> by_name = {};  // without the schema
};

bool has_column(const TraceTable& table, std::string_view column) {
  return std::ranges::any_of(table.columns,
                             [&](const auto& each) { return each.second == column; });
}

bool tells_rows_apart(const TraceTable& table, std::string_view column) {
  return column == "id" || column.ends_with("_id") ||
         std::ranges::any_of(table.keys, [&](const auto& key) { return is_one_of(column, key); });
}

// Begins and ends transactions, sets variables, and the like.
bool touches_no_rows(StatementKind kind) {
  switch (kind) {
    case StatementKind::begin:
    case StatementKind::commit:
    case StatementKind::rollback:
    case StatementKind::savepoint:
    case StatementKind::rollback_to_savepoint:
    case StatementKind::release_savepoint:
    case StatementKind::set:
    case StatementKind::set_transaction:
    case StatementKind::notify:
    case StatementKind::explain:
    case StatementKind::lock_table:
      return true;
    default:
      return false;
  }
}

bool may_touch_anything(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::call:
    case StatementKind::prepare:
    case StatementKind::cursor:
    case StatementKind::data_definition:
    case StatementKind::other:
      return true;
    default:
      return statement.calls_unknown_function;
  }
}

// Where something in the text is hidden, its size says nothing.
bool is_cut_off(const TraceStatement& statement) {
  return statement.text_size > statement.text.size() &&
         statement.text.find("<secret:") == std::string::npos &&
         statement.text.find("<masked:") == std::string::npos;
}

void add_values(ColumnValues& to, const std::string& column, const std::set<std::string>& values) {
  to[column].insert(values.begin(), values.end());
}

class RowUseReader {
 public:
  RowUseReader(const Trace& trace, const RaceSettings& settings)
      : trace_(trace), settings_(settings) {
    for (const TraceCatalogue& catalogue : trace.catalogues) {
      KnownTables& known = tables_[counting_name(settings, catalogue.store)];
      for (const TraceTable& table : catalogue.tables) {
        known.by_number[table.number] = &table;
        known.by_name[without_schema(table.name)] = &table;
      }
    }
  }

  std::map<std::uint64_t, std::vector<RowUse>> read() {
    for (const TraceStatement& each : trace_.statements) {
      std::vector<std::uint64_t> flows = each.flow.candidates;
      if (each.flow.number != 0) flows = {each.flow.number};
      if (flows.empty() || each.is_skipped || each.kind == "prepare") continue;
      const std::vector<RowUse> uses = uses_of(each);
      for (const std::uint64_t flow : flows) {
        std::vector<RowUse>& all = uses_[flow];
        all.insert(all.end(), uses.begin(), uses.end());
      }
    }
    return std::move(uses_);
  }

 private:
  const std::vector<Statement>& parsed(const std::string& text) {
    const auto [known, is_new] = parsed_.try_emplace(text);
    if (!is_new) return known->second;
    auto statements = parse_statements(text, Dialect::postgres);
    // What cannot be read may be anything.
    known->second = statements ? std::move(*statements) : std::vector<Statement>(1);
    return known->second;
  }

  std::vector<RowUse> uses_of(const TraceStatement& statement) {
    const std::string store = counting_name(settings_, trace_.head.edges[statement.edge].callee);
    const RowUse use{.unit = statement.unit, .arrived = statement.arrived, .store = store};
    if (statement.kind == "call" || is_cut_off(statement)) {
      RowUse any = use;
      any.is_write = true;
      return {any};
    }
    std::vector<RowUse> uses;
    std::size_t number = 0;
    for (const Statement& each : parsed(statement.text)) {
      const TraceResult* const result =
          number < statement.results.size() ? &statement.results[number] : nullptr;
      ++number;
      if (touches_no_rows(each.kind)) continue;
      if (may_touch_anything(each)) {
        uses.push_back(use);
        uses.back().is_write = true;
      }
      for (const TableUse& table : each.tables) {
        if (!table.read && !table.written && table.locking == LockingClause::none) continue;
        uses.push_back(use_of(each, table, statement.parameters, use));
        if (statement.error) uses.back().is_write = uses.back().may_insert = false;
        if (result != nullptr) add_result(*result, uses.back());
      }
    }
    return uses;
  }

  RowUse use_of(const Statement& statement, const TableUse& table,
                const std::vector<TraceParameter>& parameters, RowUse use) const {
    use.table = table.table;
    use.is_write = table.written;
    use.may_insert = statement.kind == StatementKind::insert && table.written;
    use.is_insert = statement.kind == StatementKind::insert && table.written && !table.read &&
                    !statement.on_conflict;
    const ColumnValues compared = predicate_values(statement.predicate, parameters);
    if (statement.kind != StatementKind::insert || !table.written) {
      for (const auto& [column, values] : compared) {
        const std::string name = own_column(statement, table, use.store, column);
        if (!name.empty()) add_values(use.values, name, values);
      }
    }
    if (table.written) add_written(statement, parameters, use);
    return use;
  }

  // The column without what it is qualified by; empty: it is of another table, or nobody knows.
  std::string own_column(const Statement& statement, const TableUse& table,
                         const std::string& store, const std::string& column) const {
    const std::size_t dot = column.rfind('.');
    if (dot != column.npos) {
      const std::string qualifier = without_schema(column.substr(0, dot));
      const bool is_own =
          qualifier == table.alias || (table.alias.empty() && qualifier == table.table);
      return is_own ? column.substr(dot + 1) : "";
    }
    if (statement.tables.size() == 1) return column;
    const TraceTable* const known = find_table(store, table.table);
    return known != nullptr && has_column(*known, column) ? column : "";
  }

  const TraceTable* find_table(const std::string& store, const std::string& name) const {
    const auto known = tables_.find(store);
    if (known == tables_.end()) return nullptr;
    const auto table = known->second.by_name.find(name);
    return table == known->second.by_name.end() ? nullptr : table->second;
  }

  // What an INSERT or an UPDATE says of the rows that it leaves.
  void add_written(const Statement& statement, const std::vector<TraceParameter>& parameters,
                   RowUse& use) const {
    const bool is_insert = statement.kind == StatementKind::insert;
    std::set<std::string> unknown;
    for (const WrittenValue& each : statement.values) {
      if (!each.table.empty() && each.table != use.table) continue;
      const std::string column = written_column(each, use);
      if (column.empty()) continue;
      const auto value = constant_value(each.expression, parameters);
      if (value) add_values(use.written, column, {*value});
      if (!value) unknown.insert(column);
      const bool is_known = value && (is_insert || use.values.contains(column));
      if (!is_known) unknown.insert(column);
      if (is_known) add_values(use.values, column, {*value});
    }
    for (const std::string& column : unknown) use.values.erase(column);
  }

  // An INSERT without a list of columns has those of the table, in their order.
  std::string written_column(const WrittenValue& value, const RowUse& use) const {
    if (!value.column.empty()) return value.column;
    const TraceTable* const table = find_table(use.store, use.table);
    if (table == nullptr || value.position >= table->columns.size()) return "";
    return std::next(table->columns.begin(), static_cast<std::ptrdiff_t>(value.position))->second;
  }

  void add_result(const TraceResult& result, RowUse& use) const {
    const TraceTable* const table = find_table(use.store, use.table);
    if (table == nullptr) return;
    const bool has_all_rows = result.rows.size() == result.row_count && !result.is_suspended;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
      const TraceColumn& column = result.columns[i];
      if (column.table != table->number) continue;
      const auto name = table->columns.find(column.column);
      if (name == table->columns.end()) continue;
      add_column(result, i, name->second, has_all_rows, use);
      if (!tells_rows_apart(*table, name->second)) use.seen.erase(name->second);
    }
  }

  // What was written and returned is all that was written.
  static void add_column(const TraceResult& result, std::size_t at, const std::string& name,
                         bool has_all_rows, RowUse& use) {
    std::set<std::string> values;
    bool are_all_known = has_all_rows;
    for (const auto& row : result.rows) {
      const auto value = at < row.size() ? comparable_value(row[at]) : std::nullopt;
      if (value) values.insert(*value);
      are_all_known &= value.has_value();
    }
    if (values.empty()) return;
    add_values(use.seen, name, values);
    if (!use.is_write || !are_all_known) return;
    const bool may_differ_before = !use.is_insert && use.written.contains(name);
    if (!may_differ_before && !use.values.contains(name)) use.values[name] = values;
    if (use.is_insert) add_values(use.written, name, values);
  }

  const Trace& trace_;
  const RaceSettings& settings_;
  std::map<std::string, KnownTables> tables_ = {};
  std::unordered_map<std::string, std::vector<Statement>> parsed_ = {};
  std::map<std::uint64_t, std::vector<RowUse>> uses_ = {};
};

}  // namespace

std::map<std::uint64_t, std::vector<RowUse>> row_uses(const Trace& trace,
                                                      const RaceSettings& settings) {
  return RowUseReader(trace, settings).read();
}

std::map<std::pair<std::string, std::string>, TableKeys> table_keys(const Trace& trace,
                                                                    const RaceSettings& settings) {
  std::map<std::pair<std::string, std::string>, TableKeys> keys;
  for (const TraceCatalogue& catalogue : trace.catalogues) {
    const std::string store = counting_name(settings, catalogue.store);
    for (const TraceTable& table : catalogue.tables) {
      keys[{store, without_schema(table.name)}] = table.keys;
    }
  }
  return keys;
}

}  // namespace heddle
