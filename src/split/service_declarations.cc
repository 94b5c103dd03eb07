#include "split/service_declarations.h"

#include <algorithm>
#include <cstddef>

namespace heddle::chopping {

std::vector<ServiceDeclaration> service_declarations(const SplitReport& report) {
  const bool is_mixed = std::ranges::any_of(
      report.levels, [&](IsolationLevel level) { return level != report.within; });
  std::vector<ServiceDeclaration> services;
  for (std::size_t k = 0; k < report.cut.services.size(); ++k) {
    ServiceDeclaration& service = services.emplace_back();
    service.name = report.cut.services[k].name;
    if (is_mixed) service.isolation = report.levels[k];
    for (const CutTable& table : report.cut.services[k].tables) {
      service.tables.push_back(table.name);
    }
  }
  return services;
}

}  // namespace heddle::chopping
