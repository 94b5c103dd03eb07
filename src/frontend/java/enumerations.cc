// Enumerations. A constant is the text of its name, so that it can be compared, kept in a variable
// and given by a caller; what its constructor was given is in an object of its own. Where it is not
// known which constant a value is, each of them is looked at in turn.
#include <algorithm>
#include <utility>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

const Class* FunctionalityReader::find_enumeration(const std::string& type) const {
  if (type.empty() || frames_.empty() || !column_type(type).empty()) return nullptr;
  const Class* known = classes_.find(type, frame().owner);
  return known != nullptr && !known->constants.empty() ? known : nullptr;
}

bool FunctionalityReader::is_string(const std::string& type) const {
  return is_text_type(type) || find_enumeration(type) != nullptr;
}

// An expression as a value of the type.
Value FunctionalityReader::typed(Expression expression, const std::string& type) const {
  if (!is_string(type)) return scalar(std::move(expression), type);
  const bool is_known =
      expression.kind == ExpressionKind::literal && expression.text.starts_with('\'');
  Value text = is_known ? string_value(words(unquoted(expression.text)))
                        : string_value({Piece{.words = "",
                                              .value = std::move(expression),
                                              .is_string = true,
                                              .choice = nullptr}});
  text.type = type;
  return text;
}

Value FunctionalityReader::constant_value(const Class& of, const std::string& name) const {
  Value value = string_value(words(name));
  value.type = of.name;
  return value;
}

// OPEN, in the enumeration itself or where it is imported.
std::optional<Value> FunctionalityReader::find_constant(const std::string& name) const {
  const auto has = [&](const Class* of) {
    return of != nullptr && std::ranges::find(of->constants, name) != of->constants.end();
  };
  for (const Class* around = frame().owner; around != nullptr; around = around->outer) {
    if (has(around)) return constant_value(*around, name);
  }
  for (const std::string& imported : frame().owner->static_imports) {
    const Class* from = classes_.find(imported, frame().owner);
    if (has(from)) return constant_value(*from, name);
  }
  return std::nullopt;
}

// The object that holds a constant's fields, the same on every path.
std::size_t FunctionalityReader::constant_object(const Class& of, std::size_t place) {
  const auto known = constant_objects_.find({&of, place});
  if (known != constant_objects_.end()) return known->second;
  const Node node = of.constant_nodes.at(place);
  const Class* body = classes_.find_body(node);
  const std::size_t first = state_.heap.next();
  enter_class(of, {});
  Block none;
  const Arguments arguments = read_arguments(node.field("arguments"), none);
  const Value made = create_instance(body == nullptr ? of : *body, arguments, node, none);
  frames_.pop_back();
  state_.heap.change(made.object).text = words(of.constants.at(place));
  state_.heap.make_initial(first);
  return constant_objects_[{&of, place}] = made.object;
}

// What is chosen for the constant that a value is.
Value FunctionalityReader::for_constant(const Class& of, const Value& value, const Node& node,
                                        Block& out, const Chosen& chosen) {
  const auto known = value.kind == ValueKind::text ? known_words(value.text) : std::nullopt;
  if (known) {
    const auto place = std::ranges::find(of.constants, *known);
    if (place == of.constants.end()) return {};
    return chosen(static_cast<std::size_t>(place - of.constants.begin()), out);
  }
  const bool is_choice =
      value.kind == ValueKind::text && value.text.size() == 1 && value.text[0].choice;
  if (!is_choice) return for_constants(of, value, 0, node, out, chosen);
  const TextChoice texts = *value.text[0].choice;
  const std::string slot = new_slot("$value");
  const auto way = [&](const Text& text) {
    return [&, text](Block& block) {
      Value one = for_constant(of, string_value(text), node, block, chosen);
      if (!state_.is_dead) state_.locals.set(slot, std::move(one));
    };
  };
  branch(node, texts.condition, out, way(texts.then), way(texts.otherwise));
  if (state_.is_dead) return {};
  Value result = state_.locals.get(slot);
  state_.locals.erase(slot);
  return result;
}

Value FunctionalityReader::for_constants(const Class& of, const Value& value, std::size_t first,
                                         const Node& node, Block& out, const Chosen& chosen) {
  if (first + 1 >= of.constants.size() || trouble_) return chosen(first, out);
  const std::string slot = new_slot("$value");
  const Value same = read_comparison(node, "=", value, constant_value(of, of.constants[first]));
  branch(
      node, to_expression(same), out,
      [&](Block& block) {
        Value one = chosen(first, block);
        if (!state_.is_dead) state_.locals.set(slot, std::move(one));
      },
      [&](Block& block) {
        Value one = for_constants(of, value, first + 1, node, block, chosen);
        if (!state_.is_dead) state_.locals.set(slot, std::move(one));
      });
  if (state_.is_dead) return {};
  Value result = state_.locals.get(slot);
  state_.locals.erase(slot);
  return result;
}

std::optional<Value> FunctionalityReader::call_on_constant(const Value& value, const Class& of,
                                                           const std::string& name,
                                                           const Arguments& arguments,
                                                           const Node& node, Block& out) {
  const Method* declared = find_called(of, name, arguments, node);
  const bool is_own = declared != nullptr && !declared->is_static &&
                      (declared->owner == &of || declared->owner->is_interface);
  if (is_own) {
    return for_constant(of, value, node, out, [&](std::size_t place, Block& block) -> Value {
      const std::size_t object = constant_object(of, place);
      const Class* body = classes_.find_body(of.constant_nodes.at(place));
      const Method* method = body == nullptr ? declared : find_called(*body, name, arguments, node);
      if (method == nullptr || method->is_abstract) {
        return unknown_call(value, name, arguments, node, block);
      }
      return follow(*method, object, arguments, node, block);
    });
  }
  const auto ordinal = [&](const Value& constant) {
    return for_constant(of, constant, node, out, [](std::size_t place, Block&) {
      return scalar(number(static_cast<long long>(place)), "int");
    });
  };
  if (name == "name" || name == "toString") {
    if (value.kind != ValueKind::text) return typed(to_expression(value), "String");
    Value text = value;
    text.type = "String";
    return text;
  }
  if (name == "ordinal") return ordinal(value);
  if (name == "compareTo" && arguments.size() == 1) {
    return arithmetic("-", ordinal(value), ordinal(arguments[0]));
  }
  return std::nullopt;
}

std::optional<Value> FunctionalityReader::call_on_enumeration(const Class& of,
                                                              const std::string& name,
                                                              const Arguments& arguments,
                                                              const Node& node, Block& out) {
  if (name == "values" && arguments.empty()) {
    Arguments constants;
    for (const std::string& each : of.constants) constants.push_back(constant_value(of, each));
    return new_list(of.name, constants);
  }
  if (name == "valueOf" && arguments.size() == 1 && is_single(arguments[0])) {
    return constant_of_name(of, arguments[0], node, out);
  }
  return std::nullopt;
}

Value FunctionalityReader::constant_of_name(const Class& of, const Value& name, const Node& node,
                                            Block& out) {
  Expression is_one = literal("false");
  for (const std::string& each : of.constants) {
    const Value same = read_comparison(node, "=", name, string_value(words(each)));
    is_one = disjunction(std::move(is_one), to_expression(same));
  }
  branch(
      node, is_one, out, [](Block&) {},
      [&](Block& block) {
        std::string path = of.name;
        for (const Class* around = of.outer; around != nullptr; around = around->outer) {
          path = around->name + "." + path;
        }
        if (!of.package.empty()) path = of.package + "." + path;
        Object error;
        error.kind = ObjectKind::exception;
        error.type = "IllegalArgumentException";
        error.text = words("No enum constant " + path + ".");
        append(error.text, as_text(name));
        raise(node, object_value(state_.heap.add(std::move(error)), "IllegalArgumentException"),
              block);
      });
  if (state_.is_dead) return {};
  if (name.kind != ValueKind::text) return typed(to_expression(name), of.name);
  Value constant = settled(state_, name);
  constant.type = of.name;
  return constant;
}

// An object where it becomes a part of a text: what its toString() says.
Value FunctionalityReader::told(const Value& value, const Node& node, Block& out) {
  if (const Class* of = find_enumeration(value.type); of != nullptr && is_single(value)) {
    const std::optional<Value> text = call_on_constant(value, *of, "toString", {}, node, out);
    return text ? *text : value;
  }
  if (value.kind != ValueKind::object) return value;
  const Object& object = state_.heap.at(value.object);
  if (object.kind != ObjectKind::instance) return value;
  const Class* of = classes_.find(object.type, frame().owner);
  const Method* method = of == nullptr ? nullptr : find_called(*of, "toString", {}, node);
  if (method == nullptr || method->is_abstract) return value;
  return follow(*method, value.object, {}, node, out);
}

}  // namespace heddle::java
