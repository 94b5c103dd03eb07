// Arrays in the order of one of them: the smallest that was not taken yet, once for each.
#include <utility>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

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
