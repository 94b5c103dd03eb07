// Where a search found something, for tests that hold it against executed runs.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "heddle/find.h"

namespace heddle {

// The tables on which the search found cycles of some of these functionalities, which are told by
// their numbers.
inline std::set<std::string> tables_found(const FindReport& report,
                                          const std::set<std::multiset<std::size_t>>& of) {
  std::set<std::string> tables;
  for (const FoundCause& cause : report.causes) {
    for (const FoundCycle& cycle : cause.cores) {
      std::multiset<std::size_t> members;
      std::set<std::size_t> instances;
      for (const FoundNode& node : cycle.nodes) {
        if (instances.insert(node.instance).second) members.insert(node.functionality);
      }
      if (!of.contains(members)) continue;
      for (const FoundEdge& edge : cycle.edges) tables.insert(edge.table);
    }
  }
  return tables;
}

}  // namespace heddle
