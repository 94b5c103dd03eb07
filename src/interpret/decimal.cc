// Digits are kept one per character: numbers of programs have tens of digits, not thousands, and
// the schoolbook's methods are plain to see through.
#include "interpret/decimal.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace heddle::interpreter {

namespace {

using Digits = std::string;

// PostgreSQL's NUMERIC_MIN_SIG_DIGITS, DEC_DIGITS, NUMERIC_MAX_DISPLAY_SCALE, NUMERIC_DSCALE_MAX.
constexpr std::int64_t kLeastDigits = 16;
constexpr std::int64_t kGroup = 4;
constexpr std::int64_t kMostPlacesOfQuotients = 1000;
constexpr std::int64_t kMostPlaces = 16383;
constexpr std::int64_t kMostExponent = 200'000;

void drop_leading_zeros(Digits& digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
}

int compare_digits(const Digits& a, const Digits& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const int order = a.compare(b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

Digits add_digits(const Digits& a, const Digits& b) {
  Digits sum;
  int carry = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry > 0; ++i) {
    if (i < a.size()) carry += a[a.size() - 1 - i] - '0';
    if (i < b.size()) carry += b[b.size() - 1 - i] - '0';
    sum += static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  std::ranges::reverse(sum);
  return sum;
}

// REQUIRES: a >= b.
Digits subtract_digits(const Digits& a, const Digits& b) {
  Digits difference;
  int borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    int digit = a[a.size() - 1 - i] - '0' - borrow;
    if (i < b.size()) digit -= b[b.size() - 1 - i] - '0';
    borrow = digit < 0 ? 1 : 0;
    difference += static_cast<char>('0' + digit + 10 * borrow);
  }
  std::ranges::reverse(difference);
  drop_leading_zeros(difference);
  return difference;
}

Digits multiply_digits(const Digits& a, const Digits& b) {
  std::vector<std::uint32_t> sums(a.size() + b.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      sums[i + j + 1] += static_cast<std::uint32_t>((a[i] - '0') * (b[j] - '0'));
    }
  }
  for (std::size_t i = sums.size(); i-- > 1;) {
    sums[i - 1] += sums[i] / 10;
    sums[i] %= 10;
  }
  Digits product;
  for (const std::uint32_t digit : sums) product += static_cast<char>('0' + digit);
  drop_leading_zeros(product);
  return product;
}

struct Quotient {
  Digits whole;
  Digits rest;
};

// REQUIRES: b is not zero.
Quotient divide_digits(const Digits& a, const Digits& b) {
  Quotient result;
  for (const char digit : a) {
    result.rest += digit;
    drop_leading_zeros(result.rest);
    char times = '0';
    while (compare_digits(result.rest, b) >= 0) {
      result.rest = subtract_digits(result.rest, b);
      ++times;
    }
    result.whole += times;
  }
  drop_leading_zeros(result.whole);
  return result;
}

// The largest whole number whose square is at most `a`.
Digits root_of_digits(const Digits& a) {
  Digits root((a.size() + 1) / 2, '0');
  for (char& digit : root) {
    for (char next = '9'; next > '0'; --next) {
      digit = next;
      Digits tried = root;
      drop_leading_zeros(tried);
      if (compare_digits(multiply_digits(tried, tried), a) <= 0) break;
      digit = '0';
    }
  }
  drop_leading_zeros(root);
  return root;
}

}  // namespace

Decimal::Decimal(std::string digits, bool negative, std::int64_t scale)
    : digits_(std::move(digits)), negative_(negative), scale_(scale) {
  drop_leading_zeros(digits_);
  if (digits_.empty()) negative_ = false;
}

Decimal::Decimal(std::int64_t value) {
  std::string text = std::to_string(value);
  if (text.front() == '-') text.erase(0, 1);
  *this = Decimal(std::move(text), value < 0, 0);
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::string digits;
  std::int64_t scale = 0;
  bool behind = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !behind) {
      behind = true;
    } else if (text[i] >= '0' && text[i] <= '9') {
      digits += text[i];
      if (behind) ++scale;
    } else {
      break;
    }
  }
  if (digits.empty()) return std::nullopt;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    ++i;
    if (i < text.size() && text[i] == '+') ++i;
    std::int64_t exponent = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + i, end, exponent);
    const bool is_number = read.ec == std::errc() && read.ptr == end;
    if (!is_number || exponent > kMostExponent || exponent < -kMostExponent) return std::nullopt;
    scale -= exponent;
    if (scale < 0) {
      digits.append(static_cast<std::size_t>(-scale), '0');
      scale = 0;
    }
  }
  const Decimal result(std::move(digits), negative, scale);
  return scale > kMostPlaces ? result.rounded(kMostPlaces) : result;
}

std::string Decimal::text() const {
  std::string text = digits_;
  const auto places = static_cast<std::size_t>(scale_);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  if (places > 0) text.insert(text.size() - places, ".");
  return negative_ ? "-" + text : text;
}

std::int64_t Decimal::integer_digits() const {
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(digits_.size()) - scale_);
}

std::optional<std::int64_t> Decimal::to_integer() const {
  const Decimal whole = truncated(0);
  if (compare(whole, *this) != 0) return std::nullopt;
  const std::string text = whole.text();
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc()) return std::nullopt;
  return value;
}

Decimal Decimal::negated() const { return {digits_, !negative_, scale_}; }
Decimal Decimal::absolute() const { return {digits_, false, scale_}; }

// The digits of the value with at least as many places as it has.
std::string Decimal::digits_at(std::int64_t scale) const {
  if (digits_.empty()) return "";
  return digits_ + std::string(static_cast<std::size_t>(scale - scale_), '0');
}

Decimal Decimal::truncated(std::int64_t scale) const {
  if (scale >= scale_) return {digits_at(scale), negative_, scale};
  const auto dropped = static_cast<std::size_t>(scale_ - scale);
  std::string digits = dropped < digits_.size() ? digits_.substr(0, digits_.size() - dropped) : "";
  if (scale < 0 && !digits.empty()) digits.append(static_cast<std::size_t>(-scale), '0');
  return {std::move(digits), negative_, std::max<std::int64_t>(scale, 0)};
}

Decimal Decimal::rounded(std::int64_t scale) const {
  Decimal cut = truncated(scale);
  if (scale >= scale_) return cut;
  const auto dropped = static_cast<std::size_t>(scale_ - scale);
  const bool up = dropped <= digits_.size() && digits_[digits_.size() - dropped] >= '5';
  if (!up) return cut;
  const std::string unit =
      "1" + std::string(static_cast<std::size_t>(std::max<std::int64_t>(0, -scale)), '0');
  return {add_digits(cut.digits_, unit), negative_, cut.scale_};
}

Decimal Decimal::floor() const {
  const Decimal cut = truncated(0);
  return compare(cut, *this) > 0 ? subtract(cut, Decimal(1)) : cut;
}

Decimal Decimal::ceiling() const {
  const Decimal cut = truncated(0);
  return compare(cut, *this) < 0 ? add(cut, Decimal(1)) : cut;
}

int compare(const Decimal& a, const Decimal& b) {
  if (a.negative_ != b.negative_) return a.negative_ ? -1 : 1;
  const std::int64_t scale = std::max(a.scale_, b.scale_);
  const int order = compare_digits(a.digits_at(scale), b.digits_at(scale));
  return a.negative_ ? -order : order;
}

Decimal add(const Decimal& a, const Decimal& b) {
  const std::int64_t scale = std::max(a.scale_, b.scale_);
  const std::string left = a.digits_at(scale);
  const std::string right = b.digits_at(scale);
  if (a.negative_ == b.negative_) return {add_digits(left, right), a.negative_, scale};
  if (compare_digits(left, right) >= 0) {
    return {subtract_digits(left, right), a.negative_, scale};
  }
  return {subtract_digits(right, left), b.negative_, scale};
}

Decimal subtract(const Decimal& a, const Decimal& b) { return add(a, b.negated()); }

Decimal multiply(const Decimal& a, const Decimal& b) {
  const Decimal product(multiply_digits(a.digits_, b.digits_), a.negative_ != b.negative_,
                        a.scale_ + b.scale_);
  return product.scale_ > kMostPlaces ? product.rounded(kMostPlaces) : product;
}

Decimal::Lead Decimal::lead() const {
  if (digits_.empty()) return {};
  const std::int64_t place = static_cast<std::int64_t>(digits_.size()) - scale_ - 1;
  const std::int64_t weight = place >= 0 ? place / kGroup : -((-place + kGroup - 1) / kGroup);
  const auto count = static_cast<std::size_t>(place - weight * kGroup + 1);
  std::string group = digits_.substr(0, count);
  group.append(count - group.size(), '0');
  return {.weight = weight, .group = std::stoi(group)};
}

Decimal divide(const Decimal& a, const Decimal& b) {
  const Decimal::Lead first = a.lead();
  const Decimal::Lead second = b.lead();
  const std::int64_t weight = first.weight - second.weight - (first.group <= second.group ? 1 : 0);
  const std::int64_t scale =
      std::max({kLeastDigits - weight * kGroup, a.scale_, b.scale_, std::int64_t{0}});
  return divide_to(a, b, std::min(scale, kMostPlacesOfQuotients));
}

Decimal divide_to(const Decimal& a, const Decimal& b, std::int64_t scale) {
  // One place more than asked for decides the rounding, because a tie is rounded up anyway.
  const std::int64_t shift = scale + 1 + b.scale_ - a.scale_;
  const auto zeros = [](std::int64_t count) {
    return std::string(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), '0');
  };
  const Quotient quotient = divide_digits(a.digits_ + zeros(shift), b.digits_ + zeros(-shift));
  return Decimal(quotient.whole, a.negative_ != b.negative_, scale + 1).rounded(scale);
}

Decimal remainder(const Decimal& a, const Decimal& b) {
  const std::int64_t scale = std::max(a.scale_, b.scale_);
  return {divide_digits(a.digits_at(scale), b.digits_at(scale)).rest, a.negative_, scale};
}

Decimal square_root(const Decimal& a) {
  const std::int64_t weight = a.lead().weight;
  const std::int64_t digits = weight * kGroup / 2 + 1;
  const std::int64_t scale = std::min(std::max({kLeastDigits - digits, a.scale_, std::int64_t{0}}),
                                      kMostPlacesOfQuotients);
  return Decimal(root_of_digits(a.digits_at(2 * (scale + 1))), false, scale + 1).rounded(scale);
}

}  // namespace heddle::interpreter
