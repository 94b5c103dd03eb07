// What smaller sets of functionalities have in common with larger ones: a cause within a larger set
// that has a cause of a smaller one in it is an extension, whatever the solver would say.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "find/terms/search_input.h"
#include "heddle/split.h"
#include "split/cycles/cycle_parts.h"

namespace heddle::chopping {

class SmallerCauses {
 public:
  // `uncut`: keys of cycles that are no causes (uncut_cycles.h). Both outlive it.
  SmallerCauses(const ChoppedProgram& chopped, const std::set<std::string>& uncut)
      : chopped_(chopped), uncut_(uncut), parts_(chopped) {}

  void add(const std::vector<FoundCycle>& cycles);
  // Whether one of them is in what the skeleton goes through. Any thread, while none is added.
  bool is_extension(const find::Skeleton& skeleton, const std::vector<std::size_t>& members) const;

 private:
  const ChoppedProgram& chopped_;
  const std::set<std::string>& uncut_;
  CycleParts parts_;
  std::map<SplitPart, std::set<Parts>> causes_;  // by their first part
};

}  // namespace heddle::chopping
