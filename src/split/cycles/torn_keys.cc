#include "split/cycles/torn_keys.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

namespace heddle::chopping {

std::vector<TornKey> find_torn_keys(const Cut& cut, const Schema& schema) {
  std::map<std::string, std::size_t> services;
  for (std::size_t i = 0; i < cut.services.size(); ++i) {
    for (const CutTable& table : cut.services[i].tables) services[table.name] = i;
  }
  std::vector<TornKey> torn;
  for (const Table& table : schema.tables) {
    for (const ForeignKeyConstraint& key : table.foreign_keys) {
      const Table* referenced =
          find_table(schema, key.referenced_table, schema.dialect, key.referenced_schema);
      const auto from = services.find(table.name);
      const auto to =
          services.find(referenced == nullptr ? key.referenced_table : referenced->name);
      if (from == services.end() || to == services.end() || from->second == to->second) continue;
      torn.push_back({.name = key.name,
                      .table = table.name,
                      .columns = key.columns,
                      .referenced_table = to->first,
                      .referenced_columns = key.referenced_columns,
                      .service = from->second,
                      .referenced_service = to->second,
                      .position = key.position});
    }
  }
  return torn;
}

void erase_torn_keys(const std::vector<TornKey>& torn, Schema& schema) {
  for (Table& table : schema.tables) {
    std::erase_if(table.foreign_keys, [&](const ForeignKeyConstraint& key) {
      return std::ranges::any_of(torn, [&](const TornKey& one) {
        return one.table == table.name && key.columns == one.columns && key.name == one.name;
      });
    });
  }
}

}  // namespace heddle::chopping
