// What a gate on MariaDB asks of a scenario's statements and tables.
#pragma once

#include <vector>

#include "gate/gated_mariadb_session.h"
#include "heddle/scenario.h"
#include "store/store.h"

namespace heddle {

// REQUIRES: the scenario's setups are MariaDB's; the catalogue outlives the words, and may be read
// later.
MariadbWords mariadb_words(const Scenario& scenario, const std::vector<CatalogueTable>& catalogue);

}  // namespace heddle
