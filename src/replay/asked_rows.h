// The rows of what an invariant asks about beside the tables (frontend/spec/text/asked_relations):
// each relation becomes a query of its values in front of the statement that names it, so that it
// is the same on every store, and nothing is written for it.
#pragma once

#include <string>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/result.h"
#include "heddle/scenario.h"
#include "store/store.h"

namespace heddle {

// What was there before anything was called, as one of the stores has it.
struct AskedFrom {
  const Scenario& scenario;
  std::vector<CatalogueTable> catalogue = {};  // of the tables at the beginning
  const std::vector<TableState>& tables;       // their rows
  Dialect dialect = Dialect::postgres;         // of the store that is asked
};

// The text of the invariant as the store is asked for it after this run. Error: bad_input, with the
// place of a relation that there is not.
Result<std::string> text_with_asked_rows(const SqlBlock& block, const AskedFrom& from,
                                         const Run& run);

// The sessions whose call has ended without an error, in the order of the file, without those
// whose transactions all were rolled back.
std::vector<SessionId> made_calls(const Scenario& scenario, const Run& run);

}  // namespace heddle
