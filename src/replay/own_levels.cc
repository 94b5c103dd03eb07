#include "replay/own_levels.h"

namespace heddle {

Result<void> offers_own_levels(const Scenario& scenario, const StoreServer& server) {
  const auto check = [&](const auto& described) -> Result<void> {
    if (!described.isolation) return {};
    auto offered = server.offers(*described.isolation);
    if (offered) return {};
    Diagnostic trouble = offered.error();
    trouble.file = scenario.file;
    trouble.position = described.position;
    return trouble;
  };
  for (const Session& session : scenario.sessions) {
    if (auto offered = check(session); !offered) return offered;
  }
  for (const ServiceDeclaration& service : scenario.services) {
    if (auto offered = check(service); !offered) return offered;
  }
  return {};
}

}  // namespace heddle
