#include "find/search/either_order.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "find/forms/statement_form.h"
#include "find/values/solution_texts.h"
#include "find/values/sql_value.h"
#include "frontend/sql/words/lexer.h"
#include "smt/solver.h"

namespace heddle::find {

namespace {

using Columns = std::set<std::string>;

// A statement that uses one table.
struct Use {
  const Functionality& functionality;
  const FormedStatement& formed;
  const RowSource& source;

  const StatementForm& form() const { return formed.form; }
};

bool is_whole_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool may_mention(const Expression& expression, const std::string& column) {
  if (expression.kind == ExpressionKind::unknown) return true;
  if (source_of(expression)) return expression.text == column;
  return std::ranges::any_of(
      expression.operands, [&](const Expression& operand) { return may_mention(operand, column); });
}

Columns columns_in(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

Columns read_by(const RowSource& source) {
  Columns columns = columns_in(source.predicate_columns);
  columns.insert(source.output_columns.begin(), source.output_columns.end());
  return columns;
}

Columns shared_columns(const Columns& a, const Columns& b) {
  Columns both;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  return both;
}

// A value of the client that is a whole number, whatever it is.
class WholeNumbers {
 public:
  explicit WholeNumbers(const Use& use) : use_(use) {}

  bool has(const Expression& expression) const {
    switch (expression.kind) {
      case ExpressionKind::literal:
        return is_whole_number(expression.text);
      case ExpressionKind::variable:
        return expression.text.starts_with('$') ? has_argument(expression.text.substr(1))
                                                : is_declared(expression.text);
      case ExpressionKind::call:
        return is_arithmetic(expression.text) && !expression.operands.empty() &&
               std::ranges::all_of(expression.operands,
                                   [&](const Expression& operand) { return has(operand); });
      default:
        return false;
    }
  }

 private:
  static bool is_arithmetic(std::string_view name) {
    return name == "+" || name == "-" || name == "*";
  }

  // Arguments are values of the functionality's, which has no `$`.
  bool has_argument(const std::string& number) const {
    const std::vector<Expression>& arguments = use_.formed.statement->arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (std::to_string(i + 1) != number) continue;
      return !(arguments[i].kind == ExpressionKind::variable &&
               arguments[i].text.starts_with('$')) &&
             has(arguments[i]);
    }
    return false;
  }

  bool is_declared(const std::string& name) const {
    for (const auto* variables : {&use_.functionality.parameters, &use_.functionality.variables}) {
      const auto found = std::ranges::find(*variables, name, &Variable::name);
      if (found != variables->end()) return is_integer(type_named(found->type).type);
    }
    return false;
  }

  const Use& use_;
};

// Nothing but its value hangs on the column: no key, no check, nothing that is computed from it.
bool stands_alone(const Table& table, const std::string& column, const Schema& schema) {
  const auto has = [&](const std::vector<std::string>& columns) {
    return std::ranges::find(columns, column) != columns.end();
  };
  const bool is_named = std::ranges::any_of(schema.tables, [&](const Table& other) {
    return std::ranges::any_of(other.foreign_keys, has, &ForeignKeyConstraint::referenced_columns);
  });
  return !is_named && !has(table.primary_key) &&
         std::ranges::none_of(table.unique_constraints, has, &UniqueConstraint::columns) &&
         std::ranges::none_of(table.foreign_keys, has, &ForeignKeyConstraint::columns) &&
         std::ranges::none_of(table.checks, has, &Check::columns) &&
         std::ranges::none_of(table.columns, [](const TableColumn& one) {
           return one.generation == Generation::expression;
         });
}

// SET column = column + value, and nothing else of the statement looks at the column.
bool adds_to(const Use& use, const std::string& column) {
  const StatementForm& form = use.form();
  const auto assigned = std::ranges::find(form.assignments, column, &Assignment::column);
  if (assigned == form.assignments.end()) return false;
  const Expression& sum = assigned->value;
  const bool is_sum = sum.kind == ExpressionKind::call && sum.operands.size() == 2 &&
                      (sum.text == "+" || sum.text == "-");
  if (!is_sum) return false;
  const auto is_column = [&](const Expression& one) {
    return source_of(one).has_value() && one.text == column;
  };
  const WholeNumbers whole(use);
  const bool adds = (is_column(sum.operands[0]) && whole.has(sum.operands[1])) ||
                    (sum.text == "+" && is_column(sum.operands[1]) && whole.has(sum.operands[0]));
  if (!adds || columns_in(use.source.predicate_columns).contains(column)) return false;
  const auto looks = [&](const Expression& one) { return may_mention(one, column); };
  return std::ranges::none_of(form.outputs, looks) && std::ranges::none_of(form.conjuncts, looks) &&
         std::ranges::none_of(form.assignments, [&](const Assignment& other) {
           return other.column != column && looks(other.value);
         });
}

// All of what one of the updates writes and the other one uses are sums.
bool add_alike(const Use& a, const Use& b, const Schema& schema) {
  const Columns a_writes = columns_in(a.source.written_columns);
  const Columns b_writes = columns_in(b.source.written_columns);
  Columns shared = shared_columns(a_writes, b_writes);
  shared.merge(shared_columns(a_writes, read_by(b.source)));
  shared.merge(shared_columns(b_writes, read_by(a.source)));
  return std::ranges::all_of(shared, [&](const std::string& name) {
    const TableColumn* column = find_column(*a.source.table, name, schema.dialect);
    return column != nullptr && is_integer(column->type.type) &&
           stands_alone(*a.source.table, name, schema) && adds_to(a, name) && adds_to(b, name);
  });
}

// Of the tokens of the text those that may name the column.
std::size_t mentions(std::string_view sql, const std::string& column) {
  const sql::Tokens tokens(sql);
  std::size_t count = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string text = to_lower(std::string(tokens.text(i)));
    // That of count(*) names none.
    const bool is_all = text == "*" && (i == 0 || !tokens.is_symbol(i - 1, '('));
    if (is_all || text.find(to_lower(column)) != std::string::npos) ++count;
  }
  return count;
}

// What is compared for being equal alone, or for being less, too.
enum class Comparable : std::uint8_t { no, text, truth, number };

Comparable comparable(ValueType type) {
  if (is_integer(type)) return Comparable::number;
  const bool is_text =
      type == ValueType::text || type == ValueType::varying || type == ValueType::enumeration;
  if (is_text) return Comparable::text;
  return type == ValueType::boolean ? Comparable::truth : Comparable::no;
}

// Conditions whose meaning the solver knows exactly: constants and columns of one table, compared
// with each other.
class ExactConditions {
 public:
  explicit ExactConditions(const Table& table) : table_(table) {}

  Comparable kind(const Expression& value) const {
    if (source_of(value)) {
      const TableColumn* column = find_column(table_, value.text, Dialect::postgres);
      return column == nullptr ? Comparable::no : comparable(column->type.type);
    }
    if (value.kind != ExpressionKind::literal || value.text.empty()) return Comparable::no;
    if (value.text == "true" || value.text == "false") return Comparable::truth;
    if (value.text.front() == '\'') return Comparable::text;
    return is_whole_number(value.text) ? Comparable::number : Comparable::no;
  }

  bool has(const Expression& condition) const {
    if (condition.kind != ExpressionKind::call || condition.operands.empty()) return false;
    const auto is_one_of = [&](const auto&... names) { return ((condition.text == names) || ...); };
    if (is_one_of("and", "or", "not")) {
      return std::ranges::all_of(condition.operands,
                                 [&](const Expression& operand) { return has(operand); });
    }
    const Comparable first = kind(condition.operands[0]);
    if (is_one_of("is null", "is not null")) return first != Comparable::no;
    const bool is_equality = is_one_of("=", "<>", "!=", "in", "not in");
    const bool is_order = is_one_of("<", ">", "<=", ">=") && first == Comparable::number;
    return (is_equality || is_order) && first != Comparable::no &&
           std::ranges::all_of(condition.operands,
                               [&](const Expression& operand) { return kind(operand) == first; });
  }

 private:
  const Table& table_;
};

// Whether a query finds a row before the update and not behind it, or the other way round: asked of
// any row that the update changes.
class BeforeAndAfter {
 public:
  BeforeAndAfter(const Use& reader, const Use& writer, const Schema& schema)
      : reader_(reader), writer_(writer), schema_(schema) {}

  bool are_the_same(const Columns& columns) {
    const Lookup before = [this](const Expression& leaf) { return cell(leaf.text); };
    const ExactConditions exact(*writer_.source.table);
    std::map<std::string, SqlValue> written;
    for (const std::string& column : columns) {
      const auto assigned =
          std::ranges::find(writer_.form().assignments, column, &Assignment::column);
      if (assigned == writer_.form().assignments.end()) return false;
      const TableColumn* found = find_column(*writer_.source.table, column, schema_.dialect);
      const Expression& value = assigned->value;
      const bool is_constant = found != nullptr && value.kind == ExpressionKind::literal &&
                               exact.kind(value) != Comparable::no &&
                               exact.kind(value) == comparable(found->type.type);
      if (!is_constant) return false;
      written.emplace(column, evaluator_.value(value, before));
    }
    const Lookup after = [&](const Expression& leaf) {
      const auto changed = written.find(leaf.text);
      return changed == written.end() ? cell(leaf.text) : changed->second;
    };
    for (const Expression& conjunct : writer_.form().conjuncts) {
      if (exact.has(conjunct)) solver_.add(evaluator_.truth(conjunct, before).holds);
    }
    std::vector<Term> differs;
    Columns seen;
    for (const Expression& conjunct : reader_.form().conjuncts) {
      Columns looked_at;
      for (const std::string& column : columns) {
        if (may_mention(conjunct, column)) looked_at.insert(column);
      }
      if (looked_at.empty()) continue;
      if (!exact.has(conjunct)) return false;
      seen.merge(looked_at);
      differs.push_back(terms_.negate(terms_.equal(evaluator_.truth(conjunct, before).holds,
                                                   evaluator_.truth(conjunct, after).holds)));
    }
    if (seen != columns) return false;
    solver_.add(terms_.any(differs));
    return solver_.check() == smt::Satisfiable::no;
  }

 private:
  static constexpr std::uint32_t kMaxSteps = 200'000;

  SqlValue cell(const std::string& name) {
    const auto known = cells_.find(name);
    if (known != cells_.end()) return known->second;
    const TableColumn* column = find_column(*writer_.source.table, name, schema_.dialect);
    const Sort sort = column == nullptr ? Sort::integer : sort_of(column->type.type);
    return cells_.emplace(name, evaluator_.unknown(name, sort)).first->second;
  }

  const Use& reader_;
  const Use& writer_;
  const Schema& schema_;
  Terms terms_;
  Evaluator evaluator_{terms_};
  smt::Solver solver_{terms_, kMaxSteps};
  std::map<std::string, SqlValue> cells_;
};

// What the update writes and the query uses stands in the query's predicate alone, which does not
// see it change.
bool finds_the_same(const Use& reader, const Use& writer, const Schema& schema) {
  const Columns columns =
      shared_columns(columns_in(writer.source.written_columns), read_by(reader.source));
  if (columns.empty()) return true;
  const Statement& query = reader.formed.statement->statement;
  const bool is_plain = query.single_table_predicate && !reader.source.is_any_row &&
                        std::ranges::none_of(columns, [&](const std::string& column) {
                          return mentions(query.text, column) != mentions(query.predicate, column);
                        });
  return is_plain && BeforeAndAfter(reader, writer, schema).are_the_same(columns);
}

// The table that the statement uses, if it uses one alone.
const RowSource* only_source(const FormedStatement& formed) {
  const bool is_known = formed.form.sources.size() == 1 &&
                        formed.form.sources[0].table != nullptr &&
                        !formed.statement->statement.calls_unknown_function;
  return is_known ? &formed.form.sources[0] : nullptr;
}

bool commute(const SearchInput& input, const FoundNode& a, const FoundNode& b) {
  const FormedStatement& first = input.prepared[a.functionality].statements[a.statement];
  const FormedStatement& second = input.prepared[b.functionality].statements[b.statement];
  const RowSource* first_source = only_source(first);
  const RowSource* second_source = only_source(second);
  const Schema& schema = input.program.schema;
  const bool is_known = first_source != nullptr && second_source != nullptr &&
                        first_source->table == second_source->table &&
                        schema.dialect == Dialect::postgres;
  if (!is_known) return false;
  const Use one{input.program.functionalities[a.functionality], first, *first_source};
  const Use other{input.program.functionalities[b.functionality], second, *second_source};
  const StatementKind kind = one.form().kind;
  const StatementKind other_kind = other.form().kind;
  if (kind == StatementKind::update && other_kind == StatementKind::update) {
    return add_alike(one, other, schema);
  }
  if (kind == StatementKind::select && other_kind == StatementKind::update) {
    return finds_the_same(one, other, schema);
  }
  if (kind == StatementKind::update && other_kind == StatementKind::select) {
    return finds_the_same(other, one, schema);
  }
  return false;
}

// Any of them may run beside those of a cycle.
bool keeps_all_additions(const SearchInput& input) {
  if (!input.options.without.empty() || input.program.has_triggers) return false;
  for (std::size_t i = 0; i < input.prepared.size(); ++i) {
    for (std::size_t statement = 0; statement < input.prepared[i].statements.size(); ++statement) {
      if (!keeps_additions(level_at(input, i, statement))) return false;
    }
  }
  return true;
}

}  // namespace

bool keeps_additions(IsolationLevel level) {
  return implies(level, IsolationLevel::serializable) || level == IsolationLevel::snapshot ||
         level == IsolationLevel::postgres_read_committed ||
         level == IsolationLevel::postgres_repeatable_read;
}

const FoundEdge* idle_dependency(const SearchInput& input, const FoundCycle& cycle) {
  if (!keeps_all_additions(input)) return nullptr;
  const auto idle = std::ranges::find_if(cycle.edges, [&](const FoundEdge& edge) {
    return commute(input, cycle.nodes[edge.from], cycle.nodes[edge.to]);
  });
  return idle == cycle.edges.end() ? nullptr : &*idle;
}

}  // namespace heddle::find
