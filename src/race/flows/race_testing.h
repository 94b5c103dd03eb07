// Traces written as text, for tests.
//
//   table orders-db orders(id, status) key(id)
//   view orders-db open(id) SELECT orders.id FROM orders WHERE orders.status = 'open'
//   function orders-db settle v sql UPDATE orders SET status = 'paid'
//   trigger orders-db orders insert,update settle
//   POST orders/orders {"price": 1} -> 201 {"id": 7}
//     orders-db: INSERT INTO orders (status) VALUES ($1) RETURNING id [open] -> orders.id=7
//     GET seats/seats/1 -> 200
//       seats-db: SELECT owner FROM seats WHERE id = 1 -> seats.owner=ann
//
// What stands further to the right was caused by the request above it. Everything comes one after
// the other, unless a line begins with the times from which and to which it lasted: `10-20 `. A
// store's statements use one connection per service; `#2 ` in front of the store names another.
// Behind `->` of a statement stand the rows that it returned, or the number of those it changed.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "heddle/trace.h"

namespace heddle::race {

class TraceWriter {
 public:
  // Where nobody says anything else, connections are shared by the requests of a service.
  Trace write(std::string_view text) {
    for (const std::string& each : split(text, '\n')) {
      if (!trim(each).empty()) lines_.push_back(read_line(each));
    }
    for (std::size_t i = 0; i < lines_.size();) i = write_line(i, 0, "client", 0);
    const auto by_unit = [](const auto& a, const auto& b) { return a.unit < b.unit; };
    std::ranges::sort(trace_.statements, by_unit);
    trace_.end = TraceEnd{.reason = "the command has ended", .units = unit_};
    return std::move(trace_);
  }

 private:
  struct Line {
    std::size_t indent = 0;
    TraceTime begun = 0;  // 0: when its turn comes
    TraceTime ended = 0;
    std::string connection = {};
    std::string text = {};
    std::string answer = {};
  };
  struct Session {
    std::uint64_t number = 0;
    std::uint64_t transactions = 0;
    std::uint64_t ordinal = 0;
    bool is_open = false;
    std::string level = {};
  };

  static Line read_line(std::string_view text) {
    Line line;
    line.indent = text.find_first_not_of(' ');
    text.remove_prefix(line.indent);
    if (is_digit(text.front())) {
      const auto first = std::from_chars(text.data(), text.data() + text.size(), line.begun);
      const auto second = std::from_chars(first.ptr + 1, text.data() + text.size(), line.ended);
      text = trim(text.substr(static_cast<std::size_t>(second.ptr - text.data())));
    }
    if (text.front() == '#') {
      line.connection = std::string(text.substr(0, text.find(' ')));
      text = trim(text.substr(text.find(' ')));
    }
    const std::size_t arrow = text.rfind(" -> ");
    line.text = std::string(trim(text.substr(0, arrow)));
    if (arrow != text.npos) line.answer = std::string(trim(text.substr(arrow + 4)));
    return line;
  }

  // Writes the line and what is below it; the number of the next line beside it.
  std::size_t write_line(std::size_t at, std::uint64_t flow, const std::string& service,
                         std::size_t depth) {
    const Line& line = lines_[at];
    if (line.text.starts_with("table ")) {
      add_table(line.text.substr(6));
      return at + 1;
    }
    if (line.text.starts_with("view ")) {
      add_view(line.text.substr(5));
      return at + 1;
    }
    if (line.text.starts_with("function ")) {
      add_function(line.text.substr(9));
      return at + 1;
    }
    if (line.text.starts_with("trigger ")) {
      add_trigger(line.text.substr(8));
      return at + 1;
    }
    const std::size_t colon = line.text.find(": ");
    const std::size_t blank = line.text.find(' ');
    if (colon != line.text.npos && colon < blank) {
      add_statement(line, line.text.substr(0, colon), line.text.substr(colon + 2), flow, service);
      return at + 1;
    }
    return write_request(at, flow, service, depth);
  }

  std::size_t write_request(std::size_t at, std::uint64_t flow, const std::string& service,
                            std::size_t depth) {
    const Line& line = lines_[at];
    const bool is_outer = depth == 0;
    if (is_outer) flow = ++flows_;
    const std::vector<std::string> words = split(line.text, ' ');
    const std::size_t slash = words[1].find('/');
    const std::string callee = words[1].substr(0, slash);
    TraceRequest request{.unit = ++unit_};
    request.edge = edge(service, callee, false, is_outer);
    request.flow = {.number = flow, .evidence = FlowEvidence::traceparent};
    request.method = words[0];
    request.target = words[1].substr(slash);
    request.arrived = begin(line);
    read_rest(line.text.substr(words[0].size() + words[1].size() + 1), request);
    std::size_t next = at + 1;
    while (next < lines_.size() && lines_[next].indent > line.indent) {
      next = write_line(next, flow, callee, depth + 1);
    }
    request.answered = end(line);
    const std::size_t body = line.answer.find(' ');
    const std::string status = line.answer.substr(0, body);
    request.status = status.empty() ? 200 : std::stoi(status);
    if (body != line.answer.npos) request.response_body = body_of(line.answer.substr(body + 1));
    trace_.requests.push_back(std::move(request));
    return next;
  }

  // A traceparent's parent as `^0123456789abcdef`, and a body.
  static void read_rest(std::string_view rest, TraceRequest& request) {
    rest = trim(rest);
    if (rest.starts_with('^')) {
      const std::string parent(rest.substr(1, rest.find(' ') - 1));
      request.headers.emplace_back("traceparent",
                                   "00-4bf92f3577b34da6a3ce929d0e0e4736-" + parent + "-01");
      rest = rest.find(' ') == rest.npos ? "" : trim(rest.substr(rest.find(' ')));
    }
    request.body = body_of(std::string(rest));
  }

  static TraceBody body_of(const std::string& text) { return {.bytes = text, .size = text.size()}; }

  TraceTime begin(const Line& line) {
    clock_ = line.begun != 0 ? line.begun : clock_ + 1;
    return clock_;
  }
  TraceTime end(const Line& line) {
    clock_ = line.ended != 0 ? line.ended : clock_ + 1;
    return clock_;
  }

  std::size_t edge(const std::string& caller, const std::string& callee, bool is_store,
                   bool is_outer) {
    const TraceEdge edge{
        .caller = caller, .callee = callee, .is_store = is_store, .is_outer = is_outer};
    auto& edges = trace_.head.edges;
    const auto found = std::ranges::find(edges, edge);
    if (found != edges.end()) return static_cast<std::size_t>(found - edges.begin());
    edges.push_back(edge);
    return edges.size() - 1;
  }

  // "orders-db orders(id, status) key(id) refers(customer) to(customers.id) delete(cascade)"
  void add_table(const std::string& text) {
    const std::size_t blank = text.find(' ');
    const std::string store = text.substr(0, blank);
    auto catalogue = std::ranges::find(trace_.catalogues, store, &TraceCatalogue::store);
    if (catalogue == trace_.catalogues.end()) {
      trace_.catalogues.push_back({.store = store, .level = "read-committed"});
      catalogue = trace_.catalogues.end() - 1;
    }
    TraceTable table{.number = ++tables_};
    std::string_view rest = std::string_view(text).substr(blank + 1);
    while (!rest.empty()) {
      const std::size_t open = rest.find('(');
      const std::size_t close = rest.find(')');
      const std::string_view word = trim(rest.substr(0, open));
      std::vector<std::string> columns;
      for (const std::string& each : split(rest.substr(open + 1, close - open - 1), ',')) {
        columns.emplace_back(trim(each));
      }
      if (word == "key") {
        table.keys.push_back(std::move(columns));
      } else if (word == "refers") {
        table.foreign_keys.push_back({.columns = std::move(columns)});
      } else if (word == "to") {
        refer(*catalogue, columns, table.foreign_keys.back());
      } else if (word == "delete" || word == "update") {
        auto& action = word == "delete" ? table.foreign_keys.back().on_delete
                                        : table.foreign_keys.back().on_update;
        action = action_named(columns.front());
      } else {
        table.name = "public." + std::string(word);
        for (std::size_t i = 0; i < columns.size(); ++i) {
          table.columns[static_cast<std::uint32_t>(i + 1)] = columns[i];
        }
      }
      rest = trim(rest.substr(close + 1));
    }
    catalogue->tables.push_back(std::move(table));
  }

  // "customers.id"
  static void refer(const TraceCatalogue& catalogue, const std::vector<std::string>& columns,
                    TraceForeignKey& key) {
    for (const std::string& each : columns) {
      const std::vector<std::string> both = split(each, '.');
      for (const TraceTable& table : catalogue.tables) {
        if (table.name == "public." + both[0]) key.referenced_table = table.number;
      }
      key.referenced_columns.push_back(both[1]);
    }
  }

  static ReferentialAction action_named(const std::string& name) {
    return name == "cascade"    ? ReferentialAction::cascade
           : name == "set null" ? ReferentialAction::set_null
                                : ReferentialAction::set_default;
  }

  // "orders-db items insert,update note_item": the table, events, the function.
  void add_trigger(const std::string& text) {
    const std::vector<std::string> words = split(text, ' ');
    for (TraceCatalogue& each : trace_.catalogues) {
      if (each.store != words[0]) continue;
      const auto table = std::ranges::find(each.tables, "public." + words[1], &TraceTable::name);
      HEDDLE_ASSERT(table != each.tables.end());  // it stands above the trigger
      table->triggers.push_back({.name = words[3],
                                 .on_insert = words[2].find("insert") != words[2].npos,
                                 .on_update = words[2].find("update") != words[2].npos,
                                 .on_delete = words[2].find("delete") != words[2].npos,
                                 .function = "public." + words[3]});
    }
  }

  // "orders-db open_orders(id, price) SELECT orders.id, ...", behind the tables of the store.
  void add_view(const std::string& text) {
    const std::size_t close = text.find(')') + 1;
    add_table(text.substr(0, close));
    for (TraceCatalogue& each : trace_.catalogues) {
      if (each.store == text.substr(0, text.find(' '))) {
        each.tables.back().view = std::string(trim(text.substr(close)));
      }
    }
  }

  // "orders-db settle v sql UPDATE ...", with the volatility.
  void add_function(const std::string& text) {
    const std::vector<std::string> words = split(text, ' ');
    std::size_t body = 0;
    for (int i = 0; i < 4; ++i) body = std::min(text.size(), text.find(' ', body)) + 1;
    for (TraceCatalogue& each : trace_.catalogues) {
      if (each.store != words[0]) continue;
      each.functions.push_back({.name = "public." + words[1],
                                .volatility = words[2].front(),
                                .language = words[3],
                                .body = body < text.size() ? text.substr(body) : ""});
    }
  }

  void add_statement(const Line& line, const std::string& store, std::string text,
                     std::uint64_t flow, const std::string& service) {
    TraceStatement statement{.unit = ++unit_};
    statement.edge = edge(service, store, true, false);
    statement.flow = {.number = flow, .evidence = FlowEvidence::only};
    const std::size_t open = text.rfind('[');
    if (open != text.npos && text.ends_with(']')) {
      for (const std::string& each : split(text.substr(open + 1, text.size() - open - 2), ',')) {
        const std::string value(trim(each));
        statement.parameters.push_back(
            {.value = value == "null" ? TraceValue{} : TraceValue{.text = value}});
      }
      text = std::string(trim(text.substr(0, open)));
    }
    statement.kind = statement.parameters.empty() ? "query" : "execution";
    statement.text = text;
    statement.text_size = text.size();
    Session& session = sessions_[{service, store, line.connection}];
    if (session.number == 0) session.number = sessions_.size();
    statement.connection = session.number;
    statement.ordinal = ++session.ordinal;
    pass_transaction(to_lower(text), session, statement);
    statement.arrived = begin(line);
    statement.answered = end(line);
    statement.results.push_back(result_of(line.answer, to_lower(text), store));
    trace_.statements.push_back(std::move(statement));
  }

  static void pass_transaction(const std::string& text, Session& session,
                               TraceStatement& statement) {
    statement.state_before = session.is_open ? 'T' : 'I';
    if (text.starts_with("begin")) {
      session.is_open = true;
      ++session.transactions;
      const std::size_t level = text.find("level ");
      session.level = level == text.npos ? "" : text.substr(level + 6);
    }
    statement.transaction = session.is_open ? session.transactions : 0;
    statement.level = session.level;
    if (text.starts_with("commit")) session.is_open = false;
    statement.state_after = session.is_open ? 'T' : 'I';
    if (!session.is_open) session.level.clear();
  }

  TraceResult result_of(const std::string& answer, const std::string& text,
                        const std::string& store) {
    TraceResult result;
    const bool is_query = text.starts_with("select") || text.starts_with("with");
    if (!is_query) result.rows_changed = 1;
    if (!answer.empty() && std::ranges::all_of(answer, is_digit)) {
      result.rows_changed = std::stoull(answer);
      return result;
    }
    for (const std::string& row :
         answer.empty() ? std::vector<std::string>{} : split(answer, ';')) {
      std::vector<TraceValue>& values = result.rows.emplace_back();
      result.columns.clear();
      for (const std::string& cell : split(row, ',')) {
        const std::size_t equal = cell.find('=');
        result.columns.push_back(column_of(std::string(trim(cell.substr(0, equal))), store));
        values.push_back({.text = std::string(trim(cell.substr(equal + 1)))});
      }
    }
    result.row_count = result.rows.size();
    return result;
  }

  TraceColumn column_of(const std::string& path, const std::string& store) const {
    const std::size_t dot = path.find('.');
    TraceColumn column{.name = path.substr(dot == path.npos ? 0 : dot + 1)};
    if (dot == path.npos) return column;
    for (const TraceCatalogue& catalogue : trace_.catalogues) {
      if (catalogue.store != store) continue;
      for (const TraceTable& table : catalogue.tables) {
        if (table.name != "public." + path.substr(0, dot)) continue;
        column.table = table.number;
        for (const auto& [number, name] : table.columns) {
          if (name == column.name) column.column = number;
        }
      }
    }
    return column;
  }

  std::vector<Line> lines_;
  Trace trace_;
  std::map<std::tuple<std::string, std::string, std::string>, Session> sessions_;
  std::uint64_t unit_ = 0;
  std::uint64_t flows_ = 0;
  std::uint32_t tables_ = 0;
  TraceTime clock_ = 0;
};

inline Trace trace_of(std::string_view text) { return TraceWriter().write(text); }

}  // namespace heddle::race
