#include "replay/called_statements.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "interpret/type.h"
#include "program/redis_commands.h"
#include "program/visit.h"
#include "replay/feeding.h"
#include "store/quote.h"

namespace heddle {

namespace {

// The variable or field that the expression names; empty: it names none.
std::string name_of(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::variable:
      return expression.text;
    case ExpressionKind::field:
      return field_name(expression.operands.at(0).text, expression.text);
    case ExpressionKind::element:
      return name_of(expression.operands.at(0));
    default:
      return "";
  }
}

Expression with_placeholder(const Expression& expression, const KnownValues& known = {}) {
  const std::string name = name_of(expression);
  if (const auto value = known.find(name); value != known.end()) {
    return {.kind = ExpressionKind::literal, .text = value->second, .operands = {}};
  }
  if (!name.empty()) {
    return {.kind = ExpressionKind::literal, .text = variable_placeholder(name), .operands = {}};
  }
  Expression replaced = expression;
  for (Expression& operand : replaced.operands) operand = with_placeholder(operand, known);
  return replaced;
}

std::vector<std::string> names_of(const std::vector<Expression>& expressions) {
  std::vector<std::string> names;
  for (const Expression& expression : expressions) names.push_back(name_of(expression));
  return names;
}

// The names that the body gives a value.
void note_assigned(const Block& block, std::set<std::string>& names) {
  for (const Action& action : block) {
    // Going through does not change it.
    auto& open = const_cast<Action&>(action);  // NOLINT(*-const-cast)
    program::for_each_expression(
        open, [](const Expression& /*used*/) {},
        [&](const Expression& target) {
          const Expression* whole = &target;
          while (whole->kind != ExpressionKind::variable && !whole->operands.empty()) {
            whole = whole->operands.data();
          }
          names.insert(whole->text);
        });
    if (const auto* counting = std::get_if<CountLoop>(&action.what)) {
      names.insert(counting->variable);
    } else if (const auto* elements = std::get_if<ElementLoop>(&action.what)) {
      names.insert(elements->variable);
    }
    program::for_each_block(open, [&](const Block& inner) { note_assigned(inner, names); });
  }
}

class FlowReader {
 public:
  explicit FlowReader(const Functionality& functionality) {
    const std::vector<ListedStatement> listed = list_statements(functionality);
    for (std::size_t i = 0; i < listed.size(); ++i) numbers_[listed[i].statement] = i;
    // A cursor's rows may be fetched above where it is opened, in a loop.
    read_block(functionality.body);
    for (auto& [cursor, into] : fetched_) {
      for (const std::size_t statement : opened_[cursor]) add_rows(into, statement);
    }
  }

  std::vector<ValueFlow> take() { return std::move(flows_); }

 private:
  // Blocks are nested no deeper than the reader of programs lets them.
  void read_block(const Block& block) {
    for (const Action& action : block) {
      read_action(action);
      // Going through does not change it.
      program::for_each_block(const_cast<Action&>(action),  // NOLINT(*-const-cast)
                              [&](const Block& inner) { read_block(inner); });
    }
  }

  void read_action(const Action& action) {
    if (const auto* run = std::get_if<RunStatement>(&action.what)) {
      if (run->returned) add_returned(numbers_[&run->statement]);
      if (!run->into.empty()) add_rows(names_of(run->into), numbers_[&run->statement]);
    } else if (const auto* rows = std::get_if<RowLoop>(&action.what)) {
      add_rows(names_of(rows->into), numbers_[&rows->statement]);
    } else if (const auto* open = std::get_if<OpenRows>(&action.what)) {
      opened_[open->cursor].push_back(numbers_[&open->statement]);
    } else if (const auto* fetch = std::get_if<FetchRow>(&action.what)) {
      fetched_.emplace_back(fetch->cursor, names_of(fetch->into));
    } else if (const auto* assign = std::get_if<Assign>(&action.what)) {
      add_value(name_of(assign->target), assign->value);
    } else if (const auto* elements = std::get_if<ElementLoop>(&action.what)) {
      add_value(elements->variable, elements->array);
    } else if (const auto* end = std::get_if<Return>(&action.what)) {
      add_returned(end->values);
    } else if (const auto* next = std::get_if<ReturnRow>(&action.what)) {
      add_returned(next->values);
    }
  }

  void add_rows(std::vector<std::string> into, std::size_t statement) {
    flows_.push_back(
        {.into = std::move(into), .statement = statement, .expression = {}, .copied = {}});
  }

  void add_value(std::string into, const Expression& value) {
    ValueFlow& flow = flows_.emplace_back();
    flow.into = {std::move(into)};
    flow.expression = print_expression(with_placeholder(value));
    if (value.kind == ExpressionKind::variable) flow.copied = value.text;
  }

  void add_returned(const std::vector<Expression>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      add_value(returned_name(i), values[i]);
      // It may be a row.
      if (values.size() == 1) add_value(kReturned, values[i]);
    }
  }

  void add_returned(std::size_t statement) { add_rows({kReturned}, statement); }

  std::map<const ProgramStatement*, std::size_t> numbers_;
  std::map<std::string, std::vector<std::size_t>> opened_;
  std::vector<std::pair<std::string, std::vector<std::string>>> fetched_;
  std::vector<ValueFlow> flows_;
};

}  // namespace

std::string field_name(const std::string& variable, const std::string& field) {
  return variable + "__" + field;
}

std::string returned_name(std::size_t column) {
  return field_name(kReturned, std::to_string(column));
}

std::vector<std::string> statement_templates(const Functionality& functionality,
                                             const KnownValues& known) {
  std::vector<std::string> texts;
  for (const ListedStatement& listed : list_statements(functionality)) {
    std::vector<Expression> placeholders;
    for (const Expression& argument : listed.statement->arguments) {
      placeholders.push_back(with_placeholder(argument, known));
    }
    const bool is_edge = program::is_redis(*listed.statement) &&
                         listed.statement->statement.kind == StatementKind::set;
    texts.push_back(listed.statement->made_text ? ""
                    : is_edge                   ? "SELECT 1"
                              : named_text(listed.statement->statement.text, placeholders));
  }
  return texts;
}

KnownValues known_arguments(const Functionality& functionality,
                            const std::vector<std::optional<std::string>>& arguments) {
  std::set<std::string> assigned;
  note_assigned(functionality.body, assigned);
  KnownValues known;
  for (std::size_t i = 0; i < arguments.size() && i < functionality.parameters.size(); ++i) {
    const Variable& parameter = functionality.parameters[i];
    if (!arguments[i] || assigned.contains(parameter.name)) continue;
    const interpreter::Type type = interpreter::parse_type(parameter.type);
    if (type.is_array) continue;
    if (interpreter::is_number(type.base)) known[parameter.name] = *arguments[i];
    if (interpreter::is_text(type.base)) known[parameter.name] = quote_literal(*arguments[i]);
  }
  return known;
}

std::vector<ValueFlow> value_flows(const Functionality& functionality) {
  return FlowReader(functionality).take();
}

}  // namespace heddle
