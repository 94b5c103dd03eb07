// Any bytes either are a scenario, which survives being written and read again, or give one error
// that says where it is.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "frontend/spec/scenario_dump_testing.h"
#include "heddle/scenario.h"

namespace heddle {
namespace {

void check_scenario(std::string_view text) {
  const Result<Scenario> scenario = parse_scenario(text, "fuzz.spec");
  if (!scenario) {
    HEDDLE_ASSERT(!scenario.error().what.empty() && !scenario.error().what_to_do.empty());
    HEDDLE_ASSERT(scenario.error().position.line > 0 && scenario.error().position.column > 0);
    return;
  }
  const std::string written = to_spec(*scenario);
  const Result<Scenario> again = parse_scenario(written, "fuzz.spec");
  HEDDLE_ASSERT(again.has_value());
  HEDDLE_ASSERT(dump_scenario(*again) == dump_scenario(*scenario));
  HEDDLE_ASSERT(to_spec(*again) == written);
}

}  // namespace
}  // namespace heddle

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::check_scenario({reinterpret_cast<const char*>(data), size});
  return 0;
}
