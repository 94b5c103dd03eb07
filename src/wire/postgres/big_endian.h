// Numbers with the highest byte first, as all of PostgreSQL's protocol has them.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::postgres {

// REQUIRES: eight bytes at most; of none it is 0.
inline std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

}  // namespace heddle::postgres
