// Random choices that are the same on every machine: the distributions of the standard library are
// not.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "check/generate/generate.h"

namespace heddle {

class Choices {
 public:
  explicit Choices(std::uint64_t seed) : engine_(seed) {}

  // A number below `count`. REQUIRES: count > 0.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((engine_() >> 32U) * count) >> 32U);
  }
  // REQUIRES: fewest <= most, not all 2^32 numbers.
  std::uint32_t between(std::uint32_t fewest, std::uint32_t most) {
    return fewest + below(most - fewest + 1);
  }
  bool chance(double share) {
    return static_cast<double>(engine_() >> 11U) < share * 9007199254740992.0;  // 2^53
  }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

// Chooses among numbered keys as the options say.
class KeyChooser {
 public:
  // REQUIRES: options.keys > 0.
  explicit KeyChooser(const GenerateOptions& options);

  // Below options.keys. Zipf: logarithmic in the number of keys; else constant.
  std::uint32_t choose(Choices& choices) const;

 private:
  KeyDistribution distribution_;
  std::uint32_t keys_;
  std::uint32_t hot_;
  double hot_share_;
  std::vector<std::uint64_t> sums_;  // zipf: of the weights up to each key
};

}  // namespace heddle
