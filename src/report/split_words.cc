#include "report/split_words.h"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

SplitWords::SplitWords(const SplitReport& report)
    : report_(report), words_(report.chopped.program) {}

std::string SplitWords::head() const {
  return fmt::format("{}: {}, each of which runs its part at {}", report_.cut.file,
                     counted(report_.cut.services.size(), "service", "services"),
                     definition(report_.within).name);
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
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> services;
    for (const SubTransaction& sub : all[i]) {
      services.push_back(report_.cut.services[sub.service].name);
    }
    rows.push_back({words_.name(i), fmt::format("{}", all[i].size()), join(services, ", ")});
  }
  return rows;
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
  const std::string bounds = fmt::format("cycles of up to {} operations", report_.max_length);
  std::vector<std::string> lines = {
      all == 0 ? "the cut adds nothing in " + bounds
               : fmt::format("the cut adds {}: {} and {}, in {}", counted(all, "cause", "causes"),
                             counted(cores, "core", "cores"),
                             counted(all - cores, "extension", "extensions"), bounds)};
  if (report_.in_uncut > 0) {
    lines.push_back(fmt::format("{} that the uncut program has, too, {} left out",
                                counted(report_.in_uncut, "cycle", "cycles"),
                                report_.in_uncut == 1 ? "is" : "are"));
  }
  std::vector<std::string> parts;
  for (const auto& [what, count] : counts.executed) {
    parts.push_back(fmt::format("{} {}", count, what));
  }
  if (!parts.empty()) lines.push_back("of the cores " + join(parts, ", "));
  if (!report_.bound.empty()) lines.push_back("not complete: " + report_.bound);
  return lines;
}

}  // namespace heddle
