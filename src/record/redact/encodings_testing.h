// For tests: the ways in which a value may be written, each made by code of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace heddle {

inline std::string to_base64(std::string_view bytes, bool for_urls = false) {
  const std::string_view alphabet =
      for_urls ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
               : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t i) -> unsigned {
      return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0;
    };
    const unsigned bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t i = 0; i < 4; ++i) text += alphabet[bits >> (18 - 6 * i) & 63];
    const std::size_t missing = at + 3 > bytes.size() ? at + 3 - bytes.size() : 0;
    text.resize(text.size() - missing);
    if (!for_urls) text.append(missing, '=');
  }
  return text;
}

// Each `every`-th byte is encoded, and those that have to be.
inline std::string to_percent(std::string_view bytes, std::size_t every, bool in_capitals) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool has_to_be =
        std::string_view("&=+%#?/ \"'<>;:").find(bytes[i]) != std::string_view::npos;
    if (has_to_be || (every > 0 && i % every == 0)) {
      text += in_capitals ? fmt::format("%{:02X}", byte) : fmt::format("%{:02x}", byte);
    } else {
      text += bytes[i];
    }
  }
  return text;
}

// What of base64 texts does not depend on what stands around the value: of each alignment, in both
// alphabets.
inline std::vector<std::string> base64_parts(const std::string& value) {
  std::vector<std::string> parts;
  for (const bool for_urls : {false, true}) {
    for (std::size_t before = 0; before < 3; ++before) {
      std::string text = to_base64(std::string(before, 'x') + value, for_urls);
      while (text.ends_with('=')) text.pop_back();
      // The first characters hold bits of what is before, the last one may hold bits of what
      // follows.
      const std::size_t first = (before * 8 + 5) / 6;
      parts.push_back(text.substr(first, (before + value.size()) * 8 / 6 - first));
    }
  }
  return parts;
}

// All ways of writing the value that a recording must not have.
inline std::vector<std::string> ways_to_write(const std::string& value) {
  std::vector<std::string> ways = base64_parts(value);
  ways.push_back(value);
  for (const bool in_capitals : {false, true}) {
    for (const std::size_t every : {0, 1, 2, 3}) {
      ways.push_back(to_percent(value, every, in_capitals));
    }
  }
  return ways;
}

}  // namespace heddle
