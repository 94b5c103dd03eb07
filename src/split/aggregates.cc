#include "split/aggregates.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>

#include "split/actions.h"

namespace heddle::chopping {

namespace {

const TableColumn* column_of(const Expression& expression, const JoinQuery& query,
                             const Schema& schema) {
  const auto source = find::source_of(expression);
  const Table* table = source ? query.sources[*source].table : nullptr;
  return table == nullptr ? nullptr : find_column(*table, expression.text, schema.dialect);
}

// How wide numbers are: of arithmetic, the widest of its operands.
enum class Width : std::uint8_t { none, integer32, integer64, numeric };

Width width_of(ValueType type) {
  switch (type) {
    case ValueType::integer16:
    case ValueType::integer32:
      return Width::integer32;
    case ValueType::integer64:
      return Width::integer64;
    case ValueType::numeric:
      return Width::numeric;
    default:
      return Width::none;
  }
}

Width width_of(const Expression& expression, const JoinQuery& query, const Schema& schema) {
  if (const TableColumn* column = column_of(expression, query, schema)) {
    return width_of(column->type.type);
  }
  if (expression.kind == ExpressionKind::literal) {
    const std::string& text = expression.text;
    const bool is_number =
        !text.empty() && text.find_first_not_of("-0123456789.") == std::string::npos;
    if (!is_number) return Width::none;
    return text.size() > 9 || text.find('.') != std::string::npos ? Width::numeric
                                                                  : Width::integer32;
  }
  static const std::set<std::string> kArithmetic = {"+", "-", "*", "/", "%", "coalesce"};
  if (expression.kind != ExpressionKind::call || !kArithmetic.contains(expression.text)) {
    return Width::none;
  }
  Width widest = Width::none;
  for (const Expression& operand : expression.operands) {
    const Width width = width_of(operand, query, schema);
    if (width == Width::none) return Width::none;
    widest = std::max(widest, width);
  }
  return widest;
}

// Of a variable that has such a value; empty: it is not known.
std::string value_type(const Expression& expression, const JoinQuery& query, const Schema& schema) {
  if (const TableColumn* column = column_of(expression, query, schema)) {
    return variable_type(column->type);
  }
  static constexpr std::array<const char*, 4> kTypes = {"", "integer", "bigint", "numeric"};
  return kTypes.at(static_cast<std::size_t>(width_of(expression, query, schema)));
}

std::string type_of(const Aggregate& one, const JoinQuery& query, const Schema& schema) {
  switch (one.kind) {
    case AggregateKind::rows:
    case AggregateKind::values:
      return "bigint";
    case AggregateKind::distinct_values:
      return value_type(one.argument, query, schema).empty() ? "" : "bigint";
    case AggregateKind::least:
    case AggregateKind::greatest:
      return value_type(one.argument, query, schema);
    case AggregateKind::sum:
    case AggregateKind::mean:
      break;
  }
  const Width width = width_of(one.argument, query, schema);
  if (width == Width::none) return "";
  return one.kind == AggregateKind::sum && width == Width::integer32 ? "bigint" : "numeric";
}

// One aggregate's actions, added to those of all.
class Adder {
 public:
  Adder(const JoinQuery& query, const JoinPlan& plan, const Schema& schema, FreshNames& names)
      : query_(query), plan_(plan), schema_(schema), names_(names) {}

  AggregateActions add_all() {
    for (const Aggregate& one : query_.aggregates) add(one);
    return std::move(made_);
  }

 private:
  void add(const Aggregate& one) {
    const Expression target = query_.arguments[one.placeholder - 1];
    const Expression value = in_client(one.argument, query_, plan_);
    switch (one.kind) {
      case AggregateKind::rows:
        begin(target, "0");
        set(made_.each, target, call("+", {target, literal("1")}));
        return;
      case AggregateKind::values:
        begin(target, "0");
        count(target, one.argument, {});
        return;
      case AggregateKind::distinct_values:
        begin(target, "0");
        count_distinct(target, one.argument);
        return;
      case AggregateKind::least:
      case AggregateKind::greatest:
        begin(target, "null");
        set(made_.each, target,
            call(one.kind == AggregateKind::least ? "least" : "greatest", {target, value}));
        return;
      case AggregateKind::sum:
        begin(target, "null");
        sum(target, one.argument, value);
        return;
      case AggregateKind::mean:
        add_mean(target, one, value);
        return;
    }
  }

  void begin(const Expression& target, const char* value) {
    made_.before.push_back({.target = target, .value = literal(value)});
  }
  static void set(Block& block, Expression target, Expression value) {
    block.push_back(
        {.source = {}, .what = Assign{.target = std::move(target), .value = std::move(value)}});
  }

  // A null adds nothing.
  bool may_be_null(const Expression& argument) const {
    const TableColumn* column = column_of(argument, query_, schema_);
    return column == nullptr || !column->not_null ||
           query_.sources[*find::source_of(argument)].is_optional;
  }

  void sum(const Expression& target, const Expression& argument, const Expression& value) {
    const Expression more = call("+", {target, value});
    set(made_.each, target,
        may_be_null(argument) ? call("coalesce", {more, value, target})
                              : call("coalesce", {more, value}));
  }

  // One more where the argument is a value and the condition holds; `then` happens, too.
  void count(const Expression& target, const Expression& argument,
             const std::optional<Expression>& condition, Block then = {}) {
    std::vector<Expression> conditions;
    if (may_be_null(argument)) {
      conditions.push_back(call("is not null", {in_client(argument, query_, plan_)}));
    }
    if (condition) conditions.push_back(*condition);
    set(then, target, call("+", {target, literal("1")}));
    if (conditions.empty()) {
      for (Action& one : then) made_.each.push_back(std::move(one));
      return;
    }
    Expression all = conditions.size() == 1 ? conditions[0] : call("and", conditions);
    made_.each.push_back(
        {.source = {},
         .what = Branch{.condition = std::move(all), .then = std::move(then), .otherwise = {}}});
  }

  void count_distinct(const Expression& target, const Expression& argument) {
    if (plan_.counts_once) {
      count(target, argument, {});
      return;
    }
    const Expression seen =
        names_.variable("values_seen", value_type(argument, query_, schema_) + "[]");
    const Expression value = in_client(argument, query_, plan_);
    begin(seen, "null");
    Block then;
    set(then, seen, call("array_append", {seen, value}));
    count(target, argument, call("is null", {call("array_position", {seen, value})}),
          std::move(then));
  }

  void add_mean(const Expression& target, const Aggregate& one, const Expression& value) {
    const Expression total = names_.variable("total", "numeric");
    const Expression number = names_.variable("number_of_values", "bigint");
    begin(total, "null");
    begin(number, "0");
    sum(total, one.argument, value);
    count(number, one.argument, {});
    made_.after.push_back(
        {.target = target, .value = call("/", {total, call("nullif", {number, literal("0")})})});
  }

  const JoinQuery& query_;
  const JoinPlan& plan_;
  const Schema& schema_;
  FreshNames& names_;
  AggregateActions made_;
};

}  // namespace

std::string declare_aggregates(JoinQuery& query, const Schema& schema, FreshNames& names) {
  for (const Aggregate& one : query.aggregates) {
    const std::string type = type_of(one, query, schema);
    if (type.empty()) return "the type of its aggregate is not known";
    query.arguments[one.placeholder - 1] = names.variable("aggregate", type);
  }
  return "";
}

AggregateActions aggregate_actions(const JoinQuery& query, const JoinPlan& plan,
                                   const Schema& schema, FreshNames& names) {
  return Adder(query, plan, schema, names).add_all();
}

}  // namespace heddle::chopping
