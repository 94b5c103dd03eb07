#include "find/random/random_arguments.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "find/forms/statement_form.h"
#include "find/values/solution_texts.h"
#include "program/visit.h"

namespace heddle::find {

namespace {

constexpr std::size_t kLongestArray = 3;
constexpr std::size_t kHighestNumber = 10;

// What a functionality does with its parameters, seen through copies of them and through elements
// of arrays.
class ParameterUses {
 public:
  ParameterUses(const Functionality& functionality, const Schema& schema) : schema_(schema) {
    for (const Variable& parameter : functionality.parameters) {
      meaning_[parameter.name] = parameter.name;
    }
    read_block(functionality.body);
    for (const ListedStatement& listed : list_statements(functionality)) {
      read_statement(*listed.statement);
      for (const Guard& guard : listed.guards) read_condition(guard.condition);
    }
  }

  // Table and column.
  using Place = std::pair<std::string, std::string>;
  const std::set<Place>& places(const std::string& parameter) { return places_[parameter]; }
  bool is_asked_for_null(const std::string& parameter) const {
    return nullable_.contains(parameter);
  }

 private:
  // Blocks are nested no deeper than the reader of programs lets them.
  void read_block(const Block& block) {
    for (const Action& action : block) {
      if (const auto* assign = std::get_if<Assign>(&action.what)) {
        copy(assign->target, assign->value);
      } else if (const auto* elements = std::get_if<ElementLoop>(&action.what)) {
        const std::string from = parameter_of(elements->array);
        if (!from.empty()) meaning_[elements->variable] = from;
      }
      // Going through does not change it.
      program::for_each_block(const_cast<Action&>(action),  // NOLINT(*-const-cast)
                              [&](const Block& inner) { read_block(inner); });
    }
  }

  void copy(const Expression& target, const Expression& value) {
    const std::string from = parameter_of(value);
    if (target.kind == ExpressionKind::variable && !from.empty()) meaning_[target.text] = from;
  }

  // Empty: it is something else.
  std::string parameter_of(const Expression& value) const {
    const Expression* named = &value;
    while (named->kind == ExpressionKind::element || named->kind == ExpressionKind::cast) {
      named = &named->operands.at(0);
    }
    if (named->kind != ExpressionKind::variable) return "";
    const auto known = meaning_.find(named->text);
    return known == meaning_.end() ? "" : known->second;
  }

  // Of a value `$n` of the statement.
  std::string parameter_of(const ProgramStatement& statement, const Expression& leaf) const {
    if (leaf.kind != ExpressionKind::variable || !leaf.text.starts_with('$')) return "";
    for (std::size_t i = 0; i < statement.arguments.size(); ++i) {
      if (leaf.text == fmt::format("${}", i + 1)) return parameter_of(statement.arguments[i]);
    }
    return "";
  }

  void read_statement(const ProgramStatement& statement) {
    const StatementForm form = form_of(statement, schema_, false);
    for (const Expression& conjunct : form.conjuncts) {
      const bool is_equation = conjunct.kind == ExpressionKind::call && conjunct.text == "=" &&
                               conjunct.operands.size() == 2;
      if (!is_equation) continue;
      read_equation(statement, form, conjunct.operands[0], conjunct.operands[1]);
      read_equation(statement, form, conjunct.operands[1], conjunct.operands[0]);
    }
    const auto target = std::ranges::find(form.sources, true, &RowSource::is_written);
    if (target == form.sources.end() || target->table == nullptr) return;
    for (const Assignment& assignment : form.assignments) {
      const std::string parameter = parameter_of(statement, assignment.value);
      if (parameter.empty()) continue;
      for (const ForeignKeyConstraint& foreign : target->table->foreign_keys) {
        const auto column = std::ranges::find(foreign.columns, assignment.column);
        if (column == foreign.columns.end()) continue;
        places_[parameter].emplace(target->table->name, assignment.column);
      }
    }
  }

  void read_equation(const ProgramStatement& statement, const StatementForm& form,
                     const Expression& column, const Expression& value) {
    const auto source = source_of(column);
    const std::string parameter = parameter_of(statement, value);
    if (source && !parameter.empty()) {
      places_[parameter].emplace(form.sources[*source].name, column.text);
    }
  }

  void read_condition(const Expression& condition) {
    std::vector<const Expression*> open = {&condition};
    while (!open.empty()) {
      const Expression& one = *open.back();
      open.pop_back();
      const bool asks =
          one.kind == ExpressionKind::call && (one.text == "is null" || one.text == "is not null");
      if (asks) nullable_.insert(parameter_of(one.operands.at(0)));
      for (const Expression& operand : one.operands) open.push_back(&operand);
    }
  }

  const Schema& schema_;
  std::map<std::string, std::string> meaning_;  // of variables: a parameter, or part of one
  std::map<std::string, std::set<Place>> places_;
  std::set<std::string> nullable_;
};

std::vector<std::string> values_at(const std::set<ParameterUses::Place>& places,
                                   const std::vector<FilledRow>& rows) {
  std::set<std::string> values;
  for (const FilledRow& row : rows) {
    for (const auto& [table, column] : places) {
      if (row.table->name != table) continue;
      const auto cell = row.cells.find(column);
      if (cell != row.cells.end() && cell->second) values.insert(*cell->second);
    }
  }
  return {values.begin(), values.end()};
}

// As an element of '{...}'.
std::string in_array(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

}  // namespace

RandomArguments::RandomArguments(const Program& program, const std::vector<FilledRow>& rows) {
  for (const Functionality& functionality : program.functionalities) {
    ParameterUses uses(functionality, program.schema);
    std::vector<Parameter>& parameters = parameters_.emplace_back();
    for (const Variable& parameter : functionality.parameters) {
      parameters.push_back({.type = type_named(parameter.type),
                            .may_be_null = uses.is_asked_for_null(parameter.name),
                            .keys = values_at(uses.places(parameter.name), rows)});
    }
  }
}

std::vector<Cell> RandomArguments::draw(std::size_t functionality, RandomNumbers& random) const {
  const std::size_t length = random.between(1, kLongestArray);
  std::vector<Cell> arguments;
  for (const Parameter& parameter : parameters_[functionality]) {
    if (parameter.may_be_null && random.one_in(2)) {
      arguments.emplace_back();
      continue;
    }
    if (parameter.type.type != ValueType::array) {
      arguments.emplace_back(value(parameter, parameter.type.type, random));
      continue;
    }
    std::string text = "{";
    for (std::size_t i = 0; i < length; ++i) {
      if (i > 0) text += ",";
      text += in_array(value(parameter, parameter.type.element, random));
    }
    arguments.emplace_back(text + "}");
  }
  return arguments;
}

std::string RandomArguments::value(const Parameter& parameter, ValueType type,
                                   RandomNumbers& random) {
  if (!parameter.keys.empty()) return random.pick(parameter.keys);
  const std::size_t number = random.between(1, kHighestNumber);
  switch (type) {
    case ValueType::enumeration:
      return parameter.type.labels.empty() ? "" : random.pick(parameter.type.labels);
    case ValueType::boolean:
      return number % 2 == 0 ? "true" : "false";
    case ValueType::date:
      return fmt::format("2024-02-{:02}", number);
    case ValueType::time:
      return fmt::format("{:02}:00:00", number);
    case ValueType::timestamp:
      return fmt::format("2024-02-{:02} 09:00:00", number);
    default:
      // A text, too.
      return fmt::format("{}", number);
  }
}

}  // namespace heddle::find
