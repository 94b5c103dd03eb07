// Code that is given to others: lambdas, references to methods, and objects of classes without a
// name. It sees the variables around it. What is given to something that is not followed is taken
// to run there, any number of times.
#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

std::shared_ptr<const Captured> FunctionalityReader::capture(bool with_variables) {
  auto captured = std::make_shared<Captured>();
  captured->owner = frame().owner;
  captured->self = frame().self;
  if (with_variables) {
    for (const auto& scope : frame().scopes) {
      for (const auto& [name, slot] : scope) {
        captured->slots[name] = slot;
        captured_slots_.insert(slot);
      }
    }
  }
  return captured;
}

Value FunctionalityReader::make_lambda(const Node& expression, Block& out) {
  static_cast<void>(out);
  Object lambda;
  lambda.kind = ObjectKind::lambda;
  lambda.code = expression;
  lambda.captured = capture(true);
  return object_value(state_.heap.add(std::move(lambda)), "");
}

bool FunctionalityReader::is_lambda(const Value& value) const {
  return value.kind == ValueKind::object && state_.heap.at(value.object).kind == ObjectKind::lambda;
}

// The object whose member a name means: this, or one that it is inside of.
std::optional<std::size_t> FunctionalityReader::self_of(const Class& owner) const {
  std::optional<std::size_t> self = frame().self;
  for (std::size_t depth = 0; self && depth < limits_.depth; ++depth) {
    const Object& object = state_.heap.at(*self);
    if (!object.captured || !object.captured->self) return self;
    if (classes_.extends(object.type, owner.name, frame().owner)) return self;
    self = object.captured->self;
  }
  return self;
}

// An abstract method of this object's class may be implemented below it.
const Class& FunctionalityReader::class_of_this() const {
  const Class* start = frame().owner;
  if (!frame().self) return *start;
  const Class* of = classes_.find(state_.heap.at(*frame().self).type, start);
  const bool is_below = of != nullptr && classes_.extends(of->name, start->name, of);
  return is_below ? *of : *start;
}

// A constant of an enumeration is its name.
Value FunctionalityReader::value_of_this() const {
  const Object& self = state_.heap.at(*frame().self);
  const Class* of = frame().owner;
  if (!of->is_local && of->constants.empty()) return object_value(*frame().self, of->name);
  if (of->constants.empty()) of = classes_.find(of->superclass, of);
  const auto name = known_words(self.text);
  if (of == nullptr || of->constants.empty() || !name || name->empty()) {
    return object_value(*frame().self, frame().owner->name);
  }
  return constant_value(*of, *name);
}

// f(...) where this is a function, a collection with an initialiser, or a constant.
std::optional<Value> FunctionalityReader::call_on_this(const std::string& name,
                                                       const Arguments& arguments, const Node& node,
                                                       Block& out) {
  for (const Class* around = frame().owner; around != nullptr; around = around->outer) {
    if (around->constants.empty()) continue;
    std::optional<Value> known = call_on_enumeration(*around, name, arguments, node, out);
    if (known) return known;
  }
  if (!frame().self) return std::nullopt;
  const Value self = value_of_this();
  if (self.kind != ValueKind::object) return call_known(self, name, arguments, node, out);
  switch (state_.heap.at(self.object).kind) {
    case ObjectKind::lambda:
      return call_lambda(self.object, arguments, node, out);
    case ObjectKind::list:
    case ObjectKind::map:
      return call_known(self, name, arguments, node, out);
    default:
      return std::nullopt;
  }
}

// A lambda, or an object with one method.
Value FunctionalityReader::invoke(const Value& function, const Arguments& arguments,
                                  const Node& node, Block& out) {
  if (state_.is_dead) return {};
  if (is_lambda(function)) return call_lambda(function.object, arguments, node, out);
  if (function.kind == ValueKind::object) {
    const Class* of = classes_.find(state_.heap.at(function.object).type, frame().owner);
    for (std::size_t i = 0; of != nullptr && i < of->methods.size(); ++i) {
      const Method& method = of->methods[i];
      const bool is_meant = !method.is_constructor && !method.is_static && !method.is_abstract &&
                            method.parameters.size() == arguments.size();
      if (is_meant) return follow(method, function.object, arguments, node, out);
    }
  }
  return unknown_call(function, "the function", arguments, node, out);
}

// A method of the interface that the function implements may have a body itself.
Value FunctionalityReader::call_function(const Value& function, const std::string& name,
                                         const Arguments& arguments, const Node& node, Block& out) {
  if (const Class* of = classes_.find(function.type, frame().owner)) {
    const Method* method = find_called(*of, name, arguments, node);
    if (method != nullptr && !method->is_abstract && !method->is_static) {
      return follow(*method, function.object, arguments, node, out);
    }
  }
  static constexpr std::array<std::string_view, 6> kMakers = {"andThen", "compose",  "negate",
                                                              "and",     "reversed", "or"};
  if (std::ranges::find(kMakers, name) == kMakers.end()) {
    return call_lambda(function.object, arguments, node, out);
  }
  Arguments both = arguments;
  both.push_back(function);
  return unknown_call(Value(), name, both, node, out);
}

Value FunctionalityReader::call_lambda(std::size_t lambda, const Arguments& arguments,
                                       const Node& node, Block& out) {
  const Object object = state_.heap.at(lambda);
  if (frames_.size() >= limits_.depth) {
    note(node, "this is called too deeply to be followed",
         "it is taken to read and write anything");
    add(out, node, RunStatement{.statement = opaque_statement("the code", node), .into = {}});
    return {};
  }
  if (!object.code.is("lambda_expression")) return call_reference(lambda, arguments, node, out);
  Frame called;
  called.owner = object.captured->owner;
  called.self = object.captured->self;
  called.scopes = {object.captured->slots, {}};
  called.loops = loops_.size();
  called.left = new_slot("$left");
  called.result = new_slot("$result");
  const std::string left = called.left;
  const std::string result = called.result;
  begin_part(left);
  state_.locals.set(result, null_value());
  frames_.push_back(std::move(called));
  const Node parameters = object.code.field("parameters");
  std::vector<Node> names = parameters.children();
  if (parameters.is("identifier")) names = {parameters};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_bare = names[i].is("identifier");
    const std::string type(is_bare ? "" : names[i].field_text("type"));
    Value value = i < arguments.size() ? arguments[i] : Value();
    if (!type.empty() && type != "var") value = converted(std::move(value), type);
    declare(std::string(is_bare ? names[i].text() : names[i].field_text("name")), std::move(value),
            type);
  }
  if (const Node body = object.code.field("body"); body.is("block")) {
    read_block(body, out);
  } else {
    Value value = read(body, out);
    if (!state_.is_dead) state_.locals.set(result, std::move(value));
  }
  return leave_followed(left, result);
}

// Product::name, this::read, Integer::sum, Product::new
Value FunctionalityReader::call_reference(std::size_t lambda, const Arguments& arguments,
                                          const Node& node, Block& out) {
  const Object object = state_.heap.at(lambda);
  const Node target = object.code.first_child();
  const std::string type(target.text());
  frames_.push_back({.owner = object.captured->owner,
                     .method = nullptr,
                     .self = object.captured->self,
                     .scopes = {object.captured->slots, {}},
                     .result = "",
                     .left = "$never",
                     .loops = loops_.size()});
  const auto call = [&]() -> Value {
    if (object.code.has_token("new")) return create(type, arguments, node, out);
    const std::string name(object.code.children().back().text());
    const Class* owner = nullptr;
    const bool is_value =
        target.is("this") || target.is("super") || target.is("method_invocation") ||
        find_slot(type) != nullptr || classes_.find_field(*frame().owner, type, owner) != nullptr ||
        (target.is("field_access") && classes_.find(type, frame().owner) == nullptr);
    if (is_value) {
      const Value on = target.is("super") && frame().self ? value_of_this() : read(target, out);
      return state_.is_dead ? Value() : call_on(on, name, arguments, node, out);
    }
    if (const Class* of = classes_.find(type, frame().owner)) {
      const Method* method = find_called(*of, name, arguments, object.code);
      if (method != nullptr && method->is_static) {
        return follow(*method, std::nullopt, arguments, node, out);
      }
    } else if (std::optional<Value> known = call_static(simple_type(type), name, arguments)) {
      return *known;
    }
    if (arguments.empty()) return unknown_call(Value(), name, arguments, node, out);
    return call_on(converted(arguments[0], type), name, {arguments.begin() + 1, arguments.end()},
                   node, out);
  };
  Value value = call();
  frames_.pop_back();
  return value;
}

// Code that is put where it may not be found again.
void FunctionalityReader::note_escape(const Value& value) {
  if (!is_lambda(value)) return;
  const Object& lambda = state_.heap.at(value.object);
  const bool is_known =
      std::ranges::any_of(escaped_, [&](const Object& other) { return other.code == lambda.code; });
  if (!is_known) escaped_.push_back(lambda);
}

// A call of something that is not known may be one of any of them.
void FunctionalityReader::run_escaped(const Value& object, const std::string& name,
                                      const Arguments& arguments, const Node& node, Block& out) {
  static constexpr std::array<std::string_view, 7> kNames = {"run",  "apply", "accept", "get",
                                                             "test", "call",  "execute"};
  const bool is_function =
      std::ranges::find(kNames, name) != kNames.end() || classes_.is_function_name(name);
  const bool may_be_code = object.kind != ValueKind::object ||
                           state_.heap.at(object.object).kind == ObjectKind::instance;
  if (escaped_.empty() || !is_function || !may_be_code) return;
  const std::vector<Object> escaped = escaped_;
  for (const Object& each : escaped) {
    if (state_.is_dead) return;
    const std::size_t lambda = state_.heap.add(each);
    run_unknown_times(node, out,
                      [&](Block& block) { call_lambda(lambda, arguments, node, block); });
  }
}

void FunctionalityReader::run_unknown_times(const Node& node, Block& out, const Way& code) {
  Loop loop;
  loop.condition = unknown("whether the code is called again");
  loop.label = read_loop(node, "", {}, out, loop.body, code);
  if (loop.body.empty()) return;
  note(node, "this is given code and has no source here",
       "the code is taken to run any number of times");
  add(out, node, std::move(loop));
}

// What something that is not followed may call.
void FunctionalityReader::call_back(const std::string& name, const Arguments& arguments,
                                    const Node& node, Block& out) {
  static_cast<void>(name);
  const auto argument = [&](const std::string& type) {
    Object object;
    object.type = type;
    const std::string simple = simple_type(type);
    if (simple == "Connection") object.kind = ObjectKind::connection;
    if (simple == "ResultSet") object.kind = ObjectKind::rows;
    if (object.kind == ObjectKind::opaque) return converted(Value(), type);
    return object_value(state_.heap.add(std::move(object)), type);
  };
  for (const Value& each : arguments) {
    if (state_.is_dead || each.kind != ValueKind::object) continue;
    const Object object = state_.heap.at(each.object);
    if (object.kind == ObjectKind::lambda) {
      run_unknown_times(node, out, [&](Block& block) {
        call_lambda(each.object, Arguments(object.code.is("method_reference") ? 1 : 0), node,
                    block);
      });
      continue;
    }
    const Class* of = classes_.find(object.type, frame().owner);
    if (object.kind != ObjectKind::instance || of == nullptr || !of->is_local) continue;
    for (const Method& method : of->methods) {
      if (method.is_constructor || method.is_abstract || method.is_static) continue;
      run_unknown_times(node, out, [&](Block& block) {
        Arguments given;
        for (const Parameter& parameter : method.parameters) {
          given.push_back(argument(parameter.type));
        }
        follow(method, each.object, given, node, block);
      });
    }
  }
}

}  // namespace heddle::java
