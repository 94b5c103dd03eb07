// Members that hold what an empty or false value would say are left out: most runs are long lists
// of small things, and people read them.

#include "format/run_json.h"

#include <utility>

#include "format/json/json.h"
#include "format/json/names.h"

namespace heddle {

namespace {

void put_text(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text_json(text);
}

void put_flag(Json& object, const char* key, bool flag) {
  if (flag) object[key] = true;
}

Json write_rows(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json cells = Json::array();
    for (const Cell& value : row) cells.push_back(value ? text_json(*value) : Json(nullptr));
    list.push_back(std::move(cells));
  }
  return list;
}

std::vector<Row> read_rows(const JsonPlace& place) {
  return place.list([](const JsonPlace& row) {
    return row.list([](const JsonPlace& value) { return value.nullable_text(); });
  });
}

Json write_columns(const std::vector<Column>& columns) {
  Json list = Json::array();
  for (const Column& column : columns) {
    Json object = {{"name", text_json(column.name)}};
    put_text(object, "table", column.table);
    put_text(object, "source", column.source);
    put_flag(object, "generated", column.generated);
    put_text(object, "domain", column.domain);
    list.push_back(std::move(object));
  }
  return list;
}

std::vector<Column> read_columns(const JsonPlace& place) {
  return place.list([](const JsonPlace& column) {
    return Column{column.at("name").text(), column.find("table").text(),
                  column.find("source").text(), column.find("generated").boolean(),
                  column.find("domain").text()};
  });
}

Json write_reply(const Reply& reply) {
  Json object = Json::object();
  if (reply.result) {
    const ResultSet& result = *reply.result;
    Json written = {{"command_tag", text_json(result.command_tag)}};
    put_flag(written, "has_rows", result.has_rows);
    put_flag(written, "ordered", result.ordered);
    if (!result.columns.empty()) written["columns"] = write_columns(result.columns);
    if (!result.rows.empty()) written["rows"] = write_rows(result.rows);
    object["result"] = std::move(written);
  }
  if (reply.error) {
    const StepError& error = *reply.error;
    Json written = {{"class", to_string(error.error_class)}};
    put_text(written, "code", error.code);
    put_text(written, "severity", error.severity);
    put_text(written, "message", error.message);
    put_text(written, "text", error.text);
    object["error"] = std::move(written);
  }
  return object;
}

Reply read_reply(const JsonPlace& place) {
  Reply reply;
  const JsonPlace result = place.find("result");
  const JsonPlace error = place.find("error");
  if (result.is_absent() == error.is_absent()) {
    place.complain("expected either a \"result\" or an \"error\"");
  }
  if (!result.is_absent()) {
    reply.result = ResultSet{read_columns(result.find("columns")), read_rows(result.find("rows")),
                             result.find("ordered").boolean(), result.find("has_rows").boolean(),
                             result.at("command_tag").text()};
  }
  if (!error.is_absent()) {
    reply.error =
        StepError{static_cast<ErrorClass>(error.at("class").choice(words_up_to(ErrorClass::other))),
                  error.find("code").text(), error.find("severity").text(),
                  error.find("message").text(), error.find("text").text()};
  }
  return reply;
}

Json write_replies(const std::vector<Reply>& replies) {
  Json list = Json::array();
  for (const Reply& reply : replies) list.push_back(write_reply(reply));
  return list;
}

std::vector<Reply> read_replies(const JsonPlace& place) { return place.list(read_reply); }

Json write_record(const StepRecord& record, const ScenarioNames& names) {
  Json object = {{"step", names.write(record.step)},
                 {"launched", record.launched},
                 {"completed", record.completed}};
  put_flag(object, "waited", record.waited);
  put_flag(object, "skipped", record.skipped);
  if (!record.blocked_by.empty()) object["blocked_by"] = names.write(record.blocked_by);
  if (!record.sent.empty()) object["sent"] = texts_json(record.sent);
  object["replies"] = write_replies(record.replies);
  put_text(object, "service", record.service);
  object["state_after"] = to_string(record.state_after);
  if (record.call_end) object["call_end"] = write_reply(*record.call_end);
  return object;
}

StepRecord read_record(const JsonPlace& place, const ScenarioNames& names) {
  StepRecord record;
  record.step = names.read_step(place.at("step"));
  record.launched = place.at("launched").number();
  record.completed = place.at("completed").number();
  record.waited = place.find("waited").boolean();
  record.skipped = place.find("skipped").boolean();
  record.blocked_by = names.read_sessions(place.find("blocked_by"));
  record.sent = place.find("sent").texts();
  record.replies = read_replies(place.at("replies"));
  record.service = place.find("service").text();
  record.state_after = static_cast<TransactionState>(
      place.at("state_after").choice(words_up_to(TransactionState::failed)));
  const JsonPlace end = place.find("call_end");
  if (!end.is_absent()) record.call_end = read_reply(end);
  return record;
}

bool has_record(Event::Kind kind) {
  return kind == Event::Kind::waiting || kind == Event::Kind::completed ||
         kind == Event::Kind::late_completed;
}

Json write_event(const Event& event, const ScenarioNames& names) {
  Json object = {{"kind", kEventKinds[static_cast<std::size_t>(event.kind)]},
                 {"session", names.write(event.session)}};
  put_flag(object, "global", event.global);
  if (has_record(event.kind) || event.record != 0) object["record"] = event.record;
  if (!event.replies.empty()) object["replies"] = write_replies(event.replies);
  put_text(object, "text", event.text);
  return object;
}

Event read_event(const JsonPlace& place, const ScenarioNames& names, std::size_t records) {
  Event event;
  event.kind = static_cast<Event::Kind>(place.at("kind").choice(kEventKinds));
  event.session = names.read_session(place.at("session"));
  event.global = place.find("global").boolean();
  const JsonPlace record = has_record(event.kind) ? place.at("record") : place.find("record");
  event.record = record.index(records);
  event.replies = read_replies(place.find("replies"));
  event.text = place.find("text").text();
  return event;
}

Json write_table(const TableState& table) {
  return {{"name", text_json(table.name)},
          {"columns", write_columns(table.columns)},
          {"rows", write_rows(table.rows)}};
}

TableState read_table(const JsonPlace& place) {
  return {place.at("name").text(), read_columns(place.at("columns")), read_rows(place.at("rows"))};
}

Json write_invariant(const InvariantOutcome& invariant) {
  Json object = {{"name", text_json(invariant.name)}, {"holds", invariant.holds}};
  if (!invariant.columns.empty()) object["columns"] = texts_json(invariant.columns);
  if (!invariant.counterexample.empty()) {
    object["counterexample"] = write_rows(invariant.counterexample);
  }
  return object;
}

InvariantOutcome read_invariant(const JsonPlace& place) {
  return {place.at("name").text(), place.at("holds").boolean(),
          read_rows(place.find("counterexample")), place.find("columns").texts()};
}

}  // namespace

Json write_run(const Run& run, const ScenarioNames& names) {
  Json object = {{"planned", names.write(run.planned)}};
  Json& records = object["records"] = Json::array();
  for (const StepRecord& record : run.records) records.push_back(write_record(record, names));
  Json& events = object["events"] = Json::array();
  for (const Event& event : run.events) events.push_back(write_event(event, names));
  Json& tables = object["tables"] = Json::array();
  for (const TableState& table : run.tables) tables.push_back(write_table(table));
  Json& invariants = object["invariants"] = Json::array();
  for (const InvariantOutcome& outcome : run.invariants) {
    invariants.push_back(write_invariant(outcome));
  }
  object["aborted"] = names.write(run.aborted);
  object["end"] = to_string(run.end);
  object["trouble"] = text_json(run.trouble);
  return object;
}

Run read_run(const JsonPlace& place, const ScenarioNames& names) {
  Run run;
  run.planned = names.read_schedule(place.at("planned"));
  run.records =
      place.at("records").list([&](const JsonPlace& record) { return read_record(record, names); });
  run.events = place.at("events").list(
      [&](const JsonPlace& event) { return read_event(event, names, run.records.size()); });
  run.tables = place.at("tables").list(read_table);
  run.invariants = place.at("invariants").list(read_invariant);
  run.aborted = names.read_sessions(place.at("aborted"));
  run.end = static_cast<RunEnd>(place.at("end").choice(words_up_to(RunEnd::interrupted)));
  run.trouble = place.find("trouble").text();
  return run;
}

}  // namespace heddle
