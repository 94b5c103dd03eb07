#include "race/replay/restore_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle {
namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::map<std::string, StoreRestore> all_stores(const RestoreMeans& means, StoreRestore way) {
  std::map<std::string, StoreRestore> stores;
  for (const std::string& each : means.stores) stores[each] = way;
  return stores;
}

// Rows that are gone back to with other requests than these would not be those of the state.
std::vector<RestorePlan> all_plans(const RestoreMeans& means) {
  const auto rows = all_stores(means, StoreRestore::rows);
  const auto stay = all_stores(means, StoreRestore::stay);
  std::vector<RestorePlan> plans = {{.name = "rows", .stores = rows}};
  if (means.has_reset) {
    plans.push_back({.name = "again", .stores = stay, .resets = true, .sends_again = true});
  }
  if (!means.stores.empty()) {
    plans.push_back({.name = "clone", .stores = all_stores(means, StoreRestore::clone)});
  }
  if (means.is_started && means.has_reset) {
    plans.push_back(
        {.name = "restart", .stores = stay, .resets = true, .restarts = true, .sends_again = true});
    plans.push_back({.name = "restart",
                     .stores = stay,
                     .restarts = true,
                     .resets_last = true,
                     .sends_again = true});
  } else if (means.is_started) {
    plans.push_back({.name = "restart", .stores = rows, .restarts = true});
  }
  plans.push_back({.name = "fresh", .stores = stay, .sends_again = true, .renames = true});
  return plans;
}

Diagnostic cannot_restore(const Config& config, const RestoreSettings& restore,
                          const std::string& why, const std::string& what_to_do) {
  return {.what = fmt::format("{} cannot get back by \"{}\": {}", restore.part.text,
                              restore.way.text, why),
          .what_to_do = what_to_do,
          .file = config.file,
          .position = restore.way.position};
}

// Takes what the file says of one part into the plan.
Result<void> take_restore(const Config& config, const RestoreSettings& restore,
                          const RestoreMeans& means, RestorePlan& plan) {
  const std::string& part = restore.part.text;
  const std::string& way = restore.way.text;
  if (way == "restart") {
    if (!means.is_started) {
      return cannot_restore(config, restore, "heddle does not start it",
                            "say under \"start\" how it is started");
    }
    plan.restarts = true;
    // What is started as a whole is ended as a whole.
    if (is_among(means.parts, part)) plan.services.push_back(part);
    return {};
  }
  if (way == "fresh") return {};
  if (!is_among(means.stores, part)) {
    return cannot_restore(config, restore, "its rows are not seen",
                          "give it heddle's own address under \"own\"");
  }
  plan.stores[part] = way == "clone" ? StoreRestore::clone : StoreRestore::rows;
  return {};
}

}  // namespace

Result<std::vector<RestorePlan>> restore_plans(const Config& config, const RestoreMeans& means) {
  const std::vector<RestoreSettings>& said = config.race.restore;
  if (said.empty()) return all_plans(means);
  const bool is_fresh = std::ranges::any_of(
      said, [](const RestoreSettings& each) { return each.way.text == "fresh"; });
  RestorePlan plan{.stores = all_stores(means, is_fresh ? StoreRestore::stay : StoreRestore::rows),
                   .sends_again = is_fresh,
                   .renames = is_fresh};
  std::size_t whole = 0;
  for (const RestoreSettings& each : said) {
    if (auto taken = take_restore(config, each, means, plan); !taken) return taken.error();
    if (each.way.text == "restart" && !is_among(means.parts, each.part.text)) ++whole;
    plan.name +=
        fmt::format("{}{}: {}", plan.name.empty() ? "" : ", ", each.part.text, each.way.text);
  }
  if (whole > 0) plan.services.clear();
  return std::vector{std::move(plan)};
}

}  // namespace heddle
