#include "frontend/history/forms/byte_reader.h"

#include <cstring>

#include <fmt/format.h>

namespace heddle {

std::uint8_t ByteReader::byte() {
  if (remaining() < 1) ok_ = false;
  return ok_ ? static_cast<std::uint8_t>(bytes_[at_++]) : std::uint8_t{0};
}

std::uint64_t ByteReader::little_endian_64() {
  if (remaining() < 8) ok_ = false;
  if (!ok_) return 0;
  std::uint64_t number = 0;
  for (std::size_t i = 8; i-- > 0;)
    number = number << 8 | static_cast<std::uint8_t>(bytes_[at_ + i]);
  at_ += 8;
  return number;
}

std::uint64_t ByteReader::big_endian_64() {
  if (remaining() < 8) ok_ = false;
  if (!ok_) return 0;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i)
    number = number << 8 | static_cast<std::uint8_t>(bytes_[at_ + i]);
  at_ += 8;
  return number;
}

void ByteReader::skip(std::uint64_t size) {
  if (size > remaining()) ok_ = false;
  if (ok_) at_ += size;
}

Diagnostic binary_error(const std::string& name, std::size_t offset, const std::string& what) {
  return {fmt::format("{} at byte {}", what, offset), "", name};
}

Value unsigned_value(ValueTexts& texts, std::uint64_t number) {
  if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Value::number(static_cast<std::int64_t>(number));
  }
  return texts.text(fmt::to_string(number));
}

namespace {

// Sixteen bytes that are looked at at once.
using SixteenBytes = unsigned char __attribute__((vector_size(16)));

// A count per place of sixteen bytes holds so many.
constexpr std::size_t kMostBlocks = 255;

std::size_t count_line_ends(std::string_view text) {
  std::size_t count = 0;
  while (text.size() >= sizeof(SixteenBytes)) {
    const std::size_t blocks = std::min(text.size() / sizeof(SixteenBytes), kMostBlocks);
    SixteenBytes counts{};
    for (std::size_t i = 0; i < blocks; ++i) {
      SixteenBytes block;
      std::memcpy(&block, text.data() + i * sizeof block, sizeof block);
      counts += SixteenBytes(block == '\n') & 1;
    }
    for (std::size_t i = 0; i < sizeof counts; ++i) count += counts[i];
    text.remove_prefix(blocks * sizeof(SixteenBytes));
  }
  return count + static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

std::size_t count_lines(std::string_view text, std::size_t shortest) {
  const std::size_t ends = count_line_ends(text);
  return std::min(ends, text.size() / shortest) + 1;
}

}  // namespace heddle
