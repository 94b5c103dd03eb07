// Cuts as numbers: the service of each table of the schema.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "heddle/cut_search.h"
#include "heddle/split.h"

namespace heddle::chopping {

// The service of each table. Services are numbered as they come up, from 0, so that equal cuts are
// equal partitions (restricted growth strings: Knuth, TAOCP 4A, 7.2.1.5).
using Partition = std::vector<std::size_t>;

// The same, with services numbered as they come up.
Partition in_order(const Partition& services);
std::size_t services_of(const Partition& partition);

// REQUIRES: the cut is match_cut()'s.
Partition partition_of(const Cut& cut, const Schema& schema);
// Services are named S1, S2, ...
Cut cut_of(const Partition& partition, const Schema& schema);

// Tables that must stay together, as one unit each, and which units must not.
struct Units {
  std::vector<std::vector<std::size_t>> tables;  // of each unit
  std::vector<std::vector<bool>> apart;          // of each pair of units
  std::size_t least_tables = 1;                  // of a service

  // `services`: of each unit.
  Partition of_tables(const Partition& services) const;
  bool keeps_rules(const Partition& services) const;
};

// Errors: bad_input for a name that the schema does not have, and for rules against each other.
Result<Units> make_units(const CutRules& rules, const Schema& schema);

// All partitions of `units` units into at most `most` services; false ends the enumeration.
void for_each_partition(std::size_t units, std::size_t most,
                        const std::function<bool(const Partition&)>& see);

// Those that differ by a unit that moves, by two that change places, or by two services that become
// one, with at most `most` services. Without the partition itself; each once.
std::vector<Partition> neighbours_of(const Partition& partition, std::size_t most);

}  // namespace heddle::chopping
