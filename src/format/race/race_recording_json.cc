#include "format/race/race_recording_json.h"

#include <string>

#include "format/json/finding_fields.h"
#include "format/trace/trace_json.h"
#include "format/trace/trace_lines.h"

namespace heddle {
namespace {

Json lines_json(const Trace& trace) {
  Json lines = Json::array();
  const auto add = [&](const std::string& line) { lines.push_back(Json::parse(line)); };
  add(trace_line(trace.head));
  for (const TraceStatement& each : trace.statements) add(trace_line(each));
  for (const TraceRequest& each : trace.requests) add(trace_line(each));
  return lines;
}

Json need_json(const RaceNeed& need) {
  return {{"unit", need.unit},
          {"on", need.on},
          {"by", text_json(need.by)},
          {"what", text_json(need.what)}};
}

Json link_json(const RaceLink& link) {
  return {{"unit", link.unit},
          {"place", text_json(link.place)},
          {"occurrence", link.occurrence},
          {"begin", link.begin},
          {"size", link.size},
          {"from", link.from},
          {"from_place", text_json(link.from_place)},
          {"from_begin", link.from_begin},
          {"by", text_json(link.by)}};
}

Json secret_json(const RaceSecret& secret) {
  return {{"placeholder", text_json(secret.placeholder)},
          {"unit", secret.unit},
          {"field", text_json(secret.field)},
          {"in_body", secret.is_in_body}};
}

Json name_json(const RaceName& name) {
  return {{"unit", name.unit}, {"value", text_json(name.value)}};
}

Trace read_lines(const JsonPlace& place) {
  Trace trace;
  const std::vector<JsonPlace> lines = place.elements();
  if (lines.empty()) {
    place.complain("expected the lines of a trace");
    return trace;
  }
  check_document(lines.front(), kTraceVersion);
  trace.head = read_trace_head(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) add_trace_line(lines[i], trace);
  return trace;
}

RaceNeed read_need(const JsonPlace& place) {
  return {.unit = place.at("unit").number(),
          .on = place.at("on").number(),
          .by = place.at("by").text(),
          .what = place.at("what").text()};
}

RaceLink read_link(const JsonPlace& place) {
  return {.unit = place.at("unit").number(),
          .place = place.at("place").text(),
          .occurrence = place.at("occurrence").number(),
          .begin = place.at("begin").number(),
          .size = place.at("size").number(),
          .from = place.at("from").number(),
          .from_place = place.at("from_place").text(),
          .from_begin = place.at("from_begin").number(),
          .by = place.at("by").text()};
}

RaceSecret read_secret(const JsonPlace& place) {
  return {.placeholder = place.at("placeholder").text(),
          .unit = place.at("unit").number(),
          .field = place.at("field").text(),
          .is_in_body = place.at("in_body").boolean()};
}

RaceName read_name(const JsonPlace& place) {
  return {.unit = place.at("unit").number(), .value = place.at("value").text()};
}

}  // namespace

Json race_recording_json(const RaceRecording& recording) {
  return {{"first", recording.first},
          {"second", recording.second},
          {"trace", lines_json(recording.trace)},
          {"needs", list_json(recording.needs, need_json)},
          {"links", list_json(recording.links, link_json)},
          {"secrets", list_json(recording.secrets, secret_json)},
          {"created", list_json(recording.created, name_json)},
          {"writers", recording.writers}};
}

RaceRecording read_race_recording(const JsonPlace& place) {
  RaceRecording recording;
  recording.first = place.at("first").number();
  recording.second = place.at("second").number();
  recording.trace = read_lines(place.at("trace"));
  recording.needs = place.at("needs").list(read_need);
  recording.links = place.at("links").list(read_link);
  recording.secrets = place.at("secrets").list(read_secret);
  recording.created = place.at("created").list(read_name);
  recording.writers = place.at("writers").list(
      [](const JsonPlace& unit) -> std::uint64_t { return unit.number(); });
  return recording;
}

}  // namespace heddle
