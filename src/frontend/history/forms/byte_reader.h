// Reading histories from bytes: a cursor over text that knows its line and column, a cursor over
// binary data that never runs past the end, and what several formats share about numbers and keys.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// Walks through text. Never reads past the end: there, every character is '\0'. `text` and `name`
// must outlive it.
class TextCursor {
 public:
  TextCursor(std::string_view text, const std::string& name)
      : begin_(text.data()),
        at_(begin_),
        end_(begin_ + text.size()),
        line_begin_(begin_),
        name_(&name) {}

  bool at_end() const { return at_ == end_; }
  char peek() const { return at_ == end_ ? '\0' : *at_; }
  std::uint32_t line() const { return line_; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  // The next character, which is passed. REQUIRES: !at_end().
  char next() {
    const char c = *at_++;
    if (c == '\n') {
      ++line_;
      line_begin_ = at_;
    }
    return c;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    next();
    return true;
  }
  // Blanks, tabs and carriage returns; not the end of the line.
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  void skip_white_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) next();
  }
  // Passes `size` characters, none of which ends a line.
  void pass(std::size_t size) { at_ += size; }

  // Decimal digits, perhaps after a minus; false and nothing passed if there are none. A number
  // too large for 64 bits has `fits` false.
  struct Number {
    std::int64_t value = 0;
    std::string_view digits;
    bool fits = true;
  };
  bool take_number(Number& number) {
    const bool is_negative = at_ != end_ && *at_ == '-';
    const char* const first = at_ + (is_negative ? 1 : 0);
    const char* stop = first;
    std::int64_t value = 0;
    for (; stop != end_ && is_digit(*stop); ++stop) {
      if (stop - first == kFitting) return take_long_number(number);
      value = 10 * value + (*stop - '0');
    }
    if (stop == first) return false;
    number = {is_negative ? -value : value, {at_, static_cast<std::size_t>(stop - at_)}, true};
    at_ = stop;
    return true;
  }

  SourcePosition position() const {
    return {line_, static_cast<std::uint32_t>(at_ - line_begin_) + 1};
  }
  Diagnostic error(std::string what, std::string what_to_do = "") const {
    return {std::move(what), std::move(what_to_do), *name_, position()};
  }

 private:
  static constexpr std::ptrdiff_t kFitting = 18;  // so many digits fit

  bool take_long_number(Number& number) {
    const auto [stop, error] = std::from_chars(at_, end_, number.value);
    if (error == std::errc::invalid_argument) return false;
    number.fits = error == std::errc();
    number.digits = {at_, static_cast<std::size_t>(stop - at_)};
    at_ = stop;
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* line_begin_;
  const std::string* name_;
  std::uint32_t line_ = 1;
};

// Walks through binary data. The first read past the end makes ok() false for good; from then on
// everything reads as zero.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t offset() const { return at_; }
  std::size_t remaining() const { return bytes_.size() - at_; }

  std::uint8_t byte();
  std::uint64_t little_endian_64();
  std::uint64_t big_endian_64();
  void skip(std::uint64_t size);

 private:
  bool ok_ = true;
  std::size_t at_ = 0;
  std::string_view bytes_;
};

// "byte 17" is where `name` stops making sense.
Diagnostic binary_error(const std::string& name, std::size_t offset, const std::string& what);

// A number of any size; those that do not fit are their digits.
Value unsigned_value(ValueTexts& texts, std::uint64_t number);
inline Value number_value(ValueTexts& texts, const TextCursor::Number& number) {
  if (number.fits && Value::fits(number.value)) return Value::number(number.value);
  return texts.text(number.digits);
}

// KeyNames::of with a table in front of it for small numbers, which most keys are.
class KeyTable {
 public:
  explicit KeyTable(KeyNames& names) : names_(names) {}

  KeyId of(Value name) {
    if (name.code < 0 || name.code >= kTableSize) return names_.of(name);
    const auto place = static_cast<std::size_t>(name.code);
    if (place >= known_.size()) known_.resize(std::max(place + 1, 2 * known_.size()), 0);
    if (known_[place] == 0) {
      known_[place] = static_cast<std::uint32_t>(names_.of(name).index()) + 1;
    }
    return KeyId(known_[place] - 1);
  }

 private:
  static constexpr std::int64_t kTableSize = std::int64_t{1} << 22;

  KeyNames& names_;
  std::vector<std::uint32_t> known_;  // the key's index + 1
};

// How many operations a history may have (find_flaw).
inline constexpr std::size_t kMostOperations = (std::size_t{1} << 32) - 16;

// How many lines a text can hold, at most, when no line is shorter than `shortest` characters: what
// to reserve for.
std::size_t count_lines(std::string_view text, std::size_t shortest);

}  // namespace heddle
