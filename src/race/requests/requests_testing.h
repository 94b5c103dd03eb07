// For tests: a trace as a text.
//
//   POST shop/orders {"price": 3} -> 201 {"id": 7}
//     > Idempotency-Key: k-1                                a header of the request
//     < Location: /orders/7                                 and of the answer
//     shop-db: INSERT INTO orders (price) VALUES ($1) RETURNING id ; 3 => orders.id=7
//     shop>till GET /rates/eur                              a request between services
//
// Everything that is indented belongs to the request before it, and lies between its arrival and
// its answer. A table that is named with a result is in the catalogue, with the key `id`; others
// are declared: "table shop-db users name" with the key `name`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "heddle/trace.h"

namespace heddle {

class TraceText {
 public:
  static Trace read(std::string_view text) {
    TraceText reader;
    for (const std::string& line : split(text, '\n')) reader.read_line(line);
    reader.end_request();
    return std::move(reader.trace_);
  }

 private:
  void read_line(const std::string& line) {
    const std::string inner(trim(line));
    if (inner.empty()) return;
    ++time_;
    if (inner.starts_with("table ")) return declare(inner.substr(6));
    if (line[0] != ' ') return begin_request(inner);
    if (inner.starts_with("> ")) return read_header(inner.substr(2), request().headers);
    if (inner.starts_with("< ")) return read_header(inner.substr(2), request().response_headers);
    const std::size_t blank = inner.find(' ');
    if (inner[blank - 1] == ':')
      return read_statement(inner.substr(0, blank - 1), inner.substr(blank + 1));
    read_inner_request(inner);
  }

  TraceRequest& request() { return trace_.requests[open_]; }

  std::size_t edge(const std::string& caller, const std::string& callee, bool is_store) {
    for (std::size_t i = 0; i < trace_.head.edges.size(); ++i) {
      const TraceEdge& each = trace_.head.edges[i];
      if (each.caller == caller && each.callee == callee) return i;
    }
    trace_.head.edges.push_back({caller, callee, is_store, caller == "client"});
    return trace_.head.edges.size() - 1;
  }

  // "POST shop/orders {body} -> 201 {body}".
  void begin_request(const std::string& line) {
    end_request();
    const std::size_t arrow = line.find(" -> ");
    const std::string left = line.substr(0, arrow);
    const std::size_t method_end = left.find(' ');
    const std::size_t service_end = left.find('/', method_end);
    const std::size_t target_end = std::min(left.find(' ', service_end), left.size());
    TraceRequest made;
    made.unit = ++unit_;
    made.flow.number = made.unit;
    made.method = left.substr(0, method_end);
    service_ = left.substr(method_end + 1, service_end - method_end - 1);
    made.edge = edge("client", service_, false);
    made.target = left.substr(service_end, target_end - service_end);
    if (target_end < left.size()) set_body(left.substr(target_end + 1), made.body);
    const std::string right = line.substr(arrow + 4);
    made.status = std::stoi(right);
    if (right.size() > 4) set_body(right.substr(4), made.response_body);
    made.arrived = time_;
    open_ = trace_.requests.size();
    trace_.requests.push_back(std::move(made));
    is_open_ = true;
  }

  void end_request() {
    ++time_;
    if (is_open_) request().answered = time_;
    is_open_ = false;
  }

  static void set_body(const std::string& text, TraceBody& body) {
    body.bytes = text;
    body.size = text.size();
  }

  static void read_header(const std::string& line, TraceHeaders& headers) {
    const std::size_t colon = line.find(": ");
    headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  }

  // "INSERT ... ; 3, x => orders.id=7 orders.id=8".
  void read_statement(const std::string& store, std::string text) {
    TraceStatement made;
    made.unit = ++unit_;
    made.edge = edge(service_, store, true);
    made.kind = "execution";
    made.flow.number = request().unit;
    made.arrived = made.answered.emplace(time_);
    const std::size_t arrow = text.find(" => ");
    TraceResult result;
    if (arrow != text.npos) {
      for (const std::string& each : split(text.substr(arrow + 4), ' '))
        read_row(store, each, result);
      text.resize(arrow);
    }
    result.row_count = result.rows.size();
    const std::size_t semicolon = text.find(" ; ");
    if (semicolon != text.npos) {
      for (const std::string& each : split(text.substr(semicolon + 3), ',')) {
        made.parameters.push_back({.value = {.text = std::string(trim(each))}});
      }
      text.resize(semicolon);
    }
    if (text.starts_with("INSERT") || text.starts_with("UPDATE") || text.starts_with("DELETE")) {
      result.rows_changed = 1;
    }
    made.text = text;
    made.text_size = text.size();
    made.results.push_back(std::move(result));
    trace_.statements.push_back(std::move(made));
  }

  void read_row(const std::string& store, const std::string& cell, TraceResult& result) {
    const std::size_t dot = cell.find('.');
    const std::size_t equals = cell.find('=');
    const std::string table = cell.substr(0, dot);
    const std::string column = cell.substr(dot + 1, equals - dot - 1);
    const TraceTable& known = table_of(store, table, column);
    if (result.columns.empty()) {
      const std::uint32_t number = known.columns.begin()->first;
      result.columns.push_back({.name = column, .table = known.number, .column = number});
    }
    result.rows.push_back({{.text = cell.substr(equals + 1)}});
  }

  void declare(const std::string& line) {
    const std::vector<std::string> words = split(line, ' ');
    table_of(words[0], words[1], words[2]);
  }

  TraceTable& table_of(const std::string& store, const std::string& table, const std::string& key) {
    for (TraceCatalogue& catalogue : trace_.catalogues) {
      if (catalogue.store != store) continue;
      for (TraceTable& each : catalogue.tables) {
        if (each.name == "public." + table) return each;
      }
      catalogue.tables.push_back(new_table(table, key));
      return catalogue.tables.back();
    }
    trace_.catalogues.push_back({.store = store, .tables = {new_table(table, key)}});
    return trace_.catalogues.back().tables.back();
  }

  TraceTable new_table(const std::string& table, const std::string& key) {
    return {.number = ++table_, .name = "public." + table, .columns = {{1, key}}, .keys = {{key}}};
  }

  // "shop>till GET /rates/eur".
  void read_inner_request(const std::string& line) {
    const std::vector<std::string> words = split(line, ' ');
    const std::vector<std::string> parts = split(words[0], '>');
    TraceRequest made;
    made.unit = ++unit_;
    made.edge = edge(parts[0], parts[1], false);
    made.flow.number = request().unit;
    made.method = words[1];
    made.target = words[2];
    made.status = 200;
    made.arrived = made.answered.emplace(time_);
    trace_.requests.push_back(std::move(made));
  }

  Trace trace_;
  std::string service_;
  std::size_t open_ = 0;
  bool is_open_ = false;
  std::uint64_t unit_ = 0;
  std::uint32_t table_ = 0;
  TraceTime time_ = 0;
};

}  // namespace heddle
