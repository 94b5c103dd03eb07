// Values that differ from call to call and come from outside of the program, as its arguments do:
// they are chosen, said, and given to the serial orders alike.
#include "program/chance.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

enum class Ends : std::uint8_t { none, unit, arguments };

// What gives another value each time.
struct Source {
  std::string_view of;  // a class; "Random": anything that is one
  std::string_view method;
  std::string_view type;
  Ends ends = Ends::none;
};
constexpr std::array kSources = {
    Source{"Random", "nextInt", "int", Ends::arguments},
    Source{"Random", "nextLong", "long", Ends::arguments},
    Source{"Random", "nextDouble", "double", Ends::unit},
    Source{"Random", "nextFloat", "float", Ends::unit},
    Source{"Random", "nextBoolean", "boolean"},
    Source{"Random", "nextGaussian", "double"},
    Source{"Math", "random", "double", Ends::unit},
    Source{"System", "currentTimeMillis", "long"},
    Source{"System", "nanoTime", "long"},
    Source{"Instant", "now", "Instant"},
    Source{"LocalDate", "now", "LocalDate"},
    Source{"LocalTime", "now", "LocalTime"},
    Source{"LocalDateTime", "now", "LocalDateTime"},
    Source{"OffsetDateTime", "now", "OffsetDateTime"},
    Source{"ZonedDateTime", "now", "ZonedDateTime"},
};

bool is_random(std::string_view type) {
  static constexpr std::array<std::string_view, 5> kTypes = {
      "Random", "SecureRandom", "ThreadLocalRandom", "SplittableRandom", "RandomGenerator"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

bool is_constant(const Value& value) {
  if (value.kind == ValueKind::text) return known_words(value.text).has_value();
  return value.kind == ValueKind::null ||
         (value.kind == ValueKind::scalar && value.expression.kind == ExpressionKind::literal);
}

}  // namespace

// A value of chance or of the clock, also one that code without source makes of a Random; or what
// such code gives whoever asks, whatever the database holds.
std::optional<Value> FunctionalityReader::chance_of(const Value& object, const std::string& name,
                                                    const Arguments& arguments, const Node& node,
                                                    Block& out) {
  const auto random = [&](const Value& one) {
    const std::string type =
        one.kind == ValueKind::object ? state_.heap.at(one.object).type : one.type;
    return is_random(simple_type(type));
  };
  const std::string receiver = simple_type(node.field_text("object"));
  const bool is_static = object.kind == ValueKind::nothing && object.type.empty();
  const bool is_current = node.field_text("object").ends_with("ThreadLocalRandom.current()");
  const std::string of = random(object) || is_current ? "Random" : is_static ? receiver : "";
  const auto* const known = std::ranges::find_if(
      kSources, [&](const Source& each) { return each.of == of && each.method == name; });
  std::string type = known == kSources.end() ? "" : std::string(known->type);
  const bool is_given = std::ranges::any_of(arguments, random);
  // Of an object nobody knows what it has kept.
  const Node on = node.field("object");
  const bool is_of_class = is_static && on.is("identifier") && find_slot(on.text()) == nullptr &&
                           on.text()[0] >= 'A' && on.text()[0] <= 'Z';
  const bool is_outside =
      type.empty() && !is_given && is_of_class && std::ranges::all_of(arguments, is_constant);
  if (type.empty()) {
    if (!(is_given || is_outside) || column_type(expected_type_).empty()) return std::nullopt;
    type = expected_type_;
    if (is_outside) {
      note(node, fmt::format("the value of \"{}\" is not known", node.text().substr(0, 80)),
           "any value is taken for it");
    }
  }
  std::vector<Expression> parts = {literal(std::string(node.text().substr(0, 80)))};
  if (is_outside && !is_primitive(type)) parts.push_back(literal("null"));
  const Ends ends = known == kSources.end() ? Ends::none : known->ends;
  const bool are_single =
      std::ranges::all_of(arguments, [](const Value& one) { return is_single(one); });
  if (ends == Ends::unit && arguments.empty()) {
    parts.insert(parts.end(), {number(0), number(1)});
  } else if (ends == Ends::arguments && are_single && arguments.size() == 1) {
    parts.insert(parts.end(), {number(0), to_expression(arguments[0])});
  } else if (ends == Ends::arguments && are_single && arguments.size() == 2) {
    parts.insert(parts.end(), {to_expression(arguments[0]), to_expression(arguments[1])});
  }
  const Expression value = kept(call(std::string(program::kChanceFunction), std::move(parts)), name,
                                column_type(type), node, out);
  chance_.try_emplace(value.text, "");
  if (!is_text_type(type)) return scalar(value, type);
  return string_value({Piece{.words = "", .value = value, .is_string = true, .choice = nullptr}});
}

// The variable that a value of chance is read into has the name for it.
void FunctionalityReader::name_chance(const Value& value, const std::string& name) {
  if (chance_.empty()) return;
  std::vector<const Expression*> open;
  if (value.kind == ValueKind::scalar) open.push_back(&value.expression);
  const bool is_one = value.kind == ValueKind::text && value.text.size() == 1;
  if (is_one && value.text[0].value) open.push_back(&*value.text[0].value);
  while (!open.empty()) {
    const Expression& one = *open.back();
    open.pop_back();
    if (one.kind == ExpressionKind::variable && chance_.contains(one.text)) {
      std::string& known = chance_.at(one.text);
      if (known.empty()) known = name;
    }
    for (const Expression& operand : one.operands) open.push_back(&operand);
  }
}

}  // namespace heddle::java
