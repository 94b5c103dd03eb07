// A hash of bytes that come in parts, wherever these are cut. Not for secrets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle {

class RunningHash {
 public:
  void add(std::string_view bytes);
  // Of all that was added; more can be added afterwards.
  std::uint64_t value() const;

 private:
  void mix(std::uint64_t word);

  std::uint64_t hash_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t waiting_ = 0;  // the last size_ % 8 bytes
};

}  // namespace heddle
