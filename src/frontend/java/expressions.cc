// Expressions of Java as symbolic values.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

std::string without_underscores(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  return digits;
}

}  // namespace

Value FunctionalityReader::read(const Node& expression, Block& out) {
  if (!enter(expression)) return {};
  const std::string expected = std::exchange(expected_type_, "");
  const bool passes_on =
      expression.is("method_invocation") || expression.is("parenthesized_expression") ||
      expression.is("object_creation_expression") || expression.is("array_initializer");
  if (passes_on) expected_type_ = expected;
  Value value = read_one(expression, out);
  expected_type_.clear();
  leave();
  return settled(state_, std::move(value));
}

Value FunctionalityReader::read_one(const Node& expression, Block& out) {
  using Reader = Value (FunctionalityReader::*)(const Node&, Block&);
  struct Row {
    std::string_view kind;
    Reader reader;
  };
  static constexpr std::array kReaders = {
      Row{"identifier", &FunctionalityReader::read_name},
      Row{"field_access", &FunctionalityReader::read_field},
      Row{"method_invocation", &FunctionalityReader::read_call},
      Row{"binary_expression", &FunctionalityReader::read_binary},
      Row{"unary_expression", &FunctionalityReader::read_unary},
      Row{"update_expression", &FunctionalityReader::read_update},
      Row{"assignment_expression", &FunctionalityReader::read_assignment},
      Row{"ternary_expression", &FunctionalityReader::read_choice},
      Row{"cast_expression", &FunctionalityReader::read_cast},
      Row{"object_creation_expression", &FunctionalityReader::read_creation},
      Row{"array_creation_expression", &FunctionalityReader::read_array},
      Row{"array_initializer", &FunctionalityReader::read_array},
      Row{"array_access", &FunctionalityReader::read_array_access},
      Row{"switch_expression", &FunctionalityReader::read_switch_value},
  };
  const auto* const known = std::ranges::find(kReaders, expression.kind(), &Row::kind);
  if (known != kReaders.end()) return (this->*known->reader)(expression, out);
  if (expression.is("parenthesized_expression")) return read(expression.first_child(), out);
  if (expression.is("this")) {
    return frame().self ? value_of_this() : Value();
  }
  if (expression.is("lambda_expression") || expression.is("method_reference")) {
    return make_lambda(expression, out);
  }
  return read_literal(expression);
}

Value FunctionalityReader::read_literal(const Node& expression) const {
  const std::string_view kind = expression.kind();
  if (kind == "string_literal") return string_value(words(literal_text(expression)));
  if (kind == "character_literal") {
    Value value = string_value(words(literal_text(expression)));
    value.type = "char";
    return value;
  }
  if (kind == "true" || kind == "false") return scalar(literal(std::string(kind)), "boolean");
  if (kind == "null_literal") return null_value();
  std::string digits = without_underscores(expression.text());
  if (kind == "decimal_floating_point_literal") {
    const bool is_float = digits.ends_with('f') || digits.ends_with('F');
    if (!digits.empty() && std::string_view("fFdD").find(digits.back()) != std::string::npos) {
      digits.pop_back();
    }
    return scalar(literal(digits), is_float ? "float" : "double");
  }
  if (kind.ends_with("_integer_literal")) {
    const bool is_long = digits.ends_with('L') || digits.ends_with('l');
    if (is_long) digits.pop_back();
    const int base = kind.starts_with("hex") ? 16 : kind.starts_with("octal") ? 8 : 10;
    if (base == 10) return scalar(literal(digits), is_long ? "long" : "int");
    const unsigned long long number_value = kind.starts_with("binary")
                                                ? std::strtoull(digits.c_str() + 2, nullptr, 2)
                                                : std::strtoull(digits.c_str(), nullptr, base);
    return scalar(literal(std::to_string(number_value)), is_long ? "long" : "int");
  }
  return {};
}

Value FunctionalityReader::read_name(const Node& name, Block& out) {
  static_cast<void>(out);
  const std::string text(name.text());
  if (const std::string* slot = find_slot(text)) return state_.locals.get(*slot);
  const Class* owner = nullptr;
  if (const Field* field = classes_.find_field(*frame().owner, text, owner)) {
    if (field->is_static) return constant_field(*owner, *field);
    if (frame().self) return property(object_value(*self_of(*owner), ""), text);
  }
  if (std::optional<Value> constant = find_constant(text)) return *constant;
  if (frame().self) {
    const Class* record = frame().owner;
    const bool is_component =
        std::ranges::find(record->components, text, &Parameter::name) != record->components.end();
    if (is_component) return property(object_value(*frame().self, ""), text);
  }
  for (const std::string& imported : frame().owner->static_imports) {
    const Class* from = classes_.find(imported, frame().owner);
    if (from == nullptr) continue;
    if (const Field* field = classes_.find_field(*from, text, owner)) {
      return constant_field(*owner, *field);
    }
  }
  return {};
}

Value FunctionalityReader::read_field(const Node& access, Block& out) {
  const std::string name(access.field_text("field"));
  const Node object = access.field("object");
  const bool is_class =
      (object.is("identifier") && find_slot(object.text()) == nullptr) || object.is("field_access");
  if (is_class) {
    if (const Class* known = classes_.find(object.text(), frame().owner)) {
      const Class* owner = nullptr;
      if (std::ranges::find(known->constants, name) != known->constants.end()) {
        return constant_value(*known, name);
      }
      if (const Field* field = classes_.find_field(*known, name, owner)) {
        return constant_field(*owner, *field);
      }
    }
    if (std::optional<Value> known = library_constant(std::string(object.text()), name)) {
      return *known;
    }
  }
  const Value value = read(object, out);
  if (const Class* of = find_enumeration(value.type); of != nullptr && is_single(value)) {
    return for_constant(*of, value, access, out, [&](std::size_t constant, Block&) {
      return property(object_value(constant_object(*of, constant), ""), name);
    });
  }
  if (name == "length" && value.kind == ValueKind::object &&
      state_.heap.at(value.object).kind == ObjectKind::list) {
    return scalar(list_size(value.object), "int");
  }
  return property(value, name);
}

std::optional<Value> FunctionalityReader::library_constant(const std::string& type,
                                                           const std::string& name) {
  struct Constant {
    std::string_view name;
    std::string_view value;
  };
  static constexpr std::array kConstants = {
      Constant{"Integer.MAX_VALUE", "2147483647"},
      Constant{"Integer.MIN_VALUE", "-2147483648"},
      Constant{"Long.MAX_VALUE", "9223372036854775807"},
      Constant{"BigDecimal.ZERO", "0"},
      Constant{"BigDecimal.ONE", "1"},
      Constant{"BigDecimal.TEN", "10"},
      Constant{"Statement.RETURN_GENERATED_KEYS", "1"},
      Constant{"PreparedStatement.RETURN_GENERATED_KEYS", "1"},
      Constant{"Boolean.TRUE", "true"},
      Constant{"Boolean.FALSE", "false"},
  };
  const std::string simple = simple_type(type);
  const auto* const known = std::ranges::find(kConstants, simple + "." + name, &Constant::name);
  if (known != kConstants.end()) return scalar(literal(std::string(known->value)), simple);
  if (simple == "RoundingMode") return string_value(words(name));
  if (simple == "Connection" && name.starts_with("TRANSACTION_")) {
    std::string level = name.substr(std::string_view("TRANSACTION_").size());
    std::ranges::replace(level, '_', ' ');
    return string_value(words(level));
  }
  return std::nullopt;
}

// A constant's value is the same everywhere; whatever else a class keeps is not known.
Value FunctionalityReader::constant_field(const Class& owner, const Field& field) {
  const auto object = static_objects_.find(&field);
  if (object != static_objects_.end()) return object->second;
  if (const auto known = constants_.find(&field); known != constants_.end()) {
    return known->second;
  }
  constants_[&field] = {};  // of one that is made from itself
  if (!field.value.is_present()) return {};
  const std::size_t first = state_.heap.next();
  Value value = is_kept(owner, field) ? given(field.type, field.name)
                                      : read_initial(owner, std::nullopt, field);
  if (value.kind == ValueKind::object) {
    static_objects_.try_emplace(&field, value);
    run_static_blocks(owner);
  }
  state_.heap.make_initial(first);
  // Objects belong to the heap of one functionality.
  if (value.kind == ValueKind::object || value.kind == ValueKind::choice) {
    constants_.erase(&field);
    const auto [place, is_new] = static_objects_.try_emplace(&field, value);
    return place->second;
  }
  constants_[&field] = value;
  return value;
}

Value FunctionalityReader::read_initial(const Class& owner, std::optional<std::size_t> self,
                                        const Field& field) {
  enter_class(owner, self);
  Block none;
  expected_type_ = field.type;
  Value value = converted(read(field.value, none), field.type);
  frames_.pop_back();
  return value;
}

namespace {

// Of a value that is not null.
Value without_null(const Value& value) {
  if (value.kind != ValueKind::choice) return value;
  Value then = without_null(value.choice->then);
  Value otherwise = without_null(value.choice->otherwise);
  if (then.kind == ValueKind::null) return otherwise;
  if (otherwise.kind == ValueKind::null) return then;
  Value there = value;
  there.choice =
      std::make_shared<ValueChoice>(ValueChoice{value.choice->condition, then, otherwise});
  return there;
}

}  // namespace

// A field or property of an object.
Value FunctionalityReader::property(const Value& value, const std::string& name) {
  if (is_larger(value, kMostWays)) return {};
  if (value.kind == ValueKind::choice) {
    if (is_false(settled(state_, is_null(value).expression))) {
      const Value there = without_null(value);
      if (!(there == value)) return property(there, name);
    }
    const Value then = property(value.choice->then, name);
    const Value otherwise = property(value.choice->otherwise, name);
    return chosen(value.choice->condition, then, otherwise);
  }
  if (value.kind != ValueKind::object) return {};
  if (const Value* known = state_.heap.field(value.object, name)) return *known;
  const Object object = state_.heap.at(value.object);
  if (object.kind != ObjectKind::instance && object.kind != ObjectKind::parameter) return {};
  if (object.kind == ObjectKind::instance && object.is_created) return {};
  const std::string path = object.path.empty() ? name : object.path + "." + name;
  const std::size_t first = state_.heap.next();
  Value initial;
  const Class* known = classes_.find(object.type, frame().owner);
  const Class* owner = nullptr;
  const Field* field = known == nullptr ? nullptr : classes_.find_field(*known, name, owner);
  if (field != nullptr && field->is_static) return constant_field(*owner, *field);
  const bool stays = field != nullptr && field->value.is_present() &&
                     !field->value.is("null_literal") &&
                     (field->is_final || !owner->assigned.contains(name));
  if (stays && !object.is_created && is_kept(*owner, *field)) {
    initial = given(field->type, path);
  } else if (stays) {
    initial = read_initial(*owner, value.object, *field);
  } else if (field != nullptr) {
    initial = simple_type(field->type) == "Connection" ? connection_field(*owner, name, path)
                                                       : given(field->type, path);
  } else if (known != nullptr) {
    const auto component = std::ranges::find(known->components, name, &Parameter::name);
    if (component == known->components.end()) return {};
    initial = given(component->type, path);
  } else {
    initial = given(column_type(expected_type_).empty() ? "String" : expected_type_, path);
  }
  state_.heap.make_initial(first);
  state_.heap.set_initial_field(value.object, name, initial);
  return initial;
}

// One of two values by a condition, as one value where it can be.
Value FunctionalityReader::chosen(const Expression& condition, const Value& then,
                                  const Value& otherwise) const {
  if (is_true(condition) || then == otherwise) return then;
  if (is_false(condition)) return otherwise;
  const auto is_one = [](const Value& value) {
    return value.kind == ValueKind::scalar || value.kind == ValueKind::null ||
           (value.kind == ValueKind::text && value.text.size() == 1 && value.text[0].value);
  };
  const std::string type = then.type.empty() ? otherwise.type : then.type;
  if (then.kind == ValueKind::text && otherwise.kind == ValueKind::text &&
      (!is_one(then) || !is_one(otherwise))) {
    Piece piece;
    piece.choice = std::make_shared<TextChoice>(TextChoice{condition, then.text, otherwise.text});
    Value text = string_value({piece});
    text.type = type;
    return text;
  }
  if (is_one(then) && is_one(otherwise)) {
    Expression one = choice(condition, to_expression(then), to_expression(otherwise));
    if (then.kind != ValueKind::text && otherwise.kind != ValueKind::text) {
      return scalar(std::move(one), type);
    }
    return typed(std::move(one), is_string(type) ? type : "String");
  }
  Value value;
  value.kind = ValueKind::choice;
  value.type = type;
  value.choice = std::make_shared<ValueChoice>(ValueChoice{condition, then, otherwise});
  return value;
}

Value FunctionalityReader::read_assignment(const Node& expression, Block& out) {
  const std::string name(expression.field_text("operator"));
  const Node target = expression.field("left");
  Value value;
  if (name == "=") {
    value = read(expression.field("right"), out);
  } else {
    const Value before = read(target, out);
    const Value by = read(expression.field("right"), out);
    const std::string operation = name.substr(0, name.size() - 1);
    if (operation == "+" && (before.kind == ValueKind::text || is_text_type(before.type))) {
      Text text = as_text(before);
      append(text, as_text(by));
      value = string_value(std::move(text));
    } else {
      value = arithmetic(arithmetic_name(operation), before, by);
      if (value.kind == ValueKind::scalar) value.type = before.type;
    }
  }
  if (!state_.is_dead) assign(target, value, out);
  return value;
}

void FunctionalityReader::assign(const Node& target, Value value, Block& out) {
  if (target.is("identifier")) {
    if (const std::string* slot = find_slot(target.text())) {
      const std::string type = state_.locals.get(*slot).type;
      value = bounded(converted(std::move(value), type), std::string(target.text()), target, out);
      if (value.type.empty()) value.type = type;
      name_chance(value, std::string(target.text()));
      state_.locals.set(*slot, std::move(value));
    } else if (frame().self) {
      const Class* owner = nullptr;
      const bool is_field = classes_.find_field(*frame().owner, target.text(), owner) != nullptr;
      const std::size_t self = is_field ? *self_of(*owner) : *frame().self;
      set_property(self, std::string(target.text()), std::move(value));
    }
    return;
  }
  if (target.is("field_access")) {
    const Value object = read(target.field("object"), out);
    set_property_of(object, std::string(target.field_text("field")), value);
    return;
  }
  if (!target.is("array_access")) return;
  const Value list = read(target.field("array"), out);
  const Value index = read(target.field("index"), out);
  if (state_.is_dead) return;
  if (list.kind != ValueKind::object || !is_single(index)) {
    forget_contents(list);
    return;
  }
  if (target.field("array").is("identifier")) {
    name_chance(value, std::string(target.field("array").text()));
  }
  set_element(list.object, folded("+", {to_expression(index), number(1)}), value, target, out);
}

// Of one of several objects: each of them has the value where it is meant.
void FunctionalityReader::set_property_of(const Value& object, const std::string& name,
                                          const Value& value) {
  if (object.kind == ValueKind::object) set_property(object.object, name, value);
  if (object.kind != ValueKind::choice) return;
  const Expression& condition = object.choice->condition;
  const auto set_in = [&](const Value& one, bool is_then) {
    if (one.kind != ValueKind::object && one.kind != ValueKind::choice) return;
    const Value before = property(one, name);
    set_property_of(one, name,
                    is_then ? chosen(condition, value, before) : chosen(condition, before, value));
  };
  set_in(object.choice->then, true);
  set_in(object.choice->otherwise, false);
}

void FunctionalityReader::set_property(std::size_t object, const std::string& name, Value value) {
  // What it was before has to be known where this path meets another.
  const Value before = property(object_value(object, ""), name);
  if (value.type.empty()) value.type = before.type;
  Object& changed = state_.heap.change(object);
  changed.fields[name] = std::move(value);
  if (changed.list == 0) return;
  // The element of a list is another object here: what the list has of it is not known any more.
  const std::string path = changed.list_path + name;
  const std::size_t list = changed.list;
  const Value* array = state_.heap.field(list, path);
  if (array == nullptr) return;
  const std::string type = array->type;
  state_.heap.change(list).fields[path] = scalar(unknown("a list"), type);
}

Value FunctionalityReader::read_choice(const Node& expression, Block& out) {
  const Expression condition = condition_of(expression.field("condition"), out);
  if (state_.is_dead) return {};
  const Node then = expression.field("consequence");
  const Node otherwise = expression.field("alternative");
  if (is_true(condition)) return read(then, out);
  if (is_false(condition)) return read(otherwise, out);
  const State before = state_;
  add_fact(state_, condition, true);
  Block then_block;
  const Value then_value = read(then, then_block);
  State after_then = std::exchange(state_, before);
  add_fact(state_, condition, false);
  Block otherwise_block;
  const Value otherwise_value = read(otherwise, otherwise_block);
  if (then_block.empty() && otherwise_block.empty()) {
    State after_otherwise = std::move(state_);
    add_branch(expression, condition, {std::move(after_then), {}}, {std::move(after_otherwise), {}},
               out);
    return chosen(condition, then_value, otherwise_value);
  }
  const std::string slot = new_slot("$chosen");
  after_then.locals.set(slot, then_value);
  state_.locals.set(slot, otherwise_value);
  State after_otherwise = std::move(state_);
  add_branch(expression, condition, {std::move(after_then), std::move(then_block)},
             {std::move(after_otherwise), std::move(otherwise_block)}, out);
  if (state_.is_dead) return {};
  Value value = state_.locals.take(slot);
  return value;
}

Value FunctionalityReader::read_cast(const Node& expression, Block& out) {
  Value value = read(expression.field("value"), out);
  const std::string type(expression.field_text("type"));
  const std::string to = column_type(type);
  if (value.kind != ValueKind::scalar || to.empty() || to == column_type(value.type)) {
    if (value.kind == ValueKind::object || value.kind == ValueKind::nothing) value.type = type;
    return value;
  }
  const std::string from = column_type(value.type);
  const bool is_fraction = from == "double precision" || from == "real" || from == "numeric";
  const bool to_whole = to == "integer" || to == "bigint" || to == "smallint";
  Expression operand = std::move(value.expression);
  // Java cuts the fraction off, PostgreSQL rounds.
  if (is_fraction && to_whole) operand = call("trunc", {std::move(operand)});
  if (operand.kind == ExpressionKind::literal && to_whole) return scalar(operand, type);
  return scalar({.kind = ExpressionKind::cast, .text = to, .operands = {std::move(operand)}}, type);
}

// A value that becomes one of a declared type: int to double, a number to its box.
Value FunctionalityReader::converted(Value value, const std::string& declared) const {
  const bool is_optional = simple_type(declared) == "Optional" && !element_type(declared).empty();
  const std::string type = is_optional ? element_type(declared) : declared;
  const std::string to = column_type(type);
  const std::string from = column_type(value.type);
  if (value.kind == ValueKind::null) {
    value.type = type;
    return value;
  }
  if (value.kind == ValueKind::nothing || value.kind == ValueKind::object) {
    if (value.type.empty()) value.type = type;
    return value;
  }
  if (const Class* of = find_enumeration(type); of != nullptr && is_single(value)) {
    if (value.kind == ValueKind::scalar) return typed(value.expression, of->name);
    value.type = of->name;
    return value;
  }
  const bool is_fraction = to == "double precision" || to == "real";
  const bool is_whole = from == "integer" || from == "bigint" || from == "smallint";
  if (value.kind == ValueKind::scalar && is_fraction && is_whole) {
    value.expression = {.kind = ExpressionKind::cast, .text = to, .operands = {value.expression}};
  }
  if (value.kind == ValueKind::scalar && to == "text" && !from.empty() && from != "text") {
    return value;
  }
  if (value.kind == ValueKind::scalar || value.type.empty()) value.type = type;
  return value;
}

}  // namespace heddle::java
