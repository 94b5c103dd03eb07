// Variables, what is stored into them, and what is returned.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "interpret/machine.h"
#include "program/held_cursors.h"

namespace heddle::interpreter {

namespace {

// MariaDB's truth values are numbers, and may be others than 0 and 1.
bool is_other_number(std::string_view cell) {
  return cell != "0" && cell != "1" && !cell.empty() &&
         cell.find_first_not_of("-0123456789") == cell.npos;
}

// Lengths of parameters and results are not looked at, PostgreSQL forgets them.
Type without_length(Type type) {
  type.precision = -1;
  return type;
}

Fields fields_of(const Table& table) {
  Fields fields;
  for (const TableColumn& column : table.columns) {
    fields.names.push_back(column.name);
    fields.values.push_back(null_of(parse_type(column.type.text)));
  }
  return fields;
}

const Table* table_of(const Schema& schema, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) name = name.substr(dot + 1);
  return find_table(schema, fold_name(name, schema.dialect), schema.dialect);
}

// A variable's type, and what it holds before anything is assigned.
Slot fresh_slot(const Schema& schema, const std::string& written) {
  std::string_view name = trim(written);
  const std::string folded = to_lower(name);
  const bool is_column = folded.ends_with("%type");
  const bool is_row = folded.ends_with("%rowtype");
  if (is_column) {
    name = name.substr(0, folded.size() - std::string_view("%type").size());
    const std::size_t dot = name.rfind('.');
    const Table* table =
        dot == std::string_view::npos ? nullptr : table_of(schema, name.substr(0, dot));
    const TableColumn* column =
        table == nullptr
            ? nullptr
            : find_column(*table, fold_name(name.substr(dot + 1), schema.dialect), schema.dialect);
    const Type type = column == nullptr ? Type{} : parse_type(column->type.text);
    return {type, null_of(type)};
  }
  if (is_row) name = name.substr(0, folded.size() - std::string_view("%rowtype").size());
  Type type = parse_type(name);
  if (is_row || (type.base == Base::opaque && !type.is_array)) {
    if (const Table* table = table_of(schema, name)) {
      return {type_of(Base::row), fields_value(fields_of(*table))};
    }
  }
  return {type, null_of(type)};
}

// The fields keep their names and types.
Fields converted(const Fields& pattern, const std::vector<Value>& values, Errors& errors) {
  Fields fields = pattern;
  for (std::size_t i = 0; i < fields.values.size(); ++i) {
    const Type type = fields.values[i].type;
    fields.values[i] =
        i < values.size() ? convert(values[i], type, Cast::assigned, errors) : null_of(type);
  }
  return fields;
}

}  // namespace

Machine::Machine(const Program& program, const Functionality& functionality,
                 StatementRunner& runner, const InterpretOptions& options)
    : program_(program),
      functionality_(functionality),
      runner_(runner),
      options_(options),
      held_cursors_(program::held_cursors(functionality)),
      evaluator_(variables_, options.unknown_value) {
  for (const Variable& parameter : functionality.parameters) declare(parameter, true);
  for (const Variable& variable : functionality.variables) declare(variable, false);
  variables_.insert({"found", {type_of(Base::boolean), boolean_value(false)}});
  if (functionality.returns) {
    const std::string returns = to_lower(*functionality.returns);
    constexpr std::string_view kSet = "setof ";
    returns_set_ = returns.starts_with(kSet) || returns.starts_with("table");
    const Slot slot = fresh_slot(
        program.schema, functionality.returns->substr(returns.starts_with(kSet) ? kSet.size() : 0));
    const bool is_one = slot.type.base != Base::row && !returns.starts_with("table");
    if (is_one) returned_type_ = without_length(slot.type);
  }
}

void Machine::declare(const Variable& variable, bool is_parameter) {
  Slot slot = fresh_slot(program_.schema, variable.type);
  if (is_parameter) slot = {without_length(slot.type), slot.value};
  if (slot.type.base == Base::row && !slot.value.is_null()) {
    row_types_.insert({variable.name, slot.value.fields()});
  }
  variables_.insert_or_assign(variable.name, std::move(slot));
}

Machine::Way Machine::set_arguments(const std::vector<Cell>& arguments) {
  if (arguments.size() != functionality_.parameters.size()) {
    return give_up(fmt::format("{} takes {} arguments, not {}", functionality_.name,
                               functionality_.parameters.size(), arguments.size()),
                   Trouble::bad_input, "give one for each parameter");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Slot& slot = variables_.find(functionality_.parameters[i].name)->second;
    Errors errors;
    slot.value =
        arguments[i] ? read_value_text(*arguments[i], slot.type, errors) : null_of(slot.type);
    if (errors.any()) {
      return give_up(
          fmt::format("the argument {}: {}", functionality_.parameters[i].name, errors.message()),
          Trouble::bad_input, "write it as PostgreSQL does");
    }
  }
  return Way::on;
}

std::optional<Value> Machine::value_of(const Expression& expression) {
  Errors errors;
  Value value = evaluator_.evaluate(expression, *source_, errors);
  if (settle(errors) != Way::on) return std::nullopt;
  return value;
}

void Machine::set_found(bool found) {
  variables_.find("found")->second.value = boolean_value(found);
}

// A row of a result with the columns' names; without a row all of its fields are null.
Value Machine::row_of(const StatementResult& result, std::optional<std::size_t> row,
                      Errors& errors) {
  Fields fields;
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    Type type = parse_type(result.columns[i].type);
    fields.names.push_back(result.columns[i].name);
    const Cell cell = row ? result.rows[*row].at(i) : std::nullopt;
    if (cell && type.base == Base::boolean && is_other_number(*cell)) type = type_of(Base::int4);
    if (cell && type.base == Base::row) {
      fields.values.push_back({type_of(Base::text), *cell});
    } else {
      fields.values.push_back(cell ? read_value_text(*cell, type, errors) : null_of(type));
    }
  }
  return fields_value(std::move(fields));
}

Machine::Way Machine::store_row(const std::vector<Expression>& into, const StatementResult& result,
                                std::optional<std::size_t> row) {
  Errors errors;
  const Value value = row_of(result, row, errors);
  if (settle(errors) != Way::on) return Way::failed;
  if (into.size() == 1 && into[0].kind == ExpressionKind::variable) {
    const Slot* slot = slot_of(into[0], errors);
    if (slot != nullptr && slot->type.base == Base::row) return assign(into[0], value);
  }
  const std::vector<Value>& values = value.fields().values;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const Way way = assign(into[i], i < values.size() ? values[i] : null_of({}));
    if (way != Way::on) return way;
  }
  return Way::on;
}

Slot* Machine::slot_of(const Expression& target, Errors& errors) {
  const auto found = variables_.find(target.text);
  const bool is_variable = target.kind == ExpressionKind::variable && found != variables_.end();
  if (is_variable) return &found->second;
  errors.unsupported(fmt::format("{} cannot be assigned to", print_expression(target)));
  return nullptr;
}

Machine::Way Machine::assign(const Expression& target, const Value& value) {
  Errors errors;
  if (target.kind == ExpressionKind::field) {
    assign_field(target, value, errors);
  } else if (target.kind == ExpressionKind::element) {
    assign_element(target, value, errors);
  } else if (Slot* slot = slot_of(target, errors)) {
    assign_variable(*slot, value, errors);
  }
  return settle(errors);
}

void Machine::assign_variable(Slot& slot, const Value& value, Errors& errors) {
  if (slot.type.base != Base::row || slot.type.is_array) {
    Value kept =
        slot.type.base == Base::unknown ? value : convert(value, slot.type, Cast::assigned, errors);
    if (!errors.any()) slot.value = std::move(kept);
    return;
  }
  const auto name = std::ranges::find_if(
      variables_, [&](const auto& variable) { return &variable.second == &slot; });
  const auto pattern = row_types_.find(name->first);
  const bool is_fixed = pattern != row_types_.end();
  if (value.is_null()) {
    slot.value = is_fixed ? fields_value(pattern->second) : null_of(slot.type);
  } else if (value.type.base != Base::row) {
    errors.raise("42804", "cannot assign non-composite value to a record variable");
  } else if (is_fixed) {
    Fields fields = converted(pattern->second, value.fields().values, errors);
    if (!errors.any()) slot.value = fields_value(std::move(fields));
  } else {
    slot.value = value;
  }
}

void Machine::assign_field(const Expression& target, const Value& value, Errors& errors) {
  Slot* slot = slot_of(target.operands.at(0), errors);
  if (slot == nullptr) return;
  if (slot->type.base != Base::row || slot->value.is_null()) {
    errors.raise("55000",
                 fmt::format("record \"{}\" is not assigned yet", target.operands[0].text));
    return;
  }
  Fields fields = slot->value.fields();
  const auto name = std::ranges::find(fields.names, target.text);
  if (name == fields.names.end()) {
    errors.raise("42703", fmt::format("record \"{}\" has no field \"{}\"", target.operands[0].text,
                                      target.text));
    return;
  }
  Value& field = fields.values[static_cast<std::size_t>(name - fields.names.begin())];
  field = convert(value, Type(field.type), Cast::assigned, errors);
  if (!errors.any()) slot->value = fields_value(std::move(fields));
}

// Places around the array's are added as nulls.
void Machine::assign_element(const Expression& target, const Value& value, Errors& errors) {
  const Value place = evaluator_.evaluate(target.operands.at(1), *source_, errors);
  const Value index = convert(place, type_of(Base::int4), Cast::assigned, errors);
  Slot* slot = slot_of(target.operands[0], errors);
  if (slot == nullptr || errors.any()) return;
  if (!slot->type.is_array) {
    errors.raise("42804", "cannot subscript type " + type_name(slot->type));
    return;
  }
  if (index.is_null()) {
    errors.raise("22004", "array subscript in assignment must not be null");
    return;
  }
  const Type type = element_of(slot->type);
  const Value element = convert(value, type, Cast::assigned, errors);
  if (errors.any()) return;
  Array array = slot->value.is_null() ? Array{} : slot->value.array();
  if (array.elements.empty()) array.lower = index.integer();
  const std::int64_t before = array.lower - index.integer();
  const std::int64_t after = index.integer() - array.lower - std::ssize(array.elements) + 1;
  if (std::max(before, after) > kMostElements) {
    errors.bound("an array is too long");
    return;
  }
  if (before > 0) {
    array.elements.insert(array.elements.begin(), static_cast<std::size_t>(before), null_of(type));
    array.lower = index.integer();
  }
  if (after > 0)
    array.elements.resize(array.elements.size() + static_cast<std::size_t>(after), null_of(type));
  array.elements[static_cast<std::size_t>(index.integer() - array.lower)] = element;
  slot->value = array_value(slot->type, std::move(array));
}

Machine::Way Machine::return_row(const std::vector<Expression>& expressions, bool is_last) {
  std::vector<Value> values;
  for (const Expression& expression : expressions) {
    auto value = value_of(expression);
    if (!value) return Way::failed;
    values.push_back(std::move(*value));
  }
  if (is_last) result_.returned.clear();
  if (functionality_.returns == "void") return Way::on;
  if (returned_type_ && values.size() == 1) {
    Errors errors;
    const Value value = convert(values[0], *returned_type_, Cast::assigned, errors);
    if (settle(errors) != Way::on) return Way::failed;
    add_row({functionality_.name}, {value});
    return Way::on;
  }
  if (values.size() == 1 && values[0].type.base == Base::row && !values[0].is_null()) {
    add_row(values[0].fields().names, values[0].fields().values);
    return Way::on;
  }
  std::vector<std::string> names;
  for (const Expression& expression : expressions) {
    names.push_back(expression.kind == ExpressionKind::variable ? expression.text : "");
  }
  add_row(names, values);
  return Way::on;
}

void Machine::add_row(const std::vector<std::string>& names, const std::vector<Value>& values) {
  if (result_.columns.empty()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      result_.columns.push_back({.name = names[i], .type = type_name(values[i].type)});
    }
  }
  Row row;
  for (const Value& value : values) row.push_back(client_value(value).text);
  result_.returned.push_back(std::move(row));
}

}  // namespace heddle::interpreter
