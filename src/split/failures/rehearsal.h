// The calls that a failure is made of, as a small program of its own, and the questions to the
// solver that give it rows and arguments.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "find/terms/search_input.h"
#include "heddle/split.h"
#include "heddle/split_failures.h"
#include "split/failures/borders.h"
#include "split/failures/compensations.h"

namespace heddle::failures {

// A failure and where it happens.
struct PlacedFailure {
  SplitFailure failure;
  Border border;
  std::set<std::size_t> repeatable = {};  // statements that a second call need not fear
};

// A routine that undoes a sub-transaction of the functionality.
struct UndoneBy {
  std::size_t sub_transaction = 0;
  std::size_t member = 0;               // of the rehearsal's program
  std::vector<std::size_t> parameters;  // of the functionality, for each of the routine's
};

// The program has what takes part: the functionality itself, the functionality that stops, who
// reads in between, and compensations.
class Rehearsal {
 public:
  // All outlive it.
  Rehearsal(const PlacedFailure& placed, const ChoppedProgram& chopped,
            const Compensations& compensations, FindOptions options);
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  static constexpr std::size_t kWhole = 0;

  const Program& program() const { return program_; }
  const find::SearchInput& input() const { return *input_; }
  // The functionality as it stops; the whole one where the failure is at its end.
  std::size_t stopped() const { return stopped_; }
  std::optional<std::size_t> reader() const { return reader_; }
  // The last sub-transaction first.
  const std::vector<UndoneBy>& undone_by() const { return undone_by_; }

  // Calls of the whole functionality, and of who reads, in which the failure may show: the border
  // is reached, something is written before it, and whatever else the way of failing needs.
  std::vector<FoundCycle> questions() const;

 private:
  void add_members(const ChoppedProgram& chopped, const Compensations& compensations);
  bool writes(const PlacedStatement& placed) const;
  bool harms_by_rest() const;
  std::vector<PlacedStatement> writes_before() const;
  std::vector<PlacedStatement> writes_after() const;
  void ask_of_readers(const FoundCycle& question, std::vector<FoundCycle>& all) const;

  const PlacedFailure& placed_;
  FindOptions options_;
  Program program_;
  std::size_t stopped_ = kWhole;
  std::optional<std::size_t> reader_;
  std::set<std::size_t> read_in_;  // statements of the reader's sub-transaction
  std::vector<UndoneBy> undone_by_;
  std::unique_ptr<find::SearchInput> input_;
};

}  // namespace heddle::failures
