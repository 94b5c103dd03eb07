// What people look for first comes first: the verdict, the scenario, the schedule and the
// explanation; then what heddle needs to run and draw the finding again. docs/formats/finding.md
// describes every member.

#include "format/finding_json.h"

#include <utility>

#include "format/history_json.h"
#include "format/json/finding_fields.h"
#include "format/json/json.h"
#include "format/json/names.h"
#include "format/run_json.h"
#include "format/scenario_json.h"

namespace heddle {

namespace {

Json write_serial(const SerialComparison& comparison) {
  Json differences = Json::array();
  for (const Difference& difference : comparison.differences) {
    differences.push_back({{"where", text_json(difference.where)},
                           {"observed", text_json(difference.observed)},
                           {"serial", text_json(difference.serial)}});
  }
  return {{"order", texts_json(comparison.order)}, {"differences", std::move(differences)}};
}

Json write_members(const Finding& finding) {
  const ScenarioNames names(finding.scenario);
  Json also = Json::array();
  for (const Schedule& schedule : finding.also) also.push_back(names.write(schedule));
  Json serial = Json::array();
  for (const SerialComparison& order : finding.serial) serial.push_back(write_serial(order));
  return {
      {"heddle", kFindingDocument},
      {"id", text_json(finding.id)},
      {"kind", definition(finding.kind).slug},
      {"effect", to_string(finding.effect)},
      {"status", slug(finding.status)},
      {"boundary_problem", finding.boundary_problem},
      {"unit", to_string(finding.unit)},
      {"store", text_json(finding.store)},
      {"isolation", finding.isolation ? Json(definition(*finding.isolation).name) : Json(nullptr)},
      {"scenario", write_scenario(finding.scenario)},
      {"schedule", names.write(finding.schedule)},
      {"explanation", explanation_json(finding.explanation)},
      {"cause_steps", texts_json(finding.cause_steps)},
      {"rows", texts_json(finding.rows)},
      {"broken_invariants", texts_json(finding.broken_invariants)},
      {"wrong_step", finding.wrong_step ? Json(*finding.wrong_step) : Json(nullptr)},
      {"serial", std::move(serial)},
      {"run", write_run(finding.run, names)},
      {"history", write_history(finding.history)},
      {"cycles", write_cycles(finding.cycles)},
      {"also", std::move(also)},
  };
}

}  // namespace

Json write_finding(const Finding& finding) {
  Json document = write_members(finding);
  if (finding.error_only) document["error_only"] = true;
  if (finding.suppressed) document["suppressed"] = text_json(*finding.suppressed);
  return document;
}

std::string to_json(const Finding& finding) { return print_json(write_finding(finding)); }

}  // namespace heddle
