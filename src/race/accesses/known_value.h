// Values as far as a trace tells them, and what is known of comparing two.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace heddle::race {

// What SQL makes of a condition, where not all values are known.
enum class Truth : std::uint8_t { no, null, unknown, yes };

struct KnownValue {
  enum class Kind : std::uint8_t { unknown, null, text };
  Kind kind = Kind::unknown;
  std::string text = {};  // as the store or the client writes it

  bool is_known() const { return kind != Kind::unknown; }
  bool has_text() const { return kind == Kind::text; }
  friend bool operator==(const KnownValue&, const KnownValue&) = default;
};

inline KnownValue null_value() { return {.kind = KnownValue::Kind::null}; }
inline KnownValue text_value(std::string_view text) {
  return {.kind = KnownValue::Kind::text, .text = std::string(text)};
}

// The columns of one row whose values are known or known to be any; others are unknown, too.
using KnownRow = std::map<std::string, KnownValue, std::less<>>;

// The form in which values are compared without their types: two that some type takes for equal
// have the same. Those that differ in it differ in every type.
std::string comparable_text(std::string_view text);

// `a = b` and `a < b`.
Truth are_equal(const KnownValue& a, const KnownValue& b);
Truth is_less(const KnownValue& a, const KnownValue& b);

Truth negated(Truth truth);
// Whether rows may be among those that a condition of this truth selects.
inline bool may_hold(Truth truth) { return truth == Truth::yes || truth == Truth::unknown; }

}  // namespace heddle::race
