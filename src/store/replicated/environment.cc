#include "store/replicated/environment.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <sqlite3.h>
#include <string_view>

#include <fmt/format.h>

namespace heddle::replicated {

namespace {

using Arguments = sqlite3_value**;

Environment& environment_of(sqlite3_context* context) {
  return *static_cast<Environment*>(sqlite3_user_data(context));
}

void give(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

std::string text_of(sqlite3_value* value) {
  const auto* const text = sqlite3_value_text(value);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

// splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t next_random(Environment& environment) {
  std::uint64_t z = environment.random_state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

// public."a" is a.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name.substr(name.rfind('.') + 1)) {
    if (c != '"') plain += c;
  }
  return plain;
}

void nextval(sqlite3_context* context, int /*count*/, Arguments values) {
  Environment& environment = environment_of(context);
  environment.last_sequence = plain_name(text_of(values[0]));
  sqlite3_result_int64(context, ++environment.sequences[environment.last_sequence]);
}

void currval(sqlite3_context* context, int count, Arguments values) {
  const Environment& environment = environment_of(context);
  const auto found = environment.sequences.find(count == 0 ? environment.last_sequence
                                                           : plain_name(text_of(values[0])));
  if (found == environment.sequences.end()) {
    sqlite3_result_error(context, "the sequence has given no number yet", -1);
  } else {
    sqlite3_result_int64(context, found->second);
  }
}

// With false behind it the number is the next one, else the last one.
void setval(sqlite3_context* context, int count, Arguments values) {
  const std::int64_t number = sqlite3_value_int64(values[1]);
  const bool is_next = count > 2 && sqlite3_value_int(values[2]) == 0;
  environment_of(context).sequences[plain_name(text_of(values[0]))] = is_next ? number - 1 : number;
  sqlite3_result_int64(context, number);
}

void serial_sequence(sqlite3_context* context, int /*count*/, Arguments values) {
  give(context, fmt::format("{}_{}_seq", plain_name(text_of(values[0])), text_of(values[1])));
}

struct DayAndTime {
  std::string day;
  std::string time;
};

DayAndTime clock_of(sqlite3_context* context) {
  using std::chrono::days;
  using std::chrono::floor;
  const std::chrono::sys_days start =
      std::chrono::year(2000) / std::chrono::January / std::chrono::day(1);
  const std::chrono::sys_seconds now = start + std::chrono::seconds(environment_of(context).now);
  const auto today = floor<days>(now);
  const std::chrono::year_month_day day(today);
  const std::chrono::hh_mm_ss time(now - today);
  return {fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                      static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day())),
          fmt::format("{:02}:{:02}:{:02}", time.hours().count(), time.minutes().count(),
                      time.seconds().count())};
}

void now(sqlite3_context* context, int /*count*/, Arguments /*values*/) {
  const DayAndTime clock = clock_of(context);
  give(context, clock.day + " " + clock.time);
}

void current_date(sqlite3_context* context, int /*count*/, Arguments /*values*/) {
  give(context, clock_of(context).day);
}

void current_time(sqlite3_context* context, int /*count*/, Arguments /*values*/) {
  give(context, clock_of(context).time);
}

void random(sqlite3_context* context, int /*count*/, Arguments /*values*/) {
  constexpr unsigned kDiscarded = 11;  // a double has 53 bits
  sqlite3_result_double(
      context, static_cast<double>(next_random(environment_of(context)) >> kDiscarded) * 0x1.0p-53);
}

void random_uuid(sqlite3_context* context, int /*count*/, Arguments /*values*/) {
  const std::uint64_t high = next_random(environment_of(context));
  const std::uint64_t low = next_random(environment_of(context));
  give(context,
       fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU,
                   high & 0xfffU, 0x8000U | ((low >> 48U) & 0x3fffU), low & 0xffffffffffffU));
}

// Of two values the one that counts more, in SQLite's order of values within a type.
bool is_less(sqlite3_value* a, sqlite3_value* b) {
  const auto is_number = [](sqlite3_value* value) {
    const int type = sqlite3_value_type(value);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
  };
  if (is_number(a) && is_number(b)) return sqlite3_value_double(a) < sqlite3_value_double(b);
  if (is_number(a) != is_number(b)) return is_number(a);
  return text_of(a) < text_of(b);
}

// NULL counts for nothing, other than in SQLite's max and min.
void give_extreme(sqlite3_context* context, int count, Arguments values, bool greatest) {
  sqlite3_value* best = nullptr;
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) continue;
    const bool is_better =
        best == nullptr || (greatest ? is_less(best, values[i]) : is_less(values[i], best));
    if (is_better) best = values[i];
  }
  if (best != nullptr) sqlite3_result_value(context, best);
}

void greatest(sqlite3_context* context, int count, Arguments values) {
  give_extreme(context, count, values, true);
}

void least(sqlite3_context* context, int count, Arguments values) {
  give_extreme(context, count, values, false);
}

void concat(sqlite3_context* context, int count, Arguments values) {
  std::string text;
  for (int i = 0; i < count; ++i) text += text_of(values[i]);
  give(context, text);
}

// Time passes by statements only.
void nothing(sqlite3_context* /*context*/, int /*count*/, Arguments /*values*/) {}

struct Function {
  const char* name;
  int arguments;  // -1: any number
  void (*call)(sqlite3_context*, int, Arguments);
};

constexpr Function kFunctions[] = {
    {"nextval", 1, &nextval},
    {"currval", 1, &currval},
    {"lastval", 0, &currval},
    {"setval", 2, &setval},
    {"setval", 3, &setval},
    {"pg_get_serial_sequence", 2, &serial_sequence},
    {"now", 0, &now},
    {"current_timestamp", 0, &now},
    {"transaction_timestamp", 0, &now},
    {"statement_timestamp", 0, &now},
    {"clock_timestamp", 0, &now},
    {"current_date", 0, &current_date},
    {"current_time", 0, &current_time},
    {"random", 0, &random},
    {"gen_random_uuid", 0, &random_uuid},
    {"greatest", -1, &greatest},
    {"least", -1, &least},
    {"concat", -1, &concat},
    {"pg_sleep", 1, &nothing},
};

}  // namespace

void add_functions(sqlite3* connection, Environment& environment) {
  for (const Function& function : kFunctions) {
    sqlite3_create_function(connection, function.name, function.arguments, SQLITE_UTF8,
                            &environment, function.call, nullptr, nullptr);
  }
}

}  // namespace heddle::replicated
