#include "replay/block_trouble.h"

#include <fmt/format.h>

#include "store/trouble.h"

namespace heddle {

Diagnostic block_trouble(const Scenario& scenario, const SqlBlock& block, const std::string& whose,
                         const StepError& error) {
  if (is_store_trouble(error)) {
    Diagnostic trouble = trouble_with("the " + whose, error);
    trouble.file = scenario.file;
    return trouble;
  }
  return Diagnostic{.what = fmt::format("{} failed: {}: {}", whose, error.severity, error.message),
                    .what_to_do = "mend the statements of this block",
                    .file = scenario.file,
                    .position = block.position,
                    .trouble = Trouble::bad_input};
}

const StepError* first_error(const std::vector<Reply>& replies) {
  for (const Reply& reply : replies) {
    if (reply.error) return &*reply.error;
  }
  return nullptr;
}

}  // namespace heddle
