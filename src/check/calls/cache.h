// The configurations that a search has met, each as 128 bits. Two different ones with the same bits
// would be taken for one; with n of them the chance is below n^2 / 2^129, which for as many as
// memory holds is far below that of a wrong bit in memory itself.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "check/calls/bounds.h"

namespace heddle {

struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  Fingerprint& operator^=(const Fingerprint& other) {
    high ^= other.high;
    low ^= other.low;
    return *this;
  }
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

// The same on every machine.
Fingerprint fingerprint_of(std::uint64_t number);
Fingerprint fingerprint_of(std::string_view bytes, std::uint64_t salt);

class ConfigurationCache {
 public:
  enum class Insertion : std::uint8_t { added, known, no_room };

  explicit ConfigurationCache(BoundMeter& meter) : meter_(meter) {}
  ConfigurationCache(const ConfigurationCache&) = delete;
  ConfigurationCache& operator=(const ConfigurationCache&) = delete;
  ~ConfigurationCache() { meter_.give_memory(bytes(slots_.size())); }

  // no_room: the memory bound does not let the table grow.
  Insertion insert(Fingerprint fingerprint);

 private:
  static std::uint64_t bytes(std::uint64_t slots) { return slots * sizeof(Fingerprint); }
  bool grow();
  // Where the fingerprint is or belongs.
  Fingerprint& slot_of(const Fingerprint& fingerprint);

  BoundMeter& meter_;
  std::vector<Fingerprint> slots_;  // a power of two; zero: free
  std::uint64_t count_ = 0;
};

}  // namespace heddle
