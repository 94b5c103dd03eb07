// Maps. One array holds the keys, and one for each property of the values what they are; so a map
// is two arrays, or as many as a list of objects has, and one more. The place of a key is where
// array_position finds it. Where all keys are known, places are, too, and values may be anything.
#include <algorithm>
#include <array>
#include <utility>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

bool is_array(const Expression& expression) {
  return expression.kind == ExpressionKind::call && expression.text == "array";
}

bool is_empty_array(const Expression& expression) {
  return expression.kind == ExpressionKind::cast && is_literal(expression.operands[0], "'{}'");
}

bool is_known(const Expression& expression) {
  return expression.kind == ExpressionKind::literal && expression.text != "null";
}

// Keys that are all known, in their order.
bool are_known(const Expression& keys) {
  return is_empty_array(keys) || (is_array(keys) && std::ranges::all_of(keys.operands, is_known));
}

std::string key_type(const Object& map) {
  const std::vector<std::string> types = type_arguments(map.type);
  return types.size() == 2 ? types[0] : "";
}
std::string value_type(const Object& map) {
  const std::vector<std::string> types = type_arguments(map.type);
  if (!map.element.empty()) return map.element;
  return types.size() == 2 ? types[1] : "";
}

Expression keys_of(const Object& map) {
  const auto keys = map.fields.find("k");
  return keys == map.fields.end() ? Expression{.kind = ExpressionKind::cast,
                                               .text = "text[]",
                                               .operands = {literal("'{}'")}}
                                  : to_expression(keys->second);
}

Expression size_of(const Expression& array) {
  if (is_empty_array(array)) return number(0);
  if (is_array(array)) return number(static_cast<long long>(array.operands.size()));
  return call("cardinality", {array});
}

bool is_value_path(const std::string& path) { return path == "v" || path.starts_with("v."); }

}  // namespace

Value FunctionalityReader::new_map(const std::string& type, const Arguments& arguments) {
  Object map;
  map.kind = ObjectKind::map;
  map.type = type;
  static constexpr std::array<std::string_view, 3> kSorted = {"TreeMap", "SortedMap",
                                                              "NavigableMap"};
  map.is_sorted = std::ranges::find(kSorted, simple_type(type)) != kSorted.end();
  const bool copies = arguments.size() == 1 && arguments[0].kind == ValueKind::object &&
                      state_.heap.at(arguments[0].object).kind == ObjectKind::map;
  if (copies) {
    const Object& other = state_.heap.at(arguments[0].object);
    map.fields = other.fields;
    map.items = other.items;
    map.element = other.element;
    if (type_arguments(type).empty()) map.type = other.type;
  } else {
    const auto add_empty = [&](const std::string& path, const std::string& element) {
      if (column_type(element).empty() && find_enumeration(element) == nullptr) return;
      map.fields[path] = scalar(empty_array(element), element + "[]");
    };
    add_empty("k", key_type(map));
    add_empty("v", value_type(map));
  }
  return object_value(state_.heap.add(std::move(map)), type);
}

// What a caller gives.
Value FunctionalityReader::given_map(const std::string& type, const std::string& path) {
  Object map;
  map.kind = ObjectKind::map;
  map.type = type;
  const std::string key = key_type(map);
  const std::string value = value_type(map);
  if (column_type(key).empty() || column_type(value).empty()) {
    map.kind = ObjectKind::parameter;
    map.path = path;
  } else {
    map.fields["k"] = parameter_value(key + "[]", path + "_keys");
    map.fields["k"].type = key + "[]";
    map.fields["v"] = parameter_value(value + "[]", path + "_values");
    map.fields["v"].type = value + "[]";
  }
  return object_value(state_.heap.add_initial(std::move(map)), type);
}

// Map.of(...), Map.ofEntries(...), Map.copyOf(...)
std::optional<Value> FunctionalityReader::static_map(const std::string& type,
                                                     const std::string& name,
                                                     const Arguments& arguments) {
  if (type == "Collections" && name.ends_with("Map")) return new_map("Map", arguments);
  if (type != "Map") return std::nullopt;
  if (name == "copyOf") return new_map("Map", arguments);
  if (name == "entry" && arguments.size() == 2) {
    Object entry;
    entry.kind = ObjectKind::instance;
    entry.type = "Map$Entry";
    entry.is_created = true;
    entry.fields = {{"key", arguments[0]}, {"value", arguments[1]}};
    return object_value(state_.heap.add(std::move(entry)), "Map$Entry");
  }
  Arguments entries;
  for (const Value& each : arguments) {
    if (name == "of") {
      entries.push_back(each);
    } else if (each.kind == ValueKind::object) {
      const std::map<std::string, Value> fields = state_.heap.at(each.object).fields;
      if (!fields.contains("key") || !fields.contains("value")) return std::nullopt;
      entries.push_back(fields.at("key"));
      entries.push_back(fields.at("value"));
    }
  }
  const bool is_of = name == "of" || name == "ofEntries";
  if (!is_of || entries.size() % 2 != 0) return std::nullopt;
  Value map =
      new_map(entries.empty() ? "Map" : "Map<" + entries[0].type + "," + entries[1].type + ">", {});
  for (std::size_t i = 0; i < entries.size(); i += 2) {
    if (!is_single(entries[i])) return std::nullopt;
    append_to_map(map.object, entries[i], entries[i + 1]);
  }
  return map;
}

// Where a key is: a number from 1 on, or null.
Expression FunctionalityReader::place_in_map(std::size_t map, const Value& key, const Node& node,
                                             Block& out) {
  const Expression keys = keys_of(state_.heap.at(map));
  const Expression wanted = to_expression(key);
  if (is_empty_array(keys)) return literal("null");
  if (are_known(keys) && is_known(wanted)) {
    const auto found = std::ranges::find(keys.operands, wanted);
    if (found == keys.operands.end()) return literal("null");
    return number(found - keys.operands.begin() + 1);
  }
  return kept(call("array_position", {keys, wanted}), "place", "integer", node, out);
}

bool FunctionalityReader::has_items(const Object& map) const {
  const Expression keys = keys_of(map);
  return !map.items.empty() && are_known(keys) && map.items.size() == keys.operands.size();
}

// The value at a place that there is.
Value FunctionalityReader::entry_value(std::size_t map, const Expression& place) {
  const Object object = state_.heap.at(map);
  if (has_items(object)) {
    if (const auto known = to_number(place)) {
      return object.items.at(static_cast<std::size_t>(*known) - 1);
    }
    Value one = object.items.back();
    for (std::size_t i = object.items.size() - 1; i-- > 0;) {
      const Expression is_here = call("=", {place, number(static_cast<long long>(i) + 1)});
      one = chosen(is_here, object.items[i], one);
    }
    return one;
  }
  if (!object.items.empty()) return {};
  if (const auto single = object.fields.find("v"); single != object.fields.end()) {
    return array_element(single->second, place);
  }
  const bool has_properties = std::ranges::any_of(
      object.fields, [](const auto& each) { return is_value_path(each.first); });
  return has_properties ? instance_at(map, "v.", value_type(object), place) : Value();
}

// The value, or null where there is none.
Value FunctionalityReader::value_or_null(std::size_t map, const Expression& place) {
  Value none = null_value();
  none.type = value_type(state_.heap.at(map));
  if (is_literal(place, "null")) return none;
  Value value = entry_value(map, place);
  if (is_single(value) || to_number(place)) return value;
  if (value.kind == ValueKind::nothing) return value;
  return chosen(call("is null", {place}), none, value);
}

void FunctionalityReader::append_to_map(std::size_t map, const Value& key, const Value& value) {
  const bool knows_keys = are_known(keys_of(state_.heap.at(map))) && is_known(to_expression(key));
  const Object before = state_.heap.at(map);
  const bool has_type = before.fields.contains("v");
  const bool is_one = is_single(value) && has_type;
  add_element_at(map, "k", key);
  if (is_one) return add_element_at(map, "v", value);
  if (has_type) {
    const std::string type = element_type(before.fields.at("v").type);
    return add_element_at(map, "v", typed(unknown("a value of a map"), type));
  }
  if (knows_keys && before.items.size() == keys_of(before).operands.size() *
                                               (is_empty_array(keys_of(before)) ? 0 : 1)) {
    note_escape(value);
    state_.heap.change(map).items.push_back(value);
    return;
  }
  spread_items(map);
  const bool is_instance =
      value.kind == ValueKind::object && state_.heap.at(value.object).kind == ObjectKind::instance;
  if (is_single(value) || is_instance) return add_element_at(map, "v", value);
  note_escape(value);
  state_.heap.change(map).items.emplace_back();
}

// Objects at known keys become arrays of their properties, because a key comes that is not known.
void FunctionalityReader::spread_items(std::size_t map) {
  const Arguments items = state_.heap.at(map).items;
  const bool are_instances = std::ranges::all_of(items, [&](const Value& item) {
    return item.kind == ValueKind::object &&
           state_.heap.at(item.object).kind == ObjectKind::instance;
  });
  if (!are_instances && !std::ranges::all_of(items, is_single)) return;
  state_.heap.change(map).items.clear();
  for (const Value& item : items) add_element_at(map, "v", item);
}

void FunctionalityReader::put_in_map(std::size_t map, const Value& key, const Expression& place,
                                     const Value& value, const Node& node, Block& out) {
  branch(
      node,
      is_literal(place, "null") ? literal("true")
      : to_number(place)        ? literal("false")
                                : call("is null", {place}),
      out, [&](Block&) { append_to_map(map, key, value); },
      [&](Block& block) { replace_in_map(map, place, value, node, block); });
}

namespace {

// v.owner.name of an object with the property owner.
Value leaf(const Heap& heap, Value value, std::string_view path) {
  path.remove_prefix(1);
  while (!path.empty() && value.kind == ValueKind::object) {
    path.remove_prefix(1);
    const std::size_t dot = std::min(path.find('.'), path.size());
    const Value* field = heap.field(value.object, std::string(path.substr(0, dot)));
    if (field == nullptr) return {};
    value = *field;
    path.remove_prefix(dot);
  }
  return path.empty() ? value : Value();
}

}  // namespace

void FunctionalityReader::replace_in_map(std::size_t map, const Expression& place,
                                         const Value& value, const Node& node, Block& out) {
  const Object object = state_.heap.at(map);
  const auto known = to_number(place);
  if (!object.items.empty()) {
    Arguments& items = state_.heap.change(map).items;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool is_meant = known && static_cast<std::size_t>(*known) == i + 1;
      if (is_meant || !known) items[i] = is_meant ? value : Value();
    }
    return;
  }
  for (const auto& [path, array] : object.fields) {
    if (!is_value_path(path)) continue;
    const Value part = leaf(state_.heap, value, path);
    Expression values = to_expression(array);
    if (!is_single(part)) {
      state_.heap.change(map).fields[path] = scalar(unknown("a map"), array.type);
      continue;
    }
    if (known && is_array(values)) {
      values.operands.at(static_cast<std::size_t>(*known) - 1) = to_expression(part);
      state_.heap.change(map).fields[path] = scalar(std::move(values), array.type);
      continue;
    }
    const Expression copy{.kind = ExpressionKind::variable,
                          .text = new_variable("map_values", variable_type(array.type)),
                          .operands = {}};
    add(out, node, Assign{.target = copy, .value = values});
    add(out, node,
        Assign{.target = {.kind = ExpressionKind::element, .text = "", .operands = {copy, place}},
               .value = to_expression(part)});
    state_.heap.change(map).fields[path] = scalar(copy, array.type);
  }
}

// The arrays without what is at a place.
void FunctionalityReader::remove_from_map(std::size_t map, const Expression& place,
                                          const Node& node, Block& out) {
  const Object object = state_.heap.at(map);
  const auto known = to_number(place);
  const Expression keys = keys_of(object);
  const bool are_arrays = std::ranges::all_of(object.fields, [&](const auto& each) {
    const Expression array = to_expression(each.second);
    return is_array(array) && array.operands.size() == keys.operands.size();
  });
  if (known && are_arrays) {
    Object& changed = state_.heap.change(map);
    const auto at = static_cast<std::ptrdiff_t>(*known) - 1;
    for (auto& [path, array] : changed.fields) {
      array.expression.operands.erase(array.expression.operands.begin() + at);
      if (array.expression.operands.empty())
        array.expression = empty_array(element_type(array.type));
    }
    if (!changed.items.empty()) changed.items.erase(changed.items.begin() + at);
    return;
  }
  CountLoop loop;
  loop.first = number(1);
  loop.last = size_of(keys_of(object));
  loop.variable = new_variable("place_kept", "integer");
  const Expression index{.kind = ExpressionKind::variable, .text = loop.variable, .operands = {}};
  Branch keeps{.condition = call("<>", {index, place}), .then = {}, .otherwise = {}};
  for (const auto& [path, array] : object.fields) {
    const Expression rest{.kind = ExpressionKind::variable,
                          .text = new_variable("map_rest", variable_type(array.type)),
                          .operands = {}};
    add(out, node, Assign{.target = rest, .value = empty_array(element_type(array.type))});
    const Expression old =
        kept(to_expression(array), "map_old", variable_type(array.type), node, out);
    const Expression element{.kind = ExpressionKind::element, .text = "", .operands = {old, index}};
    add(keeps.then, node, Assign{.target = rest, .value = call("array_append", {rest, element})});
    state_.heap.change(map).fields[path] = scalar(rest, array.type);
  }
  add(loop.body, node, std::move(keeps));
  add(out, node, std::move(loop));
}

// compute, merge and their relatives: what they put, and what they give back.
Value FunctionalityReader::change_in_map(std::size_t map, const std::string& name,
                                         const Arguments& arguments, const Node& node, Block& out) {
  const Value& key = arguments[0];
  const Expression place = place_in_map(map, key, node, out);
  const Expression is_absent = is_literal(place, "null") ? literal("true")
                               : to_number(place)        ? literal("false")
                                                         : call("is null", {place});
  const std::string slot = new_slot("$value");
  const auto give = [&](Value value) {
    if (!state_.is_dead) state_.locals.set(slot, std::move(value));
  };
  const auto put = [&](const Value& value, const Expression& at, Block& block) {
    if (state_.is_dead) return;
    const bool is_new = is_literal(at, "null");
    if (is_new) append_to_map(map, key, value);
    if (!is_new) replace_in_map(map, at, value, node, block);
    give(value);
  };
  const Way when_absent = [&](Block& block) {
    if (name == "computeIfPresent") return give(null_value());
    if (name == "merge") return put(arguments[1], literal("null"), block);
    if (name == "putIfAbsent") {
      append_to_map(map, key, arguments[1]);
      return give(null_value());
    }
    Arguments given = {key};
    if (name == "compute") given.push_back(null_value());
    put(invoke(arguments[1], given, node, block), literal("null"), block);
  };
  const Way when_present = [&](Block& block) {
    const Value before = entry_value(map, place);
    if (name == "putIfAbsent" || name == "computeIfAbsent") return give(before);
    const bool merges = name == "merge";
    const Arguments given = merges ? Arguments{before, arguments[1]} : Arguments{key, before};
    put(invoke(arguments[merges ? 2 : 1], given, node, block), place, block);
  };
  branch(node, is_absent, out, when_absent, when_present);
  if (state_.is_dead) return {};
  Value value = state_.locals.get(slot);
  state_.locals.erase(slot);
  return value;
}

Value FunctionalityReader::add_list(Object list) {
  const std::string type = list.type;
  return object_value(state_.heap.add(std::move(list)), type);
}

// Its keys, values or entries as a list.
Value FunctionalityReader::list_of_map(std::size_t map, const std::string& part, const Node& node,
                                       Block& out) {
  if (state_.heap.at(map).is_sorted) sort_map(map, node, out);
  const Object object = state_.heap.at(map);
  const std::string key = key_type(object);
  const std::string value = value_type(object);
  Object list;
  list.kind = ObjectKind::list;
  if (part == "keySet") {
    list.type = key + "[]";
    list.is_set = true;
    list.fields[""] =
        object.fields.contains("k") ? object.fields.at("k") : scalar(empty_array(key), key + "[]");
    return object_value(state_.heap.add(std::move(list)), "Set<" + key + ">");
  }
  const bool are_entries = part == "entrySet";
  list.type = are_entries ? "Map$Entry<" + key + "," + value + ">[]" : value + "[]";
  list.element = are_entries ? "Map$Entry<" + key + "," + value + ">" : value;
  if (!object.items.empty()) {
    const Expression keys = keys_of(object);
    for (std::size_t i = 0; has_items(object) && i < object.items.size(); ++i) {
      if (!are_entries) {
        list.items.push_back(object.items[i]);
        continue;
      }
      Object entry;
      entry.kind = ObjectKind::instance;
      entry.type = list.element;
      entry.is_created = true;
      entry.fields = {{"key", typed(keys.operands[i], key)}, {"value", object.items[i]}};
      list.items.push_back(object_value(state_.heap.add(std::move(entry)), list.element));
    }
    if (list.items.empty()) return {};
    return add_list(std::move(list));
  }
  for (const auto& [path, array] : object.fields) {
    if (path == "k" && are_entries) list.fields["key"] = array;
    if (!is_value_path(path)) continue;
    const std::string rest = path.substr(1);  // "" or ".name"
    list.fields[are_entries ? "value" + rest : rest.empty() ? "" : rest.substr(1)] = array;
  }
  if (list.fields.contains("")) list.element.clear();
  // There are keys, but what they have is not followed.
  const bool is_lost = list.fields.empty() && !is_empty_array(keys_of(object));
  if (is_lost) return {};
  return add_list(std::move(list));
}

// The arrays in the order of the keys.
void FunctionalityReader::sort_map(std::size_t map, const Node& node, Block& out) {
  Object object = state_.heap.at(map);
  if (has_items(object) || !object.items.empty()) {
    std::vector<std::size_t> order(object.items.size());
    const Expression keys = keys_of(object);
    if (!has_items(object)) return;
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      const auto x = to_number(keys.operands[a]);
      const auto y = to_number(keys.operands[b]);
      return x && y ? *x < *y : keys.operands[a].text < keys.operands[b].text;
    });
    Object& changed = state_.heap.change(map);
    for (std::size_t i = 0; i < order.size(); ++i) {
      changed.fields["k"].expression.operands[i] = keys.operands[order[i]];
      changed.items[i] = object.items[order[i]];
    }
    return;
  }
  if (!object.fields.contains("k")) return;
  sort_arrays(object.fields, "k", false, node, out);
  state_.heap.change(map).fields = std::move(object.fields);
}

std::optional<Value> FunctionalityReader::call_on_map(const Value& map, const std::string& name,
                                                      const Arguments& arguments, const Node& node,
                                                      Block& out) {
  const std::size_t id = map.object;
  const std::size_t count = arguments.size();
  if (name == "size") return scalar(size_of(keys_of(state_.heap.at(id))), "int");
  if (name == "isEmpty") {
    return scalar(folded("=", {size_of(keys_of(state_.heap.at(id))), number(0)}), "boolean");
  }
  if (name == "keySet" || name == "values" || name == "entrySet") {
    return list_of_map(id, name, node, out);
  }
  if (name == "clear") {
    Object& object = state_.heap.change(id);
    object.items.clear();
    for (auto& [path, array] : object.fields) {
      array = scalar(empty_array(element_type(array.type)), array.type);
    }
    return Value();
  }
  if (name == "forEach" && count == 1) {
    const Value entries = list_of_map(id, "entrySet", node, out);
    read_elements(
        node, entries, {.name = "entry", .label = "", .may_unroll = false},
        [&](const Value& entry, Block& block) {
          invoke(arguments[0], {property(entry, "key"), property(entry, "value")}, node, block);
        },
        out);
    return Value();
  }
  if (name == "putAll" && count == 1 && arguments[0].kind == ValueKind::object &&
      state_.heap.at(arguments[0].object).kind == ObjectKind::map) {
    const Value entries = list_of_map(arguments[0].object, "entrySet", node, out);
    read_elements(
        node, entries, {.name = "entry", .label = "", .may_unroll = false},
        [&](const Value& entry, Block& block) {
          const Value key = property(entry, "key");
          put_in_map(id, key, place_in_map(id, key, node, block), property(entry, "value"), node,
                     block);
        },
        out);
    return Value();
  }
  if (count == 0 || !is_single(arguments[0])) return std::nullopt;
  return call_with_key(id, name, arguments, node, out);
}

// Which of the known keys it is, where that is only known while it runs.
std::optional<Value> FunctionalityReader::ask_known_keys(std::size_t map, const std::string& name,
                                                         const Arguments& arguments,
                                                         const Node& node) {
  constexpr std::size_t kMost = 64;
  const Object object = state_.heap.at(map);
  const Expression keys = keys_of(object);
  const Value& key = arguments[0];
  const bool asks = name == "get" || name == "getOrDefault" || name == "containsKey";
  const bool is_meant = asks && is_array(keys) && are_known(keys) && keys.operands.size() <= kMost;
  if (!is_meant || is_known(to_expression(key))) return std::nullopt;
  Value found = null_value();
  found.type = value_type(object);
  if (name == "getOrDefault") found = arguments.at(1);
  if (name == "containsKey") found = scalar(literal("false"), "boolean");
  for (std::size_t i = keys.operands.size(); i-- > 0;) {
    const Value one = typed(keys.operands[i], key_type(object));
    const Expression is_same = to_expression(read_comparison(node, "=", key, one));
    const Value value = name == "containsKey"
                            ? scalar(literal("true"), "boolean")
                            : entry_value(map, number(static_cast<long long>(i) + 1));
    found = chosen(is_same, value, found);
  }
  return found;
}

std::optional<Value> FunctionalityReader::call_with_key(std::size_t map, const std::string& name,
                                                        const Arguments& arguments,
                                                        const Node& node, Block& out) {
  const std::size_t count = arguments.size();
  static constexpr std::array<std::string_view, 5> kChanges = {
      "merge", "compute", "computeIfAbsent", "computeIfPresent", "putIfAbsent"};
  if (std::ranges::find(kChanges, name) != kChanges.end() && count == (name == "merge" ? 3U : 2U)) {
    return change_in_map(map, name, arguments, node, out);
  }
  static constexpr std::array<std::string_view, 6> kKnown = {
      "get", "getOrDefault", "put", "containsKey", "remove", "replace"};
  const bool takes_two = name == "put" || name == "replace" || name == "getOrDefault";
  const bool is_meant = std::ranges::find(kKnown, name) != kKnown.end();
  if (!is_meant || count != (takes_two ? 2U : 1U)) return std::nullopt;
  if (std::optional<Value> known = ask_known_keys(map, name, arguments, node)) return known;
  const Expression place = place_in_map(map, arguments[0], node, out);
  const Expression is_absent = is_literal(place, "null") ? literal("true")
                               : to_number(place)        ? literal("false")
                                                         : call("is null", {place});
  if (name == "containsKey") return scalar(negation(is_absent), "boolean");
  Value before = value_or_null(map, place);
  if (name == "get") {
    if (before.kind != ValueKind::nothing) return before;
    note(node, "the values of this map are not followed", "any value is taken for them");
    return Value();
  }
  if (name == "getOrDefault") return chosen(is_absent, arguments.at(1), before);
  if (name == "put") put_in_map(map, arguments[0], place, arguments.at(1), node, out);
  if (name == "replace") {
    branch(
        node, is_absent, out, [](Block&) {},
        [&](Block& block) { replace_in_map(map, place, arguments.at(1), node, block); });
  }
  if (name == "remove") {
    branch(
        node, is_absent, out, [](Block&) {},
        [&](Block& block) { remove_from_map(map, place, node, block); });
  }
  return before;
}

}  // namespace heddle::java
