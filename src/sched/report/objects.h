// What memory is called in a report.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace heddle::sched::runtime {

// Names for addresses, in the order in which they are asked for: "counter" where the program's
// symbols tell, else "A", "B", ...
class ObjectNames {
 public:
  std::string name(std::uintptr_t address);

 private:
  std::map<std::uintptr_t, std::string> names_;
};

}  // namespace heddle::sched::runtime
