// A realization as a spec file (docs/formats/spec.md): what is executed, and what people keep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "find/realize/realize.h"
#include "heddle/isolation.h"
#include "heddle/program.h"
#include "heddle/result.h"
#include "heddle/scenario.h"

namespace heddle::find {

// The kinds of stores on which runs are executed. Those after PostgreSQL and MariaDB have copies of
// the rows.
enum class RunStore : std::uint8_t { postgres, mariadb, replicated, ring };

// What a scenario has besides the run.
struct Surroundings {
  std::vector<Invariant> invariants = {};
  std::vector<ServiceDeclaration> services = {};  // on PostgreSQL
  std::vector<std::string> refusals = {};         // Scenario::refusals
};

// The database, and Redis beside it, whose name is cache.
std::string stores_with_redis(RunStore database);

// The tables that its functionalities need, its rows, the functionalities, a session for each
// transaction, and its order of steps as the only permutation. `levels`: of each functionality of
// the program. With invariants all tables are there. Error: such a store cannot hold the tables or
// the rows, or does not show statements just what they see in the run.
Result<std::string> realization_text(const Program& program, const Realization& run,
                                     const std::vector<FunctionalityLevel>& levels, RunStore store,
                                     const Surroundings& surroundings = {});

}  // namespace heddle::find
