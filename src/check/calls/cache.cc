#include "check/calls/cache.h"

#include <cstring>

namespace heddle {

namespace {

// The finalizer of SplitMix64 (Steele, Lea and Flood 2014), a permutation that mixes every bit.
std::uint64_t mix(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

Fingerprint fingerprint_of(std::uint64_t number) {
  return {mix(number ^ 0x243f6a8885a308d3), mix(number ^ 0x13198a2e03707344)};
}

Fingerprint fingerprint_of(std::string_view bytes, std::uint64_t salt) {
  Fingerprint result = {mix(salt ^ 0xa4093822299f31d0), mix(salt ^ 0x082efa98ec4e6c89)};
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t length = bytes.size() < sizeof(word) ? bytes.size() : sizeof(word);
    std::memcpy(&word, bytes.data(), length);
    word += std::uint64_t{length} << 56;
    result.high = mix(result.high ^ word);
    result.low = mix(result.low * 3 + word);
    bytes.remove_prefix(length);
  }
  return result;
}

Fingerprint& ConfigurationCache::slot_of(const Fingerprint& fingerprint) {
  std::uint64_t place = fingerprint.low & (slots_.size() - 1);
  while (slots_[place] != Fingerprint() && slots_[place] != fingerprint) {
    place = (place + 1) & (slots_.size() - 1);
  }
  return slots_[place];
}

bool ConfigurationCache::grow() {
  constexpr std::uint64_t kFirstSlots = 64;
  const std::uint64_t slots = slots_.empty() ? kFirstSlots : slots_.size() * 2;
  if (!meter_.take_memory(bytes(slots))) return false;
  std::vector<Fingerprint> old(slots);
  old.swap(slots_);
  for (const Fingerprint& fingerprint : old) {
    if (fingerprint != Fingerprint()) slot_of(fingerprint) = fingerprint;
  }
  meter_.give_memory(bytes(old.size()));
  return true;
}

ConfigurationCache::Insertion ConfigurationCache::insert(Fingerprint fingerprint) {
  if (fingerprint == Fingerprint()) fingerprint.low = 1;
  if ((count_ + 1) * 4 > slots_.size() * 3 && !grow()) return Insertion::no_room;
  Fingerprint& slot = slot_of(fingerprint);
  if (slot == fingerprint) return Insertion::known;
  slot = fingerprint;
  ++count_;
  return Insertion::added;
}

}  // namespace heddle
