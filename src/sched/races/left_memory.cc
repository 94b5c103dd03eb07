#include "sched/races/left_memory.h"

#include <algorithm>
#include <cstring>

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

void LeftMemory::end_execution() {
  for (const std::uintptr_t at : written_) {
    Granule& granule = granules_[at];
    std::array<std::uint8_t, kBytes> now{};
    memcpy(now.data(), reinterpret_cast<const void*>(at), kBytes);
    memcpy(&granule.left, now.data(), kBytes);
    granule.changed = 0;
    for (std::size_t i = 0; i < kBytes; ++i) {
      if (now[i] != granule.before[i]) granule.changed |= static_cast<std::uint8_t>(1U << i);
    }
  }
  written_.clear();
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
