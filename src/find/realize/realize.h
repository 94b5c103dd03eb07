// From a cycle to a run that shows it: the rows that the tables hold at first, the arguments of the
// functionalities, and the order of their statements.
//
// The cycle's formula is closed (closed_world.h) and solved at a level of a real store, with some
// wishes: few rows, arguments that are there and that differ. Whether the run then has an outcome
// that no serial order has is for its execution to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "find/realize/run_wishes.h"
#include "find/search/filled_row.h"
#include "find/terms/search_input.h"
#include "heddle/find.h"
#include "heddle/outcome.h"

namespace heddle::find {

// What a transaction does when its turn comes: a statement, or the end of its transaction.
struct RunStep {
  std::size_t transaction = 0;
  // Which of the functionality's statements on tables, from 1; 0: it is none.
  std::size_t number = 0;
  bool writes = false;
  bool ends = false;  // a COMMIT or ROLLBACK, also one that nobody wrote
  // Where rows have several copies: the earlier steps whose writes it sees.
  std::vector<std::size_t> sees = {};
  bool sees_all = false;  // of them; then it is a whole call, and the others have ended
};

struct Realization {
  std::vector<std::size_t> members;          // functionalities, of each transaction
  std::vector<std::vector<Cell>> arguments;  // of each transaction
  std::vector<std::size_t> early = {};       // transactions that run before all others, in order
  std::vector<FilledRow> rows;               // a row comes after those that it refers to
  std::vector<RunStep> steps;                // in the order in which they run
  // A loop has more rounds than were followed: what they do is not known.
  bool goes_beyond = false;
};

// The reason where there is none: as far as what cannot be computed is guessed right.
inline constexpr std::string_view kNoSolution = "no rows and arguments are known that show it";

// Either a run or the reason why there is none.
struct RealizationAttempt {
  std::optional<Realization> run;
  std::string reason;
};

// Makes runs of a cycle, at the levels of the input: those of a product (is_timed()), or those of a
// store with copies that takes statements one after the other, in the order of arbitration.
// Operations that none of its dependencies joins run, too; so there need not be any dependency.
class RunMaker {
 public:
  // `given`: the rows that the tables hold at first; null: any. All outlive it.
  RunMaker(const SearchInput& input, const FoundCycle& cycle,
           const std::vector<FilledRow>* given = nullptr);
  RunMaker(const RunMaker&) = delete;
  RunMaker& operator=(const RunMaker&) = delete;
  ~RunMaker();

  RealizationAttempt make(const WishedRun& wanted);
  // Whether conditions of its transactions compare numbers.
  bool has_borders() const;
  // Whether a write may come to some later than to others, so that Delivery means something.
  bool has_copies() const;
  // What is made from now on is another run than the last one: some statement sees something else
  // of the others, or they write in another order. REQUIRES: the last make() made one.
  void exclude_last();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::find
