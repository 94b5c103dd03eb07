// What `new` makes: instances of classes with source, exceptions, lists, arrays and builders.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

bool looks_primitive(std::string_view type) {
  return !type.empty() && type[0] >= 'a' && type[0] <= 'z';
}

}  // namespace

std::optional<Value> FunctionalityReader::create_known(const std::string& simple,
                                                       const std::string& type,
                                                       const Arguments& arguments) {
  static constexpr std::array<std::string_view, 8> kLists = {
      "ArrayList", "LinkedList", "HashSet", "LinkedHashSet",
      "TreeSet",   "ArrayDeque", "Vector",  "CopyOnWriteArrayList"};
  if (is_builder_type(simple)) {
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
      list.is_set = simple.ends_with("Set");
      list.is_sorted = simple == "TreeSet";
      return object_value(state_.heap.add(std::move(list)), type);
    }
    Value list = new_list(element_type(type), {});
    Object& made = state_.heap.change(list.object);
    made.is_set = simple.ends_with("Set");
    made.is_sorted = simple == "TreeSet";
    return list;
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
  if (looks_primitive(element)) zero = literal(element == "boolean" ? "false" : "0");
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
    type = simple + (is_map_type(expected) ? expected.substr(expected.find('<'))
                                           : "<" + element_type(expected) + ">");
  }
  const Arguments arguments = read_arguments(expression.field("arguments"), out);
  if (state_.is_dead) return {};
  return create(type, arguments, expression, out);
}

Value FunctionalityReader::create(const std::string& type, const Arguments& arguments,
                                  const Node& expression, Block& out) {
  const std::string simple = simple_type(type);
  if (is_map_type(type)) {
    Value map = new_map(type, arguments);
    initialise(map, expression, out);
    return map;
  }
  const bool fills_set = simple.ends_with("Set") && arguments.size() == 1 &&
                         arguments[0].kind == ValueKind::object &&
                         !state_.heap.at(arguments[0].object).is_set;
  if (std::optional<Value> known =
          create_known(simple, type, fills_set ? Arguments() : arguments)) {
    if (fills_set) go_through_list(*known, "addAll", arguments, expression, out);
    initialise(*known, expression, out);
    return *known;
  }
  if (simple == "SQLStmt") return prepare_sql(arguments);
  const bool is_creation = expression.is("object_creation_expression");
  const Class* body = is_creation ? classes_.find_body(expression) : nullptr;
  if (body != nullptr) return create_instance(*body, arguments, expression, out);
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

// new HashMap<>() {{ put("a", 1); }}
void FunctionalityReader::initialise(const Value& made, const Node& creation, Block& out) {
  const Node block = creation.child("class_body").child("block");
  if (!block.is_present() || made.kind != ValueKind::object) return;
  const Value self = object_value(made.object, "");
  frames_.push_back({.owner = frame().owner,
                     .method = nullptr,
                     .self = self.object,
                     .scopes = frame().scopes,
                     .result = "",
                     .left = "$never",
                     .loops = loops_.size()});
  read_block(block, out);
  frames_.pop_back();
}

namespace {

std::vector<Node> static_blocks(const Class& owner) {
  std::vector<Node> blocks;
  for (const Node& member : owner.node.field("body").children()) {
    if (member.is("static_initializer")) blocks.push_back(member.first_child());
  }
  return blocks;
}

// Whether the text assigns what begins at `at`: [i] = 1, [i]++.
bool is_element_assigned(std::string_view text, std::size_t at) {
  at = text.find(']', at);
  // String NAMES[] = {...} is the declaration.
  if (at == text.npos || text[at - 1] == '[') return false;
  at = text.find_first_not_of(" ]", at);
  const std::string_view rest = at == text.npos ? "" : text.substr(at);
  const bool is_compared = rest.starts_with("==");
  return !is_compared &&
         (rest.starts_with('=') || rest.substr(1, 1) == "=" || rest.starts_with("++") ||
          rest.starts_with("--")) &&
         !rest.starts_with("!=") && !rest.starts_with("<=") && !rest.starts_with(">=");
}

std::size_t count_changes(std::string_view text, const std::string& name) {
  static constexpr std::array<std::string_view, 17> kChanges = {
      ".put",     ".merge(",  ".compute", ".remove", ".clear(", ".add",
      ".set",     ".push(",   ".pop(",    ".offer",  ".poll",   ".sort(",
      ".replace", ".append(", ".insert(", ".delete", "["};
  std::size_t count = 0;
  for (const std::string_view change : kChanges) {
    const std::string wanted = name + std::string(change);
    for (std::size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) {
      if (change != "[" || is_element_assigned(text, at)) ++count;
    }
  }
  return count;
}

}  // namespace

// A map, list or text that methods of its class change, and that was there before: what is in it is
// not known.
bool FunctionalityReader::is_kept(const Class& owner, const Field& field) {
  const bool is_list = !element_type(field.type).empty() && simple_type(field.type) != "Optional" &&
                       !is_function_type(field.type);
  if (!is_map_type(field.type) && !is_list && !is_builder_type(field.type)) return false;
  std::size_t changes = count_changes(owner.node.text(), field.name);
  for (const Node& block : static_blocks(owner)) {
    changes -= count_changes(block.text(), field.name);
  }
  return changes > count_changes(field.value.text(), field.name);
}

// static { NAMES.put("a", 1); }
void FunctionalityReader::run_static_blocks(const Class& owner) {
  const std::vector<Node> blocks = static_blocks(owner);
  if (blocks.empty() || !initialised_.insert(&owner).second) return;
  for (const Field& field : owner.fields) {
    const bool is_collection = is_map_type(field.type) || !element_type(field.type).empty();
    if (field.is_static && is_collection) constant_field(owner, field);
  }
  enter_class(owner, {});
  Block none;
  for (const Node& block : blocks) read_block(block, none);
  frames_.pop_back();
}

Value FunctionalityReader::create_exception(const std::string& type, const Class* known,
                                            const Arguments& arguments, const Node& node,
                                            Block& out) {
  Object exception;
  exception.kind = ObjectKind::exception;
  exception.type = type;
  // The constructor of a class of the program may make up the message.
  const bool makes_up =
      known != nullptr && !classes_.find_constructors(*known, arguments.size()).empty();
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

Value FunctionalityReader::create_instance(const Class& of, const Arguments& arguments,
                                           const Node& node, Block& out) {
  Object object;
  object.kind = ObjectKind::instance;
  object.type = of.name;
  object.is_created = true;
  const bool is_inside = of.outer != nullptr && (of.is_local || !of.is_static);
  if (is_inside) object.captured = capture(of.is_local);
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
        value = looks_primitive(field.type)
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
  // A class without a name has the constructors of what it extends.
  const bool has_name = of.node.field("name").is_present() && !of.node.is("enum_constant");
  const Class* super = has_name ? nullptr : classes_.find(of.superclass, &of);
  construct(super == nullptr ? of : *super, id, arguments, node, out);
  return made;
}

}  // namespace heddle::java
