// For tests: runs of two requests A and B as texts.
//
//   columns: "shop: orders id*,status,at*clock; bank: entries id*,amount"
//   run:     A 201 {"id": 5}
//            B 409 {"error": "too late"} location=/orders/5
//            shop: orders | 5,new,08:00 | 6,NULL,08:01
//            log shop | ERROR: no seat left
//            broken every seat once
//
// A column with a * is filled by the store, with the domain of its own name or the one behind the
// *.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "race/outcome/verdict.h"

namespace heddle {

inline constexpr std::uint64_t kUnitA = 11;
inline constexpr std::uint64_t kUnitB = 12;

class RaceRunsText {
 public:
  explicit RaceRunsText(std::string_view columns) {
    for (const std::string& table : split(columns, ';')) {
      const std::string text(trim(table));
      if (text.empty()) continue;
      const std::size_t blank = text.rfind(' ');
      const std::string title = text.substr(0, blank);
      for (const std::string& column : split(text.substr(blank + 1), ',')) {
        const std::size_t star = column.find('*');
        Column& added = columns_[title].emplace_back();
        added.name = column.substr(0, star);
        added.generated = star != std::string::npos;
        if (!added.generated) continue;
        const std::string domain = column.substr(star + 1);
        added.domain = domain.empty() ? title + '.' + added.name : domain;
      }
    }
  }

  RacedRun run(std::string_view text) const {
    RacedRun run;
    std::map<std::string, std::vector<TableState>> stores;
    for (const auto& [title, columns] : columns_) {
      table(stores, title).columns = columns;
    }
    for (const std::string& line : split(text, '\n')) read_line(trim(line), run, stores);
    for (auto& [name, tables] : stores) run.stores.push_back({name, std::move(tables)});
    return run;
  }

  std::vector<ObservedStore> rows(std::string_view text) const { return run(text).stores; }

  // Both requests, and the runs: A then B, twice; B then A, twice; A alone, B alone.
  SerialRaceRuns serial(std::string_view before, const std::vector<std::string>& runs) const {
    SerialRaceRuns serial;
    serial.requests = {{kUnitA, "A", "POST", "payments", "/payments"},
                       {kUnitB, "B", "POST", "cancellations", "/cancellations"}};
    serial.before = rows(before);
    serial.first_then_second = {run(runs.at(0)), run(runs.at(1))};
    serial.second_then_first = {run(runs.at(2)), run(runs.at(3))};
    if (runs.size() > 4) serial.first_alone = run(runs.at(4));
    if (runs.size() > 5) serial.second_alone = run(runs.at(5));
    return serial;
  }

 private:
  using Stores = std::map<std::string, std::vector<TableState>>;

  static TableState& table(Stores& stores, const std::string& title) {
    const std::size_t colon = title.find(": ");
    std::vector<TableState>& tables = stores[title.substr(0, colon)];
    const std::string name = title.substr(colon + 2);
    for (TableState& each : tables) {
      if (each.name == name) return each;
    }
    tables.push_back({name, {}, {}});
    return tables.back();
  }

  static void read_line(std::string_view line, RacedRun& run, Stores& stores) {
    if (line.empty()) return;
    if (line.starts_with("A ") || line.starts_with("B ")) return read_answer(line, run);
    if (line.starts_with("broken ")) {
      run.broken.push_back({.name = std::string(line.substr(7))});
      return;
    }
    std::vector<std::string> parts = split(line, '|');
    const std::string title(trim(parts.at(0)));
    if (title.starts_with("log ")) {
      const std::size_t bar = line.find('|');
      run.logs.push_back({title.substr(4), std::string(trim(line.substr(bar + 1))) + "\n"});
      return;
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
      Row& row = table(stores, title).rows.emplace_back();
      for (const std::string& cell : split(trim(parts[i]), ',')) {
        row.push_back(cell == "NULL" ? Cell() : Cell(cell));
      }
    }
  }

  // "A 201 BODY name=value": headers stand behind the body, which ends with a brace.
  static void read_answer(std::string_view line, RacedRun& run) {
    ObservedResponse response{.request = line[0] == 'A' ? kUnitA : kUnitB};
    line = line.substr(2);
    const std::string status(line.substr(0, line.find(' ')));
    response.status = std::stoi(status);
    line = trim(line.substr(status.size()));
    const std::size_t end = line.rfind('}');
    const std::size_t body = end == std::string_view::npos ? 0 : end + 1;
    response.body = line.substr(0, body);
    for (const std::string& header : split(line.substr(body), ' ')) {
      const std::size_t equals = header.find('=');
      if (equals == std::string::npos) continue;
      response.headers.emplace_back(header.substr(0, equals), header.substr(equals + 1));
    }
    run.responses.push_back(std::move(response));
  }

  std::map<std::string, std::vector<Column>> columns_;
};

}  // namespace heddle
