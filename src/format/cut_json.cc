#include "format/cut_json.h"

#include <utility>

namespace heddle {

Json write_cut(const Cut& cut) {
  Json services = Json::object();
  for (const Service& service : cut.services) {
    Json tables = Json::array();
    for (const CutTable& table : service.tables) tables.push_back(text_json(table.name));
    services[service.name] = std::move(tables);
  }
  return services;
}

}  // namespace heddle
