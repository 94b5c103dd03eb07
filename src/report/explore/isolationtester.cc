// The layout is isolationtester's: its messages are what the expected files of PostgreSQL's own
// tests, and of everybody who writes such tests, are compared with. So nothing here may be made
// nicer, not even counting the width of a column in bytes.

#include "report/explore/isolationtester.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace heddle {

namespace {

// PQprint's test: digits and a few signs throughout, a digit last, no exponent first.
bool looks_numeric(const std::string& value) {
  if (value.find_first_not_of("0123456789.Ee -") != std::string::npos) return false;
  return value.front() != 'E' && value.front() != 'e' && value.back() >= '0' && value.back() <= '9';
}

struct PrintedColumn {
  std::size_t width = 0;
  bool numeric = true;  // empty values leave a column numeric
};

// A row shorter than its header reads as if it were filled up with NULLs.
const std::string& cell_text(const Row& row, std::size_t column) {
  static const std::string kEmpty;
  return column < row.size() && row[column] ? *row[column] : kEmpty;
}

PrintedColumn measure(const ResultSet& result, std::size_t column) {
  PrintedColumn printed{result.columns[column].name.size(), true};
  for (const Row& row : result.rows) {
    const std::string& value = cell_text(row, column);
    if (value.empty()) continue;
    printed.width = std::max(printed.width, value.size());
    printed.numeric = printed.numeric && looks_numeric(value);
  }
  return printed;
}

std::string pad(const std::string& value, const PrintedColumn& column) {
  const std::size_t missing = column.width > value.size() ? column.width - value.size() : 0;
  const std::string blanks(missing, ' ');
  return column.numeric ? blanks + value : value + blanks;
}

std::string print_replies(const std::vector<Reply>& replies) {
  std::string text;
  for (const Reply& reply : replies) {
    if (reply.result && reply.result->has_rows) text += pqprint(*reply.result);
    if (!reply.error) continue;
    const StepError& error = *reply.error;
    if (!error.severity.empty() && !error.message.empty()) {
      text += fmt::format("{}:  {}\n", error.severity, error.message);
    } else {
      text += error.text + "\n";
    }
  }
  return text;
}

// Setup and teardown blocks go through PQexec, which keeps only the last result of a text.
std::string print_block(const std::vector<Reply>& replies) {
  if (replies.empty() || !replies.back().result || !replies.back().result->has_rows) return "";
  return pqprint(*replies.back().result);
}

std::string with_newline(const std::string& line) {
  return line.empty() || line.back() != '\n' ? line + "\n" : line;
}

std::string print_event(const Scenario& scenario, const Run& run, const Event& event) {
  const auto step = [&]() -> const Step& {
    return scenario.steps[run.records[event.record].step.index()];
  };
  switch (event.kind) {
    case Event::Kind::setup_result:
    case Event::Kind::teardown_result:
      return print_block(event.replies);
    case Event::Kind::waiting:
      return fmt::format("step {}: {} <waiting ...>\n", step().name, step().sql.text);
    case Event::Kind::completed:
      return fmt::format("step {}: {}\n", step().name, step().sql.text) +
             print_replies(run.records[event.record].replies);
    case Event::Kind::late_completed:
      return fmt::format("step {}: <... completed>\n", step().name) +
             print_replies(run.records[event.record].replies);
    case Event::Kind::notice:
      return scenario.sessions[event.session.index()].name + ": " + event.text;
    case Event::Kind::notification:
    case Event::Kind::cancelled:
      return with_newline(event.text);
    case Event::Kind::setup_failed:
    case Event::Kind::teardown_failed:
      return "";
  }
  return "";
}

}  // namespace

std::string isolationtester_head(const Scenario& scenario) {
  return fmt::format("Parsed test spec with {} sessions\n", scenario.sessions.size());
}

std::string isolationtester_permutation(const Scenario& scenario, const Run& run) {
  std::string text = "\nstarting permutation:";
  for (const PlacedStep& placed : run.planned.steps) {
    text += " " + scenario.steps[placed.step.index()].name;
  }
  text += "\n";
  for (const Event& event : run.events) text += print_event(scenario, run, event);
  return text;
}

std::string isolationtester_errors(const Scenario& scenario, const Run& run) {
  std::string text;
  for (const Event& event : run.events) {
    const bool setup = event.kind == Event::Kind::setup_failed;
    if (!setup && event.kind != Event::Kind::teardown_failed) continue;
    text += setup ? "setup" : "teardown";
    if (!event.global) text += " of session " + scenario.sessions[event.session.index()].name;
    text += " failed: " + with_newline(event.text);
  }
  return text;
}

std::string pqprint(const ResultSet& result) {
  if (result.columns.empty()) return "";
  std::vector<PrintedColumn> columns;
  for (std::size_t i = 0; i < result.columns.size(); ++i) columns.push_back(measure(result, i));

  const auto line = [&](const auto& text_of, char separator) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i != 0) text += separator;
      text += text_of(i);
    }
    return text + "\n";
  };
  std::string text =
      line([&](std::size_t i) { return pad(result.columns[i].name, columns[i]); }, '|');
  text += line([&](std::size_t i) { return std::string(columns[i].width, '-'); }, '+');
  for (const Row& row : result.rows) {
    text += line([&](std::size_t i) { return pad(cell_text(row, i), columns[i]); }, '|');
  }
  const std::size_t count = result.rows.size();
  return text + fmt::format("({} row{})\n\n", count, count == 1 ? "" : "s");
}

}  // namespace heddle
