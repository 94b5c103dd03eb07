// Operators and functions that take nulls, several types, or any number of operands.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interpret/analyze.h"
#include "interpret/functions.h"

namespace heddle::interpreter {

namespace {

using Truth = std::optional<bool>;

Value truth_value(Truth truth) {
  return truth ? boolean_value(*truth) : null_of(type_of(Base::boolean));
}

bool is_row_null(const Value& value, bool all_null) {
  if (value.is_null()) return all_null;
  const auto is_null = [](const Value& one) { return one.is_null(); };
  const std::vector<Value>& values = value.fields().values;
  return all_null ? std::ranges::all_of(values, is_null) : std::ranges::none_of(values, is_null);
}

// A row is null when all of its fields are, and not null when none is.
Value is_null(const Node& /*node*/, const Arguments& arguments, Errors& /*errors*/) {
  const Value& value = arguments[0];
  const bool is_row = value.type.base == Base::row && !value.type.is_array;
  return boolean_value(is_row ? is_row_null(value, true) : value.is_null());
}
Value is_not_null(const Node& /*node*/, const Arguments& arguments, Errors& /*errors*/) {
  const Value& value = arguments[0];
  const bool is_row = value.type.base == Base::row && !value.type.is_array;
  return boolean_value(is_row ? is_row_null(value, false) : !value.is_null());
}

template <bool truth, bool negated>
Value is_truth(const Node& /*node*/, const Arguments& arguments, Errors& /*errors*/) {
  const bool is = !arguments[0].is_null() && arguments[0].boolean() == truth;
  return boolean_value(is != negated);
}

Value negation(const Node& /*node*/, const Arguments& arguments, Errors& /*errors*/) {
  if (arguments[0].is_null()) return arguments[0];
  return boolean_value(!arguments[0].boolean());
}

template <bool distinct>
Value is_distinct(const Node& /*node*/, const Arguments& arguments, Errors& errors) {
  const bool left = arguments[0].is_null();
  const bool right = arguments[1].is_null();
  const bool differ =
      left || right ? left != right : compare_values(arguments[0], arguments[1], errors) != 0;
  return boolean_value(differ == distinct);
}

Value null_if(const Node& node, const Arguments& arguments, Errors& errors) {
  const bool known = !arguments[0].is_null() && !arguments[1].is_null();
  const bool equal = known && compare_values(arguments[0], arguments[1], errors) == 0;
  return equal ? null_of(node.type) : arguments[0];
}

// Three-valued: a null among the others makes "none of them" unknown.
template <bool negated>
Value is_among(const Node& /*node*/, const Arguments& arguments, Errors& errors) {
  if (arguments[0].is_null()) return truth_value(std::nullopt);
  bool any_null = false;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].is_null()) {
      any_null = true;
    } else if (compare_values(arguments[0], arguments[i], errors) == 0) {
      return boolean_value(!negated);
    }
  }
  return any_null ? truth_value(std::nullopt) : boolean_value(negated);
}

template <int sign>
Value extreme(const Node& node, const Arguments& arguments, Errors& errors) {
  Value best = null_of(node.type);
  for (const Value& value : arguments) {
    if (value.is_null()) continue;
    if (best.is_null() || compare_values(value, best, errors) * sign > 0) best = value;
  }
  return best;
}

Value concatenation(const Node& /*node*/, const Arguments& arguments, Errors& /*errors*/) {
  std::string text;
  for (const Value& value : arguments) text += value.is_null() ? "" : output_text(value);
  return text_value(std::move(text));
}

Value separated(const Node& node, const Arguments& arguments, Errors& /*errors*/) {
  if (arguments[0].is_null()) return null_of(node.type);
  std::string text;
  bool first = true;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].is_null()) continue;
    if (!first) text += output_text(arguments[0]);
    text += output_text(arguments[i]);
    first = false;
  }
  return text_value(std::move(text));
}

Value row(const Node& /*node*/, const Arguments& arguments, Errors& /*errors*/) {
  Fields fields;
  for (const Value& value : arguments) {
    fields.names.push_back("f" + std::to_string(fields.names.size() + 1));
    fields.values.push_back(value);
  }
  return fields_value(std::move(fields));
}

template <bool (*holds)(int)>
Value compared_if_known(const Node& /*node*/, const Arguments& arguments, Errors& errors) {
  if (arguments[0].is_null() || arguments[1].is_null()) return truth_value(std::nullopt);
  return boolean_value(holds(compare_values(arguments[0], arguments[1], errors)));
}

Value array(const Node& node, const Arguments& arguments, Errors& /*errors*/) {
  return array_value(node.type, {.lower = 1, .elements = arguments});
}

// Of nothing and an element an array of one.
Array array_of_argument(const Value& value) { return value.is_null() ? Array{} : value.array(); }

Value append(const Node& node, const Arguments& arguments, Errors& /*errors*/) {
  Array result = array_of_argument(arguments[0]);
  if (result.elements.empty()) result.lower = 1;
  result.elements.push_back(arguments[1]);
  return array_value(node.type, std::move(result));
}
Value prepend(const Node& node, const Arguments& arguments, Errors& /*errors*/) {
  Array result = array_of_argument(arguments[1]);
  if (result.elements.empty()) result.lower = 1;
  result.elements.insert(result.elements.begin(), arguments[0]);
  return array_value(node.type, std::move(result));
}
Value join_arrays(const Node& node, const Arguments& arguments, Errors& /*errors*/) {
  if (arguments[0].is_null()) return arguments[1];
  if (arguments[1].is_null() || arguments[1].array().elements.empty()) return arguments[0];
  if (arguments[0].array().elements.empty()) return arguments[1];
  Array result = arguments[0].array();
  const std::vector<Value>& more = arguments[1].array().elements;
  result.elements.insert(result.elements.end(), more.begin(), more.end());
  return array_value(node.type, std::move(result));
}

std::optional<std::int64_t> size_of(const Arguments& arguments) {
  if (arguments[0].is_null() || (arguments.size() > 1 && arguments[1].is_null())) return {};
  return std::ssize(arguments[0].array().elements);
}
Value cardinality(const Node& node, const Arguments& arguments, Errors& /*errors*/) {
  const auto size = size_of(arguments);
  return size ? integer_value(Base::int4, *size) : null_of(node.type);
}

// What a dimension has: only the first is there, and of an empty array none.
enum class Measure : std::uint8_t { length, lower, upper };
template <Measure measure>
Value dimension(const Node& node, const Arguments& arguments, Errors& /*errors*/) {
  const auto size = size_of(arguments);
  if (!size || *size == 0 || arguments[1].integer() != 1) return null_of(node.type);
  const std::int64_t lower = arguments[0].array().lower;
  if (measure == Measure::length) return integer_value(Base::int4, *size);
  return integer_value(Base::int4, measure == Measure::lower ? lower : lower + *size - 1);
}

// ---- Analysis

struct Rule;
using Analysis = bool (*)(Node& node, const Rule& rule, Errors& errors);

struct Rule {
  std::string_view name;
  Analysis analysis;
  Special special;
  Base result = Base::boolean;
};

void coerce_all(Node& node, std::size_t first, const Type& type, Errors& errors) {
  for (std::size_t i = first; i < node.operands.size(); ++i) {
    node.operands[i] = coerced(std::move(node.operands[i]), type, Cast::asked, errors);
  }
}

bool take_any(Node& node, const Rule& rule, Errors& errors) {
  node.special = rule.special;
  node.type = type_of(rule.result);
  for (Node& operand : node.operands) {
    if (operand.type.base == Base::unknown && !operand.type.is_array) {
      operand = coerced(std::move(operand), type_of(Base::text), Cast::asked, errors);
    }
  }
  return true;
}

// Where nobody here knows the operator the call is asked for.
bool give_up(Node& node) {
  node.step = Node::Step::ask;
  return true;
}

// The separator is a text.
bool take_separated(Node& node, const Rule& rule, Errors& errors) {
  const Category category = category_of(node.operands[0].type);
  if (category != Category::text && category != Category::unknown) return give_up(node);
  node.operands[0] = coerced(std::move(node.operands[0]), type_of(Base::text), Cast::asked, errors);
  return take_any(node, rule, errors);
}

bool take_booleans(Node& node, const Rule& rule, Errors& errors) {
  node.special = rule.special;
  node.type = type_of(rule.result);
  for (const Node& operand : node.operands) {
    const Category category = category_of(operand.type);
    if (category != Category::boolean && category != Category::unknown) {
      errors.raise("42804",
                   "an argument must be type boolean, not type " + type_name(operand.type));
    }
  }
  coerce_all(node, 0, type_of(Base::boolean), errors);
  return true;
}

bool is_special_type(const Type& type) {
  return type.is_array || type.base == Base::row || type.base == Base::opaque;
}

// Both of one type of those that have no row in the table of functions.
bool is_comparable(const Node& node) {
  const Type& left = node.operands[0].type;
  const Type& right = node.operands[1].type;
  const auto is_unknown = [](const Type& type) { return category_of(type) == Category::unknown; };
  return left == right || is_unknown(left) || is_unknown(right);
}

// What an operator of the table compares, or arrays, rows, and equality of opaque values. False:
// nobody here knows.
bool unite(Node& node, std::string_view name, Errors& errors) {
  const Type& left = node.operands[0].type;
  const Type& right = node.operands[1].type;
  if (is_special_type(left) || is_special_type(right)) {
    if (!is_comparable(node)) return false;
    const bool is_opaque = left.base == Base::opaque || right.base == Base::opaque;
    if (is_opaque && name != "=" && name != "<>") return false;
    const Type type = is_special_type(left) ? left : right;
    coerce_all(node, 0, type, errors);
    return true;
  }
  std::vector<Node> pair = {node.operands[0], node.operands[1]};
  const Function* function = resolve_function(name, pair, errors);
  if (function == nullptr) return errors.any();
  for (std::size_t i = 0; i < 2; ++i) {
    node.operands[i] =
        coerced(std::move(node.operands[i]), type_of(function->parameters[i]), Cast::asked, errors);
  }
  return true;
}

bool take_pair(Node& node, const Rule& rule, Errors& errors) {
  if (node.operands.size() != 2) return give_up(node);
  if (!unite(node, "=", errors)) return give_up(node);
  node.special = rule.special;
  node.type = rule.result == Base::unknown ? node.operands[0].type : type_of(rule.result);
  return true;
}

// Numbers, texts and the like are the table's matter.
bool take_special_pair(Node& node, const Rule& rule, Errors& errors) {
  if (node.operands.size() != 2) return false;
  const bool is_ours =
      is_special_type(node.operands[0].type) || is_special_type(node.operands[1].type);
  if (!is_ours) return false;
  if (!unite(node, rule.name, errors)) return give_up(node);
  node.special = rule.special;
  node.type = type_of(Base::boolean);
  return true;
}

bool is_literal(const Node& node) {
  return node.step == Node::Step::constant && node.type.base == Base::unknown;
}

// A literal before a list of several types is read as each of them, one after the other.
bool take_mixed_list(Node& node, Errors& errors) {
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    const Type& type = node.operands[i].type;
    if (type.base == Base::unknown) continue;
    Errors trouble;
    coerced(node.operands[0], type, Cast::asked, trouble);
    if (!trouble.any() || trouble.kind() == Errors::Kind::unsupported) continue;
    errors = trouble;
    return true;
  }
  return give_up(node);
}

// The list has one type, which may be another than that of the value before it.
bool take_list(Node& node, const Rule& rule, Errors& errors) {
  node.special = rule.special;
  node.type = type_of(Base::boolean);
  Errors trouble;
  const Type type = common_type(node.operands, "IN", trouble);
  if (trouble.any() && is_literal(node.operands[0])) return take_mixed_list(node, errors);
  if (trouble.any()) {
    // Then each is compared on its own, and one comparison does not exist.
    errors.raise("42883", "operator does not exist: " + type_name(node.operands[0].type) +
                              " = one of the list");
    return true;
  }
  if (node.operands.size() > 2) coerce_all(node, 1, type, errors);
  Node pair;
  pair.operands = {node.operands.at(0), node.operands.at(1)};
  if (!unite(pair, "=", errors)) return give_up(node);
  node.operands[0] = pair.operands[0];
  Type element = pair.operands[1].type;
  element.precision = -1;
  coerce_all(node, 1, element, errors);
  return true;
}

bool take_common(Node& node, const Rule& rule, Errors& errors) {
  node.type = common_type(node.operands, rule.name, errors);
  coerce_all(node, 0, node.type, errors);
  node.special = rule.special;
  if (rule.special == nullptr) node.step = Node::Step::coalesce;
  return true;
}

bool take_array(Node& node, const Rule& rule, Errors& errors) {
  if (node.operands.empty()) {
    errors.raise("42P18", "cannot determine type of empty array");
    return true;
  }
  const Type element = common_type(node.operands, "ARRAY", errors);
  if (element.is_array) return give_up(node);
  coerce_all(node, 0, element, errors);
  node.type = array_of(element);
  node.type.precision = -1;
  node.special = rule.special;
  return true;
}

bool take_array_part(Node& node, const Rule& rule, Errors& errors) {
  if (node.operands.empty() || !node.operands[0].type.is_array) return give_up(node);
  const bool has_dimension = node.operands.size() == 2;
  if (has_dimension != (rule.special != cardinality)) return give_up(node);
  coerce_all(node, 1, type_of(Base::int4), errors);
  node.special = rule.special;
  node.type = type_of(Base::int4);
  return true;
}

// An array and an element; of both the wider type is taken.
bool take_element(Node& node, std::size_t array_at, Special special, Errors& errors) {
  Node& array_node = node.operands[array_at];
  Node& element = node.operands[1 - array_at];
  std::vector<Node> types(2);
  types[0].type = element_of(array_node.type);
  types[1].type = element.type;
  const Type type = common_type(types, "array", errors);
  array_node = coerced(std::move(array_node), array_of(type), Cast::asked, errors);
  element = coerced(std::move(element), type, Cast::asked, errors);
  node.type = array_of(type);
  node.special = special;
  return true;
}

bool take_append(Node& node, const Rule& rule, Errors& errors) {
  const std::size_t at = rule.special == append ? 0 : 1;
  if (node.operands.size() != 2 || !node.operands[at].type.is_array) return give_up(node);
  return take_element(node, at, rule.special, errors);
}

bool take_arrays(Node& node, const Rule& rule, Errors& errors) {
  if (node.operands.size() != 2) return give_up(node);
  const bool same = node.operands[0].type == node.operands[1].type;
  const bool literal = category_of(node.operands[1].type) == Category::unknown ||
                       category_of(node.operands[0].type) == Category::unknown;
  if (!same && !literal) return give_up(node);
  const Type type = common_type(node.operands, rule.name, errors);
  if (!type.is_array) return give_up(node);
  coerce_all(node, 0, type, errors);
  node.type = type;
  node.special = rule.special;
  return true;
}

// ||: of arrays, or of texts, one of which may be anything.
bool take_concatenation(Node& node, const Rule& /*rule*/, Errors& errors) {
  if (node.operands.size() != 2) return give_up(node);
  const Type left = node.operands[0].type;
  const Type right = node.operands[1].type;
  if (left.is_array && (right.is_array || category_of(right) == Category::unknown)) {
    return take_arrays(node, {"||", take_arrays, join_arrays}, errors);
  }
  if (left.is_array) return take_element(node, 0, append, errors);
  if (right.is_array && category_of(left) == Category::unknown) {
    return take_arrays(node, {"||", take_arrays, join_arrays}, errors);
  }
  if (right.is_array) return take_element(node, 1, prepend, errors);
  if (left.base == Base::opaque || right.base == Base::opaque) return give_up(node);
  const auto may_be_text = [](const Type& type) {
    return category_of(type) == Category::text || category_of(type) == Category::unknown;
  };
  if (!may_be_text(left) && !may_be_text(right)) {
    errors.raise("42883",
                 "operator does not exist: " + type_name(left) + " || " + type_name(right));
    return true;
  }
  coerce_all(node, 0, type_of(Base::text), errors);
  return false;
}

constexpr std::array kRules = {
    Rule{"is null", take_any, is_null},
    Rule{"is not null", take_any, is_not_null},
    Rule{"is true", take_booleans, is_truth<true, false>},
    Rule{"is not true", take_booleans, is_truth<true, true>},
    Rule{"is false", take_booleans, is_truth<false, false>},
    Rule{"is not false", take_booleans, is_truth<false, true>},
    Rule{"is unknown", take_booleans, is_null},
    Rule{"is not unknown", take_booleans, is_not_null},
    Rule{"not", take_booleans, negation},
    Rule{"is distinct from", take_pair, is_distinct<true>},
    Rule{"is not distinct from", take_pair, is_distinct<false>},
    Rule{"nullif", take_pair, null_if, Base::unknown},
    Rule{"in", take_list, is_among<false>},
    Rule{"not in", take_list, is_among<true>},
    Rule{"greatest", take_common, extreme<1>},
    Rule{"least", take_common, extreme<-1>},
    Rule{"coalesce", take_common, nullptr},
    Rule{"concat", take_any, concatenation, Base::text},
    Rule{"concat_ws", take_separated, separated, Base::text},
    Rule{"row", take_any, row, Base::row},
    Rule{"array", take_array, array},
    Rule{"array_append", take_append, append},
    Rule{"array_prepend", take_append, prepend},
    Rule{"array_cat", take_arrays, join_arrays},
    Rule{"cardinality", take_array_part, cardinality},
    Rule{"array_length", take_array_part, dimension<Measure::length>},
    Rule{"array_lower", take_array_part, dimension<Measure::lower>},
    Rule{"array_upper", take_array_part, dimension<Measure::upper>},
    Rule{"||", take_concatenation, nullptr},
    Rule{"=", take_special_pair, compared_if_known<is_equal>},
    Rule{"<>", take_special_pair, compared_if_known<is_unequal>},
    Rule{"<", take_special_pair, compared_if_known<is_smaller>},
    Rule{"<=", take_special_pair, compared_if_known<is_at_most>},
    Rule{">", take_special_pair, compared_if_known<is_greater>},
    Rule{">=", take_special_pair, compared_if_known<is_at_least>},
};

}  // namespace

bool is_null_if(const Node& node) { return node.special == null_if; }

bool is_stable(const Node& node) {
  return node.special == concatenation || node.special == separated;
}

bool analyze_special(Node& node, std::string_view name, Errors& errors) {
  const auto rule = std::ranges::find(kRules, name, &Rule::name);
  if (errors.any()) return false;
  if (rule == kRules.end()) return analyze_array_function(node, name, errors);
  if (node.operands.empty() && name != "array" && name != "concat") return give_up(node);
  return rule->analysis(node, *rule, errors);
}

}  // namespace heddle::interpreter
