// Arithmetic of integers, with PostgreSQL's errors.
#include <algorithm>

#include "interpret/convert.h"
#include "interpret/functions.h"

namespace heddle::interpreter {

namespace {

constexpr Base kWidths[] = {Base::int2, Base::int4, Base::int8};

Base wider(const Arguments& arguments) {
  return std::max(arguments[0].type.base, arguments[1].type.base);
}

Value overflow(Base base, Errors& errors) {
  errors.raise("22003", type_name(type_of(base)) + " out of range");
  return null_of(type_of(base));
}

Value add(const Arguments& arguments, Errors& errors) {
  std::int64_t result = 0;
  const bool lost = __builtin_add_overflow(arguments[0].integer(), arguments[1].integer(), &result);
  return lost ? overflow(Base::int8, errors) : integer_of(result, wider(arguments), errors);
}

Value subtract(const Arguments& arguments, Errors& errors) {
  std::int64_t result = 0;
  const bool lost = __builtin_sub_overflow(arguments[0].integer(), arguments[1].integer(), &result);
  return lost ? overflow(Base::int8, errors) : integer_of(result, wider(arguments), errors);
}

Value multiply(const Arguments& arguments, Errors& errors) {
  std::int64_t result = 0;
  const bool lost = __builtin_mul_overflow(arguments[0].integer(), arguments[1].integer(), &result);
  return lost ? overflow(Base::int8, errors) : integer_of(result, wider(arguments), errors);
}

Value divide(const Arguments& arguments, Errors& errors) {
  const std::int64_t divisor = arguments[1].integer();
  if (divisor == 0) return divides_by_zero(wider(arguments), errors);
  if (divisor == -1) {
    if (arguments[0].integer() == INT64_MIN) return overflow(Base::int8, errors);
    return integer_of(-arguments[0].integer(), wider(arguments), errors);
  }
  return integer_of(arguments[0].integer() / divisor, wider(arguments), errors);
}

Value modulo(const Arguments& arguments, Errors& errors) {
  const std::int64_t divisor = arguments[1].integer();
  if (divisor == 0) return divides_by_zero(wider(arguments), errors);
  const std::int64_t rest = divisor == -1 ? 0 : arguments[0].integer() % divisor;
  return integer_value(wider(arguments), rest);
}

Value negate(const Arguments& arguments, Errors& errors) {
  const Base base = arguments[0].type.base;
  if (arguments[0].integer() == INT64_MIN) return overflow(base, errors);
  return integer_of(-arguments[0].integer(), base, errors);
}

Value absolute(const Arguments& arguments, Errors& errors) {
  return arguments[0].integer() < 0 ? negate(arguments, errors) : arguments[0];
}

Value bit_and(const Arguments& arguments, Errors& /*errors*/) {
  return integer_value(wider(arguments), arguments[0].integer() & arguments[1].integer());
}
Value bit_or(const Arguments& arguments, Errors& /*errors*/) {
  return integer_value(wider(arguments), arguments[0].integer() | arguments[1].integer());
}
Value bit_xor(const Arguments& arguments, Errors& /*errors*/) {
  return integer_value(wider(arguments), arguments[0].integer() ^ arguments[1].integer());
}
Value bit_not(const Arguments& arguments, Errors& /*errors*/) {
  return integer_value(arguments[0].type.base, ~arguments[0].integer());
}

// As the processor shifts: of the distance only the lowest bits count, and what leaves is lost.
Value cut_bits(std::uint64_t bits, Base base) {
  if (base == Base::int2) return integer_value(base, static_cast<std::int16_t>(bits));
  if (base == Base::int4) return integer_value(base, static_cast<std::int32_t>(bits));
  return integer_value(base, static_cast<std::int64_t>(bits));
}
std::int64_t distance(const Arguments& arguments) {
  return arguments[1].integer() & (arguments[0].type.base == Base::int8 ? 63 : 31);
}
Value shift_left(const Arguments& arguments, Errors& /*errors*/) {
  const auto bits = static_cast<std::uint64_t>(arguments[0].integer());
  return cut_bits(bits << distance(arguments), arguments[0].type.base);
}
Value shift_right(const Arguments& arguments, Errors& /*errors*/) {
  return integer_value(arguments[0].type.base, arguments[0].integer() >> distance(arguments));
}

}  // namespace

void add_integer_functions(std::vector<Function>& table) {
  for (const Base left : kWidths) {
    for (const Base right : kWidths) {
      const Base result = std::max(left, right);
      table.push_back({"+", {left, right}, result, add});
      table.push_back({"-", {left, right}, result, subtract});
      table.push_back({"*", {left, right}, result, multiply});
      table.push_back({"/", {left, right}, result, divide});
    }
    for (const std::string_view name : {"%", "mod"}) {
      table.push_back({name, {left, left}, left, modulo});
    }
    table.push_back({"-", {left}, left, negate});
    table.push_back({"+", {left}, left, unchanged});
    table.push_back({"abs", {left}, left, absolute});
    table.push_back({"@", {left}, left, absolute});
    table.push_back({"&", {left, left}, left, bit_and});
    table.push_back({"|", {left, left}, left, bit_or});
    table.push_back({"#", {left, left}, left, bit_xor});
    table.push_back({"~", {left}, left, bit_not});
    table.push_back({"<<", {left, Base::int4}, left, shift_left});
    table.push_back({">>", {left, Base::int4}, left, shift_right});
  }
}

}  // namespace heddle::interpreter
