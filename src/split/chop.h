// One functionality as the services run it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "heddle/split.h"
#include "split/reference_checks.h"
#include "split/services.h"

namespace heddle::chopping {

// What ChoppedProgram says of one of its functionalities.
struct ChoppedFunctionality {
  Functionality functionality;
  std::vector<SubTransaction> sub_transactions;
  std::vector<std::optional<std::size_t>> origins;
  std::vector<Diagnostic> notes;
};

// `checks`: divide_statements()'s.
ChoppedFunctionality chop_functionality(const Functionality& whole, const Schema& schema,
                                        const TableServices& services,
                                        const ReferenceChecks* checks = nullptr);

}  // namespace heddle::chopping
