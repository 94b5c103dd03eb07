#include "report/schedule/step_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "report/text/counted.h"

namespace heddle {

namespace {

constexpr std::size_t kLongestSql = 400;
constexpr std::size_t kLongestValue = 60;
constexpr std::size_t kMostShownRows = 4;
constexpr std::size_t kMostWrites = 3;

std::string value_text(const Cell& value) {
  if (!value) return "NULL";
  return value->empty() ? "''" : shorten(printable(*value), kLongestValue);
}

// PostgreSQL's name for a column without one says nothing.
bool has_name(const Column& column) { return !column.name.empty() && column.name != "?column?"; }

std::string named_value(const Column& column, const std::string& value) {
  return has_name(column) ? printable(column.name) + " = " + value : value;
}

std::string more(std::size_t count) { return fmt::format("... {} more", count); }

// A status of Redis, such as OK, rather than a value.
bool is_status(const ResultSet& result) {
  return result.columns.size() == 1 && result.rows.size() == 1 && !result.command_tag.empty() &&
         result.rows[0] == Row{result.command_tag};
}

// REQUIRES: at least one row.
std::string describe_only_column(const ResultSet& result) {
  std::vector<std::string> values;
  for (const Row& row : result.rows) {
    if (values.size() == kMostShownRows) break;
    values.push_back(row.empty() ? "" : value_text(row[0]));
  }
  std::string text = "→ " + named_value(result.columns[0], join(values, ", "));
  if (result.rows.size() > kMostShownRows) text += ", " + more(result.rows.size() - kMostShownRows);
  return text;
}

std::string describe_only_row(const ResultSet& result) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < result.columns.size() && i < result.rows[0].size(); ++i) {
    values.push_back(named_value(result.columns[i], value_text(result.rows[0][i])));
  }
  return "→ " + join(values, ", ");
}

void append_rows(const ResultSet& result, StyledCell& lines) {
  const auto add = [&](std::string text) { lines.push_back({TextStyle::read, std::move(text)}); };
  if (result.columns.empty()) return add("→ " + counted(result.rows.size(), "row", "rows"));
  if (result.rows.empty()) return add("→ no rows");
  if (is_status(result)) return add("→ " + result.command_tag);
  if (result.columns.size() == 1) return add(describe_only_column(result));
  if (result.rows.size() == 1) return add(describe_only_row(result));
  std::vector<std::string> names;
  for (const Column& column : result.columns) names.push_back(printable(column.name));
  add(fmt::format("→ {} rows of ({})", result.rows.size(), join(names, ", ")));
  for (std::size_t i = 0; i < std::min(kMostShownRows, result.rows.size()); ++i) {
    add("  " + describe_values(result.rows[i]));
  }
  if (result.rows.size() > kMostShownRows) add("  " + more(result.rows.size() - kMostShownRows));
}

void append_error(const StepError& error, StyledCell& lines) {
  const std::string text =
      error.message.empty() ? std::string(trim(error.text))
                            : error.severity + (error.severity.empty() ? "" : ": ") + error.message;
  lines.push_back({TextStyle::error, "✗ " + printable(text)});
}

// Tags that count rows say something; BEGIN and the like repeat the statement. But a COMMIT that
// the store answered with ROLLBACK must be seen.
void append_tag(const std::string& tag, const std::string& sent, StyledCell& lines) {
  const bool counts = !tag.empty() && std::isdigit(static_cast<unsigned char>(tag.back())) != 0 &&
                      !tag.starts_with("SELECT");
  if (counts) lines.push_back({TextStyle::write, printable(tag)});
  const std::string lower = to_lower(sent);
  const bool asked =
      lower.find("rollback") != std::string::npos || lower.find("abort") != std::string::npos;
  if (tag == "ROLLBACK" && !asked) lines.push_back({TextStyle::error, "✗ ROLLBACK"});
}

// What a functionality gave its caller.
void append_call_end(const Reply& end, StyledCell& lines) {
  if (end.error) return append_error(*end.error, lines);
  if (!end.result->has_rows) return;
  const std::vector<Row>& rows = end.result->rows;
  const bool is_value = rows.size() == 1 && rows.front().size() == 1;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(kMostShownRows, rows.size()); ++i) {
    texts.push_back(is_value ? value_text(rows[i].front()) : describe_values(rows[i]));
  }
  if (rows.size() > kMostShownRows) texts.push_back(more(rows.size() - kMostShownRows));
  lines.push_back({TextStyle::read, "→ returns " + (rows.empty() ? "no rows" : join(texts, ", "))});
}

std::string describe_write(const History& history, const Operation& operation) {
  const RowVersion& version = history.versions[operation.version.index()];
  const std::string row = printable(to_string(history.rows[version.row.index()]));
  if (!version.value) return row + " deleted";
  return row + " = " + shorten(printable(*version.value), kLongestValue);
}

// The versions of rows that the step installed, as far as the history knows them.
std::vector<std::string> describe_writes(const Finding& finding, std::size_t record) {
  std::vector<std::string> writes;
  for (const Operation& operation : finding.history.operations) {
    if (operation.kind != OperationKind::write || operation.step != record) continue;
    writes.push_back(describe_write(finding.history, operation));
  }
  return writes;
}

void append_writes(const std::vector<std::string>& writes, StyledCell& lines) {
  for (std::size_t i = 0; i < std::min(kMostWrites, writes.size()); ++i) {
    lines.push_back({TextStyle::write, "← " + writes[i]});
  }
  if (writes.size() > kMostWrites) {
    lines.push_back({TextStyle::write, "  " + more(writes.size() - kMostWrites)});
  }
}

std::string sent_text(const Finding& finding, const StepRecord& record) {
  return record.sent.empty() ? finding.scenario.steps[record.step.index()].sql.text
                             : join(record.sent, ";\n");
}

// Several stores are described one after the other, each behind its name.
bool is_on_redis(const Finding& finding, std::size_t store) {
  const std::vector<StoreDeclaration>& stores = finding.scenario.stores;
  if (stores.size() < 2) return finding.store.starts_with("Redis ");
  return (", " + finding.store).find(", " + stores[store].name + ": Redis ") != std::string::npos;
}

// Each line is a command, but for blank ones and those that begin with #.
std::string commands_on_one_line(const std::string& text) {
  std::vector<std::string> commands;
  for (const std::string& line : split(text, '\n')) {
    std::string_view command = trim(line);
    while (command.ends_with(';')) command = trim(command.substr(0, command.size() - 1));
    if (!command.empty() && command.front() != '#') commands.emplace_back(command);
  }
  return join(commands, "; ");
}

bool ends_transaction(const std::string& sql) {
  constexpr std::array<std::string_view, 6> kWords = {"commit", "rollback", "end",
                                                      "abort",  "exec",     "discard"};
  const std::string lower = to_lower(sql);
  const std::string first = lower.substr(0, lower.find_first_of(" ;"));
  return std::find(kWords.begin(), kWords.end(), first) != kWords.end() &&
         !lower.starts_with("rollback to");
}

}  // namespace

std::string describe_values(const Row& row) {
  std::vector<std::string> values;
  for (const Cell& value : row) values.push_back(value_text(value));
  return "(" + join(values, ", ") + ")";
}

std::size_t store_of_step(const Scenario& scenario, const StepRecord& record) {
  const auto named = std::ranges::find(scenario.stores, record.service, &StoreDeclaration::name);
  const bool is_named = !record.service.empty() && named != scenario.stores.end();
  return is_named ? static_cast<std::size_t>(named - scenario.stores.begin())
                  : scenario.steps[record.step.index()].sql.store;
}

std::string text_on_one_line(const Finding& finding, std::size_t store, const std::string& text) {
  return is_on_redis(finding, store) ? commands_on_one_line(text) : one_line(text);
}

StyledLine describe_sent(const Finding& finding, const StepRecord& record) {
  const Scenario& scenario = finding.scenario;
  const std::size_t store = store_of_step(scenario, record);
  const std::string sql = text_on_one_line(finding, store, sent_text(finding, record));
  const std::string place =
      printable(scenario.stores.size() < 2 ? record.service : scenario.stores[store].name);
  const std::string prefix = place.empty() ? "" : place + ": ";
  return {ends_transaction(sql) ? TextStyle::commit : TextStyle::step,
          shorten(prefix + sql, kLongestSql)};
}

StyledCell describe_outcome(const Finding& finding, std::size_t record) {
  const StepRecord& done = finding.run.records[record];
  const std::string sent = sent_text(finding, done);
  StyledCell lines;
  for (const Reply& reply : done.replies) {
    if (reply.error) append_error(*reply.error, lines);
    if (!reply.result) continue;
    if (reply.result->has_rows) append_rows(*reply.result, lines);
    append_tag(reply.result->command_tag, sent, lines);
  }
  append_writes(describe_writes(finding, record), lines);
  if (done.call_end) append_call_end(*done.call_end, lines);
  return lines;
}

}  // namespace heddle
