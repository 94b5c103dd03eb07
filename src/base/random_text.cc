#include "base/random_text.h"

#include <array>
#include <cerrno>
#include <sys/random.h>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/file.h"

namespace heddle {

// Up to 256 bytes come whole, and no signal interrupts them (getrandom(2)).
Result<std::string> draw_hexadecimal(std::size_t bytes) {
  std::array<unsigned char, 256> drawn{};
  HEDDLE_ASSERT(bytes <= drawn.size());
  if (::getrandom(drawn.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
    return file_trouble("", "draw random numbers", errno);
  }
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += fmt::format("{:02x}", drawn[i]);
  return text;
}

}  // namespace heddle
