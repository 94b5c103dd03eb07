// Tables that are used together, as a guess at services, and how good a guess that is.
#pragma once

#include <vector>

#include "split/search/forms.h"
#include "split/search/partition.h"

namespace heddle::chopping {

// Of each pair of tables, from 0 to 1.
using Distances = std::vector<std::vector<double>>;

// Of units: one partition for each number of services, the most first, by merging the two clusters
// whose tables are nearest to each other, on average in both directions (agglomerative, average
// linkage). Of several that are as near, the two that come first. Clusters that must be apart are
// not merged, so that there may be none of a few services.
std::vector<Partition> clusters_of(const Units& units, const Distances& distances);

// The share of the functionalities using the one or the other table that do not use both (Jaccard);
// 1 where nothing uses any.
Distances table_distances(const Forms& forms, const Program& program);

// The share of the functionalities using the first table that do not use the second; 1 where
// nothing uses the first.
Distances access_distances(const Forms& forms, const Program& program);

// Of a table: how much nearer it is to the others of its service than to those of the next one, as
// a share of the larger distance; 0 where it is alone. On average (Rousseeuw, "Silhouettes: a
// graphical aid to the interpretation and validation of cluster analysis", 1987). 0: one service.
double silhouette_of(const Partition& partition, const Distances& distances);

}  // namespace heddle::chopping
