#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "format/json/json_reader.h"
#include "format/trace/catalogue_words.h"
#include "format/trace/trace_json.h"
#include "format/trace/trace_lines.h"

namespace heddle {
namespace {

constexpr int kHex = 16;
constexpr std::size_t kEnd32 = std::size_t{1} << 32;
constexpr std::size_t kEndOfStatus = 1000;
constexpr std::size_t kEndOfExitCode = 256;

std::vector<std::string_view> evidence_names() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(FlowEvidence::unsure); ++i) {
    names.push_back(to_string(static_cast<FlowEvidence>(i)));
  }
  return names;
}

std::uint64_t read_hash(const JsonPlace& place) {
  const std::string text = place.text();
  std::uint64_t hash = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), hash, kHex);
  const bool is_whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!is_whole) place.complain("expected a hash of hexadecimal digits");
  return hash;
}

// Numbers of catalogues and processes have 32 bits.
std::uint32_t read_number32(const JsonPlace& place) {
  return place.is_absent() ? 0 : static_cast<std::uint32_t>(place.index(kEnd32));
}

std::optional<TraceTime> read_time(const JsonPlace& place) {
  if (place.is_absent()) return std::nullopt;
  return place.number();
}

TraceValue read_trace_value(const JsonPlace& place) {
  if (place.is_object()) {
    const JsonPlace binary = place.find("binary");
    if (!binary.is_absent()) return {.text = binary.text(), .is_binary = true};
  }
  return {.text = place.nullable_text()};
}

TraceFlow read_flow(const JsonPlace& line) {
  static const std::vector<std::string_view> kNames = evidence_names();
  TraceFlow flow;
  flow.number = line.find("flow").is_absent() ? 0 : line.at("flow").number();
  flow.evidence = static_cast<FlowEvidence>(line.at("by").choice(kNames));
  for (const JsonPlace& each : line.find("candidates").elements()) {
    flow.candidates.push_back(each.number());
  }
  return flow;
}

template <class Unit>
Unit read_beginning(const JsonPlace& line, std::size_t edges) {
  Unit unit;
  unit.unit = line.at("unit").number();
  unit.edge = line.at("edge").index(edges);
  unit.connection = line.at("connection").number();
  unit.ordinal = line.at("ordinal").number();
  unit.flow = read_flow(line);
  unit.arrived = line.at("arrived").number();
  unit.permitted = read_time(line.find("permitted"));
  unit.answered = read_time(line.find("answered"));
  return unit;
}

std::uint64_t number_or_0(const JsonPlace& place) { return place.is_absent() ? 0 : place.number(); }

TraceColumn read_column(const JsonPlace& place) {
  return {.name = place.at("name").text(),
          .table = read_number32(place.find("table")),
          .column = read_number32(place.find("column")),
          .type = read_number32(place.find("type"))};
}

TraceResult read_result(const JsonPlace& place) {
  TraceResult result;
  result.tag = place.find("tag").text_or_nothing();
  result.columns = place.find("columns").list(read_column);
  result.row_count = number_or_0(place.find("row_count"));
  result.rows =
      place.find("rows").list([](const JsonPlace& row) { return row.list(read_trace_value); });
  const JsonPlace changed = place.find("rows_changed");
  if (!changed.is_absent()) result.rows_changed = changed.number();
  result.copied_bytes = number_or_0(place.find("copied_bytes"));
  const JsonPlace hash = place.find("hash");
  if (!hash.is_absent()) result.hash = read_hash(hash);
  const JsonPlace suspended = place.find("suspended");
  result.is_suspended = !suspended.is_absent() && suspended.boolean();
  return result;
}

char read_state(const JsonPlace& place) {
  static constexpr std::array<std::string_view, 4> kStates = {"I", "T", "E", "?"};
  return kStates[place.choice(kStates)].front();
}

TraceStatement read_statement(const JsonPlace& line, std::size_t edges) {
  auto statement = read_beginning<TraceStatement>(line, edges);
  statement.kind = line.at("kind").text();
  statement.text = line.at("text").text();
  statement.text_size =
      std::max<std::uint64_t>(number_or_0(line.find("text_size")), statement.text.size());
  const std::vector<JsonPlace> types = line.find("types").elements();
  for (const JsonPlace& value : line.find("parameters").elements()) {
    const std::size_t at = statement.parameters.size();
    const auto type = at < types.size() ? read_number32(types[at]) : 0;
    statement.parameters.push_back({.value = read_trace_value(value), .type = type});
  }
  const JsonPlace missing = line.find("parameters_missing");
  statement.has_all_parameters = missing.is_absent() || !missing.boolean();
  const JsonPlace transaction = line.at("transaction");
  statement.transaction = number_or_0(transaction.find("number"));
  statement.state_before = read_state(transaction.at("before"));
  statement.state_after = read_state(transaction.at("after"));
  statement.level = transaction.find("level").text_or_nothing();
  statement.results = line.at("results").list(read_result);
  const JsonPlace skipped = line.find("skipped");
  statement.is_skipped = !skipped.is_absent() && skipped.boolean();
  const JsonPlace error = line.find("error");
  if (!error.is_absent()) {
    statement.error = {.code = error.at("code").text(),
                       .message = error.at("message").text(),
                       .detail = error.find("detail").text_or_nothing()};
  }
  return statement;
}

TraceHeaders read_headers(const JsonPlace& place) {
  TraceHeaders headers;
  for (const JsonPlace& each : place.elements()) {
    const std::vector<std::string> both = each.texts();
    if (both.size() != 2) {
      each.complain("expected the name and the value of a header");
    } else {
      headers.emplace_back(both[0], both[1]);
    }
  }
  return headers;
}

TraceBody read_body(const JsonPlace& place) {
  if (place.is_absent()) return {};
  const JsonPlace hash = place.find("hash");
  const JsonPlace decoded = place.find("decoded");
  return {.bytes = place.find("text").text_or_nothing(),
          .size = place.at("size").number(),
          .is_whole = hash.is_absent(),
          .hash = hash.is_absent() ? 0 : read_hash(hash),
          .is_decoded = !decoded.is_absent() && decoded.boolean()};
}

TraceRequest read_request(const JsonPlace& line, std::size_t edges) {
  auto request = read_beginning<TraceRequest>(line, edges);
  request.trace = line.find("trace").text_or_nothing();
  request.method = line.at("method").text();
  request.target = line.at("target").text();
  request.headers = read_headers(line.at("headers"));
  request.body = read_body(line.find("body"));
  const JsonPlace status = line.find("status");
  if (!status.is_absent()) request.status = static_cast<int>(status.index(kEndOfStatus));
  request.response_headers = read_headers(line.find("response_headers"));
  request.response_body = read_body(line.find("response_body"));
  return request;
}

TraceConnection read_connection(const JsonPlace& line, std::size_t edges) {
  TraceConnection connection;
  connection.number = line.at("connection").number();
  connection.edge = line.at("edge").index(edges);
  connection.opened = line.at("opened").number();
  connection.backend = read_number32(line.find("backend"));
  for (auto& [name, value] : read_headers(line.at("parameters"))) {
    connection.parameters[name] = std::move(value);
  }
  return connection;
}

ReferentialAction read_action(const JsonPlace& place) {
  if (place.is_absent()) return ReferentialAction::no_action;
  return static_cast<ReferentialAction>(place.choice(kReferentialActions));
}

// Older versions wrote the columns alone.
TraceForeignKey read_foreign_key(const JsonPlace& place) {
  if (!place.is_object()) return {.columns = place.texts()};
  return {.columns = place.at("columns").texts(),
          .referenced_table = read_number32(place.at("table")),
          .referenced_columns = place.at("keys").texts(),
          .on_delete = read_action(place.find("on_delete")),
          .on_update = read_action(place.find("on_update"))};
}

TraceTrigger read_trigger(const JsonPlace& place) {
  static constexpr auto kNames = [] {
    std::array<std::string_view, kTriggerEvents.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kTriggerEvents[i].name;
    return names;
  }();
  TraceTrigger trigger{.name = place.at("name").text()};
  for (const JsonPlace& event : place.at("events").elements()) {
    trigger.*kTriggerEvents[event.choice(kNames)].is_on = true;
  }
  trigger.columns = place.find("columns").texts();
  trigger.function = place.find("function").text_or_nothing();
  return trigger;
}

TraceTable read_trace_table(const JsonPlace& place) {
  TraceTable table;
  table.number = read_number32(place.at("table"));
  table.name = place.at("name").text();
  for (const JsonPlace& column : place.at("columns").elements()) {
    const std::vector<JsonPlace> both = column.elements();
    if (both.size() != 2) {
      column.complain("expected the number and the name of a column");
      break;
    }
    table.columns[read_number32(both[0])] = both[1].text();
  }
  const auto read_key = [](const JsonPlace& key) { return key.texts(); };
  table.keys = place.at("keys").list(read_key);
  table.foreign_keys = place.find("references").list(read_foreign_key);
  table.triggers = place.find("triggers").list(read_trigger);
  table.view = place.find("view").text_or_nothing();
  return table;
}

TraceFunction read_function(const JsonPlace& place) {
  static constexpr std::array<std::string_view, 3> kVolatilities = {"i", "s", "v"};
  return {.name = place.at("name").text(),
          .volatility = kVolatilities[place.at("volatility").choice(kVolatilities)].front(),
          .language = place.at("language").text(),
          .body = place.find("body").text_or_nothing()};
}

TraceCatalogue read_catalogue(const JsonPlace& line) {
  return {.store = line.at("store").text(),
          .level = line.at("level").text(),
          .tables = line.at("tables").list(read_trace_table),
          .functions = line.find("functions").list(read_function)};
}

TraceBackground read_background(const JsonPlace& line, std::size_t edges) {
  return {.edge = line.at("edge").index(edges),
          .text = line.at("text").text(),
          .period_us = line.at("period_us").number(),
          .seen = line.at("seen").number()};
}

TraceEnd read_end(const JsonPlace& line) {
  TraceEnd end;
  end.reason = line.at("reason").text();
  const JsonPlace code = line.find("exit_code");
  if (!code.is_absent()) end.exit_code = static_cast<int>(code.index(kEndOfExitCode));
  end.units = line.at("units").number();
  end.unsure = line.at("unsure").number();
  return end;
}

constexpr std::array<std::string_view, 7> kLines = {
    "statement", "request", "connection", "catalogue", "background", "remark", "end"};

Diagnostic at_line(Diagnostic trouble, std::uint32_t line) {
  trouble.position.line = line;
  return trouble;
}

}  // namespace

TraceHead read_trace_head(const JsonPlace& line) {
  TraceHead head;
  head.version = line.at("version").text();
  head.begun = line.at("begun").text();
  head.command = line.at("command").texts();
  head.edges = line.at("edges").list([](const JsonPlace& edge) {
    const auto is_set = [&](const char* key) {
      return !edge.find(key).is_absent() && edge.find(key).boolean();
    };
    return TraceEdge{.caller = edge.at("caller").text(),
                     .callee = edge.at("callee").text(),
                     .is_store = is_set("store"),
                     .is_outer = is_set("outer")};
  });
  return head;
}

void add_trace_line(const JsonPlace& line, Trace& trace) {
  const std::size_t edges = trace.head.edges.size();
  switch (line.at("is").choice(kLines)) {
    case 0:
      trace.statements.push_back(read_statement(line, edges));
      break;
    case 1:
      trace.requests.push_back(read_request(line, edges));
      break;
    case 2:
      trace.connections.push_back(read_connection(line, edges));
      break;
    case 3:
      trace.catalogues.push_back(read_catalogue(line));
      break;
    case 4:
      trace.background.push_back(read_background(line, edges));
      break;
    case 5:
      trace.remarks.push_back(line.at("text").text());
      break;
    default:
      trace.end = read_end(line);
  }
}

Result<Trace> parse_trace(std::string_view text, const std::string& file) {
  Trace trace;
  std::uint32_t number = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    JsonReader reader(text.substr(0, end), file);
    text.remove_prefix(end + 1);
    ++number;
    const JsonPlace line = reader.root();
    if (number > 1) {
      add_trace_line(line, trace);
    } else if (const std::string version = line.at("heddle").text(); version != kTraceVersion) {
      if (reader.trouble()) return at_line(*reader.trouble(), number);
      return Diagnostic{.what = fmt::format("this is \"{}\", not \"{}\"", version, kTraceVersion),
                        .what_to_do = "record it with this version of heddle",
                        .file = file,
                        .position = {.line = 1, .column = 1}};
    } else {
      trace.head = read_trace_head(line);
    }
    if (reader.trouble()) return at_line(*reader.trouble(), number);
  }
  if (number == 0) {
    return Diagnostic{.what = "this is no trace: its first line is missing",
                      .what_to_do = "write one by: heddle record",
                      .file = file};
  }
  return trace;
}

}  // namespace heddle
