// Changes of where the transactions of a functionality begin and end: a COMMIT is taken out or
// moved over a statement, or a lock that it gave up is taken again behind it.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "heddle/program.h"
#include "heddle/program_repair.h"

namespace heddle::find {

// Of a statement that a change has added.
inline constexpr std::size_t kAdded = std::numeric_limits<std::size_t>::max();

// A statement as the action of a block.
struct StatementPlace {
  Block* block = nullptr;
  std::size_t index = 0;
};

// "Bank.java:12"
std::string place_of(const ProgramStatement& statement);

// Where its statements are, in the order of list_statements().
std::vector<StatementPlace> statement_places(Functionality& functionality);

// For each statement whether another one, of a table, may run after it, in the order of
// list_statements(). What is known of conditions is not used.
std::vector<char> followed_statements(const Functionality& functionality);

// Changes of kinds one_transaction, move_statement and lock_again, each of functionality `number`.
// None where it has transactions open on several connections: which of them to join is not known.
std::vector<ProgramChange> possible_boundary_changes(const Functionality& functionality,
                                                     std::size_t number);

// Makes those of the changes that are of these kinds. Returns for each statement that the
// functionality has then its number before, or kAdded.
std::vector<std::size_t> apply_boundary_changes(Functionality& functionality,
                                                const std::vector<ProgramChange>& changes);

}  // namespace heddle::find
