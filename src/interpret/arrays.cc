// Functions of arrays that take elements of any type. Arrays have one dimension.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "interpret/analyze.h"

namespace heddle::interpreter {

namespace {

// Nulls are equal here.
bool is_same(const Value& a, const Value& b, Errors& errors) {
  if (a.is_null() || b.is_null()) return a.is_null() == b.is_null();
  return compare_values(a, b, errors) == 0;
}

// array_fill(value, ARRAY[size])
Value filled(const Node& node, const Arguments& arguments, Errors& errors) {
  if (arguments[1].is_null()) {
    errors.raise("22004", "dimension array or low bound array cannot be null");
    return null_of(node.type);
  }
  const std::vector<Value>& sizes = arguments[1].array().elements;
  if (sizes.empty()) return array_value(node.type, {});
  if (sizes.size() > 1) {
    errors.unsupported("an array of several dimensions");
    return null_of(node.type);
  }
  if (sizes[0].is_null()) {
    errors.raise("22004", "dimension values cannot be null");
    return null_of(node.type);
  }
  const std::int64_t size = sizes[0].integer();
  if (size < 0) errors.raise("54000", "array size exceeds the maximum allowed (134217727)");
  if (size > kMostElements) errors.bound("an array has too many elements");
  if (errors.any()) return null_of(node.type);
  return array_value(
      node.type,
      {.lower = 1, .elements = std::vector<Value>(static_cast<std::size_t>(size), arguments[0])});
}

Value position_in_array(const Node& node, const Arguments& arguments, Errors& errors) {
  if (arguments[0].is_null()) return null_of(node.type);
  const Array& array = arguments[0].array();
  std::int64_t from = array.lower;
  if (arguments.size() > 2) {
    if (arguments[2].is_null()) errors.raise("22004", "initial position must not be null");
    if (errors.any()) return null_of(node.type);
    from = std::max(from, arguments[2].integer());
  }
  for (std::int64_t at = from; at - array.lower < std::ssize(array.elements); ++at) {
    const Value& element = array.elements[static_cast<std::size_t>(at - array.lower)];
    if (is_same(element, arguments[1], errors)) return integer_value(Base::int4, at);
  }
  return null_of(node.type);
}

Value removed(const Node& node, const Arguments& arguments, Errors& errors) {
  if (arguments[0].is_null()) return null_of(node.type);
  Array result{.lower = arguments[0].array().lower, .elements = {}};
  for (const Value& element : arguments[0].array().elements) {
    if (!is_same(element, arguments[1], errors)) result.elements.push_back(element);
  }
  if (result.elements.empty()) result.lower = 1;
  return array_value(node.type, std::move(result));
}

Value replaced(const Node& node, const Arguments& arguments, Errors& errors) {
  if (arguments[0].is_null()) return null_of(node.type);
  Array result = arguments[0].array();
  for (Value& element : result.elements) {
    if (is_same(element, arguments[1], errors)) element = arguments[2];
  }
  return array_value(node.type, std::move(result));
}

// Nulls are left out, unless a third argument says what to write for them.
Value joined(const Node& node, const Arguments& arguments, Errors& /*errors*/) {
  if (arguments[0].is_null() || arguments[1].is_null()) return null_of(node.type);
  const bool says_null = arguments.size() > 2 && !arguments[2].is_null();
  std::string text;
  bool is_first = true;
  for (const Value& element : arguments[0].array().elements) {
    if (element.is_null() && !says_null) continue;
    if (!is_first) text += output_text(arguments[1]);
    text += output_text(element.is_null() ? arguments[2] : element);
    is_first = false;
  }
  return text_value(std::move(text));
}

// A null separator takes each character, an empty one the text as a whole.
Value divided(const Node& node, const Arguments& arguments, Errors& /*errors*/) {
  if (arguments[0].is_null()) return null_of(node.type);
  const std::string& text = arguments[0].text();
  const bool is_cut = !arguments[1].is_null();
  const std::string separator = is_cut ? arguments[1].text() : "";
  const bool marks_null = arguments.size() > 2 && !arguments[2].is_null();
  Array result;
  const auto add = [&](std::string piece) {
    const bool is_null = marks_null && piece == arguments[2].text();
    result.elements.push_back(is_null ? null_of(type_of(Base::text))
                                      : text_value(std::move(piece)));
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = separator.empty() ? text.size() : text.find(separator, at);
    if (!is_cut) end = at + character_offset(std::string_view(text).substr(at), 1);
    end = std::min(end, text.size());
    add(text.substr(at, end - at));
    const bool ends_empty = is_cut && !separator.empty() && end + separator.size() == text.size();
    at = end + separator.size();
    if (ends_empty) add("");
  }
  return array_value(node.type, std::move(result));
}

Value dimensions(const Node& node, const Arguments& arguments, Errors& /*errors*/) {
  if (arguments[0].is_null() || arguments[0].array().elements.empty()) return null_of(node.type);
  return integer_value(Base::int4, 1);
}

Value without_last(const Node& node, const Arguments& arguments, Errors& errors) {
  if (arguments[0].is_null() || arguments[1].is_null()) return null_of(node.type);
  Array result = arguments[0].array();
  const std::int64_t count = arguments[1].integer();
  if (count < 0 || count > std::ssize(result.elements)) {
    errors.raise("2202E", "number of elements to trim must be between 0 and " +
                              std::to_string(result.elements.size()));
    return null_of(node.type);
  }
  result.elements.resize(result.elements.size() - static_cast<std::size_t>(count));
  return array_value(node.type, std::move(result));
}

// ---- Analysis: what the letters of a signature stand for. `A` is the array, `e` one of its
// elements, `i` an integer, `t` a text, `n` an array of integers, `s` one of texts. The last ones
// may lack.
struct ArrayFunction {
  std::string_view name;
  std::string_view operands;
  std::size_t fewest;
  Special special;
  char result;
};

constexpr std::array kFunctions = {
    ArrayFunction{"array_fill", "en", 2, filled, 'A'},
    ArrayFunction{"array_position", "Aei", 2, position_in_array, 'i'},
    ArrayFunction{"array_remove", "Ae", 2, removed, 'A'},
    ArrayFunction{"array_replace", "Aee", 3, replaced, 'A'},
    ArrayFunction{"array_to_string", "Att", 2, joined, 't'},
    ArrayFunction{"array_ndims", "A", 1, dimensions, 'i'},
    ArrayFunction{"trim_array", "Ai", 2, without_last, 'A'},
    ArrayFunction{"string_to_array", "ttt", 2, divided, 's'},
};

// The common type of the array's elements and of what is one. `unknown` is text.
Type element_type(const Node& node, std::string_view operands, Errors& errors) {
  std::vector<Node> types;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const bool is_array = operands[i] == 'A';
    if (!is_array && operands[i] != 'e') continue;
    const Type& type = node.operands[i].type;
    types.emplace_back().type = is_array ? element_of(type) : type;
  }
  if (types.empty()) return type_of(Base::text);
  Type type = common_type(types, "array", errors);
  if (type.base == Base::unknown) type = type_of(Base::text);
  type.precision = -1;
  return type;
}

Type type_for(char letter, const Type& element) {
  switch (letter) {
    case 'A':
      return array_of(element);
    case 'e':
      return element;
    case 'i':
      return type_of(Base::int4);
    case 'n':
      return array_of(type_of(Base::int4));
    case 's':
      return array_of(type_of(Base::text));
    default:
      return type_of(Base::text);
  }
}

std::string no_function(const Node& node, std::string_view name) {
  std::vector<std::string> types;
  for (const Node& operand : node.operands) types.push_back(type_name(operand.type));
  return "function " + std::string(name) + "(" + join(types, ", ") + ") does not exist";
}

}  // namespace

bool analyze_array_function(Node& node, std::string_view name, Errors& errors) {
  const auto* const known = std::ranges::find(kFunctions, name, &ArrayFunction::name);
  if (known == kFunctions.end()) return false;
  const std::size_t count = node.operands.size();
  bool fits = count >= known->fewest && count <= known->operands.size();
  for (std::size_t i = 0; fits && i < count; ++i) {
    const Type& type = node.operands[i].type;
    const bool wants_array = known->operands[i] == 'A' || known->operands[i] == 'n';
    fits = category_of(type) == Category::unknown || type.is_array == wants_array;
    if (known->operands[i] == 'A') fits = type.is_array;
  }
  if (!fits) {
    node.step = Node::Step::ask;
    return true;
  }
  Errors trouble;
  const Type element = element_type(node, known->operands, trouble);
  if (trouble.any()) {
    errors.raise("42883", no_function(node, name));
    return true;
  }
  for (std::size_t i = 0; i < count; ++i) {
    node.operands[i] = coerced(std::move(node.operands[i]), type_for(known->operands[i], element),
                               Cast::asked, errors);
  }
  node.type = type_for(known->result, element);
  node.special = known->special;
  return true;
}

}  // namespace heddle::interpreter
