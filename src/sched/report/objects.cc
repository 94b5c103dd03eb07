#include "sched/report/objects.h"

namespace heddle::sched::runtime {

std::string ObjectNames::name(std::uintptr_t address) {
  for (const NamedMemory& named : named_) {
    const std::size_t offset = address - named.address;
    if (offset >= named.size) continue;
    return offset == 0 ? named.name : named.name + "+" + std::to_string(offset);
  }
  const auto [found, fresh] = names_.try_emplace(address);
  if (fresh) {
    std::size_t number = names_.size() - 1;
    for (;; number = number / 26 - 1) {
      found->second.insert(found->second.begin(), static_cast<char>('A' + number % 26));
      if (number < 26) break;
    }
  }
  return found->second;
}

}  // namespace heddle::sched::runtime
