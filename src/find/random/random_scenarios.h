// Scenarios of a program with random calls.
#pragma once

#include <cstddef>
#include <vector>

#include "find/random/random_arguments.h"
#include "find/random/random_numbers.h"
#include "find/random/random_tester.h"
#include "find/search/filled_row.h"
#include "heddle/result.h"
#include "heddle/scenario.h"
#include "replay/runner.h"

namespace heddle::find {

// A scenario whose first sessions are calls, one session each. Behind them come those that say what
// happens to copies of rows, one command each: where a store refuses one, the others go on.
struct RandomScenario {
  Scenario scenario;
  std::size_t calls = 0;
  std::size_t clients = 0;
};

class RandomScenarios {
 public:
  // The test and the rows outlive the object.
  static Result<RandomScenarios> create(const RandomTest& test, const std::vector<FilledRow>& rows,
                                        const RandomOptions& options);

  RandomScenario draw(RandomNumbers& random) const;

 private:
  RandomScenarios(const RandomTest& test, const std::vector<FilledRow>& rows,
                  const RandomOptions& options)
      : options_(options), arguments_(*test.program, rows) {}

  void add_call(RandomScenario& drawn, RandomNumbers& random) const;
  void add_command(RandomScenario& drawn, RandomNumbers& random) const;

  RandomOptions options_;
  RandomArguments arguments_;
  Scenario common_;        // without sessions
  bool is_prompt_ = true;  // nothing has to be said of copies
};

// Any session that can go on, of the calls under way. `drawn` and `random` outlive it.
SessionChooser choose_at_random(const RandomScenario& drawn, RandomNumbers& random);

}  // namespace heddle::find
