// What `new` makes: instances of classes with source, exceptions, lists, arrays and builders.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

bool is_primitive(std::string_view type) {
  return !type.empty() && type[0] >= 'a' && type[0] <= 'z';
}

}  // namespace

std::optional<Value> FunctionalityReader::create_known(const std::string& simple,
                                                       const std::string& type,
                                                       const Arguments& arguments) {
  static constexpr std::array<std::string_view, 8> kLists = {
      "ArrayList", "LinkedList", "HashSet", "LinkedHashSet",
      "TreeSet",   "ArrayDeque", "Vector",  "CopyOnWriteArrayList"};
  if (simple == "StringBuilder" || simple == "StringBuffer") {
    Object builder;
    builder.kind = ObjectKind::builder;
    builder.type = simple;
    if (!arguments.empty() && arguments[0].kind == ValueKind::text) {
      builder.text = arguments[0].text;
    }
    return object_value(state_.heap.add(std::move(builder)), simple);
  }
  if (std::ranges::find(kLists, simple) != kLists.end()) {
    const bool copies = arguments.size() == 1 && arguments[0].kind == ValueKind::object;
    if (copies && state_.heap.at(arguments[0].object).kind == ObjectKind::list) {
      Object list = state_.heap.at(arguments[0].object);
      return object_value(state_.heap.add(std::move(list)), type);
    }
    return new_list(element_type(type), {});
  }
  const bool is_boxed = simple == "BigDecimal" || simple == "Integer" || simple == "Long" ||
                        simple == "Double" || simple == "String" || simple == "BigInteger";
  if (is_boxed && arguments.size() == 1 && is_single(arguments[0])) {
    if (simple == "String") return arguments[0];
    if (const auto known = known_words(arguments[0].text);
        arguments[0].kind == ValueKind::text && known) {
      return scalar(literal(*known), simple);
    }
    const std::string to = column_type(simple);
    if (column_type(arguments[0].type) == to) return arguments[0];
    return scalar(
        {.kind = ExpressionKind::cast, .text = to, .operands = {to_expression(arguments[0])}},
        simple);
  }
  if ((simple == "Timestamp" || simple == "Date" || simple == "Time") && arguments.size() == 1 &&
      arguments[0].kind == ValueKind::scalar) {
    const Expression seconds = call("/", {{.kind = ExpressionKind::cast,
                                           .text = "double precision",
                                           .operands = {arguments[0].expression}},
                                          literal("1000.0")});
    return scalar({.kind = ExpressionKind::cast,
                   .text = column_type(simple),
                   .operands = {call("to_timestamp", {seconds})}},
                  simple);
  }
  return std::nullopt;
}

// new int[n], new int[] {1, 2}, {1, 2}
Value FunctionalityReader::read_array(const Node& expression, Block& out) {
  const std::string expected = std::exchange(expected_type_, "");
  const bool is_plain = expression.is("array_initializer");
  const std::string element =
      is_plain ? element_type(expected) : std::string(expression.field_text("type"));
  const Node initial = is_plain ? expression : expression.field("value");
  if (initial.is_present()) {
    Arguments elements;
    for (const Node& each : initial.children()) elements.push_back(read(each, out));
    if (state_.is_dead) return {};
    return new_list(element, elements);
  }
  const Node dimensions = expression.child("dimensions_expr");
  const Value size = read(dimensions.first_child(), out);
  const std::string column = column_type(element);
  if (column.empty() || !is_single(size) || state_.is_dead) {
    return new_list(element, {});
  }
  const Value list = new_list(element, {});
  Expression zero = literal("null");
  if (is_primitive(element)) zero = literal(element == "boolean" ? "false" : "0");
  Expression made =
      call("array_fill", {{.kind = ExpressionKind::cast, .text = column, .operands = {zero}},
                          call("array", {to_expression(size)})});
  Expression array{.kind = ExpressionKind::variable,
                   .text = new_variable(element + "s", column + "[]"),
                   .operands = {}};
  add(out, expression, Assign{.target = array, .value = std::move(made)});
  Object& object = state_.heap.change(list.object);
  object.fields[""] = scalar(std::move(array), element + "[]");
  object.is_changing = true;
  return list;
}

Value FunctionalityReader::read_array_access(const Node& expression, Block& out) {
  const Value list = read(expression.field("array"), out);
  const Value index = read(expression.field("index"), out);
  const bool is_known = list.kind == ValueKind::object && is_single(index) &&
                        state_.heap.at(list.object).kind == ObjectKind::list;
  if (!is_known) return {};
  const Expression place = folded("+", {to_expression(index), number(1)});
  Value value = element_of(list.object, place);
  if (state_.heap.at(list.object).is_changing && value.kind == ValueKind::scalar) {
    value.expression = kept(value.expression, "element", column_type(value.type), expression, out);
  }
  return value;
}

Value FunctionalityReader::read_creation(const Node& expression, Block& out) {
  std::string type(expression.field_text("type"));
  const std::string simple = simple_type(type);
  const std::string expected = std::exchange(expected_type_, "");
  if (type.ends_with("<>") && !element_type(expected).empty()) {
    type = simple + "<" + element_type(expected) + ">";
  }
  const Arguments arguments = read_arguments(expression.field("arguments"), out);
  if (state_.is_dead) return {};
  if (std::optional<Value> known = create_known(simple, type, arguments)) return *known;
  if (simple == "SQLStmt") return prepare_sql(arguments);
  const Class* known = classes_.find(type, frame().owner);
  const bool is_exception = simple.ends_with("Exception") || simple.ends_with("Error") ||
                            classes_.extends(simple, "Exception", frame().owner) ||
                            classes_.extends(simple, "RuntimeException", frame().owner);
  if (is_exception) return create_exception(simple, known, arguments, expression, out);
  if (known == nullptr) {
    for (const Value& argument : arguments) {
      if (!touches_store(argument)) continue;
      return unknown_call(Value(), "new " + simple, arguments, expression, out);
    }
    Object object;
    object.type = type;
    return object_value(state_.heap.add(std::move(object)), type);
  }
  return create_instance(*known, arguments, expression, out);
}

Value FunctionalityReader::create_exception(const std::string& type, const Class* known,
                                            const Arguments& arguments, const Node& node,
                                            Block& out) {
  Object exception;
  exception.kind = ObjectKind::exception;
  exception.type = type;
  // The constructor of a class of the program may make up the message.
  const bool makes_up =
      known != nullptr && classes_.find_constructor(*known, arguments.size()) != nullptr;
  if (makes_up) {
    const Value made = create_instance(*known, arguments, node, out);
    if (state_.is_dead || made.kind != ValueKind::object) return {};
    exception.fields = state_.heap.at(made.object).fields;
    exception.text = state_.heap.at(made.object).text;
  } else {
    learn_exception(exception, arguments);
  }
  return object_value(state_.heap.add(std::move(exception)), type);
}

// super(...) and this(...)
void FunctionalityReader::call_constructor(const Node& invocation, Block& out) {
  const Arguments arguments = read_arguments(invocation.field("arguments"), out);
  if (state_.is_dead || !frame().self) return;
  const std::size_t self = *frame().self;
  const bool is_own = invocation.field("constructor").is("this");
  const Class* of =
      is_own ? frame().owner : classes_.find(frame().owner->superclass, frame().owner);
  if (of == nullptr) {
    Object known = state_.heap.at(self);
    learn_exception(known, arguments);
    state_.heap.change(self) = std::move(known);
    return;
  }
  if (const Method* constructor = classes_.find_constructor(*of, arguments.size())) {
    follow(*constructor, self, arguments, invocation, out);
  }
}

Value FunctionalityReader::create_instance(const Class& of, const Arguments& arguments,
                                           const Node& node, Block& out) {
  Object object;
  object.kind = ObjectKind::instance;
  object.type = of.name;
  object.is_created = true;
  const std::size_t id = state_.heap.add(std::move(object));
  const Value made = object_value(id, of.name);
  const Class* now = &of;
  for (std::size_t depth = 0; now != nullptr && depth < limits_.depth; ++depth) {
    for (const Field& field : now->fields) {
      if (field.is_static) continue;
      Value value;
      if (field.value.is_present()) {
        value = read_initial(*now, id, field);
      } else {
        value = is_primitive(field.type)
                    ? scalar(literal(field.type == "boolean" ? "false" : "0"), field.type)
                    : null_value();
        value.type = field.type;
      }
      state_.heap.change(id).fields[field.name] = std::move(value);
    }
    now = classes_.find(now->superclass, now);
  }
  for (std::size_t i = 0; i < of.components.size(); ++i) {
    Value value = i < arguments.size() ? converted(arguments[i], of.components[i].type) : Value();
    state_.heap.change(id).fields[of.components[i].name] = std::move(value);
  }
  if (const Method* constructor = classes_.find_constructor(of, arguments.size())) {
    follow(*constructor, id, arguments, node, out);
  }
  return made;
}

}  // namespace heddle::java
