// Streams and Optional. A stream is a list and what is done with each element of it: nothing runs
// before the last step, which goes through the list once and takes each element through all steps,
// as Java does. What ends early leaves the loop.
#include <algorithm>
#include <array>
#include <utility>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

// Steps that change nothing for us.
bool is_idle_step(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kIdle = {
      "boxed", "asLongStream", "asDoubleStream", "parallel", "sequential", "unordered", "onClose"};
  return std::ranges::find(kIdle, name) != kIdle.end();
}

bool is_step(std::string_view name, std::size_t arguments) {
  static constexpr std::array<std::string_view, 10> kSteps = {
      "map",  "mapToInt", "mapToLong", "mapToDouble", "mapToObj",
      "peek", "filter",   "flatMap",   "limit",       "skip"};
  return (arguments == 1 && std::ranges::find(kSteps, name) != kSteps.end()) ||
         (arguments == 1 && name == "takeWhile") || is_idle_step(name);
}

std::string number_type(std::string_view step) {
  if (step == "mapToInt") return "int";
  if (step == "mapToLong" || step == "asLongStream") return "long";
  return step == "mapToDouble" || step == "asDoubleStream" ? "double" : "";
}

// So many known elements are taken one by one; more where a text is put together from them.
constexpr std::size_t kFew = 16;
constexpr std::size_t kFewTexts = 64;

bool is_collector(const Object& object) { return object.type == "Collector"; }

}  // namespace

Value FunctionalityReader::new_stream(const Value& list) {
  Object stream;
  stream.kind = ObjectKind::stream;
  stream.type = "Stream";
  stream.items = {list};
  return object_value(state_.heap.add(std::move(stream)), "Stream");
}

// Stream.of, Arrays.stream, IntStream.range, collectors and comparators.
std::optional<Value> FunctionalityReader::static_stream(const std::string& type,
                                                        const std::string& name,
                                                        const Arguments& arguments) {
  if (type == "Collectors") {
    Object collector;
    collector.type = "Collector";
    collector.columns = {name};
    collector.items = arguments;
    return object_value(state_.heap.add(std::move(collector)), "Collector");
  }
  const bool makes_comparator =
      (type == "Comparator" && name.starts_with("comparing")) || name == "reverseOrder";
  if (makes_comparator && arguments.size() < 2) {
    Object comparator;
    comparator.type = "Comparator";
    comparator.items = arguments;
    comparator.is_sorted = name != "reverseOrder";
    return object_value(state_.heap.add(std::move(comparator)), "Comparator");
  }
  const bool is_stream = type == "Stream" || type == "IntStream" || type == "LongStream";
  const bool is_one = arguments.size() == 1 && arguments[0].kind == ValueKind::object &&
                      state_.heap.at(arguments[0].object).kind == ObjectKind::list;
  if (type == "Arrays" && name == "stream" && is_one) return new_stream(arguments[0]);
  if (is_stream && (name == "of" || name == "empty")) {
    if (is_one) return new_stream(arguments[0]);
    return new_stream(new_list(arguments.empty() ? "" : arguments[0].type, arguments));
  }
  const bool is_range = (name == "range" || name == "rangeClosed") && arguments.size() == 2;
  if (is_stream && is_range && is_single(arguments[0]) && is_single(arguments[1])) {
    Value stream = new_stream(Value());
    Object& object = state_.heap.change(stream.object);
    Value last = arguments[1];
    if (name == "range") {
      last.expression = folded("-", {to_expression(last), number(1)});
    }
    object.fields = {{"first", arguments[0]}, {"last", last}};
    return stream;
  }
  return std::nullopt;
}

Expression FunctionalityReader::condition_of_call(const Value& predicate,
                                                  const Arguments& arguments, const Node& node,
                                                  Block& out) {
  const Value value = invoke(predicate, arguments, node, out);
  if (state_.is_dead) return literal("false");
  if (value.kind == ValueKind::scalar || value.kind == ValueKind::choice) {
    return to_expression(value);
  }
  return kept(unknown("a condition"), "condition", "boolean", node, out);
}

void FunctionalityReader::read_stream(const Value& stream, const Node& node, Block& out,
                                      const Each& each, std::size_t unrolled) {
  const Object object = state_.heap.at(stream.object);
  const bool may_leave = std::ranges::any_of(object.columns, [](const std::string& step) {
    return step == "limit" || step == "takeWhile";
  });
  Walk walk{.stream = &object, .slots = {}, .loop = loops_.size()};
  for (const std::string& step : object.columns) {
    walk.slots.push_back(new_slot("$" + step));
    if (step == "limit" || step == "skip") {
      state_.locals.set(walk.slots.back(), scalar(number(0), "long"));
    }
  }
  const EachElement round = [&](const Value& element, Block& block) {
    read_steps(walk, 0, element, node, block, each);
  };
  if (!object.fields.contains("first")) {
    const Elements what{
        .name = "element", .label = "", .may_unroll = false, .unrolled = may_leave ? 0 : unrolled};
    return read_elements(node, object.items.at(0), what, round, out);
  }
  CountLoop loop;
  loop.first = to_expression(object.fields.at("first"));
  loop.last = to_expression(object.fields.at("last"));
  const std::string type = object.fields.at("last").type == "long" ? "long" : "int";
  loop.variable = new_variable("element", column_type(type));
  const Value element =
      scalar({.kind = ExpressionKind::variable, .text = loop.variable, .operands = {}}, type);
  loop.label =
      read_loop(node, "", {}, out, loop.body, [&](Block& block) { round(element, block); });
  add(out, node, std::move(loop));
}

// One element, from a step on.
void FunctionalityReader::read_steps(const Walk& walk, std::size_t step, const Value& element,
                                     const Node& node, Block& out, const Each& each) {
  if (state_.is_dead || trouble_) return;
  if (step == walk.stream->columns.size()) return each(element, out);
  const std::string& name = walk.stream->columns[step];
  const Value& argument = walk.stream->items.at(step + 1);
  const Way go_on = [&](Block& block) { read_steps(walk, step + 1, element, node, block, each); };
  const Way stop = [&](Block& block) { leave_loop(walk.loop, false, node, block); };
  if (name == "filter" || name == "takeWhile") {
    const Expression holds = condition_of_call(argument, {element}, node, out);
    if (state_.is_dead) return;
    branch(node, holds, out, go_on, name == "filter" ? Way([](Block&) {}) : stop);
  } else if (name == "limit" || name == "skip") {
    const Expression before = to_expression(state_.locals.get(walk.slots[step]));
    const Expression most = to_expression(argument);
    if (name == "limit") {
      state_.locals.set(walk.slots[step], scalar(folded("+", {before, number(1)}), "long"));
      go_on(out);
      if (state_.is_dead) return;
      const Expression now = to_expression(state_.locals.get(walk.slots[step]));
      branch(node, folded(">=", {now, most}), out, stop, [](Block&) {});
    } else {
      branch(
          node, folded("<", {before, most}), out,
          [&](Block&) {
            state_.locals.set(walk.slots[step], scalar(folded("+", {before, number(1)}), "long"));
          },
          go_on);
    }
  } else if (name == "flatMap") {
    const Value inner = invoke(argument, {element}, node, out);
    if (state_.is_dead) return;
    const Each rest = [&](const Value& one, Block& block) {
      read_steps(walk, step + 1, one, node, block, each);
    };
    const bool is_stream =
        inner.kind == ValueKind::object && state_.heap.at(inner.object).kind == ObjectKind::stream;
    if (is_stream) return read_stream(inner, node, out, rest);
    read_elements(node, Value(), {.name = "inner", .label = "", .may_unroll = false}, rest, out);
  } else if (name.starts_with("map")) {
    Value mapped = invoke(argument, {element}, node, out);
    const std::string type = number_type(name);
    if (!type.empty()) mapped = converted(std::move(mapped), type);
    read_steps(walk, step + 1, mapped, node, out, each);
  } else {
    if (name == "peek") invoke(argument, {element}, node, out);
    const std::string type = number_type(name);
    read_steps(walk, step + 1, type.empty() ? element : converted(element, type), node, out, each);
  }
}

std::optional<Value> FunctionalityReader::call_on_stream(const Value& stream,
                                                         const std::string& name,
                                                         const Arguments& arguments,
                                                         const Node& node, Block& out) {
  if (is_step(name, arguments.size())) {
    Object longer = state_.heap.at(stream.object);
    longer.columns.push_back(name);
    longer.items.push_back(arguments.empty() ? Value() : arguments[0]);
    return object_value(state_.heap.add(std::move(longer)), "Stream");
  }
  if (name == "distinct" || name == "sorted") {
    const Value list = collect_list(stream, name == "distinct", node, out);
    if (state_.is_dead) return Value();
    if (name == "sorted") sort_list(list, arguments, node, out);
    return new_stream(list);
  }
  std::optional<Value> value = finish_stream(stream, name, arguments, node, out);
  if (value || state_.is_dead) return value;
  // What the steps do is done, whatever comes of it.
  const Value list = collect_list(stream, false, node, out);
  note(node, name + "() of a stream is not followed", "its value is not known");
  return std::nullopt;
}

std::optional<Value> FunctionalityReader::finish_stream(const Value& stream,
                                                        const std::string& name,
                                                        const Arguments& arguments,
                                                        const Node& node, Block& out) {
  const std::size_t count = arguments.size();
  if ((name == "forEach" || name == "forEachOrdered") && count == 1) {
    const Each call = [&](const Value& element, Block& block) {
      invoke(arguments.at(0), {element}, node, block);
    };
    read_stream(stream, node, out, call, kFew);
    return Value();
  }
  if (name == "toList" || name == "toArray") return collect_list(stream, false, node, out);
  if (name == "collect" && count == 1) return collected(stream, arguments[0], node, out);
  if (name.ends_with("Match") && count == 1) return matched(stream, name, arguments[0], node, out);
  if (name == "findFirst" || name == "findAny") return first_of(stream, node, out);
  if (name == "count") {
    return reduced(stream, scalar(number(0), "long"), node, out,
                   [&](const Value& so_far, const Value&, Block&) {
                     return scalar(folded("+", {so_far.expression, number(1)}), "long");
                   });
  }
  if (name == "sum") {
    std::string type = "int";
    for (const std::string& step : state_.heap.at(stream.object).columns) {
      if (!number_type(step).empty()) type = number_type(step);
    }
    return reduced(stream, scalar(number(0), type), node, out,
                   [&](const Value& so_far, const Value& element, Block&) {
                     Value sum = arithmetic("+", so_far, element);
                     sum.type = type;
                     return sum;
                   });
  }
  if (name == "reduce" && count == 2) {
    return reduced(stream, arguments[0], node, out,
                   [&](const Value& so_far, const Value& element, Block& block) {
                     return invoke(arguments[1], {so_far, element}, node, block);
                   });
  }
  if ((name == "max" || name == "min") && is_natural(arguments)) {
    return reduced(stream, null_value(), node, out,
                   [&](const Value& so_far, const Value& element, Block&) {
                     const Expression both = call(name == "max" ? "greatest" : "least",
                                                  {to_expression(so_far), to_expression(element)});
                     return typed(both, element.type);
                   });
  }
  return std::nullopt;
}

// Whether elements are compared as they are.
bool FunctionalityReader::is_natural(const Arguments& arguments) const {
  if (arguments.empty()) return true;
  if (!is_lambda(arguments[0])) return false;
  const std::string_view code = state_.heap.at(arguments[0].object).code.text();
  return code.ends_with("::compareTo") || code.ends_with("::compare");
}

Value FunctionalityReader::reduced(
    const Value& stream, Value first, const Node& node, Block& out,
    const std::function<Value(const Value&, const Value&, Block&)>& step) {
  const std::string slot = new_slot("$sum");
  state_.locals.set(slot, std::move(first));
  read_stream(stream, node, out, [&](const Value& element, Block& block) {
    Value next = step(state_.locals.get(slot), element, block);
    if (!state_.is_dead) state_.locals.set(slot, std::move(next));
  });
  if (state_.is_dead) return {};
  Value value = state_.locals.get(slot);
  state_.locals.erase(slot);
  return value;
}

Value FunctionalityReader::matched(const Value& stream, const std::string& name,
                                   const Value& predicate, const Node& node, Block& out) {
  const std::string slot = new_slot("$matches");
  const std::size_t loop = loops_.size();
  const bool is_any = name == "anyMatch";
  state_.locals.set(slot, scalar(literal(is_any ? "false" : "true"), "boolean"));
  read_stream(stream, node, out, [&](const Value& element, Block& block) {
    Expression decides = condition_of_call(predicate, {element}, node, block);
    if (state_.is_dead) return;
    if (name == "allMatch") decides = negation(std::move(decides));
    branch(
        node, decides, block,
        [&](Block& then) {
          state_.locals.set(slot, scalar(literal(is_any ? "true" : "false"), "boolean"));
          leave_loop(loop, false, node, then);
        },
        [](Block&) {});
  });
  if (state_.is_dead) return {};
  Value value = state_.locals.get(slot);
  state_.locals.erase(slot);
  return value;
}

// The first element in a list of its own, which may stay empty.
Value FunctionalityReader::first_of(const Value& stream, const Node& node, Block& out) {
  const std::size_t loop = loops_.size();
  const Value list = new_list("", {});
  read_stream(stream, node, out, [&](const Value& element, Block& block) {
    add_element(list.object, element);
    leave_loop(loop, false, node, block);
  });
  if (state_.is_dead || state_.heap.at(list.object).fields.empty()) return null_value();
  const Expression is_absent = folded("=", {list_size(list.object), number(0)});
  const Value first = element_of(list.object, number(1));
  return is_single(first) ? first : chosen(is_absent, null_value(), first);
}

Value FunctionalityReader::collect_list(const Value& stream, bool is_set, const Node& node,
                                        Block& out) {
  const Value list = new_list("", {});
  state_.heap.change(list.object).is_set = is_set;
  const Each add_one = [&](const Value& element, Block& block) {
    if (is_set) add_to_set(list.object, element, node, block);
    if (!is_set) add_element(list.object, element);
  };
  read_stream(stream, node, out, add_one, kFew);
  const Object& object = state_.heap.at(list.object);
  const auto only = object.fields.find("");
  std::string type = object.element;
  if (only != object.fields.end()) type = element_type(only->second.type);
  state_.heap.change(list.object).type = type + "[]";
  return object_value(list.object, "List<" + type + ">");
}

std::optional<Value> FunctionalityReader::collected(const Value& stream, const Value& collector,
                                                    const Node& node, Block& out) {
  if (collector.kind != ValueKind::object) return std::nullopt;
  const Object object = state_.heap.at(collector.object);
  if (!is_collector(object)) return std::nullopt;
  const std::string& name = object.columns.at(0);
  const Arguments& arguments = object.items;
  if (name.ends_with("List") || name.ends_with("Set") || name == "toCollection") {
    return collect_list(stream, name.ends_with("Set"), node, out);
  }
  if (name == "joining") return joined(stream, arguments, node, out);
  if (name == "counting") return finish_stream(stream, "count", {}, node, out);
  if (name.starts_with("summing") && arguments.size() == 1) {
    const std::string step = "mapTo" + name.substr(std::string_view("summing").size());
    const auto numbers = call_on_stream(stream, step, arguments, node, out);
    return finish_stream(*numbers, "sum", {}, node, out);
  }
  if (name == "mapping" && arguments.size() == 2) {
    const auto mapped = call_on_stream(stream, "map", {arguments[0]}, node, out);
    return collected(*mapped, arguments[1], node, out);
  }
  if (name == "toMap" || name == "groupingBy") return collect_map(stream, object, node, out);
  return std::nullopt;
}

// toMap(key, value), toMap(key, value, merger, maker), groupingBy(key, maker, counting())
std::optional<Value> FunctionalityReader::collect_map(const Value& stream, const Object& collector,
                                                      const Node& node, Block& out) {
  const Arguments& arguments = collector.items;
  const bool groups = collector.columns.at(0) == "groupingBy";
  if (arguments.size() < 2) return std::nullopt;
  std::string inner;
  Value summed;
  if (groups) {
    if (arguments.back().kind != ValueKind::object) return std::nullopt;
    const Object& last = state_.heap.at(arguments.back().object);
    if (!is_collector(last)) return std::nullopt;
    inner = last.columns.at(0);
    const bool sums = inner.starts_with("summing") && last.items.size() == 1;
    if (inner != "counting" && !sums) return std::nullopt;
    if (sums) summed = last.items.at(0);
  }
  const bool has_maker = groups ? arguments.size() == 3 : arguments.size() == 4;
  Value map = has_maker ? invoke(arguments[groups ? 1 : 3], {}, node, out) : new_map("Map", {});
  const bool is_map =
      map.kind == ValueKind::object && state_.heap.at(map.object).kind == ObjectKind::map;
  if (!is_map) return std::nullopt;
  read_stream(stream, node, out, [&](const Value& element, Block& block) {
    const Value key = invoke(arguments[0], {element}, node, block);
    if (state_.is_dead) return;
    Value value = scalar(number(1), "long");
    if (summed.kind == ValueKind::object) value = invoke(summed, {element}, node, block);
    if (!groups) value = invoke(arguments[1], {element}, node, block);
    if (state_.is_dead || !is_single(key)) return;
    const Expression place = place_in_map(map.object, key, node, block);
    const bool merges = groups || arguments.size() > 2;
    if (!merges) return put_in_map(map.object, key, place, value, node, block);
    branch(
        node, is_literal(place, "null") ? literal("true") : call("is null", {place}), block,
        [&](Block&) { append_to_map(map.object, key, value); },
        [&](Block& then) {
          const Value before = entry_value(map.object, place);
          const Value now = groups ? arithmetic("+", before, value)
                                   : invoke(arguments[2], {before, value}, node, then);
          if (!state_.is_dead) replace_in_map(map.object, place, now, node, then);
        });
  });
  return map;
}

Value FunctionalityReader::joined(const Value& stream, const Arguments& arguments, const Node& node,
                                  Block& out) {
  const Text separator = arguments.empty() ? Text() : as_text(arguments[0]);
  const std::string text = new_slot("$text");
  const std::string begun = new_slot("$begun");
  state_.locals.set(text, string_value({}));
  state_.locals.set(begun, scalar(literal("false"), "boolean"));
  const Each append_one = [&](const Value& element, Block& block) {
    const Value said = told(element, node, block);
    if (state_.is_dead) return;
    Text now = state_.locals.get(text).text;
    const Value between =
        chosen(to_expression(state_.locals.get(begun)), string_value(separator), string_value({}));
    append(now, between.text);
    append(now, as_text(said));
    state_.locals.set(text, string_value(std::move(now)));
    state_.locals.set(begun, scalar(literal("true"), "boolean"));
  };
  read_stream(stream, node, out, append_one, kFewTexts);
  if (state_.is_dead) return {};
  Text whole = arguments.size() > 1 ? as_text(arguments[1]) : Text();
  append(whole, state_.locals.get(text).text);
  if (arguments.size() > 2) append(whole, as_text(arguments[2]));
  state_.locals.erase(text);
  state_.locals.erase(begun);
  return string_value(std::move(whole));
}

// What Optional does with code that it is given.
std::optional<Value> FunctionalityReader::map_optional(const Value& value, const std::string& name,
                                                       const Arguments& arguments, const Node& node,
                                                       Block& out) {
  static constexpr std::array<std::string_view, 7> kKnown = {
      "map", "flatMap", "filter", "ifPresent", "ifPresentOrElse", "orElseGet", "or"};
  const bool is_known = std::ranges::find(kKnown, name) != kKnown.end();
  const std::size_t wanted = name == "ifPresentOrElse" ? 2 : 1;
  if (!is_known || arguments.size() != wanted) return std::nullopt;
  const Value absent = is_null(value);
  if (absent.kind != ValueKind::scalar) return std::nullopt;
  const std::string slot = new_slot("$value");
  const auto give = [&](Value result) {
    if (!state_.is_dead) state_.locals.set(slot, std::move(result));
  };
  const auto call = [&](const Value& function, bool takes, Block& block) {
    return invoke(function, takes ? Arguments{settled(state_, value)} : Arguments{}, node, block);
  };
  const Way without = [&](Block& block) {
    const bool makes = name == "orElseGet" || name == "or";
    if (makes) return give(call(arguments[0], false, block));
    if (name == "ifPresentOrElse") call(arguments.at(1), false, block);
    give(null_value());
  };
  const Way with = [&](Block& block) {
    const Value there = settled(state_, value);
    if (name == "orElseGet" || name == "or") return give(there);
    if (name != "filter") return give(call(arguments[0], true, block));
    const Expression holds = condition_of_call(arguments[0], {there}, node, block);
    if (state_.is_dead) return;
    branch(node, holds, block, [&](Block&) { give(there); }, [&](Block&) { give(null_value()); });
  };
  branch(node, absent.expression, out, without, with);
  if (state_.is_dead) return Value();
  Value result = state_.locals.get(slot);
  state_.locals.erase(slot);
  return result;
}

}  // namespace heddle::java
