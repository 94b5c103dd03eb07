// Chance that is the same for a seed wherever it is drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace heddle::find {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : engine_(seed) {}

  // REQUIRES: bound is not 0.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
  std::size_t between(std::size_t least, std::size_t most) {
    return least + below(most - least + 1);
  }
  bool one_in(std::size_t times) { return below(times) == 0; }
  template <class Value>
  const Value& pick(const std::vector<Value>& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace heddle::find
