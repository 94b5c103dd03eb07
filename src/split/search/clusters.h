// Tables that are used together, as a first guess at services.
#pragma once

#include <vector>

#include "split/search/forms.h"
#include "split/search/partition.h"

namespace heddle::chopping {

// Of units: one partition for each number of services, by merging the two clusters of which the
// same functionalities use most of the tables, on average (agglomerative, average linkage).
std::vector<Partition> clusters_of(const Units& units, const Forms& forms, const Program& program);

// Of what uses the one or the other table, how much does not use both (Jaccard); 1 where nothing
// does.
std::vector<std::vector<double>> table_distances(const Forms& forms, const Program& program);

}  // namespace heddle::chopping
