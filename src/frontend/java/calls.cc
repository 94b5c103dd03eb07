// Calls: of what the library and JDBC offer, and of methods with source, which are followed.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"
#include "program/chance.h"
#include "program/redis_commands.h"

namespace heddle::java {

namespace {

// Objects that write what happens and decide nothing.
bool is_log(std::string_view object) {
  static constexpr std::array<std::string_view, 10> kLogs = {
      "log",        "logger", "LOG",   "LOGGER", "System.out",
      "System.err", "Thread", "log4j", "Log",    "Logger"};
  return std::ranges::find(kLogs, object) != kLogs.end();
}

}  // namespace

// `second`: the type of the second one, where it is known before what is called is.
FunctionalityReader::Arguments FunctionalityReader::read_arguments(const Node& list, Block& out,
                                                                   std::string_view second) {
  Arguments arguments;
  for (const Node& each : list.children()) {
    if (arguments.size() == 1) expected_type_ = second;
    arguments.push_back(read(each, out));
    if (state_.is_dead) break;
  }
  return arguments;
}

// Whether something that is not followed could use a store through it.
bool FunctionalityReader::touches_store(const Value& value) const {
  if (value.kind == ValueKind::choice) {
    return touches_store(value.choice->then) || touches_store(value.choice->otherwise);
  }
  static constexpr std::array<std::string_view, 5> kOfJdbc = {
      "Connection", "Statement", "PreparedStatement", "CallableStatement", "DataSource"};
  if (value.kind != ValueKind::object) {
    return std::ranges::find(kOfJdbc, simple_type(value.type)) != kOfJdbc.end() &&
           value.kind != ValueKind::null;
  }
  const Object& object = state_.heap.at(value.object);
  if (object.kind == ObjectKind::connection || object.kind == ObjectKind::statement ||
      object.kind == ObjectKind::rows) {
    return true;
  }
  const std::string simple = simple_type(object.type);
  const bool is_redis = redis_part(simple) != RedisPart::none;
  if (is_redis && program::has_redis_table(schema_)) return true;
  static constexpr std::array<std::string_view, 8> kStores = {
      "DataSource",    "JdbcTemplate", "NamedParameterJdbcTemplate",
      "EntityManager", "Session",      "SqlSession",
      "JdbcClient",    "DSLContext"};
  return std::ranges::find(kStores, simple) != kStores.end();
}

Value FunctionalityReader::read_call(const Node& invocation, Block& out) {
  const std::string expected = expected_type_;
  const std::string name(invocation.field_text("name"));
  const Node on = invocation.field("object");
  if (!on.is_present()) {
    const Arguments arguments = read_arguments(invocation.field("arguments"), out);
    if (state_.is_dead) return {};
    return call_plain(invocation, name, arguments, out);
  }
  if (is_log(on.text())) {
    read_arguments(invocation.field("arguments"), out);
    return {};
  }
  const bool may_be_class = on.is("identifier") || on.is("field_access");
  const bool is_value = on.is("identifier") && (find_slot(on.text()) != nullptr);
  Value object;
  bool is_class = false;
  if (on.is("super")) {
    object = frame().self ? object_value(*frame().self, "") : Value();
  } else if (may_be_class && !is_value) {
    object = read(on, out);
    is_class = object.kind == ValueKind::nothing;
  } else {
    object = read(on, out);
  }
  if (state_.is_dead) return {};
  const Arguments arguments =
      read_arguments(invocation.field("arguments"), out, type_of_parameter(name));
  if (state_.is_dead) return {};
  if (is_class) {
    const bool sorts = on.text() == "Collections" && name == "sort" && !arguments.empty();
    if (sorts)
      return call_on(arguments[0], name, {arguments.begin() + 1, arguments.end()}, invocation, out);
    if (std::optional<Value> known = call_static(simple_type(on.text()), name, arguments)) {
      return *known;
    }
    if (const Class* of = classes_.find(on.text(), frame().owner)) {
      const Method* method = find_called(*of, name, arguments, invocation);
      if (method != nullptr && !method->is_abstract) {
        return follow(*method, std::nullopt, arguments, invocation, out);
      }
      if (!of->constants.empty()) {
        if (std::optional<Value> known =
                call_on_enumeration(*of, name, arguments, invocation, out)) {
          return *known;
        }
      }
    }
  }
  if (on.is("super")) {
    const Class* super = classes_.find(frame().owner->superclass, frame().owner);
    const Method* method =
        super == nullptr ? nullptr : find_called(*super, name, arguments, invocation);
    if (method != nullptr) return follow(*method, frame().self, arguments, invocation, out);
  }
  expected_type_ = expected;
  return call_on(object, name, arguments, invocation, out);
}

namespace {

// Of the library: what is put into one stays what it is.
bool is_collection(std::string_view type) {
  static constexpr std::array<std::string_view, 8> kEndings = {
      "Map", "List", "Set", "Queue", "Deque", "Collection", "ThreadLocal", "AtomicReference"};
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return type.ends_with(end); });
}

bool is_rows(const Value& value, const State& state) {
  return value.kind == ValueKind::object && state.heap.at(value.object).kind == ObjectKind::rows;
}

// BenchBase's: of the class that all its procedures extend.
bool prepares_in_procedure(std::string_view name, const std::vector<Value>& arguments,
                           const Method* method) {
  return (name == "getPreparedStatement" || name == "getPreparedStatementReturnKeys") &&
         arguments.size() > 1 && (method == nullptr || method->owner->name == "Procedure");
}

}  // namespace

// f(...): of this class, what it extends, what is around it, or imported.
Value FunctionalityReader::call_plain(const Node& invocation, const std::string& name,
                                      const Arguments& arguments, Block& out) {
  const Method* method = find_called(class_of_this(), name, arguments, invocation);
  if (prepares_in_procedure(name, arguments, method)) {
    return prepare_with_values(arguments, invocation, out);
  }
  if (method != nullptr && !method->is_abstract) {
    return follow(*method, method->is_static ? std::nullopt : self_of(*method->owner), arguments,
                  invocation, out);
  }
  if (std::optional<Value> known = call_on_this(name, arguments, invocation, out)) return *known;
  for (const std::string& imported : frame().owner->static_imports) {
    const Class* from = classes_.find(imported, frame().owner);
    const Method* found =
        from == nullptr ? nullptr : find_called(*from, name, arguments, invocation);
    if (found != nullptr) return follow(*found, std::nullopt, arguments, invocation, out);
    if (std::optional<Value> known = call_static(imported, name, arguments)) return *known;
  }
  return unknown_call(Value(), name, arguments, invocation, out);
}

Value FunctionalityReader::call_on(const Value& object, const std::string& name,
                                   const Arguments& arguments, const Node& node, Block& out) {
  if (object.kind == ValueKind::choice) {
    if (std::optional<Value> known = call_on_optional(object, name, arguments, node, out)) {
      return *known;
    }
    return call_on_choice(object, name, arguments, node, out);
  }
  const std::string expected = expected_type_;
  if (std::optional<Value> known = call_known(object, name, arguments, node, out)) return *known;
  if (object.kind != ValueKind::object) return unknown_call(object, name, arguments, node, out);
  const Object target = state_.heap.at(object.object);
  const Class* of = classes_.find(target.type, frame().owner);
  if (of != nullptr) {
    const Method* method = find_called(*of, name, arguments, node);
    if (prepares_in_procedure(name, arguments, method)) {
      return prepare_with_values(arguments, node, out);
    }
    std::size_t count = 0;
    if ((method == nullptr || method->is_abstract) && !target.is_created) {
      if (const Class* only = classes_.find_implementer(*of, count)) {
        state_.heap.change(object.object).type = only->name;
        method = find_called(*only, name, arguments, node);
      }
    }
    if (method != nullptr && !method->is_abstract) {
      return follow(*method, method->is_static ? std::nullopt : std::optional(object.object),
                    arguments, node, out);
    }
    constexpr std::size_t kMostClasses = 8;
    if (count > 1 && count <= kMostClasses) {
      return call_on_choice(one_of(object.object, *of, node, out), name, arguments, node, out);
    }
    if (count > 1) {
      pass_over(node, ReadingReason::several_ways,
                "several classes implement " + of->name + ", so " + name + "() is not followed",
                "it is taken to read and write anything; give the one that is meant");
      add(out, node, RunStatement{.statement = opaque_statement(name + "()", node), .into = {}});
      return {};
    }
    if (arguments.empty() && method == nullptr) {
      const bool is_record = !of->components.empty();
      if (is_record) return property(object, name);
    }
  }
  if (target.kind == ObjectKind::parameter && arguments.empty() && !touches_store(object)) {
    static constexpr std::array<std::string_view, 2> kPrefixes = {"get", "is"};
    for (const std::string_view prefix : kPrefixes) {
      if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
      std::string field = name.substr(prefix.size());
      field[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(field[0])));
      expected_type_ = expected;
      return property(object, field);
    }
  }
  return unknown_call(object, name, arguments, node, out);
}

// What may be of several classes is of each of them on a way of its own; which it is, is chosen as
// a value of chance is.
Value FunctionalityReader::one_of(std::size_t object, const Class& of, const Node& node,
                                  Block& out) {
  const Value* known = state_.heap.field(object, "$class");
  if (known != nullptr && known->kind == ValueKind::choice) return *known;
  note(node, "several classes implement " + of.name,
       "each of them is followed; give the one that is meant");
  const std::vector<const Class*>& all = classes_.implementers(of);
  const auto of_class = [&](const Class* one) {
    Object copy = state_.heap.at(object);
    copy.type = one->name;
    return object_value(state_.heap.add(std::move(copy)), one->name);
  };
  const auto count = static_cast<long long>(all.size());
  const Expression which =
      kept(call(std::string(program::kChanceFunction),
                {literal("the class of " + of.name), number(0), number(count)}),
           "class", "integer", node, out);
  chance_.try_emplace(which.text, "");
  Value value = of_class(all.back());
  for (std::size_t i = all.size() - 1; i-- > 0;) {
    const Expression is_it = call("=", {which, number(static_cast<long long>(i))});
    Value chosen;
    chosen.kind = ValueKind::choice;
    chosen.choice = std::make_shared<ValueChoice>(ValueChoice{is_it, of_class(all[i]), value});
    value = std::move(chosen);
  }
  state_.heap.change(object).fields["$class"] = value;
  return value;
}

// Whether a name that Optional has, too, means something else.
bool FunctionalityReader::has_own_method(const Value& object, const std::string& name,
                                         const Arguments& arguments) const {
  if (object.kind != ValueKind::object) return false;
  const Object& target = state_.heap.at(object.object);
  if (target.kind == ObjectKind::map || target.kind == ObjectKind::stream ||
      target.kind == ObjectKind::lambda) {
    return true;
  }
  const Class* of = target.kind == ObjectKind::instance || target.kind == ObjectKind::opaque
                        ? classes_.find(target.type, frame().owner)
                        : nullptr;
  return of != nullptr && classes_.find_method(*of, name, arguments.size()) != nullptr;
}

std::optional<Value> FunctionalityReader::call_known(const Value& object, const std::string& name,
                                                     const Arguments& arguments, const Node& node,
                                                     Block& out) {
  if (std::optional<Value> known = call_on_redis(object, name, arguments, node, out)) return known;
  if (name == "equals" && arguments.size() == 1) {
    Value same = read_comparison(node, "=", object, arguments[0]);
    if (same.kind == ValueKind::scalar) return same;
  }
  if (!has_own_method(object, name, arguments)) {
    if (std::optional<Value> known = call_on_optional(object, name, arguments, node, out)) {
      return known;
    }
  }
  if (const Class* of = find_enumeration(object.type); of != nullptr && is_single(object)) {
    if (std::optional<Value> known = call_on_constant(object, *of, name, arguments, node, out)) {
      return known;
    }
  }
  if (object.kind == ValueKind::text) return call_on_text(object, name, arguments);
  if (object.kind == ValueKind::scalar) return call_on_number(object, name, arguments);
  if (object.kind != ValueKind::object) return std::nullopt;
  switch (state_.heap.at(object.object).kind) {
    case ObjectKind::connection:
      return call_on_connection(object.object, name, arguments, node, out);
    case ObjectKind::statement:
      return call_on_statement(object, name, arguments, node, out);
    case ObjectKind::rows:
      return call_on_rows(object, name, arguments, node, out);
    case ObjectKind::builder:
    case ObjectKind::list: {
      const bool is_list = state_.heap.at(object.object).kind == ObjectKind::list;
      std::optional<Value> known = is_list ? call_on_list(object, name, arguments, node, out)
                                           : call_on_builder(object, name, arguments, node, out);
      if (!known) forget_contents(object);
      return known;
    }
    case ObjectKind::map:
      return call_on_map(object, name, arguments, node, out);
    case ObjectKind::stream:
      return call_on_stream(object, name, arguments, node, out);
    case ObjectKind::lambda:
      return call_function(object, name, arguments, node, out);
    case ObjectKind::sql:
      if (name == "getSQL") return string_value(state_.heap.at(object.object).text);
      return std::nullopt;
    case ObjectKind::exception:
      return call_on_exception(object, name, arguments);
    case ObjectKind::opaque:
    case ObjectKind::parameter:
    case ObjectKind::instance:
    case ObjectKind::savepoint:
      break;
  }
  return call_on_object(object, name);
}

// Comparators, entries of maps, and what gives connections.
std::optional<Value> FunctionalityReader::call_on_object(const Value& object,
                                                         const std::string& name) {
  if (name == "reversed" && state_.heap.at(object.object).type == "Comparator") {
    Object other = state_.heap.at(object.object);
    other.is_sorted = !other.is_sorted;
    return object_value(state_.heap.add(std::move(other)), "Comparator");
  }
  if (simple_type(state_.heap.at(object.object).type) == "Map$Entry") {
    if (name == "getKey" || name == "getValue") {
      return property(object, name == "getKey" ? "key" : "value");
    }
  }
  const std::string simple = simple_type(state_.heap.at(object.object).type);
  const bool gives_connection = name == "getConnection" || name == "unwrap";
  if (gives_connection && classes_.find(simple, frame().owner) == nullptr) {
    return new_connection(name == "getConnection");
  }
  return std::nullopt;
}

Value FunctionalityReader::call_on_choice(const Value& object, const std::string& name,
                                          const Arguments& arguments, const Node& node,
                                          Block& out) {
  const ValueChoice both = *object.choice;
  const bool is_then_null = both.then.kind == ValueKind::null;
  if (is_then_null || both.otherwise.kind == ValueKind::null) {
    refuse_null(is_then_null ? both.condition : negation(both.condition), node, out);
    if (state_.is_dead) return {};
    return call_on(is_then_null ? both.otherwise : both.then, name, arguments, node, out);
  }
  const std::string slot = new_slot("$value");
  branch(
      node, both.condition, out,
      [&](Block& block) {
        Value value = call_on(both.then, name, arguments, node, block);
        state_.locals.set(slot, std::move(value));
      },
      [&](Block& block) {
        Value value = call_on(both.otherwise, name, arguments, node, block);
        state_.locals.set(slot, std::move(value));
      });
  if (state_.is_dead) return {};
  Value value = state_.locals.take(slot);
  return value;
}

// A call on null ends the path.
void FunctionalityReader::refuse_null(const Expression& is_null, const Node& node, Block& out) {
  branch(
      place_of_call(node), is_null, out,
      [&](Block& block) {
        Value exception;
        exception.type = "NullPointerException";
        raise(node, exception, block);
      },
      [](Block&) {});
}

// A method that is given code may be called in the code, a few times.
bool FunctionalityReader::calls_itself(const Method& method) const {
  constexpr std::ptrdiff_t kMost = 3;
  const auto is_same = [&](const Frame& outer) { return outer.method == &method; };
  const auto is_code = [](const Frame& outer) { return outer.method == nullptr; };
  const auto last = std::find_if(frames_.rbegin(), frames_.rend(), is_same);
  if (last == frames_.rend()) return false;
  return std::none_of(frames_.rbegin(), last, is_code) ||
         std::ranges::count_if(frames_, is_same) >= kMost;
}

Value FunctionalityReader::follow(const Method& method, std::optional<std::size_t> self,
                                  const Arguments& arguments, const Node& node, Block& out) {
  if (cuts_calls()) return follow_or_cut(method, self, arguments, node, out);
  const bool is_recursive = calls_itself(method);
  if (is_recursive || frames_.size() >= limits_.depth) {
    if (!method.may_reach_store) return {};
    pass_over(node, is_recursive ? ReadingReason::recursive : ReadingReason::too_deep,
              method.name + (is_recursive ? "() calls itself, which is not followed"
                                          : "() is called too deeply to be followed"),
              "it is taken to read and write anything");
    add(out, node,
        RunStatement{.statement = opaque_statement(method.name + "()", node), .into = {}});
    return {};
  }
  return follow_in_place(method, self, arguments, node, out);
}

Value FunctionalityReader::follow_in_place(const Method& method, std::optional<std::size_t> self,
                                           const Arguments& arguments, const Node& node,
                                           Block& out) {
  followed_.insert(&method);
  Frame called;
  called.owner = method.owner;
  called.method = &method;
  called.self = self;
  const auto captured = self ? state_.heap.at(*self).captured : nullptr;
  if (captured) called.scopes.push_back(captured->slots);
  called.scopes.emplace_back();
  called.loops = loops_.size();
  called.left = new_slot("$left");
  called.result = new_slot("$result");
  begin_part(called.left);
  state_.locals.set(called.result, null_value());
  const std::string left = called.left;
  const std::string result = called.result;
  frames_.push_back(std::move(called));
  for (std::size_t i = 0; i < method.parameters.size(); ++i) {
    const Parameter& parameter = method.parameters[i];
    if (parameter.is_spread) {
      const bool is_list = arguments.size() == i + 1 && arguments[i].kind == ValueKind::object &&
                           state_.heap.at(arguments[i].object).kind == ObjectKind::list;
      Arguments rest;
      for (std::size_t j = i; j < arguments.size(); ++j) rest.push_back(arguments[j]);
      declare(parameter.name, is_list ? arguments[i] : new_list(element_type(parameter.type), rest),
              parameter.type);
    } else {
      Value given = i < arguments.size() ? converted(arguments[i], parameter.type) : Value();
      declare(parameter.name, bounded(std::move(given), parameter.name, node, out), parameter.type);
    }
  }
  read_block(method.node.field("body"), out);
  return leave_followed(left, result);
}

// What something that is not followed may have changed.
void FunctionalityReader::forget_contents(const Value& value) {
  if (value.kind == ValueKind::choice) {
    forget_contents(value.choice->then);
    forget_contents(value.choice->otherwise);
  }
  if (value.kind != ValueKind::object) return;
  const Object& object = state_.heap.at(value.object);
  if (object.kind == ObjectKind::builder) {
    state_.heap.change(value.object).text = {
        Piece{.words = "", .value = unknown("a text"), .is_string = true, .choice = nullptr}};
  } else if (object.kind == ObjectKind::map && !object.items.empty()) {
    state_.heap.change(value.object).items.assign(object.items.size(), Value());
  } else if ((object.kind == ObjectKind::list || object.kind == ObjectKind::map) &&
             !object.fields.empty()) {
    for (auto& [name, array] : state_.heap.change(value.object).fields) {
      array = scalar(unknown("a list"), array.type);
    }
  }
}

// A connection or statement of which nobody knows where it is from, told by its type or by what it
// is asked to do. Of a statement the text is not known then.
std::optional<Value> FunctionalityReader::call_on_unknown_store(const Value& object,
                                                                const std::string& name,
                                                                const Arguments& arguments,
                                                                const Node& node, Block& out) {
  static constexpr std::array<std::string_view, 3> kOfConnections = {
      "prepareStatement", "createStatement", "prepareCall"};
  static constexpr std::array<std::string_view, 5> kOfStatements = {
      "executeQuery", "executeUpdate", "executeBatch", "executeLargeUpdate", "executeLargeBatch"};
  if (object.kind == ValueKind::object) {
    const Object& known = state_.heap.at(object.object);
    const bool may_be = known.kind == ObjectKind::opaque || known.kind == ObjectKind::parameter;
    if (!may_be || classes_.find(known.type, frame().owner) != nullptr) return std::nullopt;
  }
  const std::string type = simple_type(object.type);
  const auto has = [&](const auto& names) { return std::ranges::find(names, name) != names.end(); };
  if (type == "Connection" || has(kOfConnections)) {
    return call_on_connection(0, name, arguments, node, out);
  }
  if (!type.ends_with("Statement") && !has(kOfStatements)) return std::nullopt;
  Object statement;
  statement.kind = ObjectKind::statement;
  statement.type = "PreparedStatement";
  statement.text = {Piece{.words = "",
                          .value = unknown("the text of the statement"),
                          .is_string = true,
                          .choice = nullptr}};
  const Value made = object_value(state_.heap.add(std::move(statement)), "PreparedStatement");
  return call_on_statement(made, name, arguments, node, out);
}

// What wraps a connection or statement does what that does: new LoggingStatement(statement).
std::optional<Value> FunctionalityReader::wrapped(const std::string& name,
                                                  const Arguments& arguments) const {
  if (!name.ends_with("Statement()") && !name.ends_with("Connection()")) return std::nullopt;
  std::optional<Value> only;
  for (const Value& argument : arguments) {
    if (!touches_store(argument)) continue;
    if (only) return std::nullopt;
    only = argument;
  }
  return only;
}

// Whoever is given rows, and has no source, reads them: what the first one has.
std::vector<Expression> FunctionalityReader::read_unseen(const Value& rows, const Node& node,
                                                         Block& out) {
  note(node, std::string(node.field_text("name")) + "() has no source here and is given rows",
       "it is taken to read them and to do nothing else; give its source, too");
  next_row(rows.object, node, out);
  const Object& object = state_.heap.at(rows.object);
  std::vector<Expression> read;
  if (object.row.kind != ExpressionKind::variable) return read;
  for (const std::string& column : object.columns) {
    if (column.empty()) continue;
    read.push_back({.kind = ExpressionKind::field, .text = column, .operands = {object.row}});
  }
  return read;
}

// What cannot be seen: a value that is not known, and where it has a way to a store, anything.
Value FunctionalityReader::unknown_call(const Value& object, const std::string& name,
                                        const Arguments& arguments, const Node& node, Block& out) {
  if (std::optional<Value> known = call_on_unknown_store(object, name, arguments, node, out)) {
    return *known;
  }
  const bool is_put_away = object.kind == ValueKind::object &&
                           is_collection(simple_type(state_.heap.at(object.object).type));
  const bool reaches = touches_store(object) ||
                       (!is_put_away && std::ranges::any_of(arguments, [&](const Value& argument) {
                         return touches_store(argument) && !is_rows(argument, state_);
                       }));
  static constexpr std::array<std::string_view, 6> kHarmless = {
      "close", "toString", "hashCode", "isClosed", "getClass", "requireNonNull"};
  if (std::ranges::find(kHarmless, name) != kHarmless.end()) return {};
  if (node.is("object_creation_expression")) {
    if (std::optional<Value> inner = wrapped(name + "()", arguments)) return *inner;
  }
  if (reaches) {
    pass_over(node, ReadingReason::no_source,
              name + "() has no source here and is given the database",
              "it is taken to read and write anything; give its source, too");
    add(out, node, RunStatement{.statement = opaque_statement(name + "()", node), .into = {}});
  }
  run_escaped(object, name, arguments, node, out);
  call_back(name, arguments, node, out);
  if (state_.is_dead) return {};
  for (const Value& argument : arguments) forget_contents(argument);
  std::vector<Expression> operands;
  for (const Value& argument : arguments) {
    if (!is_rows(argument, state_)) continue;
    std::ranges::move(read_unseen(argument, node, out), std::back_inserter(operands));
  }
  if (node.is("object_creation_expression")) return {};
  for (const Value& argument : arguments) {
    if (is_single(argument) && argument.kind != ValueKind::null) {
      operands.push_back(to_expression(argument));
    }
  }
  const std::string type = expected_type_;
  if (std::optional<Value> drawn = chance_of(object, name, arguments, node, out)) return *drawn;
  const std::string column = column_type(type);
  Expression value = kept(unknown(std::string(node.text().substr(0, 80)), std::move(operands)),
                          name, column, node, out);
  if (column == "text") {
    return string_value({Piece{.words = "", .value = value, .is_string = true, .choice = nullptr}});
  }
  return scalar(std::move(value), type);
}

}  // namespace heddle::java
