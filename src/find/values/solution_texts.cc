#include "find/values/solution_texts.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "find/forms/moments.h"
#include "program/redis_commands.h"

namespace heddle::find {

namespace {

constexpr std::string_view kHex = "0123456789abcdefABCDEF-";

// The whole part of "12", "-3" or "7/2".
std::int64_t whole(const std::string& number) {
  std::int64_t value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
}

// With as many decimals as the type has, rounded.
std::string decimal(const std::string& number, const ColumnType& type) {
  const std::size_t slash = number.find('/');
  if (slash == std::string::npos) return number;
  const double value =
      std::strtod(number.c_str(), nullptr) / std::strtod(number.c_str() + slash + 1, nullptr);
  const std::uint32_t scale = type.arguments.size() > 1 ? type.arguments[1] : 4;
  return fmt::format("{:.{}f}", value, type.arguments.size() == 1 ? 0 : scale);
}

std::string at(std::int64_t seconds, std::string_view format) {
  // Not beyond what calendars of all stores reach.
  constexpr std::int64_t kMost = 20'000 * kSecondsOfDay;
  const std::int64_t bounded = std::clamp<std::int64_t>(seconds, -kMost, kMost);
  return fmt::format(fmt::runtime(format), fmt::gmtime(kFirstDay + bounded));
}

// 0 is "a", 26 is "aa".
std::string letters(std::size_t number) {
  std::string text;
  for (std::size_t rest = number + 1; rest > 0; rest = (rest - 1) / 26) {
    text.insert(text.begin(), static_cast<char>('a' + (rest - 1) % 26));
  }
  return text;
}

}  // namespace

ColumnType type_named(std::string_view name) {
  const SchemaReading read =
      parse_schema(fmt::format("CREATE TABLE one (value {})", name), Dialect::postgres);
  ColumnType type;
  if (!read.schema.tables.empty() && !read.schema.tables[0].columns.empty()) {
    type = read.schema.tables[0].columns[0].type;
  }
  return type;
}

SolutionTexts::SolutionTexts(Evaluator& evaluator, smt::Solver& solver, const Schema& schema)
    : evaluator_(evaluator), solver_(solver), schema_(schema) {
  for (const auto& [text, number] : evaluator.texts()) words_[fmt::format("{}", number)] = text;
  for (const JoinedText& joined : evaluator.joined_texts()) {
    std::string text;
    for (const JoinedPart& part : joined.parts) {
      if (part.value) {
        const std::string number = solver.value(*part.value);
        text += part.is_number ? number : word(number);
      }
      text += part.words;
    }
    // 0 is what nobody has chosen: a decimal's text stands for it by chance.
    const std::string number = solver.value(joined.term);
    if (number == "0" && text.find_first_of("./") != std::string::npos) continue;
    words_.try_emplace(number, text);
  }
}

std::string SolutionTexts::word(const std::string& number) {
  if (const auto known = words_.find(number); known != words_.end()) return known->second;
  // What a program keeps in Redis may be a number for it.
  constexpr std::int64_t kLargestNumber = 1'000'000;
  if (program::has_redis_table(schema_) && std::abs(whole(number)) < kLargestNumber) {
    return words_[number] = number;
  }
  const auto is_taken = [&](const std::string& text) {
    return std::ranges::any_of(words_, [&](const auto& word) { return word.second == text; });
  };
  if (evaluator_.orders_texts()) {
    if (auto between = word_between(whole(number))) return words_[number] = std::move(*between);
  }
  std::size_t next = 0;
  while (is_taken(letters(next))) ++next;
  return words_[number] = letters(next);
}

// The texts of the program in between which the number is.
SolutionTexts::Neighbours SolutionTexts::neighbours(std::int64_t number) const {
  Neighbours found;
  for (const auto& [text, code] : evaluator_.texts()) {
    if (code < number) found.low = &text;
    if (code > number && found.high == nullptr) found.high = &text;
  }
  return found;
}

// One that the program's order puts there; none: there is no room.
std::optional<std::string> SolutionTexts::word_between(std::int64_t number) const {
  const Neighbours around = neighbours(number);
  const auto fits = [&around](const std::string& text) {
    return (around.low == nullptr || TextOrder()(*around.low, text)) &&
           (around.high == nullptr || TextOrder()(text, *around.high));
  };
  constexpr std::size_t kMostTries = 1'000;
  for (const std::string& begin :
       {std::string(), around.low == nullptr ? std::string("0") : *around.low}) {
    for (std::size_t i = 0; i < kMostTries; ++i) {
      std::string text = begin + letters(i);
      const bool is_new =
          std::ranges::none_of(words_, [&](const auto& word) { return word.second == text; });
      if (is_new && fits(text)) return text;
    }
  }
  return std::nullopt;
}

// What the program itself writes for a value of such a type; none: this is none of its texts.
std::optional<std::string> SolutionTexts::written(const std::string& number,
                                                  const ColumnType& type) const {
  const auto known = words_.find(number);
  if (known == words_.end()) return std::nullopt;
  const std::string& text = known->second;
  const auto has_only = [&](std::string_view characters) {
    return text.find_first_not_of(characters) == std::string::npos;
  };
  const bool fits = type.type == ValueType::uuid    ? text.size() == 36 && has_only(kHex)
                    : type.type == ValueType::bytes ? text.starts_with("\\x")
                    : type.type == ValueType::json  ? text.find_first_of("{[\"") == 0
                                                    : false;
  return fits ? std::optional(text) : std::nullopt;
}

// Of an enumeration.
std::string SolutionTexts::label(const std::string& number, const ColumnType& type) {
  std::vector<std::string> labels = type.labels;
  const auto named = std::ranges::find(schema_.enumerations, type.text, &Enumeration::name);
  if (labels.empty() && named != schema_.enumerations.end()) labels = named->labels;
  if (labels.empty()) return word(number);
  const auto known = words_.find(number);
  const bool is_label =
      known != words_.end() && std::ranges::find(labels, known->second) != labels.end();
  if (is_label) return known->second;
  return labels[static_cast<std::uint64_t>(whole(number)) % labels.size()];
}

std::string SolutionTexts::array(const SqlValue& value, const ColumnType& type) {
  constexpr std::int64_t kMostElements = 100;
  const std::int64_t size =
      std::min(whole(solver_.value(evaluator_.cardinality(value).value)), kMostElements);
  std::string text = "{";
  ColumnType element;
  element.type = type.element;
  for (std::int64_t i = 1; i <= size; ++i) {
    const SqlValue place = evaluator_.known(evaluator_.terms().integer(i));
    const Sort sort = sort_of(element.type);
    const Cell cell = text_of(evaluator_.element(value, place, sort), element);
    if (i > 1) text += ',';
    text += cell ? *cell : "NULL";
  }
  return text + "}";
}

Cell SolutionTexts::text_of(const SqlValue& value, const ColumnType& type) {
  if (solver_.value(value.is_null) == "true") return std::nullopt;
  if (type.type == ValueType::array) return array(value, type);
  return text(solver_.value(value.value), type);
}

std::string SolutionTexts::text(const std::string& number, const ColumnType& type) {
  const std::int64_t value = whole(number);
  const auto unsigned_value = static_cast<std::uint64_t>(value);
  if (auto own = written(number, type)) return *own;
  switch (type.type) {
    case ValueType::boolean:
      if (number == "true" || value == 1) return "true";
      // MySQL's may be other numbers.
      return value == 0 ? "false" : fmt::format("{}", value);
    case ValueType::integer16:
    case ValueType::integer32:
    case ValueType::integer64:
      return fmt::format("{}", value);
    case ValueType::numeric:
    case ValueType::real32:
    case ValueType::real64:
      return decimal(number, type);
    case ValueType::date:
      return at(value * kSecondsOfDay, "{:%Y-%m-%d}");
    case ValueType::time:
    case ValueType::time_with_zone:
      return at(((value % kSecondsOfDay) + kSecondsOfDay) % kSecondsOfDay, "{:%H:%M:%S}");
    case ValueType::timestamp:
      return at(value, "{:%Y-%m-%d %H:%M:%S}");
    case ValueType::timestamp_with_zone:
      return at(value, "{:%Y-%m-%d %H:%M:%S}+00");
    case ValueType::interval:
      return fmt::format("{} seconds", value);
    case ValueType::json:
      return "\"" + word(number) + "\"";
    case ValueType::uuid:
      return fmt::format("00000000-0000-0000-0000-{:012x}", unsigned_value % (1ULL << 48U));
    case ValueType::bytes:
      return fmt::format("\\x{:08x}", unsigned_value % (1ULL << 32U));
    case ValueType::bits:
      return fmt::format("{:0{}b}", unsigned_value % 2,
                         type.arguments.empty() ? 1 : type.arguments[0]);
    case ValueType::enumeration:
      return label(number, type);
    case ValueType::array:
      return "{}";
    case ValueType::text:
    case ValueType::varying:
    case ValueType::padded_text:
    case ValueType::unknown:
      break;
  }
  return word(number);
}

std::string SolutionTexts::any_text(const ColumnType& type, std::size_t number) {
  if (type.type == ValueType::boolean) return "false";
  return text(fmt::format("{}", number), type);
}

}  // namespace heddle::find
