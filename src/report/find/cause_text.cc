#include "report/find/cause_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "program/redis_commands.h"
#include "program/retries.h"
#include "program/visit.h"

namespace heddle {

namespace {

std::string run_count(std::size_t runs) {
  return fmt::format("{} {}", runs, runs == 1 ? "run" : "runs");
}

// Rounds that roll back and might be left out are attempts.
bool rolls_back(const Block& block) {
  return std::ranges::any_of(block, [](const Action& action) {
    const auto* run = std::get_if<RunStatement>(&action.what);
    bool rolls = run != nullptr && run->statement.statement.kind == StatementKind::rollback;
    program::for_each_block(action,
                            [&](const Block& inner) { rolls = rolls || rolls_back(inner); });
    return rolls;
  });
}

void note_attempts(const Block& block, const program::Retries& retries,
                   const std::vector<bool>& around,
                   std::map<const ProgramStatement*, std::vector<bool>>& attempts) {
  for (const Action& action : block) {
    const ProgramStatement* statement = program::statement_of(action);
    if (statement != nullptr && !around.empty()) attempts[statement] = around;
    const bool is_loop = std::holds_alternative<Loop>(action.what) ||
                         std::holds_alternative<CountLoop>(action.what) ||
                         std::holds_alternative<RowLoop>(action.what) ||
                         std::holds_alternative<ElementLoop>(action.what);
    program::for_each_block(action, [&](const Block& inner) {
      std::vector<bool> inside = around;
      if (is_loop) inside.push_back(retries.contains(&inner) && rolls_back(inner));
      note_attempts(inner, retries, inside, attempts);
    });
  }
}

}  // namespace

CauseText::CauseText(const Program& program) : program_(program) {
  for (const Functionality& functionality : program.functionalities) {
    statements_.push_back(list_statements(functionality));
    note_attempts(functionality.body, program::retries(functionality), {}, attempts_);
  }
}

std::string CauseText::transactions(const FoundCycle& cycle) const {
  std::map<std::size_t, std::set<std::size_t>> instances;
  for (const FoundNode& node : cycle.nodes) {
    instances[node.functionality].insert(node.instance);
  }
  std::vector<std::string> names;
  for (const auto& [functionality, of] : instances) {
    std::string text = name(functionality);
    if (of.size() == 2) text += " twice";
    if (of.size() > 2) text += fmt::format(" {} times", of.size());
    names.push_back(std::move(text));
  }
  return join(names, " and ") + after(cycle);
}

// What was called before.
std::string CauseText::after(const FoundCycle& cycle) const {
  if (cycle.prefix.empty()) return "";
  std::vector<std::string> names;
  for (const std::size_t functionality : cycle.prefix) names.push_back(name(functionality));
  return ", after " + join(names, " and ");
}

std::vector<std::string> CauseText::tables(const FoundCycle& cycle) {
  std::set<std::string> tables;
  for (const FoundEdge& edge : cycle.edges) tables.insert(edge.table);
  return {tables.begin(), tables.end()};
}

std::string CauseText::title(const FoundCause& cause) const {
  const FoundCycle& cycle = cause.cores.front();
  return fmt::format("{}: {}, on {}{}", definition(cause.kind).name, transactions(cycle),
                     join(tables(cycle), ", "), condition(cause));
}

std::string CauseText::condition(const FoundCause& cause) {
  return cause.needs_equal_arguments() ? ", only with equal arguments" : "";
}

std::string CauseText::equal_arguments(const FoundCycle& cycle) {
  std::vector<std::string> texts;
  for (const EqualArguments& equal : cycle.equal_arguments) {
    texts.push_back(fmt::format("{} = {} in T{}", equal.first, equal.second, equal.instance + 1));
  }
  return join(texts, ", ");
}

std::string CauseText::place(const FoundNode& node) const {
  std::string place = fmt::format("line {}", statement(node).source.position.line);
  const auto known = attempts_.find(&statement(node));
  for (std::size_t i = 0; i < node.rounds.size(); ++i) {
    const bool is_attempt =
        known != attempts_.end() && i < known->second.size() && known->second[i];
    place += is_attempt && node.rounds[i] == 0
                 ? ", an attempt"
                 : fmt::format(", {} {}", is_attempt ? "attempt" : "round", node.rounds[i] + 1);
  }
  return place;
}

std::string CauseText::sentence(const FoundCycle& cycle, const FoundEdge& edge) const {
  const FoundNode& from = cycle.nodes[edge.from];
  const FoundNode& to = cycle.nodes[edge.to];
  constexpr std::size_t kMostColumns = 3;
  std::string what = edge.table;
  if (!edge.columns.empty() && edge.columns.size() <= kMostColumns) {
    what += fmt::format(" ({})", join(edge.columns, ", "));
  }
  const std::string first = fmt::format("T{} ({})", from.instance + 1, place(from));
  const std::string second = fmt::format("T{} ({})", to.instance + 1, place(to));
  switch (edge.kind) {
    case DependencyKind::rw:
      if (edge.by_lock) {
        return fmt::format("{} passes over a row of {} that {} leaves in it", first, what, second);
      }
      return edge.predicate
                 ? fmt::format("{} looks for rows of {} before {} makes one", first, edge.table,
                               second)
                 : fmt::format("{} reads {} without what {} writes", first, what, second);
    case DependencyKind::wr:
      if (edge.by_lock) {
        return fmt::format("{} locks a row of {}, which {} passes over", first, what, second);
      }
      return fmt::format("{} writes {}, which {} reads", first, what, second);
    default:
      return fmt::format("{} writes {}, which {} overwrites", first, what, second);
  }
}

std::string CauseText::status(const FoundCause& cause) const {
  if (!cause.execution) return "possible";
  const FoundExecution& execution = *cause.execution;
  if (!execution.finding) {
    const bool is_counted = execution.status == FindingStatus::not_shown;
    return fmt::format("{}{}: {}", to_string(execution.status),
                       is_counted ? fmt::format(" ({})", run_count(execution.runs)) : "",
                       execution.reason);
  }
  const bool is_internal = execution.finding->effect == Effect::internal;
  const auto& program = execution.by_program;
  return fmt::format(
      "confirmed on {}{}, {}: {}{}", execution.finding->store,
      program && program->is_confirmed ? " by the program itself" : "",
      execution.finding->error_only ? "error only" : to_string(execution.finding->effect),
      is_internal                     ? "the rows that are left are those of no serial order"
      : execution.finding->error_only ? "in no serial order do the same calls end in errors"
                                      : "what was read is what no serial order reads",
      program && !program->is_confirmed ? "; not by the program itself: " + program->reason : "");
}

std::string CauseText::statement_text(const FoundNode& node) const {
  return program::shown_statement(statement(node));
}

std::vector<FoundNode> nodes_in_order(const FoundCycle& cycle) {
  std::map<std::pair<std::size_t, std::size_t>, FoundNode> in_order;
  for (const FoundNode& node : cycle.nodes) in_order[{node.instance, node.statement}] = node;
  std::vector<FoundNode> nodes;
  for (const auto& [place, node] : in_order) nodes.push_back(node);
  return nodes;
}

}  // namespace heddle
