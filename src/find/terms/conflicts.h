// Which statements of two functionalities may depend on each other, by tables and columns alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "find/terms/unfold.h"
#include "heddle/find.h"

namespace heddle::find {

// A dependency that two statements may have.
struct Conflict {
  DependencyKind kind = DependencyKind::wr;
  std::size_t from = 0;  // statement of the one functionality
  std::size_t to = 0;    // of the other
  std::size_t from_source = 0;
  std::size_t to_source = 0;
  std::vector<std::string> columns;  // that both touch, sorted; empty: the row itself

  OperationPart from_part() const {
    return kind == DependencyKind::rw ? OperationPart::read : OperationPart::write;
  }
  OperationPart to_part() const {
    return kind == DependencyKind::wr ? OperationPart::read : OperationPart::write;
  }
};

// From the first functionality's statements to the second's.
std::vector<Conflict> find_conflicts(const std::vector<FormedStatement>& from,
                                     const std::vector<FormedStatement>& to);

}  // namespace heddle::find
