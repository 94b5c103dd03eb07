#include "find/forms/statement_form.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "find/forms/exists_query.h"
#include "find/forms/expressions.h"
#include "find/forms/first_row.h"
#include "find/forms/generated_columns.h"
#include "find/forms/inner_values.h"
#include "find/forms/source_names.h"
#include "find/forms/written_keys.h"
#include "frontend/plpgsql/expression.h"
#include "frontend/sql/words/lexer.h"
#include "program/conflict_keys.h"

namespace heddle::find {

namespace {

class FormReader {
 public:
  FormReader(const Statement& statement, const Schema& schema, RowSources& every_table)
      : statement_(statement),
        schema_(schema),
        every_table_(every_table),
        names_(statement, schema, form_.sources) {
    form_.kind = statement.kind;
    form_.result_rows = statement.result_rows;
    form_.drops_rows = statement.drops_rows;
    form_.is_aggregate = statement.kind == StatementKind::select
                             ? statement.result_rows != ResultRows::each
                             : statement.aggregate;
    form_.on_conflict = statement.on_conflict;
  }

  StatementForm read() {
    for (const TableUse& use : statement_.tables) add_source(use);
    if (statement_.tables.empty() && statement_.calls_unknown_function) add_all_tables();
    const bool fills = statement_.kind == StatementKind::data_definition;
    if (fills && statement_.calls_unknown_function) read_every_table(schema_, form_.sources);
    if (!statement_.predicate.empty()) read_predicate();
    for (std::size_t i = 0; i < statement_.tables.size(); ++i) read_join_condition(i);
    read_outputs();
    read_named_locks();
    if (form_.sources.size() == 1 && !form_.is_aggregate) read_order();
    form_.stops_early = statement_.limited || looks_for_ends();
    if (statement_.kind == StatementKind::insert || statement_.kind == StatementKind::update) {
      read_assignments();
    }
    const bool are_all_inner =
        inner_queries_ > 0 && count_inner_queries(statement_.text) == inner_queries_;
    if (form_.kind != StatementKind::select && are_all_inner) form_.is_aggregate = false;
    if (are_all_inner) drop_columns_of_inner(form_);
    return std::move(form_);
  }

 private:
  void read_named_locks() {
    NamedLocks locks = named_locks(statement_, schema_.dialect,
                                   [&](const std::string& text) { return read_expression(text); });
    form_.locks = std::move(locks.taken);
    form_.releases = std::move(locks.released);
    const bool is_by_name = schema_.dialect == Dialect::mysql && form_.sources.empty() &&
                            !(form_.locks.empty() && form_.releases.empty());
    form_.only_locks = form_.kind == StatementKind::lock_table || is_by_name;
  }

  void add_source(const TableUse& use) {
    RowSource source;
    source.table = find_table(schema_, use.table, schema_.dialect, use.schema);
    source.name = source.table == nullptr ? use.table : source.table->name;
    source.alias = use.alias.empty() ? use.table : use.alias;
    source.is_read = use.read;
    source.is_written = use.written;
    source.is_locked = use.locking != LockingClause::none;
    source.locks_key = use.locking == LockingClause::update;
    source.is_shared =
        use.locking == LockingClause::share || use.locking == LockingClause::key_share;
    source.keeps_key = use.locking == LockingClause::key_share;
    source.skips_locked = use.wait_policy == WaitPolicy::skip_locked;
    // Rows that others have locked it does not find.
    form_.drops_rows = form_.drops_rows || source.skips_locked;
    source.is_any_row = use.may_be_missing;
    for (const std::string& column : names_.columns_of(source, use.columns_read)) {
      const bool in_predicate =
          std::ranges::any_of(statement_.predicate_columns,
                              [&](const std::string& name) { return names_.same(name, column); });
      for (const std::string& stored : stored_columns(source.table, column, schema_)) {
        if (in_predicate) add_once(source.predicate_columns, stored);
        if (!in_predicate || is_output(column)) add_once(source.output_columns, stored);
      }
    }
    source.written_columns = names_.columns_of(source, use.columns_written);
    form_.sources.add(std::move(source));
  }

  static void add_once(std::vector<std::string>& columns, const std::string& column) {
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  }

  // What is not known may read all rows, and change any of them. That it makes or deletes some is
  // left out, and so are keys, by which rows are told apart.
  void add_all_tables() {
    form_.kind = StatementKind::update;
    form_.is_unknown = true;
    if (every_table_.empty()) every_table_ = rows_of_every_table(schema_);
    form_.sources = every_table_;
  }

  // Whether more than the predicate reads it.
  bool is_output(const std::string& column) const {
    const auto mentions = [&](const std::vector<std::string>& columns) {
      return std::ranges::any_of(columns, [&](const std::string& name) {
        return name == "*" || names_.same(name, column);
      });
    };
    return std::ranges::any_of(
               statement_.output,
               [&](const OutputColumn& output) { return mentions(output.columns_read); }) ||
           std::ranges::any_of(statement_.values, [&](const WrittenValue& value) {
             return mentions(value.columns_read);
           });
  }

  Expression read_expression(const std::string& text) const {
    auto read = plpgsql::read_value(
        text, [&](const std::vector<std::string>& path) { return names_.resolve(path); });
    return read.is_ok ? std::move(read.value.value) : unknown_value(text);
  }

  // Where one of its queries is not known, it is left as it is.
  Expression read_with_queries(const std::string& text) {
    const WithoutInnerQueries without = without_inner_queries(text);
    std::vector<InnerValue> values = form_.inner_values;
    std::vector<InnerQueryForm> queries;
    for (const InnerQueryText& query : without.queries) {
      std::optional<InnerQueryForm> read = read_inner_query(query, names_, form_.sources, values);
      if (!read) return read_expression(text);
      queries.push_back(std::move(*read));
    }
    auto read = plpgsql::read_value(without.rest, [&](const std::vector<std::string>& path) {
      for (std::size_t i = 0; i < queries.size(); ++i) {
        if (path.size() == 1 && path[0] == inner_query_name(i)) {
          return std::optional(queries[i].result);
        }
      }
      return names_.resolve(path);
    });
    if (!read.is_ok) return unknown_value(text);
    for (InnerQueryForm& query : queries) {
      form_.sources.edit(query.source).is_inner = true;
      std::erase_if(form_.joined_by, [&](const auto& by) { return by.first == query.source; });
      for (Expression& condition : query.conditions) {
        form_.joined_by.emplace_back(query.source, std::move(condition));
      }
    }
    form_.inner_values = std::move(values);
    inner_queries_ += queries.size();
    return std::move(read.value.value);
  }

  void add_conjuncts(Expression condition) {
    std::ranges::move(conjuncts_of(std::move(condition)), std::back_inserter(form_.conjuncts));
  }

  // The least or the greatest value is at an end of an index.
  bool looks_for_ends() const {
    return std::ranges::any_of(statement_.functions, [](const std::string& name) {
      return name == "min" || name == "max";
    });
  }

  void read_predicate() {
    const ExistsConditions exists = exists_conditions(statement_.filter);
    if (!exists.rest.empty()) add_conjuncts(read_with_queries(exists.rest));
    for (Expression& conjunct : form_.conjuncts) {
      if (names_missing(conjunct, form_.sources.size())) conjunct = unknown_value("missing row");
    }
    for (const ExistsCondition& condition : exists.conditions) read_exists_condition(condition);
  }

  // Whether it is about rows that may be missing, but for those of a source.
  bool names_missing(const Expression& expression, std::size_t but) const {
    const std::optional<std::size_t> source = source_of(expression);
    if (source && *source != but && form_.sources[*source].is_any_row) return true;
    return std::ranges::any_of(expression.operands, [&](const Expression& operand) {
      return names_missing(operand, but);
    });
  }

  // Which rows matter of a table that may have none. Where rows of a third table take part that may
  // be missing, too, or it is not clear which table is meant, nothing is known.
  void read_join_condition(std::size_t place) {
    const std::string& text = statement_.tables[place].join_condition;
    const RowSource& source = form_.sources[place];
    if (text.empty() || source.table == nullptr || source.is_inner) return;
    auto read = plpgsql::read_value(text, [&](const std::vector<std::string>& path) {
      return names_.is_clear(path, place) ? names_.resolve_inside(path, place)
                                          : std::optional(unknown_value(path.back()));
    });
    if (!read.is_ok) return;
    const std::size_t known = form_.conjuncts.size();
    add_conjuncts(std::move(read.value.value));
    for (std::size_t i = known; i < form_.conjuncts.size(); ++i) {
      Expression& condition = form_.conjuncts[i];
      if (!names_missing(condition, place)) {
        form_.joined_by.emplace_back(place, std::move(condition));
      }
    }
    form_.conjuncts.resize(known);
  }

  // A row that has to be there is one of a join; one that must not be there is looked for, too.
  void read_exists_condition(const ExistsCondition& exists) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < form_.sources.size(); ++i) {
      const RowSource& source = form_.sources[i];
      if (source.table != nullptr && !source.is_written &&
          names_.same(source.alias, exists.alias)) {
        places.push_back(i);
      }
    }
    // Another table of the same name may be meant; and what is written where another row is there
    // takes a solver too long when runs are made up.
    const bool changes =
        statement_.kind == StatementKind::update || statement_.kind == StatementKind::delete_;
    if (places.size() != 1 || (changes && !exists.is_negated)) {
      if (!exists.is_negated) form_.conjuncts.push_back(unknown_value("EXISTS"));
      return;
    }
    Expression condition =
        exists.condition.empty() ? literal_of("true") : read_inside(exists.condition, places[0]);
    if (!exists.inner.empty()) {
      Expression equal =
          are_equal(read_inside(exists.inner, places[0]), read_expression(exists.outer));
      condition = all_of({std::move(condition), std::move(equal)});
    }
    form_.sources.edit(places[0]).is_any_row = exists.is_negated;
    if (!exists.is_negated) {
      form_.conjuncts.push_back(std::move(condition));
      return;
    }
    form_.absences.emplace_back(places[0], std::move(condition));
  }

  Expression read_inside(const std::string& text, std::size_t source) const {
    auto read = plpgsql::read_value(text, [&](const std::vector<std::string>& path) {
      return names_.resolve_inside(path, source);
    });
    return read.is_ok ? std::move(read.value.value) : unknown_value(text);
  }

  // ... ORDER BY a, b DESC LIMIT 1, and nothing else behind it but what locks; or without a LIMIT.
  void read_order() {
    std::optional<std::vector<OrderText>> order = order_of_first_row(statement_.text);
    form_.takes_first = order && statement_.limited;
    if (!order && !statement_.limited) order = order_of_rows(statement_.text);
    if (!order) return;
    form_.gives_all = !form_.takes_first;
    for (const OrderText& one : *order) {
      OrderKey key{.value = read_order_key(one.text), .descending = one.descending};
      if (form_.takes_first) add_order_columns(key.value);
      form_.order.push_back(std::move(key));
    }
  }

  // The name of an output stands for that, also where a column has it, too.
  Expression read_order_key(const std::string& text) const {
    for (const OutputColumn& output : statement_.output) {
      if (names_.same(output.name, text)) return read_expression(output.expression);
    }
    return read_expression(text);
  }

  // Which row is the first one hangs on what it is ordered by, as on the predicate.
  void add_order_columns(const Expression& value) {
    std::vector<const Expression*> open = {&value};
    while (!open.empty()) {
      const Expression& one = *open.back();
      open.pop_back();
      std::vector<std::string>& columns = form_.sources.edit(0).predicate_columns;
      const bool is_known = std::ranges::find(columns, one.text) != columns.end();
      if (source_of(one) == 0 && !is_known) columns.push_back(one.text);
      for (const Expression& operand : one.operands) open.push_back(&operand);
    }
  }

  void read_outputs() {
    for (const OutputColumn& output : statement_.output) {
      if (output.expression == "*" || output.expression.ends_with(".*")) {
        add_all_columns(output);
        continue;
      }
      form_.outputs.push_back(read_with_queries(output.expression));
      form_.output_names.push_back(output.name.empty() ? std::string(kUnnamedColumn) : output.name);
    }
  }

  void add_all_columns(const OutputColumn& output) {
    for (const RowSource& source : form_.sources) {
      const bool is_meant =
          output.expression == "*" || names_.same(output.expression, source.alias + ".*");
      if (!is_meant || source.table == nullptr) continue;
      for (const TableColumn& column : source.table->columns) {
        form_.outputs.push_back(*names_.resolve({source.alias, column.name}));
        form_.output_names.push_back(column.name);
      }
    }
  }

  void read_assignments() {
    const auto target = std::ranges::find(form_.sources, true, &RowSource::is_written);
    if (target == form_.sources.end()) return;
    bool has_more_rows = false;
    for (const WrittenValue& value : statement_.values) {
      if (value.on_conflict) continue;
      has_more_rows = has_more_rows || value.row > 0;
      Expression expression =
          value.generated ? unknown_value(value.expression) : read_with_queries(value.expression);
      Assignment assignment{written_column(*target, value), std::move(expression)};
      if (form_.made.size() <= value.row) form_.made.resize(value.row + 1);
      form_.made[value.row].push_back(assignment);
      form_.assignments.push_back(std::move(assignment));
    }
    constexpr std::size_t kMostRows = 20;
    if (!has_more_rows || form_.made.size() > kMostRows) form_.made.clear();
    form_.inserts_query = statement_.kind == StatementKind::insert &&
                          (form_.named_sources() > 1 || statement_.values.empty() ||
                           has_more_rows || statement_.drops_rows || !statement_.predicate.empty());
    // Each column has as many values as there are rows.
    if (has_more_rows) form_.assignments.clear();
    const auto place = static_cast<std::size_t>(target - form_.sources.begin());
    if (!form_.on_conflict) {
      const bool is_one_row = statement_.kind == StatementKind::insert && !form_.inserts_query;
      if (is_one_row) read_key_check(form_.sources.edit(place));
      return;
    }
    RowSource& changed = form_.sources.edit(place);
    if (form_.inserts_query) {
      read_updates(changed);
      form_.keeps_existing = form_.updates.empty() && !statement_.replaces;
      form_.may_pass_over = true;
    } else {
      read_upsert(changed);
    }
  }

  std::string written_column(const RowSource& target, const WrittenValue& value) const {
    const bool has_position = value.column.empty() && target.table != nullptr &&
                              value.position < target.table->columns.size();
    return has_position ? target.table->columns[value.position].name
                        : names_.column_name(target, value.column);
  }

  // INSERT ... ON CONFLICT reads the row whose place it would take, by its key. Where it leaves the
  // same whether or not there was one, it need not look.
  void read_upsert(RowSource& target) {
    read_updates(target);
    const bool does_nothing = form_.updates.empty() && !statement_.replaces;
    form_.may_pass_over = has_where();
    form_.is_stopped_by_rows = schema_.dialect == Dialect::postgres;
    if (target.table == nullptr) return;
    if (statement_.replaces) read_replacement(target);
    if (does_nothing && statement_.conflict_columns.empty()) return read_any_key(target);
    const std::vector<std::string>& key = target.table->primary_key;
    if (key.empty()) return;
    form_.meets_other_key = !meets_primary_key(target);
    form_.keeps_existing = does_nothing;
    if (form_.meets_other_key) {
      std::vector<std::string> meant = statement_.conflict_columns;
      for (std::string& column : meant) column = names_.column_name(target, column);
      form_.conjuncts = row_with(target, meant);
      form_.may_pass_over = form_.may_pass_over || form_.conjuncts.empty();
      form_.asks_index = !form_.may_pass_over;
      add_predicate_columns(target, meant);
      return;
    }
    std::vector<Expression> is_this_row = row_with(target, key);
    if (is_this_row.empty()) {
      form_.keeps_existing = false;
      return;
    }
    const bool is_of_key = std::ranges::all_of(target.output_columns, [&](const auto& column) {
      return std::ranges::find(key, column) != key.end();
    });
    if (is_of_key && leaves_the_same(key)) {
      target.is_read = statement_.returns_rows;
    } else {
      std::ranges::move(is_this_row, std::back_inserter(form_.conjuncts));
      add_predicate_columns(target, key);
    }
  }

  // REPLACE makes of the row in its way another one.
  void read_replacement(const RowSource& target) {
    const std::vector<std::string>& key = target.table->primary_key;
    for (const TableColumn& column : target.table->columns) {
      if (std::ranges::find(key, column.name) != key.end()) continue;
      const Expression* value = inserted(column.name);
      form_.updates.push_back(
          {column.name, value == nullptr ? unknown_value(column.name) : *value});
    }
  }

  // Any unique key: a row is in its way that has the same in the columns of one of them. Of such a
  // row it reads nothing else. Where keys or values are not known, any row may be in its way.
  void read_any_key(RowSource& target) {
    const program::ConflictKeys keys =
        program::conflict_keys(statement_, *target.table, schema_.dialect);
    form_.keeps_existing = true;
    form_.meets_other_key = keys.keys.size() != 1 || keys.keys.front() != target.table->primary_key;
    std::vector<Expression> in_its_way;
    bool is_known = keys.doubt.empty();
    for (const std::vector<std::string>& key : keys.keys) {
      std::vector<Expression> equal = row_with(target, key);
      is_known = is_known && !equal.empty();
      if (is_known) in_its_way.push_back(all_of(std::move(equal)));
      add_predicate_columns(target, key);
    }
    form_.may_pass_over = !is_known;
    if (!is_known) {
      form_.meets_other_key = true;
      return;
    }
    add_conjuncts(any_of(std::move(in_its_way)));
    form_.asks_index = form_.meets_other_key;
    std::erase_if(target.output_columns,
                  [&](const std::string& column) { return !is_output(column); });
  }

  void read_key_check(RowSource& target) {
    if (target.table == nullptr) return;
    std::vector<Expression> in_its_way;
    // Of one row, whatever its inner values are of.
    Statement alone = statement_;
    std::erase_if(alone.tables, [](const TableUse& use) { return !use.written; });
    alone.predicate.clear();
    for (const std::vector<std::string>& key :
         program::conflict_keys(alone, *target.table, schema_.dialect).keys) {
      std::vector<Expression> equal = row_with(target, key);
      if (equal.empty()) continue;
      form_.checks_keys = true;
      in_its_way.push_back(all_of(std::move(equal)));
      add_predicate_columns(target, key);
    }
    if (form_.checks_keys) add_conjuncts(any_of(std::move(in_its_way)));
  }

  // Whether a row is in its way hangs on them.
  static void add_predicate_columns(RowSource& target, const std::vector<std::string>& key) {
    std::vector<std::string>& columns = target.predicate_columns;
    columns.insert(columns.end(), key.begin(), key.end());
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  }

  // That the columns of a key have the inserted values; empty: these are not known.
  std::vector<Expression> row_with(const RowSource& target,
                                   const std::vector<std::string>& key) const {
    std::vector<Expression> equal;
    for (const std::string& column : key) {
      const std::optional<Expression> value = key_value(target, column);
      if (!value || value->kind == ExpressionKind::unknown) return {};
      equal.push_back(are_equal(column_of(target, column), *value));
    }
    return equal;
  }

  // What the new row has in the column; none: it is not known.
  std::optional<Expression> key_value(const RowSource& target, const std::string& column) const {
    const Expression* given = inserted(column);
    const bool is_given =
        program::inserted_value(statement_, *target.table, column, schema_.dialect) != nullptr;
    if (given != nullptr && is_given) return *given;
    const TableColumn* known = find_column(*target.table, column, schema_.dialect);
    const bool has_default = known != nullptr && known->generation == Generation::none &&
                             !known->default_expression.empty();
    if (!has_default) return std::nullopt;
    Expression value = read_expression(known->default_expression);
    if (value.kind != ExpressionKind::literal) return std::nullopt;
    return value;
  }

  // Whether no other unique key than the primary one is meant.
  bool meets_primary_key(const RowSource& target) const {
    std::vector<std::string> key = target.table->primary_key;
    std::vector<std::string> meant = statement_.conflict_columns;
    for (std::string& column : meant) column = names_.column_name(target, column);
    std::ranges::sort(key);
    std::ranges::sort(meant);
    if (!meant.empty()) return meant == key;
    return target.table->unique_known &&
           std::ranges::all_of(target.table->unique_constraints, [&](UniqueConstraint unique) {
             std::ranges::sort(unique.columns);
             return unique.columns == key;
           });
  }

  // What becomes of the row in its way.
  void read_updates(const RowSource& target) {
    const bool is_conditional = has_where();
    for (const WrittenValue& value : statement_.values) {
      if (!value.on_conflict) continue;
      const bool is_known = !value.generated && !is_conditional;
      form_.updates.push_back(
          {written_column(target, value),
           is_known ? read_update(target, value.expression) : unknown_value(value.expression)});
    }
  }

  // Beside the row's own columns it may use those of the row that would be inserted.
  Expression read_update(const RowSource& target, const std::string& text) const {
    auto read = plpgsql::read_value(text, [&](const std::vector<std::string>& path) {
      if (path.size() != 2 || !names_.same(path[0], "excluded")) return names_.resolve(path);
      const Expression* value = inserted(names_.column_name(target, path[1]));
      return std::optional(value == nullptr ? unknown_value(path[1]) : *value);
    });
    return read.is_ok ? std::move(read.value.value) : unknown_value(text);
  }

  // Null: a default.
  const Expression* inserted(const std::string& column) const {
    const auto found = std::ranges::find(form_.assignments, column, &Assignment::column);
    return found == form_.assignments.end() ? nullptr : &found->value;
  }

  Expression column_of(const RowSource& source, const std::string& column) const {
    return find::column_of(static_cast<std::size_t>(&source - &form_.sources[0]), column);
  }

  bool has_where() const {
    const sql::Tokens tokens(statement_.text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens.word(i) == "where") return true;
    }
    return false;
  }

  // Whether the row in its way gets all that would be inserted besides the key, and nothing else.
  bool leaves_the_same(const std::vector<std::string>& key) const {
    if (form_.updates.empty() || has_where()) return false;
    const bool are_inserted = std::ranges::all_of(form_.updates, [&](const Assignment& update) {
      const Expression* value = inserted(update.column);
      return value != nullptr && *value == update.value;
    });
    return are_inserted && std::ranges::all_of(form_.assignments, [&](const Assignment& one) {
             return std::ranges::find(key, one.column) != key.end() ||
                    std::ranges::find(form_.updates, one.column, &Assignment::column) !=
                        form_.updates.end();
           });
  }

  const Statement& statement_;
  const Schema& schema_;
  RowSources& every_table_;
  std::size_t inner_queries_ = 0;  // that are followed
  StatementForm form_;
  SourceNames names_;
};

StatementForm read_form(const Statement& statement, const Schema& schema, RowSources& every_table) {
  if (const auto guarded = as_guarded_insert(statement, schema.dialect)) {
    StatementForm form = FormReader(guarded->insert, schema, every_table).read();
    const StatementForm query = FormReader(guarded->query, schema, every_table).read();
    stop_by_rows_of(query, form);
    return form;
  }
  const std::optional<Statement> count = as_count(statement, schema.dialect);
  return FormReader(count ? *count : statement, schema, every_table).read();
}

}  // namespace

StatementForm form_of(const Statement& statement, const Schema& schema) {
  RowSources every_table;
  return read_form(statement, schema, every_table);
}

StatementForm form_of(const ProgramStatement& statement, const Schema& schema, bool is_observed) {
  RowSources every_table;
  return form_of(statement, schema, is_observed, every_table);
}

StatementForm form_of(const ProgramStatement& statement, const Schema& schema, bool is_observed,
                      RowSources& every_table) {
  StatementForm form = read_form(statement.statement, schema, every_table);
  add_checks(schema, form);
  form.is_blind = !is_observed && !statement.statement.returns_rows && form.changes_named_row();
  return form;
}

}  // namespace heddle::find
