// The dependencies of a finding's cycle as a diagram shows them: an arrow from one of its rows to
// another, and a sentence.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/schedule/diagram.h"

namespace heddle {

struct ShownDependency {
  std::string label;     // "1 rw"
  std::string sentence;  // "s2 reads account(id=1) in r2, s1 overwrites it in w1"
  // Rows of the diagram, where both ends are in it: a session's order needs no arrow.
  struct Arrow {
    std::size_t from = 0;
    std::size_t to = 0;
  };
  std::optional<Arrow> arrow;
};

// Those of the finding's first cycle, in its order. REQUIRES: `diagram` is drawn from `finding`.
std::vector<ShownDependency> shown_dependencies(const Finding& finding, const Diagram& diagram);

}  // namespace heddle
