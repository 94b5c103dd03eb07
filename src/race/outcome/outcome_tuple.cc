#include "race/outcome/outcome_tuple.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "compare/renaming.h"
#include "format/json/json_fields.h"
#include "race/outcome/error_entries.h"

namespace heddle {

namespace {

// A larger value is one token, and a body of more lines is cut there.
constexpr std::size_t kLargestTokenized = 20'000;
// "2026-01-31", "Sat, 31 Jan 2026 08:00:00 GMT".
constexpr std::size_t kShortestTime = 10;
constexpr std::size_t kLongestTime = 40;
constexpr std::size_t kMostLines = 5'000;

// Headers that say when and by which way an answer came, or repeat what the body is.
constexpr std::array<std::string_view, 34> kHeadersOfTheWay = {"accept-ranges",
                                                               "age",
                                                               "alt-svc",
                                                               "connection",
                                                               "content-length",
                                                               "content-md5",
                                                               "date",
                                                               "digest",
                                                               "etag",
                                                               "expires",
                                                               "keep-alive",
                                                               "last-modified",
                                                               "nel",
                                                               "proxy-connection",
                                                               "report-to",
                                                               "server",
                                                               "server-timing",
                                                               "strict-transport-security",
                                                               "traceparent",
                                                               "tracestate",
                                                               "trailer",
                                                               "transfer-encoding",
                                                               "upgrade",
                                                               "vary",
                                                               "via",
                                                               "x-b3-spanid",
                                                               "x-b3-traceid",
                                                               "x-cache",
                                                               "x-correlation-id",
                                                               "x-powered-by",
                                                               "x-request-id",
                                                               "x-response-time",
                                                               "x-runtime",
                                                               "x-trace-id"};

std::string kind_word(JsonFieldKind kind) {
  switch (kind) {
    case JsonFieldKind::text:
      return "text ";
    case JsonFieldKind::empty_list:
      return "[] ";
    case JsonFieldKind::empty_object:
      return "{} ";
    default:
      return "";
  }
}

// New names stand for recorded ones, also as parts of longer texts.
std::string with_recorded_names(std::string text,
                                const std::vector<std::pair<std::string, std::string>>& renamed) {
  for (const auto& [name, recorded] : renamed) {
    if (name.empty()) continue;
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + recorded.size())) {
      text.replace(at, name.size(), recorded);
    }
  }
  return text;
}

// A row as a text that tells it from all others.
std::string row_key(const Row& row) {
  std::string key;
  for (const Cell& cell : row) {
    key += cell ? 'v' : 'n';
    append_counted(key, cell.value_or(""));
  }
  return key;
}

std::string name_of(const std::vector<RacedRequest>& requests, std::uint64_t unit) {
  const auto found = std::ranges::find(requests, unit, &RacedRequest::unit);
  return found == requests.end() || found->name.empty() ? fmt::format("request {}", unit)
                                                        : found->name;
}

bool is_json(const std::vector<std::pair<std::string, std::string>>& headers) {
  for (const auto& [name, value] : headers) {
    if (equal_ignoring_case(name, "content-type")) {
      return to_lower(value).find("json") != std::string::npos;
    }
  }
  return true;
}

void note_times(const TableState& table, TimesUs& times) {
  for (const Row& row : table.rows) {
    for (const Cell& cell : row) {
      const bool may_be = cell && cell->size() >= kShortestTime && cell->size() <= kLongestTime &&
                          is_digit(cell->front());
      if (!may_be) continue;
      const std::vector<TextToken> tokens = split_tokens(*cell);
      const auto time_us = tokens.size() == 1 ? time_us_of(tokens[0]) : std::nullopt;
      if (time_us) times.insert(*time_us);
    }
  }
}

}  // namespace

TupleReader::TupleReader(std::vector<RacedRequest> requests,
                         const std::vector<ObservedStore>& before)
    : requests_(std::move(requests)) {
  for (const ObservedStore& store : before) {
    for (const TableState& table : store.tables) {
      const std::string title = store.name + ": " + table.name;
      note_columns(title, table);
      note_values(title, table);
      note_times(table, times_before_);
      tables_before_[title] = table;
    }
  }
}

void TupleReader::note_columns(const std::string& title, const TableState& table) {
  for (const Column& column : table.columns) {
    if (!column.generated) continue;
    const bool is_clock = column.domain == "clock";
    FilledColumn& filled = filled_[title + '.' + column.name];
    // Two stores may have sequences of one name.
    filled.domain = is_clock ? "clock" : title.substr(0, title.find(": ")) + ' ' + column.domain;
  }
}

void TupleReader::note_values(const std::string& title, const TableState& table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto filled = filled_.find(title + '.' + table.columns[i].name);
    for (const Row& row : table.rows) {
      if (i >= row.size() || !row[i]) continue;
      if (filled != filled_.end()) filled->second.before.insert(*row[i]);
      if (row[i]->size() < 36 || row[i]->size() > kLargestTokenized) continue;
      for (TextToken& token : split_tokens(*row[i])) {
        if (token.kind == TokenKind::uuid) uuids_before_.insert(std::move(token.text));
      }
    }
  }
}

std::set<std::string> TupleReader::values_before(const std::string& place) const {
  std::set<std::string> values;
  for (const auto& [title, table] : tables_before_) {
    if (!place.starts_with(title + '.')) continue;
    const std::string name = place.substr(title.size() + 1);
    const auto column = std::ranges::find(table.columns, name, &Column::name);
    if (column == table.columns.end()) continue;
    const auto index = static_cast<std::size_t>(column - table.columns.begin());
    for (const Row& row : table.rows) {
      if (index < row.size() && row[index]) values.insert(*row[index]);
    }
  }
  return values;
}

const std::string* TupleReader::place_of(std::string place) {
  return &*places_.insert(std::move(place)).first;
}

TupleReader::TablesBefore TupleReader::tables_before(const RacedRun& run) const {
  TablesBefore tables;
  if (!run.before) {
    for (const auto& [title, table] : tables_before_) tables[title] = &table;
    return tables;
  }
  for (const ObservedStore& store : *run.before) {
    for (const TableState& table : store.tables) tables[store.name + ": " + table.name] = &table;
  }
  return tables;
}

TupleCell TupleReader::cell_of(const std::string* place, const Cell& value) {
  TupleCell cell{.place = place, .is_null = !value.has_value()};
  if (!value) return cell;
  cell.text = with_recorded_names(*value, renamed_);
  if (cell.text.size() <= kLargestTokenized) {
    cell.tokens = split_tokens(cell.text);
  } else {
    cell.tokens = {{TokenKind::opaque, cell.text}};
  }
  return cell;
}

void TupleReader::add_headers(const TraceHeaders& headers, TupleBlock& block) {
  for (const auto& [name, value] : headers) {
    const std::string lower = to_lower(name);
    if (is_one_of(lower, kHeadersOfTheWay)) continue;
    const std::string label = "header " + lower;
    block.rows.push_back({label, {cell_of(place_of(block.title + ": " + label), value)}});
  }
}

void TupleReader::add_body(const ObservedResponse& response, TupleBlock& block) {
  if (response.body.empty()) return;
  const std::string body = with_recorded_names(response.body, renamed_);
  const auto fields = is_json(response.headers) ? list_json_fields(body) : std::nullopt;
  if (fields) {
    for (const JsonField& each : *fields) {
      const std::string* place = place_of(block.title + ": " + each.place);
      TupleCell kind{.place = nullptr, .is_null = false, .text = kind_word(each.kind)};
      block.rows.push_back({each.path, {std::move(kind), cell_of(place, each.text)}});
    }
    return;
  }
  std::size_t number = 0;
  for (const std::string& line : split(body, '\n')) {
    if (++number > kMostLines) break;
    const std::string label = fmt::format("line {}", number);
    block.rows.push_back({label, {cell_of(place_of(block.title + ": " + label), line)}});
  }
}

TupleBlock TupleReader::answer_block(const ObservedResponse& response, const std::string& name) {
  TupleBlock block{.kind = BlockKind::answer, .title = name, .request = response.request};
  const std::string status = response.status == 0 ? "none" : std::to_string(response.status);
  block.rows.push_back({"status", {{.place = nullptr, .is_null = false, .text = status}}});
  add_headers(response.headers, block);
  add_body(response, block);
  return block;
}

TupleRow TupleReader::table_row(const std::string& title, const TableState& table, const Row& row) {
  TupleRow result;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string column =
        i < table.columns.size() ? table.columns[i].name : fmt::format("column {}", i + 1);
    result.cells.push_back(cell_of(place_of(title + '.' + column), row[i]));
  }
  return result;
}

TupleBlock TupleReader::table_block(const std::string& title, const TableState& table,
                                    const TablesBefore& tables) {
  TupleBlock block{.kind = BlockKind::table, .title = title};
  const auto before = tables.find(title);
  std::unordered_map<std::string, std::size_t> left;
  note_columns(title, table);
  if (before != tables.end()) {
    for (const Row& row : before->second->rows) ++left[row_key(row)];
  }
  for (const Row& row : table.rows) {
    const auto found = left.find(row_key(row));
    if (found != left.end() && found->second > 0) {
      --found->second;
      continue;
    }
    block.rows.push_back(table_row(title, table, row));
    block.rows.back().label = "there";
  }
  if (before == tables.end()) return block;
  for (const Row& row : before->second->rows) {
    std::size_t& times = left[row_key(row)];
    if (times == 0) continue;
    --times;
    block.rows.push_back(table_row(title, *before->second, row));
    block.rows.back().label = "gone";
  }
  return block;
}

OutcomeTuple TupleReader::read(const RacedRun& run) {
  OutcomeTuple tuple{.begun_us = run.begun_us, .ended_us = run.ended_us};
  const TablesBefore tables = tables_before(run);
  renamed_ = run.renamed;
  std::ranges::sort(renamed_, std::greater<>(), [](const auto& name) { return name.first.size(); });
  for (const ObservedResponse& response : run.responses) {
    tuple.blocks.push_back(answer_block(response, name_of(requests_, response.request)));
  }
  for (const ObservedStore& store : run.before.value_or(std::vector<ObservedStore>())) {
    for (const TableState& table : store.tables) note_times(table, tuple.times_before);
  }
  for (const ObservedStore& store : run.stores) {
    for (const TableState& table : store.tables) {
      TupleBlock block = table_block(store.name + ": " + table.name, table, tables);
      if (!block.rows.empty()) tuple.blocks.push_back(std::move(block));
    }
  }
  std::ranges::sort(tuple.blocks, [](const TupleBlock& a, const TupleBlock& b) {
    return std::tie(a.kind, a.title) < std::tie(b.kind, b.title);
  });
  for (const ObservedLog& log : run.logs) {
    for (ErrorEntry& error : list_error_entries(log.text)) {
      ++tuple.errors[log.service][error.words];
      tuple.error_lines.emplace(std::move(error.words), std::move(error.text));
    }
  }
  return tuple;
}

}  // namespace heddle
