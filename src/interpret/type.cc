#include "interpret/type.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text.h"

namespace heddle::interpreter {

namespace {

struct Spelling {
  std::string_view name;
  Base base;
};

// The first name of each is PostgreSQL's own.
constexpr std::array kSpellings = {
    Spelling{"unknown", Base::unknown},
    Spelling{"boolean", Base::boolean},
    Spelling{"bool", Base::boolean},
    Spelling{"smallint", Base::int2},
    Spelling{"int2", Base::int2},
    Spelling{"smallserial", Base::int2},
    Spelling{"integer", Base::int4},
    Spelling{"int", Base::int4},
    Spelling{"int4", Base::int4},
    Spelling{"serial", Base::int4},
    Spelling{"bigint", Base::int8},
    Spelling{"int8", Base::int8},
    Spelling{"bigserial", Base::int8},
    Spelling{"numeric", Base::numeric},
    Spelling{"decimal", Base::numeric},
    Spelling{"dec", Base::numeric},
    Spelling{"real", Base::float4},
    Spelling{"float4", Base::float4},
    Spelling{"double precision", Base::float8},
    Spelling{"float8", Base::float8},
    Spelling{"float", Base::float8},
    Spelling{"text", Base::text},
    Spelling{"character varying", Base::text},
    Spelling{"varchar", Base::text},
    Spelling{"character", Base::bpchar},
    Spelling{"char", Base::bpchar},
    Spelling{"bpchar", Base::bpchar},
    Spelling{"date", Base::date},
    Spelling{"time without time zone", Base::time},
    Spelling{"time", Base::time},
    Spelling{"timestamp without time zone", Base::timestamp},
    Spelling{"timestamp", Base::timestamp},
    Spelling{"timestamp with time zone", Base::timestamptz},
    Spelling{"timestamptz", Base::timestamptz},
    Spelling{"interval", Base::interval},
    Spelling{"record", Base::row},
};

// Number types from the narrowest: each is converted silently to those behind it.
constexpr std::array kNumbers = {Base::int2,    Base::int4,   Base::int8,
                                 Base::numeric, Base::float4, Base::float8};
constexpr std::array kTimes = {Base::date, Base::timestamp, Base::timestamptz};

template <std::size_t size>
bool comes_before(const std::array<Base, size>& order, Base from, Base to) {
  const auto first = std::ranges::find(order, from);
  return first != order.end() && std::find(first, order.end(), to) != order.end();
}

// What stands in parentheses is taken out of the text.
std::vector<std::int32_t> take_modifiers(std::string& text) {
  std::vector<std::int32_t> modifiers;
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')', std::min(open, text.size()));
  if (open == std::string::npos || close == std::string::npos) return modifiers;
  for (const std::string& part : split(text.substr(open + 1, close - open - 1), ',')) {
    const std::string number(trim(part));
    std::int32_t value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    modifiers.push_back(value);
  }
  text.erase(open, close + 1 - open);
  return modifiers;
}

void set_modifiers(Type& type, const std::string& name,
                   const std::vector<std::int32_t>& modifiers) {
  const bool has_length = is_text(type.base) || type.base == Base::numeric;
  if (!modifiers.empty() && has_length) type.precision = modifiers[0];
  if (modifiers.size() > 1) type.scale = modifiers[1];
  // As a column or variable `char` is char(1), but the catalogue's own name has any length.
  if (modifiers.empty() && (name == "char" || name == "character")) type.precision = 1;
}

}  // namespace

Type parse_type(std::string_view text) {
  std::string name = to_lower(trim(text));
  Type type;
  while (name.ends_with("[]")) {
    type.is_array = true;
    name.erase(name.size() - 2);
  }
  const std::vector<std::int32_t> modifiers = take_modifiers(name);
  if (name.starts_with("pg_catalog.")) name.erase(0, std::string_view("pg_catalog.").size());
  if (name.starts_with('_') && name.size() > 1) {
    type.is_array = true;
    name.erase(0, 1);
  }
  name = trim(name);
  const auto* const known = std::ranges::find(kSpellings, name, &Spelling::name);
  if (known == kSpellings.end()) {
    type.base = Base::opaque;
    type.name = std::move(name);
  } else {
    type.base = known->base;
    set_modifiers(type, name, modifiers);
  }
  return type;
}

std::string type_name(const Type& type) {
  std::string name = type.name;
  if (type.base != Base::opaque) {
    name = std::ranges::find(kSpellings, type.base, &Spelling::base)->name;
  }
  return type.is_array ? name + "[]" : name;
}

bool is_integer(Base base) {
  return base == Base::int2 || base == Base::int4 || base == Base::int8;
}
bool is_float(Base base) { return base == Base::float4 || base == Base::float8; }
bool is_number(Base base) { return is_integer(base) || is_float(base) || base == Base::numeric; }
bool is_text(Base base) { return base == Base::text || base == Base::bpchar; }

Category category_of(const Type& type) {
  if (type.is_array) return Category::array;
  if (type.base == Base::unknown) return Category::unknown;
  if (type.base == Base::boolean) return Category::boolean;
  if (is_number(type.base)) return Category::number;
  if (is_text(type.base)) return Category::text;
  if (type.base == Base::interval) return Category::span;
  const bool is_time = comes_before(kTimes, type.base, Base::timestamptz);
  return is_time || type.base == Base::time ? Category::time : Category::other;
}

bool is_preferred(const Type& type) {
  if (type.is_array) return false;
  return type.base == Base::boolean || type.base == Base::float8 || type.base == Base::text ||
         type.base == Base::timestamptz || type.base == Base::interval;
}

bool converts_silently(const Type& from, const Type& to) {
  if (from == to || (from.base == Base::unknown && !from.is_array)) return true;
  if (from.is_array || to.is_array) return false;
  if (from.base == Base::time) return to.base == Base::interval;
  return comes_before(kNumbers, from.base, to.base) || comes_before(kTimes, from.base, to.base) ||
         (is_text(from.base) && is_text(to.base));
}

}  // namespace heddle::interpreter
