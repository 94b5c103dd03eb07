/// Generators of RapidCheck for arguments of a property's commands.
///
///   property.command("add", rc::gen::inRange(1, 10),
///                    [](Counter& counter, int value) { counter.add(value); },
///                    [](int& model, int value) { model += value; });
///
/// Arguments shrink as RapidCheck shrinks them. `heddle_add_sched_test(NAME RAPIDCHECK sources...)`
/// links its library, so that a test shares no inline function of the standard library with it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "heddle/sched_property_entry.h"

namespace heddle::sched::entry {

/// A generator of RapidCheck as a property uses it. A way to make an argument simpler is the number
/// of one of the values that RapidCheck would try next.
template <class Value>
class RapidCheckGenerator {
 public:
  explicit RapidCheckGenerator(rc::Gen<Value> generator) : generator_(std::move(generator)) {}

  Value make(std::uint32_t seed, const std::vector<std::uint32_t>& simpler) const {
    return shrinkable(seed, simpler).value();
  }
  std::vector<std::uint32_t> ways(std::uint32_t seed,
                                  const std::vector<std::uint32_t>& simpler) const {
    constexpr std::uint32_t kMost = 64;
    std::vector<std::uint32_t> ways;
    auto shrinks = shrinkable(seed, simpler).shrinks();
    while (ways.size() < kMost && shrinks.next()) {
      ways.push_back(static_cast<std::uint32_t>(ways.size()));
    }
    return ways;
  }

 private:
  // Seeds are few: the size grows with them, up to RapidCheck's usual one.
  rc::Shrinkable<Value> shrinkable(std::uint32_t seed,
                                   const std::vector<std::uint32_t>& simpler) const {
    constexpr std::uint32_t kSeeds = 64;
    const std::uint32_t size = seed % kSeeds * rc::kNominalSize / (kSeeds - 1);
    rc::Shrinkable<Value> made = generator_(rc::Random(seed), static_cast<int>(size));
    for (const std::uint32_t way : simpler) {
      auto shrinks = made.shrinks();
      auto next = shrinks.next();
      for (std::uint32_t i = 0; i < way && next; ++i) next = shrinks.next();
      if (next) made = std::move(*next);
    }
    return made;
  }

  rc::Gen<Value> generator_;
};

/// `rc::Gen` is used as that.
template <class Value>
struct AsGenerator<rc::Gen<Value>> {
  using Type = RapidCheckGenerator<Value>;
};

}  // namespace heddle::sched::entry
