#include "sched/schedule/letters.h"

#include <algorithm>
#include <bit>

namespace heddle::sched::runtime {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr unsigned kLetterBits = 6;

}  // namespace

unsigned NumberKind::low_bits() const {
  unsigned bits = 0;
  while (count_ << bits < sum_) ++bits;
  return bits;
}

// What was long ago counts less.
void NumberKind::see(std::uint64_t number) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  constexpr std::uint64_t kRemembered = 8;
  sum_ += std::min(number, kMost);
  if (++count_ < kRemembered) return;
  sum_ /= 2;
  count_ /= 2;
}

void LetterWriter::put_bits(std::uint64_t bits, unsigned count) {
  while (count > 0) bits_.push_back((bits >> --count & 1) != 0);
}

void LetterWriter::put(NumberKind& kind, std::uint64_t number) {
  const unsigned low = kind.low_bits();
  const std::uint64_t high = number >> low;
  const auto width = static_cast<unsigned>(std::bit_width(high));
  put_bits(0, width);
  put_bits(1, 1);
  // Its highest bit is a one in any case.
  if (width > 1) put_bits(high, width - 1);
  put_bits(number, low);
  kind.see(number);
}

std::string LetterWriter::letters() const {
  std::string text((bits_.size() + kLetterBits - 1) / kLetterBits, kAlphabet[0]);
  for (std::size_t letter = 0; letter < text.size(); ++letter) {
    unsigned value = 0;
    for (std::size_t at = letter * kLetterBits; at < (letter + 1) * kLetterBits; ++at) {
      value = value << 1 | (at < bits_.size() && bits_[at] ? 1 : 0);
    }
    text[letter] = kAlphabet[value];
  }
  return text;
}

std::optional<LetterReader> LetterReader::of(std::string_view letters) {
  LetterReader reader;
  for (const char letter : letters) {
    const std::size_t value = kAlphabet.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    for (unsigned bit = kLetterBits; bit > 0; --bit) {
      reader.bits_.push_back((value >> (bit - 1) & 1) != 0);
    }
  }
  return reader;
}

std::optional<std::uint64_t> LetterReader::take_bits(unsigned count) {
  if (bits_.size() - at_ < count) return std::nullopt;
  std::uint64_t bits = 0;
  for (; count > 0; --count) bits = bits << 1 | (bits_[at_++] ? 1 : 0);
  return bits;
}

std::optional<std::uint64_t> LetterReader::take(NumberKind& kind) {
  constexpr unsigned kMostBits = 64;
  const unsigned low = kind.low_bits();
  unsigned width = 0;
  while (at_ < bits_.size() && !bits_[at_]) {
    ++at_;
    ++width;
  }
  if (width + low > kMostBits || !take_bits(1)) return std::nullopt;
  std::uint64_t number = width == 0 ? 0 : 1;
  for (unsigned left = width > 0 ? width - 1 + low : low; left > 0; --left) {
    const std::optional<std::uint64_t> bit = take_bits(1);
    if (!bit) return std::nullopt;
    number = number << 1 | *bit;
  }
  kind.see(number);
  return number;
}

bool LetterReader::is_at_end() const {
  return bits_.size() - at_ < kLetterBits && std::none_of(
                                                 bits_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 bits_.end(), [](bool bit) { return bit; });
}

}  // namespace heddle::sched::runtime
