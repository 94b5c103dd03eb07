// Causes that were executed before the search had come to its end.
//
// What a search has found so far groups into causes that may still grow: a larger set of
// functionalities may add a core. What was executed stands for a cause of the whole search only if
// that has the same cores; so a report is the same whether anything was kept or not.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "find/execute/execution.h"
#include "heddle/find.h"

namespace heddle::find {

// One thread at a time.
class KeptCauses {
 public:
  // What causes are known by while they grow: their kind and their statements.
  using Key = std::pair<AnomalyKind, std::set<std::pair<std::size_t, std::size_t>>>;
  static Key key_of(const FoundCause& cause);

  void keep(std::unique_ptr<FoundCause> cause, ExecutedCause executed);
  // Of the cause what was kept; none: nothing, or of other cores. `in_haste`: nothing more will be
  // executed, so that a confirmed one of fewer cores is better than none.
  std::optional<ExecutedCause> take(const FoundCause& cause, bool in_haste);

 private:
  struct Kept {
    std::unique_ptr<FoundCause> cause;
    ExecutedCause executed;
  };
  std::map<Key, Kept> kept_;
};

}  // namespace heddle::find
