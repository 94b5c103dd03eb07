// Traces of anything that a trace can hold, for tests.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "format/trace/trace_lines.h"
#include "heddle/trace.h"

namespace heddle {

class RandomTrace {
 public:
  explicit RandomTrace(std::uint64_t seed) : random_(seed) {}

  Trace make() {
    Trace trace;
    trace.head = {.version = "0.5.0", .begun = text(), .command = texts()};
    for (std::uint64_t left = 1 + below(3); left > 0; --left) {
      trace.head.edges.push_back(
          {.caller = text(), .callee = text(), .is_store = flag(), .is_outer = flag()});
    }
    edges_ = trace.head.edges.size();
    repeat(3, [&] { trace.statements.push_back(statement()); });
    repeat(3, [&] { trace.requests.push_back(request()); });
    repeat(2, [&] { trace.connections.push_back(connection()); });
    repeat(2, [&] { trace.catalogues.push_back(catalogue()); });
    repeat(2, [&] {
      trace.background.push_back(
          {.edge = edge(), .text = text(), .period_us = number(), .seen = number()});
    });
    repeat(2, [&] { trace.remarks.push_back(text()); });
    if (flag()) {
      trace.end = TraceEnd{.reason = text(), .units = number(), .unsure = number()};
      if (flag()) trace.end->exit_code = static_cast<int>(below(256));
    }
    return trace;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  bool flag() { return below(2) == 0; }
  template <class Make>
  void repeat(std::uint64_t most, const Make& make) {
    for (std::uint64_t left = below(most + 1); left > 0; --left) make();
  }
  std::size_t edge() { return static_cast<std::size_t>(below(edges_)); }

  // Also the largest.
  std::uint64_t number() { return random_() >> below(65 - 1); }
  std::uint32_t small_number() { return static_cast<std::uint32_t>(number()); }

  std::string text() {
    constexpr const char* kTexts[] = {"",
                                      "SELECT a FROM t WHERE b = $1",
                                      "caf\xc3\xa9",
                                      "\"",
                                      "\\ \n\t\r\x01\x7f",
                                      "{\"hex\": \"00\"}"};
    if (below(3) != 0) return kTexts[below(std::size(kTexts))];
    std::string bytes;
    repeat(12, [&] { bytes += static_cast<char>(random_()); });
    return bytes;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    repeat(3, [&] { all.push_back(text()); });
    return all;
  }

  TraceValue value() {
    if (below(4) == 0) return {};
    return {.text = text(), .is_binary = below(4) == 0};
  }

  TraceFlow flow() {
    TraceFlow flow;
    flow.number = flag() ? number() : 0;
    flow.evidence = static_cast<FlowEvidence>(below(8));
    repeat(2, [&] { flow.candidates.push_back(number()); });
    return flow;
  }

  template <class Unit>
  Unit beginning() {
    Unit unit;
    unit.unit = number();
    unit.edge = edge();
    unit.connection = number();
    unit.ordinal = number();
    unit.flow = flow();
    unit.arrived = number();
    if (flag()) unit.permitted = number();
    if (flag()) unit.answered = number();
    return unit;
  }

  TraceResult result() {
    TraceResult result;
    repeat(2, [&] {
      TraceColumn column{.name = text(), .type = small_number()};
      if (flag()) column.table = 1 + small_number() / 2;
      if (column.table != 0) column.column = small_number();
      result.columns.push_back(column);
    });
    repeat(2, [&] {
      result.rows.emplace_back();
      repeat(3, [&] { result.rows.back().push_back(value()); });
    });
    result.row_count = result.rows.size() + below(3);
    if (flag()) result.rows_changed = number();
    if (flag()) result.copied_bytes = number();
    if (result.row_count > 0 || result.copied_bytes > 0) result.hash = number();
    result.tag = text();
    result.is_suspended = flag();
    return result;
  }

  TraceStatement statement() {
    auto statement = beginning<TraceStatement>();
    statement.kind = text();
    statement.text = text();
    statement.text_size = statement.text.size() + (flag() ? below(1000) : 0);
    repeat(3, [&] { statement.parameters.push_back({.value = value(), .type = small_number()}); });
    statement.has_all_parameters = flag();
    repeat(2, [&] { statement.results.push_back(result()); });
    if (flag()) statement.error = TraceError{.code = text(), .message = text(), .detail = text()};
    statement.is_skipped = flag();
    statement.transaction = flag() ? number() : 0;
    statement.state_before = "ITE?"[below(4)];
    statement.state_after = "ITE?"[below(4)];
    statement.level = text();
    return statement;
  }

  TraceHeaders headers() {
    TraceHeaders all;
    repeat(3, [&] { all.emplace_back(text(), text()); });
    return all;
  }

  TraceBody body() {
    TraceBody body{.bytes = text()};
    body.size = body.bytes.size() + (flag() ? below(1000) : 0);
    body.is_whole = body.size == body.bytes.size();
    if (!body.is_whole) body.hash = number();
    body.is_decoded = body.size > 0 && flag();
    return body;
  }

  TraceRequest request() {
    auto request = beginning<TraceRequest>();
    request.trace = text();
    request.method = text();
    request.target = text();
    request.headers = headers();
    request.body = body();
    if (flag()) {
      request.status = static_cast<int>(100 + below(500));
      request.response_headers = headers();
      request.response_body = body();
    }
    return request;
  }

  TraceConnection connection() {
    TraceConnection connection{.number = number(), .edge = edge(), .opened = number()};
    repeat(3, [&] { connection.parameters[text()] = text(); });
    connection.backend = small_number();
    return connection;
  }

  ReferentialAction action() { return static_cast<ReferentialAction>(below(5)); }

  TraceForeignKey foreign_key() {
    return {.columns = texts(),
            .referenced_table = small_number(),
            .referenced_columns = texts(),
            .on_delete = action(),
            .on_update = action()};
  }

  TraceTrigger trigger() {
    return {.name = text(),
            .on_insert = flag(),
            .on_update = flag(),
            .on_delete = flag(),
            .on_truncate = flag(),
            .columns = texts(),
            .function = flag() ? text() : ""};
  }

  TraceCatalogue catalogue() {
    TraceCatalogue catalogue{.store = text(), .level = text()};
    repeat(2, [&] {
      TraceTable& table = catalogue.tables.emplace_back();
      table.number = small_number();
      table.name = text();
      repeat(3, [&] { table.columns[small_number()] = text(); });
      repeat(2, [&] { table.keys.push_back(texts()); });
      repeat(2, [&] { table.foreign_keys.push_back(foreign_key()); });
      repeat(2, [&] { table.triggers.push_back(trigger()); });
      if (flag()) table.view = text();
    });
    repeat(2, [&] {
      catalogue.functions.push_back(
          {.name = text(), .volatility = "isv"[below(3)], .language = text(), .body = text()});
    });
    return catalogue;
  }

  std::mt19937_64 random_;
  std::size_t edges_ = 1;
};

// The lines of the trace: those of one kind behind each other.
inline std::string trace_text(const Trace& trace) {
  std::string text = trace_line(trace.head);
  for (const TraceStatement& each : trace.statements) text += trace_line(each);
  for (const TraceRequest& each : trace.requests) text += trace_line(each);
  for (const TraceConnection& each : trace.connections) text += trace_line(each);
  for (const TraceCatalogue& each : trace.catalogues) text += trace_line(each);
  for (const TraceBackground& each : trace.background) text += trace_line(each);
  for (const std::string& each : trace.remarks) text += trace_remark_line(each);
  if (trace.end) text += trace_line(*trace.end);
  return text;
}

}  // namespace heddle
