#include "check/generate/choices.h"

#include <algorithm>
#include <cmath>

namespace heddle {

namespace {

// Weights are rounded to whole numbers, so that the last bit of std::pow does not matter.
constexpr double kLargestWeight = 4294967296.0;  // 2^32

}  // namespace

KeyChooser::KeyChooser(const GenerateOptions& options)
    : distribution_(options.distribution),
      keys_(options.keys),
      hot_(std::clamp(static_cast<std::uint32_t>(options.hot_keys * options.keys), 1U, keys_)),
      hot_share_(options.hot_share) {
  if (distribution_ != KeyDistribution::zipf) return;
  std::uint64_t sum = 0;
  for (std::uint32_t key = 0; key < keys_; ++key) {
    const double weight = kLargestWeight * std::pow(key + 1.0, -options.exponent);
    sum += std::max<std::uint64_t>(1, static_cast<std::uint64_t>(weight));
    sums_.push_back(sum);
  }
}

std::uint32_t KeyChooser::choose(Choices& choices) const {
  switch (distribution_) {
    case KeyDistribution::uniform:
      break;
    case KeyDistribution::zipf: {
      const std::uint64_t place = choices.bits() % sums_.back();
      return static_cast<std::uint32_t>(std::ranges::upper_bound(sums_, place) - sums_.begin());
    }
    case KeyDistribution::hotspot:
      if (hot_ == keys_ || choices.chance(hot_share_)) return choices.below(hot_);
      return hot_ + choices.below(keys_ - hot_);
  }
  return choices.below(keys_);
}

}  // namespace heddle
