// Arithmetic of dates, timestamps and spans of time.
#include "interpret/functions.h"

namespace heddle::interpreter {

namespace {

// PostgreSQL's calendar: from 4714-11-24 BC to 5874897-12-31.
constexpr std::int64_t kFirstDay = -2'440'588;
constexpr std::int64_t kLastDay = 2'145'042'541;

Value date_of(std::int64_t days, Errors& errors) {
  if (days < kFirstDay || days > kLastDay) {
    errors.raise("22008", "date out of range");
    return null_of(type_of(Base::date));
  }
  return integer_value(Base::date, days);
}

Value days_later(const Arguments& arguments, Errors& errors) {
  return date_of(arguments[0].integer() + arguments[1].integer(), errors);
}
Value days_earlier(const Arguments& arguments, Errors& errors) {
  return date_of(arguments[0].integer() - arguments[1].integer(), errors);
}
Value days_between(const Arguments& arguments, Errors& /*errors*/) {
  return integer_value(Base::int4, arguments[0].integer() - arguments[1].integer());
}

// Whole days are counted as such.
Value time_between(const Arguments& arguments, Errors& /*errors*/) {
  const std::int64_t all = arguments[0].integer() - arguments[1].integer();
  return {type_of(Base::interval),
          Span{.months = 0, .days = all / kDay, .microseconds = all % kDay}};
}

Value moved(const Value& from, const Value& span, int sign, Errors& errors) {
  const Base base = from.type.base;
  const bool needs_zone =
      base == Base::timestamptz && (span.span().months != 0 || span.span().days != 0);
  if (needs_zone) errors.unsupported("a sum that depends on the session's time zone");
  const std::int64_t begin = base == Base::date ? from.integer() * kDay : from.integer();
  return integer_value(base == Base::date ? Base::timestamp : base,
                       add_span(begin, span.span(), sign));
}
Value later(const Arguments& arguments, Errors& errors) {
  return moved(arguments[0], arguments[1], 1, errors);
}
Value later_of_span(const Arguments& arguments, Errors& errors) {
  return moved(arguments[1], arguments[0], 1, errors);
}
Value earlier(const Arguments& arguments, Errors& errors) {
  return moved(arguments[0], arguments[1], -1, errors);
}

Value combined(const Span& a, const Span& b, std::int64_t sign) {
  return {type_of(Base::interval), Span{.months = a.months + sign * b.months,
                                        .days = a.days + sign * b.days,
                                        .microseconds = a.microseconds + sign * b.microseconds}};
}
Value add_spans(const Arguments& arguments, Errors& /*errors*/) {
  return combined(arguments[0].span(), arguments[1].span(), 1);
}
Value subtract_spans(const Arguments& arguments, Errors& /*errors*/) {
  return combined(arguments[0].span(), arguments[1].span(), -1);
}
Value negate_span(const Arguments& arguments, Errors& /*errors*/) {
  return combined({}, arguments[0].span(), -1);
}

}  // namespace

void add_time_functions(std::vector<Function>& table) {
  const Base d = Base::date;
  const Base i = Base::int4;
  const Base s = Base::interval;
  const std::initializer_list<Function> rows = {
      {"+", {d, i}, d, days_later},     {"-", {d, i}, d, days_earlier},
      {"-", {d, d}, i, days_between},   {"+", {s, s}, s, add_spans},
      {"-", {s, s}, s, subtract_spans}, {"-", {s}, s, negate_span},
  };
  table.insert(table.end(), rows);
  table.push_back({"+", {i, d}, d, days_later});
  for (const Base base : {Base::date, Base::timestamp, Base::timestamptz}) {
    const Base result = base == Base::date ? Base::timestamp : base;
    table.push_back({"+", {base, s}, result, later});
    table.push_back({"+", {s, base}, result, later_of_span});
    table.push_back({"-", {base, s}, result, earlier});
    if (base != Base::date) table.push_back({"-", {base, base}, s, time_between});
  }
}

}  // namespace heddle::interpreter
