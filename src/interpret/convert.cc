#include "interpret/convert.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace heddle::interpreter {

namespace {

Value out_of_range(const Type& type, Errors& errors) {
  errors.raise("22003", type_name(type) + " out of range");
  return null_of(type);
}

double to_real(const Value& value) {
  if (is_integer(value.type.base)) return static_cast<double>(value.integer());
  if (is_float(value.type.base)) return value.real();
  const std::string text = value.decimal().text();
  return std::strtod(text.c_str(), nullptr);
}

Value to_float(const Value& value, const Type& to, Errors& errors) {
  if (to.base == Base::float8) {
    const double real = to_real(value);
    const bool was_finite = !is_float(value.type.base) || std::isfinite(value.real());
    return std::isinf(real) && was_finite ? out_of_range(to, errors) : Value{to, real};
  }
  float narrow = 0;
  bool was_zero = false;
  bool was_finite = true;
  if (is_integer(value.type.base)) {
    narrow = static_cast<float>(value.integer());
    was_zero = value.integer() == 0;
  } else if (is_float(value.type.base)) {
    narrow = static_cast<float>(value.real());
    was_zero = value.real() == 0;
    was_finite = std::isfinite(value.real());
  } else {
    narrow = std::strtof(value.decimal().text().c_str(), nullptr);
    was_zero = value.decimal().is_zero();
  }
  const bool lost = (std::isinf(narrow) && was_finite) || (narrow == 0 && !was_zero);
  return lost ? out_of_range(to, errors) : Value{to, static_cast<double>(narrow)};
}

Value to_integer(const Value& value, const Type& to, Errors& errors) {
  if (is_integer(value.type.base)) return integer_of(value.integer(), to.base, errors);
  if (value.type.base == Base::numeric) {
    const auto whole = value.decimal().rounded(0).to_integer();
    return whole ? integer_of(*whole, to.base, errors) : out_of_range(to, errors);
  }
  const double rounded = std::rint(value.real());
  constexpr double kLimit = 9223372036854775808.0;
  // NaN compares as false.
  const bool fits = rounded >= -kLimit && rounded < kLimit;
  if (!fits) return out_of_range(to, errors);
  return integer_of(static_cast<std::int64_t>(rounded), to.base, errors);
}

Value to_decimal(const Value& value, const Type& to, Errors& errors) {
  if (is_integer(value.type.base)) return {to, Decimal(value.integer())};
  if (!std::isfinite(value.real())) {
    errors.unsupported("numeric values that are no numbers");
    return null_of(to);
  }
  // PostgreSQL takes the digits that are sure to be right.
  const std::string text = value.type.base == Base::float4 ? fmt::format("{:.6g}", value.real())
                                                           : fmt::format("{:.15g}", value.real());
  return {to, Decimal::parse(text).value_or(Decimal())};
}

Value to_number(const Value& value, const Type& to, Errors& errors) {
  if (is_integer(to.base)) return to_integer(value, to, errors);
  if (is_float(to.base)) return to_float(value, to, errors);
  return value.type.base == Base::numeric ? Value{to, value.content}
                                          : to_decimal(value, to, errors);
}

bool is_date_or_timestamp(Base base) { return base == Base::date || base == Base::timestamp; }

std::int64_t floor_days(std::int64_t microseconds) {
  return microseconds / kDay - (microseconds % kDay < 0 ? 1 : 0);
}

// Both are times or spans, and not of the same type.
Value to_time(const Value& value, const Type& to, Errors& errors) {
  const Base from = value.type.base;
  if (from == Base::date && to.base == Base::timestamp) return {to, value.integer() * kDay};
  if (from == Base::timestamp && to.base == Base::date) return {to, floor_days(value.integer())};
  if (from == Base::timestamp && to.base == Base::time) {
    return {to, value.integer() - floor_days(value.integer()) * kDay};
  }
  if (from == Base::time && to.base == Base::interval) {
    return {to, Span{.months = 0, .days = 0, .microseconds = value.integer()}};
  }
  if (from == Base::interval && to.base == Base::time) {
    const std::int64_t microseconds = value.span().microseconds;
    return {to, microseconds - floor_days(microseconds) * kDay};
  }
  errors.unsupported("a cast that depends on the session's time zone");
  return null_of(to);
}

bool is_time_cast(const Type& from, const Type& to) {
  const auto is_moment = [](Base base) {
    return is_date_or_timestamp(base) || base == Base::timestamptz;
  };
  if (is_moment(from.base) && is_moment(to.base)) return true;
  if (to.base == Base::time) {
    return from.base == Base::timestamp || from.base == Base::timestamptz ||
           from.base == Base::interval;
  }
  return from.base == Base::time && to.base == Base::interval;
}

// A cast of the catalogue, other than by way of the text.
bool is_listed(const Type& from, const Type& to, Cast cast) {
  if (from.is_array || to.is_array) return false;
  if (is_number(from.base) && is_number(to.base)) return true;
  if (cast == Cast::asked) {
    if (from.base == Base::boolean && to.base == Base::int4) return true;
    if (from.base == Base::int4 && to.base == Base::boolean) return true;
  }
  return is_time_cast(from, to);
}

Value fit_decimal(const Value& value, const Type& to, Errors& errors) {
  Decimal decimal = value.decimal().rounded(to.scale);
  const std::int64_t before = static_cast<std::int64_t>(decimal.digit_count()) - decimal.scale();
  if (!decimal.is_zero() && before > to.precision - to.scale) {
    errors.raise("22003", "numeric field overflow");
    return null_of(to);
  }
  return {to, std::move(decimal)};
}

Value fit_text(const Value& value, const Type& to, Cast cast, Errors& errors) {
  std::string text = value.text();
  const auto most = static_cast<std::size_t>(to.precision);
  const std::size_t count = character_count(text);
  if (count > most) {
    const std::size_t end = character_offset(text, most);
    const bool loses = text.find_first_not_of(' ', end) != std::string::npos;
    if (loses && cast == Cast::assigned) {
      errors.raise("22001", fmt::format("value too long for type {}({})",
                                        to.base == Base::bpchar ? "character" : "character varying",
                                        to.precision));
      return null_of(to);
    }
    text.resize(end);
  } else if (to.base == Base::bpchar) {
    text.append(most - count, ' ');
  }
  return {to, std::move(text)};
}

Value fit(Value value, const Type& to, Cast cast, Errors& errors) {
  value.type = to;
  if (value.is_null() || to.is_array || to.precision < 0 || errors.any()) return value;
  if (to.base == Base::numeric) return fit_decimal(value, to, errors);
  if (is_text(to.base)) return fit_text(value, to, cast, errors);
  return value;
}

Value convert_array(const Value& value, const Type& to, Cast cast, Errors& errors) {
  Array array{.lower = value.array().lower, .elements = {}};
  for (const Value& element : value.array().elements) {
    array.elements.push_back(convert(element, element_of(to), cast, errors));
  }
  return array_value(to, std::move(array));
}

Value convert_listed(const Value& value, const Type& to, Errors& errors) {
  if (value.type.base == Base::boolean) return {to, std::int64_t{value.boolean() ? 1 : 0}};
  if (to.base == Base::boolean) return {to, value.integer() != 0};
  if (is_number(to.base)) return to_number(value, to, errors);
  return to_time(value, to, errors);
}

}  // namespace

Value integer_of(std::int64_t value, Base base, Errors& errors) {
  const std::int64_t most = base == Base::int2   ? INT16_MAX
                            : base == Base::int4 ? INT32_MAX
                                                 : INT64_MAX;
  if (value > most || value < -most - 1) return out_of_range(type_of(base), errors);
  return integer_value(base, value);
}

Value checked_decimal(Decimal value, Errors& errors) {
  if (value.integer_digits() > kMostDigits) {
    errors.raise("22003", "value overflows numeric format");
    return null_of(type_of(Base::numeric));
  }
  return decimal_value(std::move(value));
}

std::string cast_text(const Value& value) {
  if (value.type.is_array) return output_text(value);
  if (value.type.base == Base::boolean) return value.boolean() ? "true" : "false";
  std::string text = output_text(value);
  if (value.type.base == Base::bpchar) text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

bool has_cast(const Type& from, const Type& to) {
  if (from == to || from.base == Base::unknown || is_text(from.base) || is_text(to.base)) {
    return true;
  }
  if (from.is_array && to.is_array) return has_cast(element_of(from), element_of(to));
  if (from.base == Base::opaque || to.base == Base::opaque) return true;  // not ours to judge
  return is_listed(from, to, Cast::asked);
}

Value convert(const Value& value, const Type& to, Cast cast, Errors& errors) {
  if (errors.any() || value.is_null()) return null_of(to);
  const Type& from = value.type;
  if (to.base == Base::unknown && !to.is_array) return value;
  if (from == to) {
    return to.is_array ? convert_array(value, to, cast, errors) : fit(value, to, cast, errors);
  }
  if (from.base == Base::unknown && !from.is_array) {
    return fit(read_value_text(value.text(), to, errors), to, cast, errors);
  }
  if (!to.is_array && is_text(to.base)) {
    return fit({to, cast_text(value)}, to, cast, errors);
  }
  if (from.is_array && to.is_array) return convert_array(value, to, cast, errors);
  if (is_listed(from, to, cast)) {
    return fit(convert_listed(value, to, errors), to, cast, errors);
  }
  const bool by_text = cast == Cast::assigned || (!from.is_array && is_text(from.base)) ||
                       from.base == Base::opaque || to.base == Base::opaque;
  if (by_text) {
    return fit(read_value_text(output_text(value), to, errors), to, cast, errors);
  }
  errors.raise("42846", fmt::format("cannot cast type {} to {}", type_name(from), type_name(to)));
  return null_of(to);
}

}  // namespace heddle::interpreter
