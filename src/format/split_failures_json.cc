#include "format/split_failures_json.h"

#include <string>
#include <vector>

#include "format/finding_json.h"

namespace heddle {

namespace {

Json texts(const std::vector<std::string>& all) {
  Json list = Json::array();
  for (const std::string& one : all) list.push_back(text_json(one));
  return list;
}

Json part_json(const SplitPart& part, const SplitReport& split) {
  const SubTransaction& sub = split.chopped.sub_transactions[part.functionality][part.number];
  return {{"name", text_json(split.chopped.program.functionalities[part.functionality].name)},
          {"sub_transaction", part.number + 1},
          {"service", text_json(split.cut.services[sub.service].name)}};
}

Json failure_json(const SplitFailure& failure, const SplitReport& split) {
  Json json = {{"way", to_string(failure.way)}, {"behind", part_json(failure.at, split)}};
  json["rounds"] = Json::array();
  for (const std::size_t round : failure.rounds) json["rounds"].push_back(round + 1);
  json["end"] = failure.is_end;
  if (failure.reader) {
    json["kind"] = definition(AnomalyKind::aborted_read).slug;
    json["reader"] = part_json(*failure.reader, split);
  }
  json["written"] = texts(failure.written);
  json["not_written"] = texts(failure.missing);
  json["compensations"] = texts(failure.compensations);
  json["status"] = slug(failure.execution.status);
  json["runs"] = failure.execution.runs;
  json["reason"] = text_json(failure.execution.reason);
  json["broken_invariants"] = texts(failure.execution.broken_invariants);
  if (failure.execution.finding) {
    json["finding"] = write_finding(*failure.execution.finding);
  }
  return json;
}

}  // namespace

Json failures_json(const FailureReport& report, const SplitReport& split) {
  Json json = {{"in_uncut", report.in_uncut}, {"bound", text_json(report.bound)}};
  json["found"] = Json::array();
  for (const SplitFailure& failure : report.failures) {
    json["found"].push_back(failure_json(failure, split));
  }
  return json;
}

}  // namespace heddle
