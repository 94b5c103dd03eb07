#include "sched/races/left_memory.h"

#include <algorithm>
#include <cstring>

// Addresses are what this is about.
// NOLINTBEGIN(performance-no-int-to-ptr)
namespace heddle::sched::runtime {

namespace {

// Calls `visit(granule's address, its bytes as a bit each)` for each granule of the access.
template <class Visit>
void for_each_granule(std::uintptr_t address, std::size_t size, std::size_t bytes, Visit visit) {
  const std::uintptr_t end = address + size;
  while (address < end) {
    const std::size_t first = address % bytes;
    const std::size_t count = std::min<std::size_t>(bytes - first, end - address);
    visit(address - first, static_cast<std::uint8_t>(((1U << count) - 1U) << first));
    address += count;
  }
}

}  // namespace

void LeftMemory::read(std::uintptr_t address, std::size_t size) {
  if (granules_.empty()) return;
  for_each_granule(address, size, kBytes, [this](std::uintptr_t at, std::uint8_t bytes) {
    const auto known = granules_.find(at);
    if (known == granules_.end()) return;
    Granule& granule = known->second;
    const std::uint8_t own = granule.execution == execution_ ? granule.written : 0;
    granule.found |= static_cast<std::uint8_t>(granule.changed & bytes & ~own);
  });
}

void LeftMemory::write(std::uintptr_t address, std::size_t size) {
  for_each_granule(address, size, kBytes, [this](std::uintptr_t at, std::uint8_t bytes) {
    if (granules_.size() == kMost && !granules_.contains(at)) return;
    const auto [known, fresh] = granules_.try_emplace(at);
    Granule& granule = known->second;
    if (fresh) memcpy(granule.before.data(), reinterpret_cast<const void*>(at), kBytes);
    if (granule.execution != execution_) {
      granule.execution = execution_;
      granule.written = 0;
      written_.push_back(at);
    }
    granule.written |= bytes;
  });
}

void LeftMemory::compare(Granule& granule, std::uintptr_t at) {
  std::array<std::uint8_t, kBytes> now{};
  memcpy(now.data(), reinterpret_cast<const void*>(at), kBytes);
  memcpy(&granule.left, now.data(), kBytes);
  granule.changed = 0;
  for (std::size_t i = 0; i < kBytes; ++i) {
    if (now[i] != granule.before[i]) granule.changed |= static_cast<std::uint8_t>(1U << i);
  }
}

void LeftMemory::watch(std::uintptr_t begin, std::uintptr_t end) {
  begin = (begin + kBytes - 1) & ~(kBytes - 1);
  if (end < begin + kBytes || end - begin > kMostWatched) return;
  const auto* first = reinterpret_cast<const std::uint8_t*>(begin);
  watched_.push_back({begin, {first, first + (end - begin) / kBytes * kBytes}});
}

void LeftMemory::look_for_changes(const Watched& watched) {
  constexpr std::size_t kPiece = 512;  // most of it is as it was
  const std::size_t size = watched.before.size();
  const auto* now = reinterpret_cast<const std::uint8_t*>(watched.begin);
  for (std::size_t piece = 0; piece < size; piece += kPiece) {
    const std::size_t end = std::min(piece + kPiece, size);
    if (memcmp(now + piece, watched.before.data() + piece, end - piece) == 0) continue;
    for (std::size_t at = piece; at < end; at += kBytes) {
      const std::uint8_t* before = watched.before.data() + at;
      if (memcmp(now + at, before, kBytes) == 0 || granules_.size() >= kMost) continue;
      const auto [known, fresh] = granules_.try_emplace(watched.begin + at);
      if (!fresh) continue;
      memcpy(known->second.before.data(), before, kBytes);
      compare(known->second, watched.begin + at);
    }
  }
}

void LeftMemory::end_execution() {
  for (const std::uintptr_t at : written_) {
    compare(granules_[at], at);
  }
  written_.clear();
  if (!watched_.empty()) {
    for (const Watched& watched : watched_) look_for_changes(watched);
    if (--looks_left_ == 0) watched_.clear();
  }
  ++execution_;
}

std::vector<LeftMemory::Found> LeftMemory::found() const {
  std::vector<Found> found;
  for (const auto& [at, granule] : granules_) {
    for (std::size_t i = 0; i < kBytes; ++i) {
      if ((granule.found >> i & 1) != 0) found.push_back({at + i, granule.left});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Found& one, const Found& other) { return one.address < other.address; });
  return found;
}

}  // namespace heddle::sched::runtime
// NOLINTEND(performance-no-int-to-ptr)
