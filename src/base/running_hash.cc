// Eight bytes at a time, each word mixed by multiplications as in MurmurHash2 (A. Appleby).
#include "base/running_hash.h"

#include <cstring>

namespace heddle {
namespace {

constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995ULL;
constexpr unsigned kShift = 47;
constexpr std::size_t kWord = sizeof(std::uint64_t);

}  // namespace

void RunningHash::mix(std::uint64_t word) {
  word *= kFactor;
  word ^= word >> kShift;
  hash_ = (hash_ ^ word * kFactor) * kFactor;
}

void RunningHash::add(std::string_view bytes) {
  const auto take_byte = [&] {
    waiting_ |= std::uint64_t{static_cast<unsigned char>(bytes.front())} << 8 * (size_ % kWord);
    bytes.remove_prefix(1);
    if (++size_ % kWord != 0) return;
    mix(waiting_);
    waiting_ = 0;
  };
  while (!bytes.empty() && size_ % kWord != 0) take_byte();
  for (; bytes.size() >= kWord; bytes.remove_prefix(kWord)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), kWord);
    mix(word);
    size_ += kWord;
  }
  while (!bytes.empty()) take_byte();
}

std::uint64_t RunningHash::value() const {
  RunningHash whole = *this;
  whole.mix(waiting_);
  whole.mix(size_);
  return whole.hash_ ^ whole.hash_ >> kShift;
}

}  // namespace heddle
