#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "format/json/finding_fields.h"
#include "format/json/json_reader.h"
#include "format/race/race_finding_json.h"
#include "format/race/race_recording_json.h"
#include "format/race/race_words.h"
#include "heddle/race_finding.h"

namespace heddle {

namespace {

std::size_t read_party(const JsonPlace& place) { return place.choice(kPartyNames); }

RaceConflict read_conflict(const JsonPlace& place) {
  return {.first = place.at("first").number(),
          .second = place.at("second").number(),
          .store = place.at("store").text(),
          .table = place.at("table").text(),
          .entity = place.at("entity").text(),
          .columns = place.at("columns").texts(),
          .first_writes = place.at("first_writes").boolean(),
          .second_writes = place.at("second_writes").boolean(),
          .is_coarse = place.at("coarse").boolean(),
          .first_through = place.find("first_through").text_or_nothing(),
          .second_through = place.find("second_through").text_or_nothing()};
}

RaceTurn read_turn(const JsonPlace& place) {
  return {.party = read_party(place.at("party")),
          .caller = place.at("caller").text(),
          .callee = place.at("callee").text(),
          .shape = place.at("shape").text(),
          .occurrence = place.at("occurrence").number()};
}

RaceRunStep read_run_step(const JsonPlace& place) {
  const JsonPlace party = place.find("party");
  RaceRunStep step;
  if (!party.is_absent()) step.party = read_party(party);
  step.caller = place.at("caller").text();
  step.callee = place.at("callee").text();
  step.is_request = place.at("request").boolean();
  step.is_outer = place.at("outer").boolean();
  step.connection = place.at("connection").number();
  step.text = place.at("text").text();
  step.outcome = place.at("outcome").text();
  step.is_error = place.at("error").boolean();
  step.sent = place.at("sent").number();
  step.answered = place.at("answered").number();
  step.was_held = place.at("held").boolean();
  step.has_waited = place.at("waited").boolean();
  step.conflicts = place.at("conflicts").boolean();
  return step;
}

RaceFindingDifference read_difference(const JsonPlace& place) {
  return {.where = place.at("where").text(),
          .observed = place.at("observed").text(),
          .first_then_second = place.at("first_then_second").text(),
          .second_then_first = place.at("second_then_first").text()};
}

void read_what_came_of_it(const JsonPlace& root, RaceFinding& finding) {
  check_document(root, kRaceFindingDocument, "give a file that heddle race --replay wrote");
  finding.id = root.at("id").text();
  finding.result = static_cast<RaceResult>(root.at("result").choice(race_result_slugs()));
  finding.pattern = static_cast<RacePattern>(root.at("pattern").choice(race_pattern_slugs()));
  finding.first_endpoint = root.at("first_endpoint").text();
  finding.second_endpoint = root.at("second_endpoint").text();
  finding.is_between_branches = root.at("between_branches").boolean();
  finding.why = root.at("why").text();
  finding.what_helps = root.at("what_helps").text();
  finding.explanation = parse_explanation(root.at("explanation"));
}

void read_run(const JsonPlace& root, RaceFinding& finding) {
  finding.requests = root.at("requests").texts();
  finding.schedule = root.at("schedule").text();
  finding.turns = root.at("turns").list(read_turn);
  finding.steps = root.at("steps").list(read_run_step);
  const JsonPlace wrong = root.find("wrong_step");
  if (!wrong.is_absent()) finding.wrong_step = wrong.index(finding.steps.size());
  finding.differences = root.at("differences").list(read_difference);
  finding.broken = root.at("broken").texts();
  finding.conflicts = root.at("conflicts").list(read_conflict);
  finding.restored = root.at("restored").text();
  finding.runs = root.at("runs").number();
  finding.left = root.at("left").number();
  finding.masked = root.at("masked").texts();
  const JsonPlace recording = root.find("recording");
  if (!recording.is_absent()) finding.recording = read_race_recording(recording);
}

}  // namespace

bool is_race_finding(std::string_view json) { return is_document(json, kRaceFindingDocument); }

Result<RaceFinding> parse_race_finding(std::string_view json, std::string_view file) {
  JsonReader reader(json, file);
  const JsonPlace root = reader.root();
  RaceFinding finding;
  read_what_came_of_it(root, finding);
  read_run(root, finding);
  if (const std::optional<Diagnostic>& trouble = reader.trouble()) return *trouble;
  return finding;
}

}  // namespace heddle
