// Lists, arrays and Optional. A list of objects is one array for each of their properties.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

Value FunctionalityReader::new_list(const std::string& element, const Arguments& elements) {
  Object list;
  list.kind = ObjectKind::list;
  list.type = element + "[]";
  const bool are_single = !elements.empty() && std::ranges::all_of(elements, is_single_choice);
  if (are_single) {
    std::vector<Expression> values;
    for (const Value& each : elements) values.push_back(to_expression(each));
    const std::string type = column_type(element).empty() ? elements[0].type : element;
    list.fields[""] = scalar(call("array", std::move(values)), type + "[]");
  } else if (elements.empty() && !column_type(element).empty()) {
    list.fields[""] = scalar(empty_array(element), element + "[]");
  }
  const bool are_fixed = std::ranges::any_of(elements, [&](const Value& each) {
    return each.kind == ValueKind::object &&
           state_.heap.at(each.object).kind != ObjectKind::instance;
  });
  if (are_fixed) list.items = elements;
  const std::size_t id = state_.heap.add(std::move(list));
  if (!are_single && !are_fixed) {
    for (const Value& each : elements) add_element(id, each);
  }
  return object_value(id, element + "[]");
}

Expression FunctionalityReader::empty_array(const std::string& element) {
  const std::string column = column_type(element);
  return {.kind = ExpressionKind::cast,
          .text = (column.empty() ? "text" : column) + "[]",
          .operands = {literal("'{}'")}};
}

Expression FunctionalityReader::appended(const Expression& array, const Expression& value) {
  const bool is_empty = array.kind == ExpressionKind::cast && is_literal(array.operands[0], "'{}'");
  if (is_empty) return call("array", {value});
  if (array.kind == ExpressionKind::call && array.text == "array") {
    Expression longer = array;
    longer.operands.push_back(value);
    return longer;
  }
  return call("array_append", {array, value});
}

void FunctionalityReader::add_element(std::size_t list, const Value& element) {
  if (!state_.heap.at(list).items.empty()) return add_item(list, element);
  add_element_at(list, "", element);
}

void FunctionalityReader::add_element_at(std::size_t list, const std::string& path,
                                         const Value& element) {
  std::vector<std::size_t> owners;
  add_leaves(list, path, element, owners);
}

// What an object holds, however deep; not what leads back to an object that holds it, as a parent
// of its children, nor more than can be meant.
void FunctionalityReader::add_leaves(std::size_t list, const std::string& path,
                                     const Value& element, std::vector<std::size_t>& owners) {
  constexpr std::size_t kMostLeaves = 200;
  if (is_single_choice(element)) {
    Object& object = state_.heap.change(list);
    const auto known = object.fields.find(path);
    if (known == object.fields.end() && object.fields.size() >= kMostLeaves) return;
    ++steps_;
    const std::string type = element.type.empty() ? "String" : element.type;
    const Expression before =
        known == object.fields.end() ? empty_array(type) : to_expression(known->second);
    object.fields[path] = scalar(appended(before, to_expression(element)), type + "[]");
    return;
  }
  const bool is_instance = element.kind == ValueKind::object &&
                           state_.heap.at(element.object).kind == ObjectKind::instance;
  if (!is_instance || path.size() > 200) {
    if (path.empty()) add_item(list, element);
    return;
  }
  const Object& added = state_.heap.at(element.object);
  const bool is_inside = std::ranges::find(owners, element.object) != owners.end();
  if (is_inside || owners.size() >= 8) return;
  owners.push_back(element.object);
  state_.heap.change(list).element = added.type;
  const std::map<std::string, Value> fields = added.fields;
  for (const auto& [name, value] : fields) {
    if (++steps_ > most_steps_) break;
    add_leaves(list, path.empty() ? name : path + "." + name, value, owners);
  }
  owners.pop_back();
}

// What is no instance stays what it is, as long as all elements are known.
void FunctionalityReader::add_item(std::size_t list, const Value& element) {
  note_escape(element);
  Object& object = state_.heap.change(list);
  if (object.fields.empty() && element.kind == ValueKind::object && object.path.empty()) {
    object.items.push_back(element);
    return;
  }
  object.items.clear();
  object.fields = {{"", scalar(unknown("a list"), "[]")}};
}

// The array's length tells where the lists of all properties end.
Expression FunctionalityReader::list_size(std::size_t list) const {
  const Object& object = state_.heap.at(list);
  if (!object.items.empty()) return number(static_cast<long long>(object.items.size()));
  if (object.fields.empty()) return number(0);
  const Expression array = to_expression(object.fields.begin()->second);
  if (array.kind == ExpressionKind::call && array.text == "array") {
    return number(static_cast<long long>(array.operands.size()));
  }
  return call("cardinality", {array});
}

Value FunctionalityReader::array_element(const Value& array, const Expression& index) const {
  const Expression values = to_expression(array);
  const auto place = to_number(index);
  Expression element{.kind = ExpressionKind::element, .text = "", .operands = {values, index}};
  if (values.kind == ExpressionKind::call && values.text == "array" && place && *place > 0 &&
      static_cast<std::size_t>(*place) <= values.operands.size()) {
    element = values.operands[static_cast<std::size_t>(*place) - 1];
  }
  return typed(std::move(element), element_type(array.type));
}

// The type that a class declares for a property, or of what an entry of a map has.
std::string FunctionalityReader::property_type(const std::string& type,
                                               const std::string& name) const {
  if (simple_type(type) == "Map$Entry") {
    const std::vector<std::string> types = type_arguments(type);
    return types.size() == 2 ? types[name == "key" ? 0 : 1] : "";
  }
  const Class* known = classes_.find(type, frame().owner);
  if (known == nullptr) return "";
  const auto component = std::ranges::find(known->components, name, &Parameter::name);
  if (component != known->components.end()) return component->type;
  const Class* owner = nullptr;
  const Field* field = classes_.find_field(*known, name, owner);
  return field == nullptr ? "" : field->type;
}

// An object of the properties whose arrays begin with a prefix.
Value FunctionalityReader::instance_at(std::size_t list, const std::string& prefix,
                                       const std::string& type, const Expression& index) {
  const std::map<std::string, Value> arrays = state_.heap.at(list).fields;
  Object instance;
  instance.kind = ObjectKind::instance;
  instance.type = type;
  instance.is_created = true;
  instance.list = list;
  instance.list_path = prefix;
  for (const auto& [path, array] : arrays) {
    if (!path.starts_with(prefix)) continue;
    const std::string rest = path.substr(prefix.size());
    const std::size_t dot = rest.find('.');
    const std::string name = rest.substr(0, dot);
    if (dot == std::string::npos) {
      instance.fields[name] = array_element(array, index);
    } else if (!instance.fields.contains(name)) {
      instance.fields[name] =
          instance_at(list, prefix + name + ".", property_type(type, name), index);
    }
  }
  return object_value(state_.heap.add(std::move(instance)), type);
}

Value FunctionalityReader::element_of(std::size_t list, const Expression& index) {
  const Object object = state_.heap.at(list);
  if (!object.items.empty()) {
    const auto place = to_number(index);
    const std::size_t count = object.items.size();
    if (place && *place > 0 && static_cast<std::size_t>(*place) <= count) {
      return object.items[static_cast<std::size_t>(*place) - 1];
    }
    Value one = object.items.back();
    for (std::size_t i = count - 1; i-- > 0;) {
      one = chosen(call("=", {index, number(static_cast<long long>(i) + 1)}), object.items[i], one);
    }
    return one;
  }
  if (const auto only = object.fields.find(""); only != object.fields.end()) {
    return array_element(only->second, index);
  }
  const std::string type = object.element.empty() ? element_type(object.type) : object.element;
  if (object.fields.empty() && !object.path.empty()) {
    Object element;
    element.kind = ObjectKind::instance;
    element.type = type;
    element.path = object.path + "_element";
    return object_value(state_.heap.add(std::move(element)), type);
  }
  return instance_at(list, "", type, index);
}

void FunctionalityReader::set_element(std::size_t list, const Expression& index, const Value& value,
                                      const Node& node, Block& out) {
  const Object& object = state_.heap.at(list);
  const auto only = object.fields.find("");
  if (object.kind != ObjectKind::list || only == object.fields.end() || !is_single(value)) {
    forget_contents(object_value(list, ""));
    return;
  }
  if (!object.is_changing) {
    const std::string element = column_type(element_type(only->second.type));
    Expression array = to_expression(only->second);
    if (array.kind != ExpressionKind::variable) {
      array = kept(array, "elements", (element.empty() ? "text" : element) + "[]", node, out);
    }
    Object& changed = state_.heap.change(list);
    changed.fields[""].expression = array;
    changed.is_changing = true;
  }
  add(out, node,
      Assign{.target = {.kind = ExpressionKind::element,
                        .text = "",
                        .operands = {state_.heap.at(list).fields.at("").expression, index}},
             .value = to_expression(value)});
}

std::optional<Value> FunctionalityReader::call_on_list(const Value& list, const std::string& name,
                                                       const Arguments& arguments, const Node& node,
                                                       Block& out) {
  const std::size_t count = arguments.size();
  if (name == "size") return scalar(list_size(list.object), "int");
  if (name == "isEmpty") {
    return scalar(folded("=", {list_size(list.object), number(0)}), "boolean");
  }
  if (name == "add" && count == 1 && state_.heap.at(list.object).is_set) {
    return add_to_set(list.object, arguments[0], node, out);
  }
  if ((name == "add" || name == "addLast" || name == "append") && count == 1) {
    add_element(list.object, arguments[0]);
    return scalar(literal("true"), "boolean");
  }
  if ((name == "get" && count == 1 && is_single(arguments[0])) || name == "getFirst") {
    const Expression index =
        name == "getFirst" ? number(1) : folded("+", {to_expression(arguments[0]), number(1)});
    return element_of(list.object, index);
  }
  if (name == "contains" && count == 1 && is_single(arguments[0])) {
    const auto& fields = state_.heap.at(list.object).fields;
    if (const auto only = fields.find(""); only != fields.end()) {
      return scalar(call("is not null", {call("array_position", {to_expression(only->second),
                                                                 to_expression(arguments[0])})}),
                    "boolean");
    }
  }
  if (name == "clear") {
    for (auto& [path, array] : state_.heap.change(list.object).fields) {
      array = scalar(empty_array(element_type(array.type)), array.type);
    }
    return Value();
  }
  if (name == "set" && count == 2 && is_single(arguments[0])) {
    set_element(list.object, folded("+", {to_expression(arguments[0]), number(1)}), arguments[1],
                node, out);
    return Value();
  }
  if (name == "stream" || name == "parallelStream") return new_stream(list);
  if (name == "toArray" || name == "iterator" || name == "clone" || name == "toList") return list;
  return go_through_list(list, name, arguments, node, out);
}

// Whether it was not there yet.
Value FunctionalityReader::add_to_set(std::size_t list, const Value& element, const Node& node,
                                      Block& out) {
  const auto& fields = state_.heap.at(list).fields;
  const auto only = fields.find("");
  if (!is_single(element)) {
    add_element(list, element);
    return {};
  }
  Expression is_new = literal("true");
  const bool is_empty = only == fields.end() ||
                        to_expression(only->second) == empty_array(element_type(only->second.type));
  if (!is_empty) {
    const Expression place =
        call("array_position", {to_expression(only->second), to_expression(element)});
    is_new = call("is null", {kept(place, "place", "integer", node, out)});
  }
  branch(node, is_new, out, [&](Block&) { add_element(list, element); }, [](Block&) {});
  return scalar(std::move(is_new), "boolean");
}

// forEach, addAll, sort
std::optional<Value> FunctionalityReader::go_through_list(const Value& list,
                                                          const std::string& name,
                                                          const Arguments& arguments,
                                                          const Node& node, Block& out) {
  const bool is_one = arguments.size() == 1;
  const Elements what{.name = "element", .label = "", .may_unroll = false, .unrolled = 16};
  if (name == "forEach" && is_one) {
    read_elements(
        node, list, what,
        [&](const Value& element, Block& block) { invoke(arguments[0], {element}, node, block); },
        out);
    return Value();
  }
  if (name == "addAll" && is_one) {
    const bool is_set = state_.heap.at(list.object).is_set;
    read_elements(
        node, arguments[0], what,
        [&](const Value& element, Block& block) {
          if (is_set) add_to_set(list.object, element, node, block);
          if (!is_set) add_element(list.object, element);
        },
        out);
    return scalar(literal("true"), "boolean");
  }
  if (name == "sort") {
    sort_list(list, arguments, node, out);
    return Value();
  }
  return std::nullopt;
}

// An Optional is its value or null.
std::optional<Value> FunctionalityReader::call_on_optional(const Value& value,
                                                           const std::string& name,
                                                           const Arguments& arguments,
                                                           const Node& node, Block& out) {
  const std::size_t count = arguments.size();
  if (name == "isPresent" || (name == "isEmpty" && value.kind != ValueKind::text)) {
    const bool is_list =
        value.kind == ValueKind::object && state_.heap.at(value.object).kind == ObjectKind::list;
    if (is_list) return std::nullopt;
    Value absent = is_null(value);
    if (absent.kind != ValueKind::scalar) return std::nullopt;
    if (name == "isPresent") absent.expression = negation(std::move(absent.expression));
    return absent;
  }
  if ((name == "get" && count == 0) || name == "orElseThrow" || name == "getAsInt" ||
      name == "getAsLong" || name == "getAsDouble") {
    const Value absent = is_null(value);
    const bool is_known = value.kind == ValueKind::object &&
                          state_.heap.at(value.object).kind != ObjectKind::opaque &&
                          state_.heap.at(value.object).kind != ObjectKind::list;
    if (absent.kind != ValueKind::scalar || (value.kind == ValueKind::object && !is_known)) {
      return std::nullopt;
    }
    branch(
        node, absent.expression, out,
        [&](Block& block) {
          Value exception;
          exception.type = "NoSuchElementException";
          if (count == 1 && arguments[0].kind == ValueKind::object &&
              state_.heap.at(arguments[0].object).kind == ObjectKind::lambda) {
            const Node code = state_.heap.at(arguments[0].object).code;
            exception = code.is("lambda_expression")
                            ? call_lambda(arguments[0].object, {}, node, block)
                            : exception;
            if (code.is("method_reference")) {
              exception.type = simple_type(code.first_child().text());
            }
          }
          if (!state_.is_dead) raise(node, exception, block);
        },
        [](Block&) {});
    if (value.kind != ValueKind::choice) return value;
    return value.choice->then.kind == ValueKind::null ? value.choice->otherwise
                                                      : value.choice->then;
  }
  if (name == "orElse" && count == 1) {
    const Value absent = is_null(value);
    if (absent.kind != ValueKind::scalar) return std::nullopt;
    return chosen(absent.expression, arguments[0], value);
  }
  return map_optional(value, name, arguments, node, out);
}

// Arrays in the order of one of them: the smallest that was not taken yet, once for each.
void FunctionalityReader::sort_arrays(std::map<std::string, Value>& arrays, const std::string& by,
                                      bool descends, const Node& node, Block& out) {
  const auto variable = [&](const char* hint, const std::string& type) {
    return Expression{
        .kind = ExpressionKind::variable, .text = new_variable(hint, type), .operands = {}};
  };
  const auto element = [](const Expression& array, const Expression& place) {
    return Expression{.kind = ExpressionKind::element, .text = "", .operands = {array, place}};
  };
  const auto assign = [&](Block& block, const Expression& target, Expression value) {
    add(block, node, Assign{.target = target, .value = std::move(value)});
  };
  const std::string type = variable_type(arrays.at(by).type);
  const Expression keys = kept(to_expression(arrays.at(by)), "unsorted", type, node, out);
  const Expression last = variable("last_place", "integer");
  const Expression best = variable("next_place", "integer");
  assign(out, last, literal("null"));
  CountLoop ranks;
  ranks.first = number(1);
  ranks.last = call("cardinality", {keys});
  ranks.variable = new_variable("rank", "integer");
  CountLoop places = ranks;
  places.variable = new_variable("place", "integer");
  const Expression place{.kind = ExpressionKind::variable, .text = places.variable, .operands = {}};
  const Expression key = element(keys, place);
  const Expression taken = element(keys, last);
  const char* const beyond = descends ? "<" : ">";
  const Expression is_open =
      disjunction(call("is null", {last}),
                  disjunction(call(beyond, {key, taken}),
                              conjunction(call("=", {key, taken}), call(">", {place, last}))));
  const Expression is_better =
      disjunction(call("is null", {best}), call(descends ? ">" : "<", {key, element(keys, best)}));
  Branch takes{.condition = conjunction(is_open, is_better), .then = {}, .otherwise = {}};
  assign(takes.then, best, place);
  add(places.body, node, std::move(takes));
  assign(ranks.body, best, literal("null"));
  add(ranks.body, node, std::move(places));
  for (auto& [path, array] : arrays) {
    const Expression old =
        kept(to_expression(array), "unsorted", variable_type(array.type), node, out);
    const Expression sorted = variable("sorted", variable_type(array.type));
    assign(out, sorted, empty_array(element_type(array.type)));
    assign(ranks.body, sorted, call("array_append", {sorted, element(old, best)}));
    array = scalar(sorted, array.type);
  }
  assign(ranks.body, last, best);
  add(out, node, std::move(ranks));
}

// By what a comparator compares, or as the elements are; false where that is not known.
bool FunctionalityReader::sort_list(const Value& list, const Arguments& comparator,
                                    const Node& node, Block& out) {
  std::map<std::string, Value> arrays = state_.heap.at(list.object).fields;
  if (arrays.empty()) return true;
  Value key;
  bool descends = false;
  bool is_known = is_natural(comparator) || comparator[0].kind == ValueKind::null;
  if (!is_known && comparator[0].kind == ValueKind::object) {
    const Object& object = state_.heap.at(comparator[0].object);
    is_known = object.type == "Comparator";
    descends = !object.is_sorted;
    if (is_known && !object.items.empty()) key = object.items[0];
  }
  const bool has_key = key.kind == ValueKind::object;
  is_known =
      is_known && (has_key || arrays.contains("")) && state_.heap.at(list.object).items.empty();
  if (!is_known) {
    note(node, "the order that this makes is not followed", "the elements stay as they are");
    return false;
  }
  std::string by;
  if (has_key) {
    const Value keys = new_list("", {});
    read_elements(
        node, list, {.name = "element", .label = "", .may_unroll = false},
        [&](const Value& element, Block& block) {
          add_element(keys.object, invoke(key, {element}, node, block));
        },
        out);
    const auto& fields = state_.heap.at(keys.object).fields;
    by = "$key";
    if (!fields.contains("")) return false;
    arrays[by] = fields.at("");
  }
  sort_arrays(arrays, by, descends, node, out);
  arrays.erase("$key");
  state_.heap.change(list.object).fields = std::move(arrays);
  return true;
}

}  // namespace heddle::java
