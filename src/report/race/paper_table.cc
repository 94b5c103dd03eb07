#include "report/race/paper_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

ListTable paper_table(const RaceTable& table) {
  ListTable::Row row;
  for (const std::uint64_t count :
       {table.request_spans, table.data_spans, table.flows, table.random_pairs, table.by_instance,
        table.by_flow, table.by_locks, table.early_validated, table.to_test}) {
    row.cells.push_back(std::to_string(count));
  }
  return {.header = {"request spans", "data spans", "flows", "random pairs", "instance", "flow",
                     "locks", "early validated", "to test"},
          .rows = {row}};
}

}  // namespace heddle
