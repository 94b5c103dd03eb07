// Any bytes either are settings or give one error with what to do.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/assert.h"
#include "frontend/config/config.h"
#include "frontend/config/race_settings.h"

namespace heddle {
namespace {

void check_error(const Diagnostic& error) {
  HEDDLE_ASSERT(!error.what.empty() && !error.what_to_do.empty());
}

void check_program(const std::string& text) {
  const Result<Config> read = parse_config(text, "heddle.yaml");
  if (!read) return check_error(read.error());
  for (const Setting& file : read->program.files) HEDDLE_ASSERT(!file.text.empty());
  HEDDLE_ASSERT(read->program.schema.size() <= 1 && read->program.dialect.size() <= 1);
}

// Whoever reads the settings of a system counts on what every store and edge has.
void check_system(const std::string& text) {
  const auto lookup = [](const std::string& name) {
    return name == "NONE" ? std::nullopt : std::optional(name);
  };
  const Result<Config> read = parse_system_config(text, "heddle.yaml", lookup);
  if (!read) return check_error(read.error());
  for (const StoreSettings& store : read->system.stores) {
    HEDDLE_ASSERT(store.kind.size() == 1 && store.address.size() == 1);
  }
  for (const EdgeSettings& edge : read->system.edges) {
    HEDDLE_ASSERT(edge.caller.size() == 1 && edge.callee.size() == 1 && edge.listen.size() <= 1);
  }
  HEDDLE_ASSERT(read->system.position.line == 0 || !read->system.edges.empty());
}

// Whoever races requests counts on what each setting has.
void check_races(const std::string& text) {
  const auto lookup = [](const std::string& name) { return std::optional(name); };
  const Result<Config> read = parse_race_config(text, "heddle.yaml", lookup);
  if (!read) return check_error(read.error());
  const RaceSection& race = read->race;
  for (const InvariantSettings& each : race.invariants) {
    HEDDLE_ASSERT(each.name.size() <= 1 && each.store.size() == 1 && each.sql.size() == 1);
  }
  for (const LockSettings& each : race.locks) {
    HEDDLE_ASSERT(each.acquire.size() == 1 && each.release.size() <= 1);
  }
  HEDDLE_ASSERT(race.token.size() <= 1);
  for (const SecretSettings& each : race.secrets) {
    HEDDLE_ASSERT(each.value.size() + each.environment.size() + each.file.size() <= 1);
    HEDDLE_ASSERT(each.value.size() + each.environment.size() + each.file.size() == 1 ||
                  !each.command.empty());
  }
  for (const ExpectSettings& each : race.expect) {
    HEDDLE_ASSERT(each.endpoint.size() == 1 && each.field.size() == 1);
    HEDDLE_ASSERT(each.one_of.empty() != (each.least.empty() && each.most.empty()));
  }
  const RaceSettings settings = race_settings(*read);
  for (const auto& [alias, name] : settings.aliases)
    HEDDLE_ASSERT(!settings.aliases.contains(name));
}

}  // namespace
}  // namespace heddle

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  heddle::check_program(text);
  heddle::check_system(text);
  heddle::check_races(text);
  return 0;
}
