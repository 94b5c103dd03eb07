// A small fast generator of random numbers: the same on each machine, unlike what the standard
// library's distributions give.
#pragma once

#include <cstdint>

namespace heddle::sched::runtime {

// Steele, Lea and Flood: Fast splittable pseudorandom number generators (OOPSLA 2014).
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed), ahead_(draw()) {}

  // Those of one of many executions, whatever the others drew.
  static RandomNumbers of_execution(std::uint64_t seed, std::uint64_t number) {
    return RandomNumbers(RandomNumbers(seed ^ number * 0xD1B54A32D192ED03ULL).next());
  }

  // Who goes on by a random number waits for it, as a processor cannot foresee the way. So each is
  // drawn when the one before it is asked for.
  std::uint64_t next() {
    const std::uint64_t drawn = ahead_;
    ahead_ = draw();
    return drawn;
  }
  // 0 ... count - 1. The bias of at most count / 2^32 is of no account here.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>((next() >> 32) * count >> 32);
  }

 private:
  std::uint64_t draw() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
  }

  std::uint64_t state_;
  std::uint64_t ahead_;  // the next one
};

}  // namespace heddle::sched::runtime
