// From a cycle to a run that shows it: the rows that the tables hold at first, the arguments of the
// functionalities, and the order of their statements.
//
// The cycle's formula is closed (closed_world.h) and solved at a level of a real store, with some
// wishes: few rows, arguments that are there and that differ. Whether the run then has an outcome
// that no serial order has is for its execution to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "find/search_input.h"
#include "heddle/find.h"
#include "heddle/outcome.h"

namespace heddle::find {

// A row for an INSERT. Columns that are not in it have their defaults.
struct FilledRow {
  const Table* table = nullptr;
  std::map<std::string, Cell> cells;
};

struct Realization {
  std::vector<std::size_t> members;          // functionalities, of each transaction
  std::vector<std::vector<Cell>> arguments;  // of each transaction
  std::vector<FilledRow> rows;               // a row comes after those that it refers to
  std::vector<std::size_t> steps;            // whose next step runs: transactions
};

// Either a run or the reason why there is none.
struct RealizationAttempt {
  std::optional<Realization> run;
  std::string reason;
};

// What rows hold at first: much, so that what is taken from it leaves something; or what the solver
// likes, which is often just enough, so that a second one finds too little.
enum class Plenty : std::uint8_t { much, any };

// At the levels of the input, which are ones that a product has. REQUIRES: is_timed() of them.
RealizationAttempt realize(const SearchInput& input, const FoundCycle& cycle, Plenty plenty);

}  // namespace heddle::find
