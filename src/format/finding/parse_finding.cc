// Reads what finding_json.h writes: here the parser of scenarios is needed, there it is not.
#include <string>
#include <utility>

#include "format/finding_json.h"
#include "format/history_json.h"
#include "format/json/finding_fields.h"
#include "format/json/json_reader.h"
#include "format/json/names.h"
#include "format/run_json.h"
#include "format/scenario_json.h"
#include "heddle/finding.h"
#include "heddle/scenario.h"

namespace heddle {

namespace {

SerialComparison read_serial(const JsonPlace& place) {
  return {place.at("order").texts(), place.at("differences").list([](const JsonPlace& difference) {
            return Difference{difference.at("where").text(), difference.at("observed").text(),
                              difference.at("serial").text()};
          })};
}

void read_heading(const JsonPlace& root, Finding& finding) {
  check_document(root, kFindingDocument,
                 "give a file that heddle explore --save or --format=json wrote");
  finding.id = root.at("id").text();
  finding.kind = static_cast<AnomalyKind>(root.at("kind").choice(anomaly_slugs()));
  finding.effect = static_cast<Effect>(root.at("effect").choice(words_up_to(Effect::external)));
  finding.error_only = root.find("error_only").boolean();
  finding.status = static_cast<FindingStatus>(root.at("status").choice(status_slugs()));
  finding.boundary_problem = root.at("boundary_problem").boolean();
  finding.unit = static_cast<Unit>(root.at("unit").choice(words_up_to(Unit::transaction)));
  finding.store = root.at("store").text();
  const JsonPlace isolation = root.find("isolation");
  if (!isolation.is_absent()) {
    finding.isolation = static_cast<IsolationLevel>(isolation.choice(level_names()));
  }
}

// REQUIRES: the scenario is read, and stays where it is.
void read_evidence(const JsonPlace& root, Finding& finding) {
  const ScenarioNames names(finding.scenario);
  finding.schedule = names.read_schedule(root.at("schedule"));
  finding.cause_steps = root.at("cause_steps").texts();
  finding.rows = root.at("rows").texts();
  finding.broken_invariants = root.at("broken_invariants").texts();
  finding.serial = root.at("serial").list(read_serial);
  finding.run = read_run(root.at("run"), names);
  const JsonPlace wrong = root.find("wrong_step");
  if (!wrong.is_absent()) finding.wrong_step = wrong.index(finding.run.records.size());
  finding.history = read_history(root.at("history"));
  finding.cycles = read_cycles(root.at("cycles"), finding.history);
  finding.also = root.at("also").list(
      [&](const JsonPlace& schedule) { return names.read_schedule(schedule); });
  const JsonPlace suppressed = root.find("suppressed");
  if (!suppressed.is_absent()) finding.suppressed = suppressed.text();
}

Scenario read_scenario(const JsonPlace& place) {
  const std::string file = place.at("file").text();
  const JsonPlace spec = place.at("spec");
  const std::string text = spec.text();
  if (spec.is_absent()) return {};
  Result<Scenario> scenario = parse_scenario(text, file);
  if (scenario) return std::move(*scenario);
  Diagnostic error = scenario.error();
  error.file = "line " + std::to_string(error.position.line);
  error.position = {};
  spec.complain("this spec file has an error: " + to_string(error));
  return {};
}

}  // namespace

Result<Finding> parse_finding(std::string_view json, std::string_view file) {
  JsonReader reader(json, file);
  const JsonPlace root = reader.root();
  Finding finding;
  read_heading(root, finding);
  finding.scenario = read_scenario(root.at("scenario"));
  finding.explanation = parse_explanation(root.at("explanation"));
  read_evidence(root, finding);
  if (reader.trouble()) return *reader.trouble();
  return finding;
}

}  // namespace heddle
