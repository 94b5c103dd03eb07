// What memory is called in a report.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sched/runtime/event.h"

namespace heddle::sched::runtime {

// Names for addresses: what the program calls them, else "A", "B", ... in the order in which they
// are asked for.
class ObjectNames {
 public:
  explicit ObjectNames(const std::vector<NamedMemory>& named) : named_(named) {}

  std::string name(std::uintptr_t address);

 private:
  const std::vector<NamedMemory>& named_;
  std::map<std::uintptr_t, std::string> names_;
};

}  // namespace heddle::sched::runtime
