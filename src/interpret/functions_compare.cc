// =, <>, <, <=, >, >= of all types that have an order.
#include <cmath>
#include <string>

#include "interpret/functions.h"

namespace heddle::interpreter {

namespace {

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int order_of_reals(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return order(std::isnan(a), std::isnan(b));
  return order(a, b);
}

int order_of_spans(const Span& a, const Span& b) {
  return is_less(a, b) ? -1 : is_less(b, a) ? 1 : 0;
}

std::string_view without_padding(const Value& value) {
  const std::string_view text = value.text();
  return value.type.base == Base::bpchar ? text.substr(0, text.find_last_not_of(' ') + 1) : text;
}

bool is_moment(Base base) {
  return base == Base::date || base == Base::timestamp || base == Base::timestamptz;
}

int compare_integers(const Value& a, const Value& b, Errors& errors) {
  const Base left = a.type.base;
  const Base right = b.type.base;
  if (left == right || !is_moment(left)) return order(a.integer(), b.integer());
  if (left == Base::timestamptz || right == Base::timestamptz) {
    errors.unsupported("a comparison that depends on the session's time zone");
    return 0;
  }
  const std::int64_t left_scale = left == Base::date ? kDay : 1;
  const std::int64_t right_scale = right == Base::date ? kDay : 1;
  return order(a.integer() * left_scale, b.integer() * right_scale);
}

int compare_lists(const std::vector<Value>& a, const std::vector<Value>& b, Errors& errors) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    // Inside of arrays and rows null is a value, above all others.
    if (a[i].is_null() || b[i].is_null()) {
      if (const int nulls = order(a[i].is_null(), b[i].is_null()); nulls != 0) return nulls;
      continue;
    }
    if (const int one = compare_values(a[i], b[i], errors); one != 0) return one;
  }
  return order(a.size(), b.size());
}

int compare_arrays(const Array& a, const Array& b, Errors& errors) {
  const int elements = compare_lists(a.elements, b.elements, errors);
  if (elements != 0 || a.elements.empty()) return elements;
  return order(a.lower, b.lower);
}

template <bool (*holds)(int)>
Value compared(const Arguments& arguments, Errors& errors) {
  return boolean_value(holds(compare_values(arguments[0], arguments[1], errors)));
}

void add_pair(std::vector<Function>& table, Base left, Base right) {
  const Base b = Base::boolean;
  table.push_back({"=", {left, right}, b, compared<is_equal>});
  table.push_back({"<>", {left, right}, b, compared<is_unequal>});
  table.push_back({"<", {left, right}, b, compared<is_smaller>});
  table.push_back({"<=", {left, right}, b, compared<is_at_most>});
  table.push_back({">", {left, right}, b, compared<is_greater>});
  table.push_back({">=", {left, right}, b, compared<is_at_least>});
}

}  // namespace

int compare_values(const Value& a, const Value& b, Errors& errors) {
  if (errors.any()) return 0;
  if (a.type.is_array) return compare_arrays(a.array(), b.array(), errors);
  switch (a.type.base) {
    case Base::boolean:
      return order(a.boolean(), b.boolean());
    case Base::numeric:
      return compare(a.decimal(), b.decimal());
    case Base::float4:
    case Base::float8:
      return order_of_reals(a.real(), b.real());
    case Base::interval:
      return order_of_spans(a.span(), b.span());
    case Base::row:
      return compare_lists(a.fields().values, b.fields().values, errors);
    case Base::text:
    case Base::bpchar:
    case Base::opaque:
    case Base::unknown:
      return order(without_padding(a), without_padding(b));
    default:
      return compare_integers(a, b, errors);
  }
}

void add_comparisons(std::vector<Function>& table) {
  for (const Base base :
       {Base::boolean, Base::numeric, Base::text, Base::bpchar, Base::time, Base::interval}) {
    add_pair(table, base, base);
  }
  const auto add_square = [&](std::initializer_list<Base> bases) {
    for (const Base left : bases) {
      for (const Base right : bases) add_pair(table, left, right);
    }
  };
  add_square({Base::int2, Base::int4, Base::int8});
  add_square({Base::float4, Base::float8});
  add_square({Base::date, Base::timestamp, Base::timestamptz});
}

}  // namespace heddle::interpreter
