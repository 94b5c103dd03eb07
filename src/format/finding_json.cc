// What people look for first comes first: the verdict, the scenario, the schedule and the
// explanation; then what heddle needs to run and draw the finding again. docs/formats/finding.md
// describes every member.

#include "format/finding_json.h"

#include <optional>
#include <utility>

#include "format/history_json.h"
#include "format/json.h"
#include "format/json_reader.h"
#include "format/names.h"
#include "format/run_json.h"
#include "format/scenario_json.h"

namespace heddle {

namespace {

constexpr const char* kDocument = "finding/1";

Json write_serial(const SerialComparison& comparison) {
  Json differences = Json::array();
  for (const Difference& difference : comparison.differences) {
    differences.push_back({{"where", text_json(difference.where)},
                           {"observed", text_json(difference.observed)},
                           {"serial", text_json(difference.serial)}});
  }
  return {{"order", texts_json(comparison.order)}, {"differences", std::move(differences)}};
}

SerialComparison read_serial(const JsonPlace& place) {
  return {place.at("order").texts(), place.at("differences").list([](const JsonPlace& difference) {
            return Difference{difference.at("where").text(), difference.at("observed").text(),
                              difference.at("serial").text()};
          })};
}

Json write_explanation(const Explanation& explanation) {
  return {{"let", text_json(explanation.let)},
          {"then", text_json(explanation.then)},
          {"however", text_json(explanation.however)}};
}

Explanation read_explanation(const JsonPlace& place) {
  return {place.at("let").text(), place.at("then").text(), place.at("however").text()};
}

void read_heading(const JsonPlace& root, Finding& finding) {
  if (root.at("heddle").text() != kDocument) {
    root.find("heddle").complain("expected \"finding/1\"",
                                 "give a file that heddle explore --save or --format=json wrote");
  }
  finding.id = root.at("id").text();
  finding.kind = static_cast<AnomalyKind>(root.at("kind").choice(anomaly_slugs()));
  finding.effect = static_cast<Effect>(root.at("effect").choice(words_up_to(Effect::external)));
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

Json write_members(const Finding& finding) {
  const ScenarioNames names(finding.scenario);
  Json also = Json::array();
  for (const Schedule& schedule : finding.also) also.push_back(names.write(schedule));
  Json serial = Json::array();
  for (const SerialComparison& order : finding.serial) serial.push_back(write_serial(order));
  return {
      {"heddle", kDocument},
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
      {"explanation", write_explanation(finding.explanation)},
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
  if (finding.suppressed) document["suppressed"] = text_json(*finding.suppressed);
  return document;
}

std::string to_json(const Finding& finding) { return print_json(write_finding(finding)); }

Result<Finding> parse_finding(std::string_view json, std::string_view file) {
  JsonReader reader(json, file);
  const JsonPlace root = reader.root();
  Finding finding;
  read_heading(root, finding);
  finding.scenario = read_scenario(root.at("scenario"));
  finding.explanation = read_explanation(root.at("explanation"));
  read_evidence(root, finding);
  if (reader.trouble()) return *reader.trouble();
  return finding;
}

}  // namespace heddle
