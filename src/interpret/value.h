// A value of the client with its type, and the trouble that computing one may meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "interpret/calendar.h"
#include "interpret/decimal.h"
#include "interpret/type.h"

namespace heddle::interpreter {

struct Value;

constexpr std::int64_t kMostElements = 1'000'000;  // of an array
constexpr std::int64_t kMostDigits = 131'072;      // of numeric, before the point

// Of one dimension.
struct Array {
  std::int64_t lower = 1;  // the place of the first element
  std::vector<Value> elements;
};

struct Fields {
  std::vector<std::string> names;
  std::vector<Value> values;
};

// Dates count days and times microseconds; timestamps both since 1970, of UTC where they have a
// zone. Texts of opaque types are texts. The content of a null is std::monostate.
struct Value {
  using Content = std::variant<std::monostate, bool, std::int64_t, Decimal, double, std::string,
                               Span, std::shared_ptr<const Array>, std::shared_ptr<const Fields>>;
  Type type;
  Content content;

  bool is_null() const { return content.index() == 0; }
  // REQUIRES: of that content.
  bool boolean() const { return std::get<bool>(content); }
  std::int64_t integer() const { return std::get<std::int64_t>(content); }
  const Decimal& decimal() const { return std::get<Decimal>(content); }
  double real() const { return std::get<double>(content); }
  const std::string& text() const { return std::get<std::string>(content); }
  const Span& span() const { return std::get<Span>(content); }
  const Array& array() const { return *std::get<std::shared_ptr<const Array>>(content); }
  const Fields& fields() const { return *std::get<std::shared_ptr<const Fields>>(content); }
};

inline Value null_of(Type type) { return {.type = std::move(type), .content = {}}; }
inline Value boolean_value(bool value) { return {type_of(Base::boolean), value}; }
inline Value text_value(std::string text) { return {type_of(Base::text), std::move(text)}; }
inline Value integer_value(Base base, std::int64_t value) { return {type_of(base), value}; }
inline Value decimal_value(Decimal value) { return {type_of(Base::numeric), std::move(value)}; }
inline Value real_value(Base base, double value) { return {type_of(base), value}; }
inline Value array_value(const Type& type, Array array) {
  return {type, std::make_shared<const Array>(std::move(array))};
}
inline Value fields_value(Fields fields) {
  return {type_of(Base::row), std::make_shared<const Fields>(std::move(fields))};
}

// Keeps the first error; what is computed after it is nothing. Errors of SQL have an SQLSTATE, all
// others are limits of this evaluator.
class Errors {
 public:
  enum class Kind : std::uint8_t {
    none,
    sql,
    unsupported,  // PostgreSQL may know; we do not
    bound,
    other,  // of what the caller supplied
  };

  void raise(std::string sqlstate, std::string message) {
    set(Kind::sql, std::move(sqlstate), std::move(message));
  }
  void unsupported(std::string what) { set(Kind::unsupported, "", std::move(what)); }
  void bound(std::string what) { set(Kind::bound, "", std::move(what)); }
  void other() { set(Kind::other, "", ""); }

  bool any() const { return kind_ != Kind::none; }
  Kind kind() const { return kind_; }
  const std::string& sqlstate() const { return sqlstate_; }
  const std::string& message() const { return message_; }
  void clear() { *this = {}; }

 private:
  void set(Kind kind, std::string sqlstate, std::string message) {
    if (any()) return;
    kind_ = kind;
    sqlstate_ = std::move(sqlstate);
    message_ = std::move(message);
  }

  Kind kind_ = Kind::none;
  std::string sqlstate_;
  std::string message_;
};

// As PostgreSQL's output function of the type writes it. REQUIRES: !value.is_null().
std::string output_text(const Value& value);
// Reads what the type's input function reads. The length of the type is not looked at.
Value read_value_text(std::string_view text, const Type& type, Errors& errors);

// Shortest decimal that reads as the same number, laid out as PostgreSQL lays it out.
std::string float_text(double value, Base base);

// Numbers of characters, not bytes; and the byte at which a character begins.
std::size_t character_count(std::string_view text);
std::size_t character_offset(std::string_view text, std::size_t character);

}  // namespace heddle::interpreter
