#include "format/cause_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

namespace heddle {

namespace {

using StatementLists = std::vector<std::vector<ListedStatement>>;

std::string place_of(const ProgramStatement& statement) {
  const SourcePosition& at = statement.source.position;
  return fmt::format("{}:{}:{}", statement.source.file, at.line, at.column);
}

// The transactions of the shortest cycle, whichever is the first one.
std::string group_key(const FoundCause& cause, const StatementLists& statements) {
  const FoundCycle& cycle = cause.cores.front();
  std::map<std::size_t, std::set<std::string>> transactions;
  for (const FoundNode& node : cycle.nodes) {
    std::set<std::string>& places = transactions[node.instance];
    places.insert(fmt::format("of {}", node.functionality));
    places.insert(place_of(*statements[node.functionality][node.statement].statement));
  }
  std::vector<std::string> texts;
  for (const auto& [instance, places] : transactions) {
    std::string& text = texts.emplace_back();
    for (const std::string& place : places) text += place + "\n";
  }
  std::ranges::sort(texts);
  std::string key = fmt::format("{}\n", static_cast<int>(cause.kind));
  for (const std::string& text : texts) key += text + "\n";
  for (const FoundEdge& edge : cycle.edges) key += edge.table + "\n";
  for (const std::size_t called : cycle.prefix) key += fmt::format("after {}\n", called);
  return key;
}

}  // namespace

std::vector<std::size_t> cause_groups(const FindReport& report, const Program& program) {
  StatementLists statements;
  for (const Functionality& functionality : program.functionalities) {
    statements.push_back(list_statements(functionality));
  }
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> groups;
  for (const FoundCause& cause : report.causes) {
    const std::string key = group_key(cause, statements);
    groups.push_back(numbers.try_emplace(key, numbers.size() + 1).first->second);
  }
  return groups;
}

}  // namespace heddle
