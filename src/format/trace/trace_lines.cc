#include "format/trace/trace_lines.h"

#include <array>

#include <fmt/format.h>

#include "format/trace/catalogue_words.h"
#include "format/trace/line_writer.h"

namespace heddle {
namespace {

constexpr std::array<std::string_view, 8> kEvidence = {
    "traceparent", "transaction", "only", "serial", "background", "setup", "exempt", "unsure"};

void write_flow(LineWriter& line, const TraceFlow& flow) {
  if (flow.number != 0) line.number("flow", flow.number);
  line.text("by", to_string(flow.evidence));
  if (flow.candidates.empty()) return;
  line.begin_list("candidates");
  for (const std::uint64_t candidate : flow.candidates) line.item(candidate);
  line.end_list();
}

template <class Unit>
void write_beginning(LineWriter& line, const Unit& unit) {
  line.number("unit", unit.unit).number("edge", unit.edge).number("connection", unit.connection);
  line.number("ordinal", unit.ordinal);
  write_flow(line, unit.flow);
  line.number("arrived", unit.arrived);
  if (unit.permitted) line.number("permitted", *unit.permitted);
  if (unit.answered) line.number("answered", *unit.answered);
}

void write_trace_value(LineWriter& line, const TraceValue& value) {
  if (!value.text) {
    line.null_item();
  } else if (value.is_binary) {
    line.begin_item_object().hex("binary", *value.text).end_object();
  } else {
    line.item(*value.text);
  }
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

void write_trace_columns(LineWriter& line, const std::vector<TraceColumn>& columns) {
  line.begin_list("columns");
  for (const TraceColumn& column : columns) {
    line.begin_item_object().text("name", column.name);
    if (column.table != 0) line.number("table", column.table).number("column", column.column);
    line.number("type", column.type).end_object();
  }
  line.end_list();
}

void write_result(LineWriter& line, const TraceResult& result) {
  line.begin_item_object();
  if (!result.tag.empty()) line.text("tag", result.tag);
  if (!result.columns.empty()) write_trace_columns(line, result.columns);
  if (result.row_count > 0) line.number("row_count", result.row_count);
  if (!result.rows.empty()) {
    line.begin_list("rows");
    for (const std::vector<TraceValue>& row : result.rows) {
      line.begin_item_list();
      for (const TraceValue& value : row) write_trace_value(line, value);
      line.end_list();
    }
    line.end_list();
  }
  if (result.rows_changed) line.number("rows_changed", *result.rows_changed);
  if (result.copied_bytes > 0) line.number("copied_bytes", result.copied_bytes);
  const bool has_hash = result.row_count > 0 || result.copied_bytes > 0;
  if (has_hash && result.hash != 0) line.text("hash", hash_text(result.hash));
  if (result.is_suspended) line.flag("suspended", true);
  line.end_object();
}

void write_parameters(LineWriter& line, const TraceStatement& statement) {
  if (statement.parameters.empty()) return;
  line.begin_list("parameters");
  for (const TraceParameter& parameter : statement.parameters)
    write_trace_value(line, parameter.value);
  line.end_list().begin_list("types");
  for (const TraceParameter& parameter : statement.parameters) {
    line.item(std::uint64_t{parameter.type});
  }
  line.end_list();
}

void write_headers(LineWriter& line, std::string_view key, const TraceHeaders& headers) {
  line.begin_list(key);
  for (const auto& [name, value] : headers) {
    line.begin_item_list().item(name).item(value).end_list();
  }
  line.end_list();
}

void write_body(LineWriter& line, std::string_view key, const TraceBody& body) {
  if (body.size == 0) return;
  line.begin_object(key).number("size", body.size);
  if (!body.bytes.empty()) line.text("text", body.bytes);
  if (!body.is_whole) line.text("hash", hash_text(body.hash));
  if (body.is_decoded) line.flag("decoded", true);
  line.end_object();
}

void write_keys(LineWriter& line, std::string_view name,
                const std::vector<std::vector<std::string>>& keys) {
  line.begin_list(name);
  for (const std::vector<std::string>& key : keys) {
    line.begin_item_list();
    for (const std::string& column : key) line.item(column);
    line.end_list();
  }
  line.end_list();
}

void write_words(LineWriter& line, std::string_view name, const std::vector<std::string>& words) {
  line.begin_list(name);
  for (const std::string& word : words) line.item(word);
  line.end_list();
}

void write_action(LineWriter& line, std::string_view name, ReferentialAction action) {
  if (action == ReferentialAction::no_action) return;
  line.text(name, kReferentialActions[static_cast<std::size_t>(action)]);
}

void write_foreign_keys(LineWriter& line, const std::vector<TraceForeignKey>& keys) {
  if (keys.empty()) return;
  line.begin_list("references");
  for (const TraceForeignKey& each : keys) {
    line.begin_item_object();
    write_words(line, "columns", each.columns);
    line.number("table", each.referenced_table);
    write_words(line, "keys", each.referenced_columns);
    write_action(line, "on_delete", each.on_delete);
    write_action(line, "on_update", each.on_update);
    line.end_object();
  }
  line.end_list();
}

void write_triggers(LineWriter& line, const std::vector<TraceTrigger>& triggers) {
  if (triggers.empty()) return;
  line.begin_list("triggers");
  for (const TraceTrigger& each : triggers) {
    line.begin_item_object().text("name", each.name);
    line.begin_list("events");
    for (const TriggerEvent& event : kTriggerEvents) {
      if (each.*event.is_on) line.item(event.name);
    }
    line.end_list();
    if (!each.columns.empty()) write_words(line, "columns", each.columns);
    if (!each.function.empty()) line.text("function", each.function);
    line.end_object();
  }
  line.end_list();
}

void write_functions(LineWriter& line, const std::vector<TraceFunction>& functions) {
  if (functions.empty()) return;
  line.begin_list("functions");
  for (const TraceFunction& each : functions) {
    line.begin_item_object().text("name", each.name);
    line.text("volatility", {&each.volatility, 1}).text("language", each.language);
    if (!each.body.empty()) line.text("body", each.body);
    line.end_object();
  }
  line.end_list();
}

}  // namespace

std::string_view to_string(FlowEvidence evidence) {
  return kEvidence[static_cast<std::size_t>(evidence)];
}

std::string trace_line(const TraceHead& head) {
  LineWriter line;
  line.text("heddle", kTraceVersion).text("version", head.version).text("begun", head.begun);
  line.begin_list("command");
  for (const std::string& word : head.command) line.item(word);
  line.end_list().begin_list("edges");
  for (const TraceEdge& edge : head.edges) {
    line.begin_item_object().text("caller", edge.caller).text("callee", edge.callee);
    if (edge.is_store) line.flag("store", true);
    if (edge.is_outer) line.flag("outer", true);
    line.end_object();
  }
  line.end_list();
  return line.finish();
}

std::string trace_line(const TraceStatement& statement) {
  LineWriter line;
  line.text("is", "statement");
  write_beginning(line, statement);
  line.text("kind", statement.kind).text("text", statement.text);
  if (statement.text_size > statement.text.size()) line.number("text_size", statement.text_size);
  write_parameters(line, statement);
  if (!statement.has_all_parameters) line.flag("parameters_missing", true);
  line.begin_object("transaction");
  if (statement.transaction != 0) line.number("number", statement.transaction);
  line.text("before", {&statement.state_before, 1}).text("after", {&statement.state_after, 1});
  if (!statement.level.empty()) line.text("level", statement.level);
  line.end_object().begin_list("results");
  for (const TraceResult& result : statement.results) write_result(line, result);
  line.end_list();
  if (statement.is_skipped) line.flag("skipped", true);
  if (statement.error) {
    line.begin_object("error").text("code", statement.error->code);
    line.text("message", statement.error->message);
    if (!statement.error->detail.empty()) line.text("detail", statement.error->detail);
    line.end_object();
  }
  return line.finish();
}

std::string trace_line(const TraceRequest& request) {
  LineWriter line;
  line.text("is", "request");
  write_beginning(line, request);
  if (!request.trace.empty()) line.text("trace", request.trace);
  line.text("method", request.method).text("target", request.target);
  write_headers(line, "headers", request.headers);
  write_body(line, "body", request.body);
  if (request.status != 0) {
    line.number("status", static_cast<std::uint64_t>(request.status));
    write_headers(line, "response_headers", request.response_headers);
    write_body(line, "response_body", request.response_body);
  }
  return line.finish();
}

std::string trace_line(const TraceConnection& connection) {
  LineWriter line;
  line.text("is", "connection").number("connection", connection.number);
  line.number("edge", connection.edge).number("opened", connection.opened);
  if (connection.backend != 0) line.number("backend", connection.backend);
  line.begin_list("parameters");
  for (const auto& [name, value] : connection.parameters) {
    line.begin_item_list().item(name).item(value).end_list();
  }
  line.end_list();
  return line.finish();
}

std::string trace_line(const TraceCatalogue& catalogue) {
  LineWriter line;
  line.text("is", "catalogue").text("store", catalogue.store).text("level", catalogue.level);
  line.begin_list("tables");
  for (const TraceTable& table : catalogue.tables) {
    line.begin_item_object().number("table", table.number).text("name", table.name);
    line.begin_list("columns");
    for (const auto& [number, name] : table.columns) {
      line.begin_item_list().item(std::uint64_t{number}).item(name).end_list();
    }
    line.end_list();
    write_keys(line, "keys", table.keys);
    write_foreign_keys(line, table.foreign_keys);
    write_triggers(line, table.triggers);
    if (!table.view.empty()) line.text("view", table.view);
    line.end_object();
  }
  line.end_list();
  write_functions(line, catalogue.functions);
  return line.finish();
}

std::string trace_line(const TraceBackground& background) {
  LineWriter line;
  line.text("is", "background").number("edge", background.edge).text("text", background.text);
  line.number("period_us", background.period_us).number("seen", background.seen);
  return line.finish();
}

std::string trace_line(const TraceEnd& end) {
  LineWriter line;
  line.text("is", "end").text("reason", end.reason);
  if (end.exit_code) line.number("exit_code", static_cast<std::uint64_t>(*end.exit_code));
  line.number("units", end.units).number("unsure", end.unsure);
  return line.finish();
}

std::string trace_remark_line(std::string_view remark) {
  return LineWriter().text("is", "remark").text("text", remark).finish();
}

}  // namespace heddle
