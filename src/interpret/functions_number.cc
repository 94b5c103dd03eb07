// Arithmetic of numeric, double precision and real.
#include <algorithm>
#include <cmath>
#include <utility>

#include "interpret/convert.h"
#include "interpret/functions.h"

namespace heddle::interpreter {

namespace {

// Beyond it the schoolbook's methods would take too long.
constexpr std::size_t kMostDigitsComputed = 20'000;
constexpr std::int64_t kPowerPlaces = 16;  // NUMERIC_MIN_SIG_DIGITS
constexpr std::int64_t kMostPlacesOfPowers = 1000;
constexpr std::int64_t kMostBehind = 16'383;  // NUMERIC_DSCALE_MAX
constexpr std::int64_t kMostBefore = 131'072;

Value no_value(Base base) { return null_of(type_of(base)); }

bool is_too_long(const Arguments& arguments, Errors& errors) {
  const std::size_t digits =
      arguments[0].decimal().digit_count() + arguments[1].decimal().digit_count();
  if (digits > kMostDigitsComputed) errors.bound("a number has too many digits");
  return digits > kMostDigitsComputed;
}

Value decimal_add(const Arguments& arguments, Errors& errors) {
  return checked_decimal(add(arguments[0].decimal(), arguments[1].decimal()), errors);
}
Value decimal_subtract(const Arguments& arguments, Errors& errors) {
  return checked_decimal(subtract(arguments[0].decimal(), arguments[1].decimal()), errors);
}
Value decimal_multiply(const Arguments& arguments, Errors& errors) {
  if (is_too_long(arguments, errors)) return no_value(Base::numeric);
  return checked_decimal(multiply(arguments[0].decimal(), arguments[1].decimal()), errors);
}
Value decimal_divide(const Arguments& arguments, Errors& errors) {
  if (arguments[1].decimal().is_zero()) return divides_by_zero(Base::numeric, errors);
  if (is_too_long(arguments, errors)) return no_value(Base::numeric);
  return checked_decimal(divide(arguments[0].decimal(), arguments[1].decimal()), errors);
}
Value decimal_modulo(const Arguments& arguments, Errors& errors) {
  if (arguments[1].decimal().is_zero()) return divides_by_zero(Base::numeric, errors);
  if (is_too_long(arguments, errors)) return no_value(Base::numeric);
  return decimal_value(remainder(arguments[0].decimal(), arguments[1].decimal()));
}
Value decimal_div(const Arguments& arguments, Errors& errors) {
  if (arguments[1].decimal().is_zero()) return divides_by_zero(Base::numeric, errors);
  if (is_too_long(arguments, errors)) return no_value(Base::numeric);
  const Decimal& a = arguments[0].decimal();
  const Decimal& b = arguments[1].decimal();
  return decimal_value(divide_to(subtract(a, remainder(a, b)), b, 0));
}
Value decimal_negate(const Arguments& arguments, Errors& /*errors*/) {
  return decimal_value(arguments[0].decimal().negated());
}
Value decimal_absolute(const Arguments& arguments, Errors& /*errors*/) {
  return decimal_value(arguments[0].decimal().absolute());
}
Value decimal_sign(const Arguments& arguments, Errors& /*errors*/) {
  return decimal_value(Decimal(compare(arguments[0].decimal(), Decimal())));
}
Value decimal_floor(const Arguments& arguments, Errors& errors) {
  return checked_decimal(arguments[0].decimal().floor(), errors);
}
Value decimal_ceiling(const Arguments& arguments, Errors& errors) {
  return checked_decimal(arguments[0].decimal().ceiling(), errors);
}

std::int64_t places_of(const Arguments& arguments) {
  const std::int64_t places = arguments.size() > 1 ? arguments[1].integer() : 0;
  return std::clamp(places, -kMostBefore, kMostBehind);
}
Value decimal_round(const Arguments& arguments, Errors& errors) {
  return checked_decimal(arguments[0].decimal().rounded(places_of(arguments)), errors);
}
Value decimal_truncate(const Arguments& arguments, Errors& /*errors*/) {
  return decimal_value(arguments[0].decimal().truncated(places_of(arguments)));
}

Value decimal_root(const Arguments& arguments, Errors& errors) {
  if (arguments[0].decimal().is_negative()) {
    errors.raise("2201F", "cannot take square root of a negative number");
    return no_value(Base::numeric);
  }
  if (arguments[0].decimal().digit_count() > kMostDigitsComputed / 100) {
    errors.bound("a number has too many digits");
    return no_value(Base::numeric);
  }
  return decimal_value(square_root(arguments[0].decimal()));
}

Value refuse_power(std::string_view why, Base base, Errors& errors) {
  errors.raise("2201F", std::string(why));
  return no_value(base);
}

// Whole exponents are exact; PostgreSQL computes all others with logarithms.
Value decimal_power(const Arguments& arguments, Errors& errors) {
  const Decimal& base = arguments[0].decimal();
  const Decimal& exponent = arguments[1].decimal();
  const auto whole = exponent.to_integer();
  if (base.is_zero() && exponent.is_negative()) {
    return refuse_power("zero raised to a negative power is undefined", Base::numeric, errors);
  }
  if (base.is_negative() && !whole) {
    return refuse_power("a negative number raised to a non-integer power yields a complex result",
                        Base::numeric, errors);
  }
  const std::int64_t times = whole ? std::abs(*whole) : 0;
  const auto digits = static_cast<std::int64_t>(base.digit_count());
  if (!whole || times > 2'000 || digits * times > 4'000) {
    errors.unsupported("a power of numeric with such an exponent");
    return no_value(Base::numeric);
  }
  const std::int64_t places = std::min(std::max(kPowerPlaces, base.scale()), kMostPlacesOfPowers);
  Decimal product(1);
  for (std::int64_t i = 0; i < times; ++i) product = multiply(product, base);
  if (*whole < 0) return checked_decimal(divide_to(Decimal(1), product, places), errors);
  return checked_decimal(product.rounded(places), errors);
}

// A float that two finite ones gave: infinity and a zero out of nothing are errors.
Value checked(double result, Base base, bool may_be_infinite, bool may_be_zero, Errors& errors) {
  if (base == Base::float4) result = static_cast<double>(static_cast<float>(result));
  if (std::isinf(result) && !may_be_infinite) {
    errors.raise("22003", "value out of range: overflow");
    return no_value(base);
  }
  if (result == 0 && !may_be_zero) {
    errors.raise("22003", "value out of range: underflow");
    return no_value(base);
  }
  return real_value(base, result);
}

Base result_of(const Arguments& arguments) {
  return std::max(arguments[0].type.base, arguments[1].type.base);
}

bool any_infinite(const Arguments& arguments) {
  return std::isinf(arguments[0].real()) || std::isinf(arguments[1].real());
}

Value real_add(const Arguments& arguments, Errors& errors) {
  return checked(arguments[0].real() + arguments[1].real(), result_of(arguments),
                 any_infinite(arguments), true, errors);
}
Value real_subtract(const Arguments& arguments, Errors& errors) {
  return checked(arguments[0].real() - arguments[1].real(), result_of(arguments),
                 any_infinite(arguments), true, errors);
}
Value real_multiply(const Arguments& arguments, Errors& errors) {
  const bool zero = arguments[0].real() == 0 || arguments[1].real() == 0;
  return checked(arguments[0].real() * arguments[1].real(), result_of(arguments),
                 any_infinite(arguments), zero, errors);
}
Value real_divide(const Arguments& arguments, Errors& errors) {
  const double a = arguments[0].real();
  const double b = arguments[1].real();
  if (b == 0 && !std::isnan(a)) return divides_by_zero(result_of(arguments), errors);
  return checked(a / b, result_of(arguments), std::isinf(a), a == 0 || std::isinf(b), errors);
}
Value real_negate(const Arguments& arguments, Errors& /*errors*/) {
  return real_value(arguments[0].type.base, -arguments[0].real());
}
Value real_absolute(const Arguments& arguments, Errors& /*errors*/) {
  return real_value(arguments[0].type.base, std::fabs(arguments[0].real()));
}
Value real_sign(const Arguments& arguments, Errors& /*errors*/) {
  const double value = arguments[0].real();
  return real_value(Base::float8, value > 0 ? 1 : value < 0 ? -1 : 0);
}
Value real_floor(const Arguments& arguments, Errors& /*errors*/) {
  return real_value(Base::float8, std::floor(arguments[0].real()));
}
Value real_ceiling(const Arguments& arguments, Errors& /*errors*/) {
  return real_value(Base::float8, std::ceil(arguments[0].real()));
}
Value real_round(const Arguments& arguments, Errors& /*errors*/) {
  return real_value(Base::float8, std::rint(arguments[0].real()));
}
Value real_truncate(const Arguments& arguments, Errors& /*errors*/) {
  return real_value(Base::float8, std::trunc(arguments[0].real()));
}
Value real_root(const Arguments& arguments, Errors& errors) {
  if (arguments[0].real() < 0) {
    errors.raise("2201F", "cannot take square root of a negative number");
    return no_value(Base::float8);
  }
  return real_value(Base::float8, std::sqrt(arguments[0].real()));
}
Value real_power(const Arguments& arguments, Errors& errors) {
  const double base = arguments[0].real();
  const double exponent = arguments[1].real();
  if (base == 0 && exponent < 0) {
    return refuse_power("zero raised to a negative power is undefined", Base::float8, errors);
  }
  if (base < 0 && std::floor(exponent) != exponent) {
    return refuse_power("a negative number raised to a non-integer power yields a complex result",
                        Base::float8, errors);
  }
  const bool infinite = std::isinf(base) || std::isinf(exponent);
  return checked(std::pow(base, exponent), Base::float8, infinite, base == 0 || infinite, errors);
}

// Network addresses have it, too, which makes a literal in quotes ambiguous.
Value truncate_address(const Arguments& /*arguments*/, Errors& errors) {
  errors.unsupported("a network address");
  return {};
}

void add_decimals(std::vector<Function>& table) {
  const Base n = Base::numeric;
  const std::initializer_list<Function> rows = {
      {"+", {n, n}, n, decimal_add},
      {"-", {n, n}, n, decimal_subtract},
      {"*", {n, n}, n, decimal_multiply},
      {"/", {n, n}, n, decimal_divide},
      {"%", {n, n}, n, decimal_modulo},
      {"mod", {n, n}, n, decimal_modulo},
      {"div", {n, n}, n, decimal_div},
      {"-", {n}, n, decimal_negate},
      {"+", {n}, n, unchanged},
      {"abs", {n}, n, decimal_absolute},
      {"@", {n}, n, decimal_absolute},
      {"sign", {n}, n, decimal_sign},
      {"floor", {n}, n, decimal_floor},
      {"ceil", {n}, n, decimal_ceiling},
      {"ceiling", {n}, n, decimal_ceiling},
      {"round", {n}, n, decimal_round},
      {"round", {n, Base::int4}, n, decimal_round},
      {"trunc", {n}, n, decimal_truncate},
      {"trunc", {n, Base::int4}, n, decimal_truncate},
      {"trunc", {Base::opaque}, Base::opaque, truncate_address},
      {"sqrt", {n}, n, decimal_root},
      {"power", {n, n}, n, decimal_power},
      {"pow", {n, n}, n, decimal_power},
      {"^", {n, n}, n, decimal_power},
  };
  table.insert(table.end(), rows);
}

}  // namespace

void add_number_functions(std::vector<Function>& table) {
  add_decimals(table);
  constexpr Base kFloats[] = {Base::float4, Base::float8};
  for (const Base left : kFloats) {
    for (const Base right : kFloats) {
      const Base result = std::max(left, right);
      table.push_back({"+", {left, right}, result, real_add});
      table.push_back({"-", {left, right}, result, real_subtract});
      table.push_back({"*", {left, right}, result, real_multiply});
      table.push_back({"/", {left, right}, result, real_divide});
    }
    table.push_back({"-", {left}, left, real_negate});
    table.push_back({"+", {left}, left, unchanged});
    table.push_back({"abs", {left}, left, real_absolute});
    table.push_back({"@", {left}, left, real_absolute});
  }
  const Base f = Base::float8;
  const std::initializer_list<Function> rows = {
      {"sign", {f}, f, real_sign},    {"floor", {f}, f, real_floor},
      {"ceil", {f}, f, real_ceiling}, {"ceiling", {f}, f, real_ceiling},
      {"round", {f}, f, real_round},  {"trunc", {f}, f, real_truncate},
      {"sqrt", {f}, f, real_root},    {"power", {f, f}, f, real_power},
      {"pow", {f, f}, f, real_power}, {"^", {f, f}, f, real_power},
  };
  table.insert(table.end(), rows);
}

}  // namespace heddle::interpreter
