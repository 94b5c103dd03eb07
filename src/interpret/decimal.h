// Exact decimals as PostgreSQL's numeric has them: digits and a number of places behind the point
// that is shown and that results inherit (1.50 has two).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::interpreter {

class Decimal {
 public:
  Decimal() = default;
  explicit Decimal(std::int64_t value);

  // "12", "-1.50", ".5", "1.5e-3". None: not a number. REQUIRES: no blanks around it.
  static std::optional<Decimal> parse(std::string_view text);
  std::string text() const;

  std::int64_t scale() const { return scale_; }
  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }
  std::size_t digit_count() const { return digits_.size(); }
  // Before the point, without leading zeros.
  std::int64_t integer_digits() const;
  // None: it has other digits than zeros behind the point, or does not fit.
  std::optional<std::int64_t> to_integer() const;

  Decimal negated() const;
  Decimal absolute() const;
  // Half away from zero; below zero `scale` counts places before the point.
  Decimal rounded(std::int64_t scale) const;
  Decimal truncated(std::int64_t scale) const;
  Decimal floor() const;
  Decimal ceiling() const;

  friend int compare(const Decimal& a, const Decimal& b);
  friend Decimal add(const Decimal& a, const Decimal& b);
  friend Decimal subtract(const Decimal& a, const Decimal& b);
  friend Decimal multiply(const Decimal& a, const Decimal& b);
  // With as many places as PostgreSQL's select_div_scale says. REQUIRES: !b.is_zero().
  friend Decimal divide(const Decimal& a, const Decimal& b);
  // REQUIRES: !b.is_zero().
  friend Decimal divide_to(const Decimal& a, const Decimal& b, std::int64_t scale);
  // Has the sign of a. REQUIRES: !b.is_zero().
  friend Decimal remainder(const Decimal& a, const Decimal& b);
  // REQUIRES: !a.is_negative().
  friend Decimal square_root(const Decimal& a);

 private:
  Decimal(std::string digits, bool negative, std::int64_t scale);
  // Digits in groups of four, as PostgreSQL keeps them: where the first stands, and its value.
  struct Lead {
    std::int64_t weight = 0;
    int group = 0;
  };
  Lead lead() const;
  std::string digits_at(std::int64_t scale) const;

  std::string digits_;  // the most significant first and not 0; empty: zero
  bool negative_ = false;
  std::int64_t scale_ = 0;
};

int compare(const Decimal& a, const Decimal& b);
Decimal add(const Decimal& a, const Decimal& b);
Decimal subtract(const Decimal& a, const Decimal& b);
Decimal multiply(const Decimal& a, const Decimal& b);
Decimal divide(const Decimal& a, const Decimal& b);
Decimal divide_to(const Decimal& a, const Decimal& b, std::int64_t scale);
Decimal remainder(const Decimal& a, const Decimal& b);
Decimal square_root(const Decimal& a);

}  // namespace heddle::interpreter
