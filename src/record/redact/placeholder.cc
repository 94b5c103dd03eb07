#include "record/redact/placeholder.h"

#include <array>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/assert.h"
#include "base/random_text.h"
#include "record/redact/encodings.h"

namespace heddle {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kShownBytes = 8;
constexpr std::string_view kBeginnings[] = {"<secret:", "<masked:"};  // as in Hiding

}  // namespace

Result<std::string> draw_placeholder_key() { return draw_hexadecimal(kKeyBytes); }

std::string placeholder(std::string_view key, std::string_view value, Hiding hiding) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  const auto* const made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                                reinterpret_cast<const unsigned char*>(value.data()), value.size(),
                                hash.data(), &length);
  HEDDLE_ASSERT(made != nullptr && length >= kShownBytes);
  const std::string_view shown(reinterpret_cast<const char*>(hash.data()), kShownBytes);
  return std::string(kBeginnings[static_cast<std::size_t>(hiding)]) + hexadecimal(shown) + ">";
}

std::size_t placeholder_length(std::string_view text) {
  for (const std::string_view beginning : kBeginnings) {
    if (!text.starts_with(beginning)) continue;
    const std::size_t length = beginning.size() + 2 * kShownBytes + 1;
    const std::string_view digits = text.substr(beginning.size(), 2 * kShownBytes);
    const bool is_whole = text.size() >= length && text[length - 1] == '>' &&
                          digits.find_first_not_of("0123456789abcdef") == digits.npos;
    if (is_whole) return length;
  }
  return 0;
}

}  // namespace heddle
