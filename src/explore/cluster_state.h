// Which scenarios touch what all databases of a server share, so that two of them at once, or two
// runs of one at once, would disturb each other.
#pragma once

#include <string_view>

#include "heddle/scenario.h"

namespace heddle {

// Roles, prepared transactions, server settings, statistics, locks of all databases, and safe
// snapshots (which wait for serializable transactions of any database). Judged by words of the
// text: a false yes only costs time.
bool touches_cluster_state(const Scenario& scenario);

// The two parts of it: names that are one on the whole server (two scenarios that use such names
// must not run at once), and what is seen or waited for across databases (nothing else may run).
bool uses_shared_names(const Scenario& scenario);
bool looks_across_databases(const Scenario& scenario);

// Whether the SQL of the scenario has this word in it. REQUIRES: lower case.
bool mentions_word(const Scenario& scenario, std::string_view word);

// Whether the scenario's own setup and teardown can run while the sessions of another permutation
// run in another database: they are about objects of one database only, and nothing in the steps
// looks beyond it.
bool can_prepare_ahead(const Scenario& scenario);

}  // namespace heddle
