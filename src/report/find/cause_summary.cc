#include "report/find/cause_summary.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "report/text/counted.h"

namespace heddle {

namespace {

std::string place_text(const SourceLocation& source) {
  const SourcePosition& position = source.position;
  if (position.line == 0) return source.file;
  if (position.column == 0) return fmt::format("{}:{}", source.file, position.line);
  return fmt::format("{}:{}:{}", source.file, position.line, position.column);
}

// The invariants that some further run breaks, and not the one that confirms the cause.
std::set<std::string> broken_elsewhere(const FoundExecution& execution) {
  std::set<std::string> names;
  for (const FoundBreak& further : execution.further) {
    names.insert(further.invariants.begin(), further.invariants.end());
  }
  return names;
}

// Which of the functionality's statements, which stand at one place, are meant.
std::string way_of(const FoundCycle& cycle, const CauseText& words) {
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> numbers;
  for (const FoundNode& node : cycle.nodes) {
    numbers[{node.instance, node.functionality}].insert(node.statement + 1);
  }
  std::vector<std::string> parts;
  for (const auto& [transaction, statements] : numbers) {
    parts.push_back(fmt::format("T{} by {} {} of {}", transaction.first + 1,
                                statements.size() == 1 ? "statement" : "statements",
                                number_ranges({statements.begin(), statements.end()}),
                                words.name(transaction.second)));
  }
  return join(parts, ", ");
}

std::vector<std::string> remarks_on(const FoundCause& cause, const CauseText& words) {
  std::vector<std::string> remarks = {words.status(cause)};
  if (!cause.cores.front().is_decided) {
    remarks.emplace_back("the solver gave up: it may be impossible");
  }
  if (cause.needs_equal_arguments()) {
    remarks.push_back("only with equal arguments: " +
                      CauseText::equal_arguments(cause.cores.front()));
  }
  if (cause.cores.size() > 1) {
    remarks.push_back(counted(cause.cores.size() - 1, "other way", "other ways") +
                      " through these statements");
  }
  if (!cause.extensions.empty()) {
    remarks.push_back(counted(cause.extensions.size(), "longer cycle", "longer cycles") +
                      " around it");
  }
  if (cause.execution) {
    for (std::string& remark : broken_remarks(*cause.execution)) {
      remarks.push_back(std::move(remark));
    }
  }
  if (cause.suppressed) remarks.push_back("suppressed: " + *cause.suppressed);
  if (!cause.id.empty()) remarks.push_back("id " + cause.id);
  return remarks;
}

}  // namespace

std::string status_of(const std::optional<FoundExecution>& execution) {
  return std::string(to_string(execution ? execution->status : FindingStatus::possible));
}

std::vector<std::string> broken_remarks(const FoundExecution& execution) {
  const std::set<std::string> elsewhere = broken_elsewhere(execution);
  std::vector<std::string> remarks;
  for (const std::string& name : execution.broken_invariants) {
    remarks.push_back(fmt::format("breaks the invariant \"{}\"{}", name,
                                  elsewhere.contains(name) ? ", in a further run" : ""));
  }
  return remarks;
}

std::vector<std::string> invariant_lines(const std::vector<CauseRow>& rows) {
  std::map<std::string, std::vector<std::size_t>> breakers;
  for (const CauseRow& row : rows) {
    for (const std::string& name : row.broken_invariants) breakers[name].push_back(row.number);
  }
  std::vector<std::string> lines;
  for (const auto& [name, causes] : breakers) {
    lines.push_back(
        fmt::format("the invariant \"{}\" is broken by {}", name, number_ranges(causes)));
  }
  return lines;
}

std::vector<CauseStatement> statements_of(const FoundCycle& cycle, const CauseText& words) {
  std::vector<CauseStatement> statements;
  for (const FoundNode& node : nodes_in_order(cycle)) {
    statements.push_back(
        {.transaction = fmt::format("T{} {}", node.instance + 1, words.name(node.functionality)),
         .place = place_text(words.statement(node).source),
         .text = words.statement_text(node)});
  }
  return statements;
}

std::vector<std::string> places_of(const std::vector<CauseStatement>& statements) {
  std::vector<std::string> places;
  for (const CauseStatement& statement : statements) {
    if (std::ranges::find(places, statement.place) == places.end()) {
      places.push_back(statement.place);
    }
  }
  return places;
}

CauseRow row_of(const FoundCause& cause, std::size_t number, const CauseText& words) {
  const FoundCycle& cycle = cause.cores.front();
  CauseRow row;
  row.number = number;
  row.id = cause.id;
  row.what = fmt::format("{}: {}{}", definition(cause.kind).name, words.transactions(cycle),
                         CauseText::condition(cause));
  row.tables = join(CauseText::tables(cycle), ", ");
  row.places = places_of(statements_of(cycle, words));
  row.status = status_of(cause.execution);
  if (cause.execution && cause.execution->finding) {
    const Finding& finding = *cause.execution->finding;
    row.effect = finding.error_only ? "error only" : to_string(finding.effect);
  }
  if (cause.execution) row.broken_invariants = cause.execution->broken_invariants;
  row.suppressed = cause.suppressed;
  row.way = way_of(cycle, words);
  return row;
}

CauseDetails details_of(const FoundCause& cause, std::size_t number, const CauseText& words) {
  const FoundCycle& cycle = cause.cores.front();
  CauseDetails details;
  details.number = number;
  details.title = words.title(cause);
  details.statements = statements_of(cycle, words);
  for (const FoundEdge& edge : cycle.edges) {
    details.sentences.push_back(words.sentence(cycle, edge));
  }
  details.remarks = remarks_on(cause, words);
  if (cause.execution && cause.execution->finding) {
    details.finding = &*cause.execution->finding;
    details.further = cause.execution->further;
  }
  return details;
}

std::string count_statuses(const std::vector<CauseRow>& rows) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  const auto count = [&](const std::string& what) {
    const auto known = std::ranges::find(counts, what, &decltype(counts)::value_type::first);
    if (known == counts.end()) {
      counts.emplace_back(what, 1);
    } else {
      ++known->second;
    }
  };
  for (const CauseRow& row : rows) {
    count(row.effect.empty() ? row.status : fmt::format("{} ({})", row.status, row.effect));
  }
  for (const CauseRow& row : rows) {
    if (row.suppressed) count("suppressed");
  }
  std::vector<std::string> parts;
  for (const auto& [what, number] : counts) parts.push_back(fmt::format("{} {}", number, what));
  return join(parts, ", ");
}

void CauseReasons::add(std::size_t number, const std::optional<FoundExecution>& execution) {
  if (execution && !execution->reason.empty()) {
    add(number, status_of(execution), execution->reason);
  }
}

void CauseReasons::add(std::size_t number, const std::string& status, const std::string& reason) {
  for (CauseReason& known : reasons_) {
    if (known.status != status || known.reason != reason) continue;
    known.numbers.push_back(number);
    return;
  }
  reasons_.push_back({status, reason, {number}});
}

std::string number_ranges(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    parts.push_back(first == last ? fmt::format("{}", numbers[first])
                                  : fmt::format("{}-{}", numbers[first], numbers[last]));
    first = last + 1;
  }
  return join(parts, ", ");
}

}  // namespace heddle
