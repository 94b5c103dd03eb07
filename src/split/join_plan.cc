#include "split/join_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "program/resolve.h"
#include "program/text.h"
#include "split/join_order.h"
#include "split/statement_writer.h"
#include "split/subqueries.h"

namespace heddle::chopping {

namespace {

using Column = std::pair<std::size_t, std::string>;

void add_columns(const Expression& expression, std::vector<Column>& columns) {
  if (const auto source = find::source_of(expression)) {
    columns.emplace_back(*source, expression.text);
    return;
  }
  for (const Expression& operand : expression.operands) add_columns(operand, columns);
}

class Planner {
 public:
  Planner(const JoinQuery& query, const ProgramStatement& like, const Schema& schema,
          FreshNames& names)
      : query_(query), like_(like), schema_(schema), names_(names) {}

  JoinPlanning plan() {
    PartOrder order = order_parts(query_);
    if (!order.reason.empty()) return refuse(order.reason);
    for (OrderedPart& part : order.parts) {
      for (const std::size_t source : part.sources) places_[source] = plan_.parts.size();
      plan_.has_loops = plan_.has_loops || !part.is_pinned;
      JoinPart made;
      made.sources = std::move(part.sources);
      made.is_pinned = part.is_pinned;
      made.is_optional = part.is_optional;
      plan_.parts.push_back(std::move(made));
    }
    if (!keeps_order()) return refuse("its ORDER BY is not that of one table");
    const std::string reason = query_.kind == StatementKind::select ? "" : why_not_written();
    if (!reason.empty()) return refuse(reason);
    find_needed();
    plan_.counts_once = counts_once();
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      if (!write_part(i)) return refuse("a part of it is no statement");
    }
    if (query_.kind != StatementKind::select && !write_change()) {
      return refuse("what it writes is no statement");
    }
    return {.plan = std::move(plan_), .reason = {}};
  }

 private:
  static JoinPlanning refuse(std::string reason) {
    return {.plan = std::nullopt, .reason = std::move(reason)};
  }

  std::size_t first_loop() const {
    const auto loop = std::ranges::find(plan_.parts, false, &JoinPart::is_pinned);
    return static_cast<std::size_t>(loop - plan_.parts.begin());
  }

  // Whether the rows come in their order if the outermost loop's do.
  bool keeps_order() const {
    if (!plan_.has_loops) return true;
    return std::ranges::all_of(query_.order, [&](const JoinOrder& key) {
      const std::vector<std::size_t> sources = sources_in(key.value);
      const auto is_in = [&](std::size_t source) { return places_.at(source) == first_loop(); };
      const auto is_before = [&](std::size_t source) { return places_.at(source) < first_loop(); };
      return std::ranges::all_of(sources, is_in) || std::ranges::all_of(sources, is_before);
    });
  }

  // At which part all of its columns are known; the number of parts: only where it is written.
  std::size_t place_of(const Expression& condition) const {
    std::size_t place = 0;
    for (const std::size_t source : sources_in(condition)) {
      place = std::max(place, query_.written == source ? plan_.parts.size() : places_.at(source));
    }
    return place;
  }

  // The caller looks at it: the subquery of a list is asked as it stands, and LEFT JOIN goes on
  // without a row.
  bool is_filter(const Expression& condition) const {
    const std::size_t place = place_of(condition);
    if (place == plan_.parts.size() || sources_in(condition).empty()) return false;
    if (query_.sources[plan_.parts[place].sources[0]].table == nullptr) return true;
    return std::ranges::any_of(sources_in(condition), [&](std::size_t source) {
      return query_.sources[source].is_optional;
    });
  }

  std::vector<Expression> conditions_at(std::size_t place) const {
    if (place < plan_.parts.size() && plan_.parts[place].is_optional) {
      return query_.sources[plan_.parts[place].sources[0]].on;
    }
    std::vector<Expression> conditions;
    for (const Expression& one : query_.conjuncts) {
      if (!is_filter(one) && place_of(one) == place) conditions.push_back(one);
    }
    return conditions;
  }

  void need(const Expression& expression, std::optional<std::size_t> except) {
    std::vector<Column> columns;
    add_columns(expression, columns);
    for (const Column& column : columns) {
      if (query_.written == column.first || except == places_.at(column.first)) continue;
      std::vector<Column>& needed = plan_.parts[places_.at(column.first)].needed;
      if (std::ranges::find(needed, column) == needed.end()) needed.push_back(column);
    }
  }

  void find_needed() {
    for (const Expression& output : query_.outputs) need(output, std::nullopt);
    for (const Aggregate& one : query_.aggregates) need(one.argument, std::nullopt);
    for (const find::Assignment& one : query_.assignments) need(one.value, std::nullopt);
    for (const Expression& one : query_.conjuncts) {
      const std::size_t place = place_of(one);
      need(one, is_filter(one) ? std::nullopt : std::optional(place));
      if (is_filter(one)) plan_.parts[place].filters.push_back(one);
    }
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      for (const Expression& one : query_.sources[plan_.parts[i].sources[0]].on) need(one, i);
    }
    for (JoinPart& part : plan_.parts) {
      std::ranges::sort(part.needed);
      const bool is_loop = !part.is_pinned || &part == &plan_.parts.front();
      if (part.needed.empty() && !is_loop) continue;
      part.row = names_.variable(query_.sources[part.sources[0]].name + "_row", "record");
    }
  }

  // The rows of the only loop have each value once, and the others one row for it.
  bool counts_once() const {
    const auto is_insensitive = [](const Aggregate& one) {
      return one.kind == AggregateKind::distinct_values || one.kind == AggregateKind::least ||
             one.kind == AggregateKind::greatest;
    };
    const bool has_others = !std::ranges::all_of(query_.aggregates, is_insensitive);
    const auto loops = std::ranges::count(plan_.parts, false, &JoinPart::is_pinned);
    if (!query_.is_aggregate || has_others || loops > 1) return false;
    if (loops == 0) return true;
    const JoinPart& loop = plan_.parts[first_loop()];
    if (loop.needed.size() != 1) return false;
    return std::ranges::all_of(query_.aggregates, [&](const Aggregate& one) {
      return one.kind != AggregateKind::distinct_values || is_same(one.argument, loop.needed[0]);
    });
  }

  bool is_same(const Expression& counted, const Column& column) const {
    const auto source = find::source_of(counted);
    if (!source) return false;
    if (*source == column.first) return counted.text == column.second;
    const TableColumn* one = column_of({*source, counted.text});
    const TableColumn* other = column_of(column);
    if (one == nullptr || other == nullptr || one->type.type != other->type.type) return false;
    return std::ranges::any_of(query_.conjuncts, [&](const Expression& conjunct) {
      const auto value = value_of_column(conjunct, *source, counted.text);
      return value && *value == source_column(column.first, column.second);
    });
  }

  const TableColumn* column_of(const Column& column) const {
    const Table* table = query_.sources[column.first].table;
    return table == nullptr ? nullptr : find_column(*table, column.second, schema_.dialect);
  }

  bool write_part(std::size_t number) {
    JoinPart& part = plan_.parts[number];
    StatementWriter writer(query_, plan_, schema_, part.sources);
    const JoinSource& source = query_.sources[part.sources[0]];
    std::optional<ProgramStatement> made;
    if (source.table == nullptr) {
      made = statement_with(source.subquery, query_.arguments, like_, schema_);
    } else {
      const bool is_distinct = plan_.counts_once && !part.is_pinned && !query_.aggregates.empty();
      const std::string text = fmt::format(
          "SELECT {}{} FROM {}{}{}{}", is_distinct ? "DISTINCT " : "", columns_text(part, writer),
          writer.tables(), writer.where(conditions_at(number)), order_text(number, writer),
          is_distinct ? "" : locking_text(part));
      made = writer.statement(text, like_);
    }
    if (!made) return false;
    part.statement = std::move(*made);
    name_columns(part);
    return true;
  }

  // A table alone calls its columns as it does; several may call two of them the same.
  std::string field_name(const JoinPart& part, const Column& column) const {
    std::string name = program::name_in_statements(column.second, schema_.dialect);
    if (part.sources.size() < 2) return name;
    return query_.sources[column.first].alias + "_" + name;
  }

  std::string columns_text(const JoinPart& part, const StatementWriter& writer) const {
    if (part.needed.empty()) return "1 AS one";
    std::vector<std::string> texts;
    for (const Column& column : part.needed) {
      std::string text = writer.column_text(column);
      if (part.sources.size() > 1) text += " AS " + program::name_text(field_name(part, column));
      texts.push_back(std::move(text));
    }
    return join(texts, ", ");
  }

  std::string order_text(std::size_t number, StatementWriter& writer) const {
    if (number != first_loop()) return "";
    std::vector<std::string> keys;
    for (const JoinOrder& key : query_.order) {
      const std::vector<std::size_t> sources = sources_in(key.value);
      const bool is_constant = std::ranges::none_of(
          sources, [&](std::size_t source) { return places_.at(source) == number; });
      if (!is_constant) keys.push_back(writer.text(key.value) + key.direction);
    }
    return keys.empty() ? "" : " ORDER BY " + join(keys, ", ");
  }

  std::string locking_text(const JoinPart& part) const {
    std::string text;
    for (const std::size_t source : part.sources) {
      const JoinSource& one = query_.sources[source];
      if (one.locking.empty()) continue;
      if (part.sources.size() == 1) return one.locking;
      const std::size_t end = one.locking.find(" NOWAIT");
      const std::size_t stop = std::min(end, one.locking.find(" SKIP"));
      const std::string strength = one.locking.substr(0, stop);
      text += strength + " OF " + program::name_text(one.alias) +
              (stop == std::string::npos ? "" : one.locking.substr(stop));
    }
    return text;
  }

  void name_columns(const JoinPart& part) {
    for (const Column& column : part.needed) {
      plan_.columns[column] = {
          .kind = ExpressionKind::field, .text = field_name(part, column), .operands = {part.row}};
    }
  }

  // The rows are changed one after the other, which must not show.
  std::string why_not_written() const {
    if (!plan_.has_loops) return "";
    if (reads_written_late()) return "it reads rows of the table that it changes";
    if (query_.kind != StatementKind::insert && !query_.outputs.empty()) {
      return "it returns the rows that it changes";
    }
    if (query_.kind != StatementKind::update) return "";
    std::vector<std::string> changed;
    for (const find::Assignment& one : query_.assignments) changed.push_back(one.column);
    for (const Expression& one : query_.conjuncts) {
      const std::vector<std::size_t> sources = sources_in(one);
      std::vector<Column> columns;
      add_columns(one, columns);
      for (const Column& column : columns) {
        const bool is_changed = column.first == query_.written &&
                                std::ranges::find(changed, column.second) != changed.end();
        if (is_changed && sources.size() > 1) return "it changes what it joins on";
      }
    }
    return changes_once() ? "" : "it may change a row for several others";
  }

  // What a loop inside of another reads is what the rounds before have left.
  bool reads_written_late() const {
    const auto written = std::ranges::find(like_.statement.tables, true, &TableUse::written);
    if (written == like_.statement.tables.end()) return true;
    for (std::size_t i = 0; i < query_.sources.size(); ++i) {
      const bool is_late = query_.written != i && places_.at(i) > 0;
      if (is_late && query_.sources[i].name == written->table) return true;
    }
    return false;
  }

  // Whether a row of the written table has one of each of the others at most.
  bool changes_once() const {
    std::set<std::size_t> known = {*query_.written};
    for (std::size_t round = 0; round < query_.sources.size(); ++round) {
      for (std::size_t i = 0; i < query_.sources.size(); ++i) {
        if (is_pinned(query_, i, known) || is_listed(i, known)) known.insert(i);
      }
    }
    return known.size() == query_.sources.size();
  }

  bool is_listed(std::size_t list, const std::set<std::size_t>& known) const {
    if (query_.sources[list].table != nullptr) return false;
    return std::ranges::any_of(query_.conjuncts, [&](const Expression& one) {
      const std::vector<std::size_t> sources = sources_in(one);
      return std::ranges::find(sources, list) != sources.end() &&
             std::ranges::all_of(sources, [&](std::size_t source) {
               return source == list || known.contains(source);
             });
    });
  }

  bool write_change() {
    std::vector<std::size_t> own;
    if (query_.written) own.push_back(*query_.written);
    StatementWriter writer(query_, plan_, schema_, own);
    std::string text;
    if (query_.kind == StatementKind::insert) {
      std::vector<std::string> values;
      for (const Expression& output : query_.outputs) values.push_back(writer.text(output));
      text = fmt::format("{} VALUES ({}){}{}", query_.insert_head, join(values, ", "),
                         query_.insert_tail.empty() ? "" : " ", query_.insert_tail);
    } else {
      const std::string where = writer.where(conditions_at(plan_.parts.size()));
      text = (query_.kind == StatementKind::update
                  ? fmt::format("UPDATE {} SET {}", writer.tables(), assignments(writer))
                  : fmt::format("DELETE FROM {}", writer.tables())) +
             where + returning(writer);
    }
    plan_.write = writer.statement(text, like_);
    return plan_.write.has_value();
  }

  std::string assignments(StatementWriter& writer) const {
    std::vector<std::string> texts;
    for (const find::Assignment& one : query_.assignments) {
      const std::string name = program::name_in_statements(one.column, schema_.dialect);
      texts.push_back(program::name_text(name) + " = " + writer.text(one.value));
    }
    return join(texts, ", ");
  }

  std::string returning(StatementWriter& writer) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < query_.outputs.size(); ++i) {
      const std::string& name = query_.output_names[i];
      texts.push_back(writer.text(query_.outputs[i]) +
                      (name.empty() ? "" : " AS " + program::name_text(name)));
    }
    return texts.empty() ? "" : " RETURNING " + join(texts, ", ");
  }

  const JoinQuery& query_;
  const ProgramStatement& like_;
  const Schema& schema_;
  FreshNames& names_;
  JoinPlan plan_;
  std::map<std::size_t, std::size_t> places_;
};

}  // namespace

JoinPlanning plan_join(const JoinQuery& query, const ProgramStatement& like, const Schema& schema,
                       FreshNames& names) {
  return Planner(query, like, schema, names).plan();
}

std::optional<ProgramStatement> row_statement(const JoinQuery& query, const JoinPlan& plan,
                                              const ProgramStatement& like, const Schema& schema,
                                              bool has_row) {
  StatementWriter writer(query, plan, schema, {});
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < query.outputs.size(); ++i) {
    const Expression& output = query.outputs[i];
    std::string text = "null";
    if (has_row) {
      text = writer.text(output);
    } else if (const auto source = find::source_of(output)) {
      const Table* table = query.sources[*source].table;
      const TableColumn* column =
          table == nullptr ? nullptr : find_column(*table, output.text, schema.dialect);
      if (column != nullptr && !variable_type(column->type).empty()) {
        text = fmt::format("CAST(null AS {})", variable_type(column->type));
      }
    }
    const std::string& name = query.output_names[i];
    texts.push_back(text + " AS " + program::name_text(name.empty() ? "?column?" : name));
  }
  return writer.statement("SELECT " + join(texts, ", "), like);
}

std::string variable_type(const ColumnType& type) {
  switch (type.type) {
    case ValueType::integer16:
      return "smallint";
    case ValueType::integer32:
      return "integer";
    case ValueType::integer64:
      return "bigint";
    case ValueType::numeric:
      return "numeric";
    case ValueType::text:
    case ValueType::varying:
      return "text";
    default:
      return type.text;
  }
}

Expression in_client(const Expression& expression, const JoinQuery& query, const JoinPlan& plan) {
  if (const auto source = find::source_of(expression)) {
    return plan.columns.at({*source, expression.text});
  }
  if (const auto number = placeholder_of(expression)) return query.arguments[*number - 1];
  Expression copy = expression;
  for (Expression& operand : copy.operands) operand = in_client(operand, query, plan);
  return copy;
}

}  // namespace heddle::chopping
