// What tests of the search share.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/find.h"
#include "heddle/program.h"

namespace heddle::find {

inline Program parse(const std::string& sql) {
  Result<Program> program = parse_program({{"p.sql", sql}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  return program ? std::move(*program) : Program{};
}

// "lost update: withdraw withdraw on account", for each cause once, sorted.
inline std::vector<std::string> causes(const Program& program, const FindOptions& options) {
  const Result<FindReport> report = find_anomalies(program, options);
  EXPECT_TRUE(report);
  std::set<std::string> found;
  for (const FoundCause& cause : report->causes) {
    const FoundCycle& cycle = cause.cores.front();
    std::map<std::size_t, std::string> names;
    for (const FoundNode& node : cycle.nodes) {
      names[node.instance] = program.functionalities[node.functionality].name;
    }
    std::multiset<std::string> functionalities;
    for (const auto& [instance, name] : names) functionalities.insert(name);
    std::set<std::string> tables;
    for (const FoundEdge& edge : cycle.edges) tables.insert(edge.table);
    std::string text = std::string(definition(cause.kind).name) + ":";
    for (const std::string& name : functionalities) text += " " + name;
    text += " on";
    for (const std::string& table : tables) text += " " + table;
    found.insert(text);
  }
  return {found.begin(), found.end()};
}

inline std::vector<std::string> causes(const std::string& sql, const std::string& level) {
  FindOptions options;
  options.level = find_isolation_level(level);
  EXPECT_TRUE(options.level.has_value()) << level;
  return causes(parse(sql), options);
}

}  // namespace heddle::find
