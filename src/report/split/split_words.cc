#include "report/split/split_words.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "report/text/counted.h"

namespace heddle {

SplitWords::SplitWords(const SplitReport& report)
    : report_(report), words_(report.chopped.program) {}

// Whether services run at several levels.
bool SplitWords::is_mixed() const {
  return std::ranges::any_of(report_.levels,
                             [&](IsolationLevel level) { return level != report_.levels.front(); });
}

std::string SplitWords::head() const {
  const bool is_one = !is_mixed() && !report_.levels.empty();
  return fmt::format(
      "{}: {}{}{}", report_.cut.file, counted(report_.cut.services.size(), "service", "services"),
      is_one ? fmt::format(", each of which runs its part at {}",
                           definition(report_.levels.front()).name)
             : "",
      report_.across
          ? fmt::format("; across services {} is guaranteed", definition(*report_.across).name)
          : "");
}

std::string SplitWords::service(std::size_t number) const {
  const Service& service = report_.cut.services[number];
  std::vector<std::string> tables;
  for (const CutTable& table : service.tables) tables.push_back(table.name);
  return fmt::format(
      "{}: {}{}", service.name, join(tables, ", "),
      is_mixed() ? fmt::format(", at {}", definition(report_.levels[number]).name) : "");
}

// The statements by their lines, as they would follow each other.
std::string SplitWords::order(const ProposedOrder& order) const {
  const auto& origins = report_.chopped.origins[order.functionality];
  const std::vector<ListedStatement> listed =
      list_statements(report_.chopped.program.functionalities[order.functionality]);
  std::vector<std::string> lines;
  for (const std::size_t statement : order.statements) {
    const auto at = std::ranges::find(origins, std::optional(statement));
    if (at == origins.end()) continue;
    const auto& of = listed[static_cast<std::size_t>(at - origins.begin())].statement->source;
    const std::string line = fmt::format("{}", of.position.line);
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }
  return fmt::format(
      "{} would do the same in {} with its statements in this order, by their lines: {}",
      words_.name(order.functionality), counted(order.after, "sub-transaction", "sub-transactions"),
      join(lines, ", "));
}

std::string SplitWords::need(const SplitCause& cause) {
  return fmt::format("{} across services would remove it",
                     *cause.needs == IsolationLevel::serializable
                         ? "only serializable functionalities"
                         : definition(*cause.needs).name);
}

std::string SplitWords::torn_key(const TornKey& key) const {
  return fmt::format("{} ({}) of {} refers to {} ({}) of {}", key.table, join(key.columns, ", "),
                     report_.cut.services[key.service].name, key.referenced_table,
                     join(key.referenced_columns, ", "),
                     report_.cut.services[key.referenced_service].name);
}

std::vector<SplitWords::FunctionalityRow> SplitWords::functionalities() const {
  std::vector<FunctionalityRow> rows;
  const auto& all = report_.chopped.sub_transactions;
  for (std::size_t i = 0; i < report_.chopped.single_calls(); ++i) {
    std::vector<std::string> services;
    for (const SubTransaction& sub : all[i]) {
      services.push_back(report_.cut.services[sub.service].name);
    }
    rows.push_back({words_.name(i), fmt::format("{}", all[i].size()), join(services, ", ")});
  }
  return rows;
}

CauseRow SplitWords::row(const SplitCause& cause, std::size_t number) const {
  const FoundCycle& cycle = cause.cycles.front();
  CauseRow row;
  row.number = number;
  row.what = fmt::format("{}: {}", definition(cause.kind).name, words_.transactions(cycle));
  row.tables = join(cause.tables, ", ");
  row.places = places_of(statements_of(cycle, words_));
  row.status = status_of(cause.execution);
  if (cause.execution && cause.execution->finding) {
    const Finding& finding = *cause.execution->finding;
    row.effect = finding.error_only ? "error only" : to_string(finding.effect);
  }
  if (cause.execution) row.broken_invariants = cause.execution->broken_invariants;
  return row;
}

CauseDetails SplitWords::details(const SplitCause& cause, std::size_t number) const {
  CauseDetails details;
  details.number = number;
  details.title = title(cause);
  details.about = {between(cause)};
  details.statements = statements_of(cause.cycles.front(), words_);
  details.sentences = sentences(cause);
  for (std::string remark : {status(cause), other_cycles(cause)}) {
    if (!remark.empty()) details.remarks.push_back(std::move(remark));
  }
  if (cause.needs) details.remarks.push_back(need(cause));
  if (cause.execution) {
    for (std::string& remark : broken_remarks(*cause.execution)) {
      details.remarks.push_back(std::move(remark));
    }
    details.further = cause.execution->further;
  }
  if (cause.execution && cause.execution->finding) details.finding = &*cause.execution->finding;
  return details;
}

std::string SplitWords::title(const SplitCause& cause) const {
  return fmt::format("{}: {}, on {}", definition(cause.kind).name,
                     words_.transactions(cause.cycles.front()), join(cause.tables, ", "));
}

// "transfer[1] on M1 and [2] on M2"
std::string SplitWords::name_of(const std::vector<SplitPart>& parts) const {
  std::vector<std::string> names;
  for (const SplitPart& part : parts) {
    const SubTransaction& sub = report_.chopped.sub_transactions[part.functionality][part.number];
    names.push_back(
        fmt::format("[{}] on {}", part.number + 1, report_.cut.services[sub.service].name));
  }
  return words_.name(parts.front().functionality) + join(names, " and ");
}

std::string SplitWords::between(const SplitCause& cause) const {
  std::vector<std::string> sides;
  for (const std::vector<SplitPart>& parts : cause.parts) sides.push_back(name_of(parts));
  return "between " + join(sides, "; ");
}

std::vector<std::string> SplitWords::statements(const SplitCause& cause) const {
  std::vector<std::string> lines;
  for (const FoundNode& node : nodes_in_order(cause.cycles.front())) {
    const SourceLocation& source = words_.statement(node).source;
    lines.push_back(fmt::format("T{} {}  {}:{}: {}", node.instance + 1,
                                words_.name(node.functionality), source.file, source.position.line,
                                words_.statement_text(node)));
  }
  return lines;
}

std::vector<std::string> SplitWords::sentences(const SplitCause& cause) const {
  const FoundCycle& cycle = cause.cycles.front();
  std::vector<std::string> lines;
  for (const FoundEdge& edge : cycle.edges) lines.push_back(words_.sentence(cycle, edge));
  return lines;
}

std::string SplitWords::other_cycles(const SplitCause& cause) const {
  if (cause.cycles.size() < 2) return "";
  return counted(cause.cycles.size() - 1, "other cycle", "other cycles") +
         " through these sub-transactions";
}

std::string SplitWords::status(const SplitCause& cause) const {
  if (!cause.execution) return "";
  FoundCause found{.kind = cause.kind, .cores = {cause.cycles.front()}, .extensions = {}};
  found.execution = cause.execution;
  return words_.status(found);
}

std::vector<std::string> SplitWords::summary(const SplitCounts& counts) const {
  const auto& [cores, all] = counts.total;
  const std::string bounds =
      within_bounds(report_.max_length, report_.max_instances, report_.max_prefix);
  std::vector<std::string> lines = {
      all == 0 ? (is_complete(report_.chopped.program.coverage)
                      ? "the cut adds nothing " + bounds
                      : "the cut adds nothing to what was read, " + bounds)
               : fmt::format("the cut adds {}: {} and {}, {}", counted(all, "cause", "causes"),
                             counted(cores, "core", "cores"),
                             counted(all - cores, "extension", "extensions"), bounds)};
  if (report_.only_cores) {
    lines.push_back("extensions of more functionalities were left out: --only-cores");
  }
  if (report_.in_uncut > 0) {
    lines.push_back(fmt::format("{} that the uncut program has, too, {} left out",
                                counted(report_.in_uncut, "cycle", "cycles"),
                                report_.in_uncut == 1 ? "is" : "are"));
  }
  std::vector<std::string> parts;
  for (const auto& [status, count] : counts.executed) {
    parts.push_back(fmt::format("{} {}", count, to_string(status)));
  }
  if (!parts.empty()) lines.push_back("of the cores " + join(parts, ", "));
  if (!report_.bound.empty()) lines.push_back("not complete: " + report_.bound);
  return lines;
}

}  // namespace heddle
