// Which statements of two functionalities may depend on each other, by tables and columns alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

// Which conflicts of two statements of which nobody knows what they do, and which may use any
// table, are listed.
enum class AmongUnknown : std::uint8_t {
  every_table,
  // One of each kind, of the first table that has it: those of the others are possible if it is,
  // where nothing is known of single tables.
  first_table,
};

struct ConflictSearch {
  AmongUnknown among_unknown = AmongUnknown::every_table;
  // Asked before each two statements, with how many conflicts were found; may be empty.
  std::function<bool(std::size_t)> goes_on;
};

// Appends those from the first functionality's statements to the second's. False: it did not go on
// to the end.
bool find_conflicts(const std::vector<FormedStatement>& from,
                    const std::vector<FormedStatement>& to, const ConflictSearch& search,
                    std::vector<Conflict>& conflicts);

}  // namespace heddle::find
