#include "frontend/history/byte_reader.h"

#include <fmt/format.h>

namespace heddle {

namespace {

// The length of the UTF-8 sequence at the beginning of `text`, or 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  // The second byte must not make the form overlong, a surrogate or more than U+10FFFF.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

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

std::size_t count_lines(std::string_view text, std::size_t shortest) {
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return std::min(ends, text.size() / shortest) + 1;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace heddle
