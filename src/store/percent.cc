#include "store/percent.h"

#include <charconv>

#include <fmt/format.h>

namespace heddle {

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned byte = 0;
    const char* const begin = text.data() + i + 1;
    if (text.size() - i < 3) return std::nullopt;
    const auto [end, error] = std::from_chars(begin, begin + 2, byte, 16);
    if (error != std::errc() || end != begin + 2) return std::nullopt;
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '/';
    encoded += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

}  // namespace heddle
