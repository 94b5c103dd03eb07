// What PostgreSQL's input functions read, with their errors.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "interpret/value.h"

namespace heddle::interpreter {

namespace {

constexpr std::string_view kBlanks = " \t\n\r\v\f";

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

Value refuse(std::string_view text, const Type& type, Errors& errors) {
  errors.raise("22P02",
               fmt::format("invalid input syntax for type {}: \"{}\"", type_name(type), text));
  return null_of(type);
}

Value refuse_range(std::string_view text, const Type& type, Errors& errors) {
  errors.raise("22003",
               fmt::format("value \"{}\" is out of range for type {}", text, type_name(type)));
  return null_of(type);
}

Value read_boolean(std::string_view text, const Type& type, Errors& errors) {
  const std::string word = to_lower(without_blanks(text));
  const auto begins = [&](std::string_view whole, std::size_t least) {
    return word.size() >= least && whole.starts_with(word);
  };
  if (begins("true", 1) || begins("yes", 1) || word == "on" || word == "1") {
    return {type, true};
  }
  if (begins("false", 1) || begins("no", 1) || begins("off", 2) || word == "0") {
    return {type, false};
  }
  return refuse(text, type, errors);
}

Value read_integer(std::string_view text, const Type& type, Errors& errors) {
  std::string_view digits = without_blanks(text);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const bool is_number =
      !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) return refuse(text, type, errors);
  const std::string signed_digits = (negative ? "-" : "") + std::string(digits);
  std::int64_t value = 0;
  const auto read =
      std::from_chars(signed_digits.data(), signed_digits.data() + signed_digits.size(), value);
  const std::int64_t most = type.base == Base::int2   ? INT16_MAX
                            : type.base == Base::int4 ? INT32_MAX
                                                      : INT64_MAX;
  if (read.ec != std::errc() || value > most || value < -most - 1) {
    return refuse_range(text, type, errors);
  }
  return {type, value};
}

Value read_decimal(std::string_view text, const Type& type, Errors& errors) {
  const std::string_view number = without_blanks(text);
  const std::string word =
      to_lower(number.substr(std::min(number.size(), number.find_first_not_of("+-"))));
  if (word == "nan" || word == "inf" || word == "infinity") {
    errors.unsupported("numeric values that are no numbers");
    return null_of(type);
  }
  auto value = Decimal::parse(number);
  if (!value) return refuse(text, type, errors);
  if (value->integer_digits() > kMostDigits) {
    errors.raise("22003", "value overflows numeric format");
    return null_of(type);
  }
  return {type, std::move(*value)};
}

Value read_float(std::string_view text, const Type& type, Errors& errors) {
  std::string_view number = without_blanks(text);
  const std::string_view written = number;
  if (number.starts_with('+')) number.remove_prefix(1);
  const std::string word = to_lower(number);
  if (word == "nan") return {type, std::nan("")};
  if (word == "inf" || word == "infinity") return {type, static_cast<double>(INFINITY)};
  if (word == "-inf" || word == "-infinity") return {type, static_cast<double>(-INFINITY)};
  double value = 0;
  const std::string digits(number);
  const char* const end = digits.data() + digits.size();
  std::from_chars_result read{};
  if (type.base == Base::float4) {
    float narrow = 0;
    read = std::from_chars(digits.data(), end, narrow);
    value = narrow;
  } else {
    read = std::from_chars(digits.data(), end, value);
  }
  if (read.ec == std::errc::invalid_argument || read.ptr != end || number.empty()) {
    return refuse(text, type, errors);
  }
  if (read.ec == std::errc::result_out_of_range) return refuse_range(written, type, errors);
  return {type, value};
}

Value read_time(std::string_view text, const Type& type, Errors& errors) {
  const std::string_view written = without_blanks(text);
  std::optional<std::int64_t> value;
  if (type.base == Base::date) value = parse_date(written);
  if (type.base == Base::time) value = parse_time(written);
  if (type.base == Base::timestamp) value = parse_timestamp(written, false);
  if (type.base == Base::timestamptz) value = parse_timestamp(written, true);
  if (value) return {type, *value};
  if (type.base == Base::interval) {
    if (const auto span = parse_span(written)) return {type, *span};
  }
  // Of what has no digits PostgreSQL knows these alone.
  static constexpr std::array<std::string_view, 8> kWords = {
      "now", "today", "tomorrow", "yesterday", "epoch", "infinity", "-infinity", "allballs"};
  const bool has_digits = written.find_first_of("0123456789") != std::string_view::npos;
  const bool is_word = !has_digits && std::ranges::find(kWords, to_lower(written)) != kWords.end();
  // A few digits alone are no date, of whatever form.
  constexpr std::size_t kFewDigits = 4;
  const bool is_short = type.base == Base::date && written.size() <= kFewDigits &&
                        written.find_first_not_of("0123456789") == std::string_view::npos;
  if ((!has_digits && !is_word) || is_short) {
    errors.raise("22007",
                 fmt::format("invalid input syntax for type {}: \"{}\"", type_name(type), text));
    return null_of(type);
  }
  // It reads many more forms than ISO, so that this may be right or wrong.
  errors.unsupported(fmt::format("the {} '{}'", type_name(type), text));
  return null_of(type);
}

// One array of one dimension: [2:3]={a,"b c",NULL}.
class ArrayReader {
 public:
  ArrayReader(std::string_view text, const Type& type, Errors& errors)
      : text_(text), type_(type), errors_(errors) {}

  Value read() {
    Array array;
    skip_blanks();
    if (peek() == '[' && !read_bounds(array)) return fail();
    skip_blanks();
    if (!take('{')) return fail();
    skip_blanks();
    if (!take('}')) {
      do {
        if (!read_element(array)) return fail();
        skip_blanks();
      } while (take(','));
      if (!take('}')) return fail();
    }
    skip_blanks();
    if (at_ != text_.size()) return fail();
    return array_value(type_, std::move(array));
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

  Value fail() {
    errors_.raise("22P02", fmt::format("malformed array literal: \"{}\"", text_));
    return null_of(type_);
  }

  bool read_bounds(Array& array) {
    const std::size_t end = text_.find("]=", at_);
    if (end == std::string_view::npos) return false;
    const std::string_view bounds = text_.substr(at_ + 1, end - at_ - 1);
    const auto read = std::from_chars(bounds.data(), bounds.data() + bounds.size(), array.lower);
    at_ = end + 2;
    return read.ec == std::errc() && *read.ptr == ':';
  }

  bool read_element(Array& array) {
    skip_blanks();
    if (peek() == '{') {
      errors_.unsupported("arrays of several dimensions");
      return true;
    }
    std::string element;
    bool is_quoted = false;
    std::size_t kept = 0;  // up to the last character that is no blank outside of quotes
    for (; at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}'; ++at_) {
      if (text_[at_] == '"') {
        is_quoted = true;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
          if (text_[at_] == '\\') ++at_;
          if (at_ < text_.size()) element += text_[at_];
        }
        kept = element.size();
        continue;
      }
      const bool blank = kBlanks.find(text_[at_]) != std::string_view::npos;
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) element += text_[at_];
      if (!blank) kept = element.size();
    }
    element.resize(kept);
    if (element.empty() && !is_quoted) return false;
    const Type type = element_of(type_);
    const bool is_null = !is_quoted && to_lower(element) == "null";
    array.elements.push_back(is_null ? null_of(type) : read_value_text(element, type, errors_));
    if (std::ssize(array.elements) > kMostElements) errors_.bound("an array is too long");
    return true;
  }

  std::string_view text_;
  const Type& type_;
  Errors& errors_;
  std::size_t at_ = 0;
};

}  // namespace

Value read_value_text(std::string_view text, const Type& type, Errors& errors) {
  if (type.is_array) return ArrayReader(text, type, errors).read();
  switch (type.base) {
    case Base::boolean:
      return read_boolean(text, type, errors);
    case Base::int2:
    case Base::int4:
    case Base::int8:
      return read_integer(text, type, errors);
    case Base::numeric:
      return read_decimal(text, type, errors);
    case Base::float4:
    case Base::float8:
      return read_float(text, type, errors);
    case Base::date:
    case Base::time:
    case Base::timestamp:
    case Base::timestamptz:
    case Base::interval:
      return read_time(text, type, errors);
    case Base::row:
      errors.unsupported("a row from its text");
      return null_of(type);
    default:
      return {type, std::string(text)};
  }
}

}  // namespace heddle::interpreter
