// What tests of the search share.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/source_tree_testing.h"
#include "heddle/find.h"
#include "heddle/java_program.h"
#include "heddle/program.h"

namespace heddle::find {

inline Program parse(const std::string& sql) {
  Result<Program> program = parse_program({{"p.sql", sql}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  return program ? std::move(*program) : Program{};
}

inline constexpr std::string_view kAccount =
    "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n";

inline std::string routine(const std::string& head, const std::string& body) {
  return "CREATE PROCEDURE " + head + " LANGUAGE plpgsql AS $$\n" + body + "\n$$;\n";
}

// Reads in the client, and writes what it computed.
inline const std::string kWithdraw =
    std::string(kAccount) + routine("withdraw(acc int, amount int)",
                                    "DECLARE b int;\nBEGIN\n"
                                    "SELECT balance INTO b FROM account WHERE id = acc;\n"
                                    "UPDATE account SET balance = b - amount WHERE id = acc;\n"
                                    "END");

inline SourceText read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return {.file = path.filename().string(), .text = text.str()};
}

inline std::filesystem::path programs() { return source_tree() / "tests" / "programs"; }

// A program in its first shape, of which only these functionalities are left; none: all. `changes`:
// texts of its tables, and what takes their place.
inline Program known_program(const std::string& name, const std::set<std::string>& kept = {},
                             const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  const std::filesystem::path folder = programs() / name;
  SourceText schema = read_file(folder / "schema.sql");
  for (const auto& [from, to] : changes) {
    const std::size_t at = schema.text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) schema.text.replace(at, from.size(), to);
  }
  Result<Program> program = parse_program({schema});
  EXPECT_TRUE(program);
  std::vector<SourceText> java;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "class")) {
    java.push_back(read_file(entry.path()));
  }
  EXPECT_TRUE(read_java_program(java, {}, *program));
  std::erase_if(program->functionalities, [&](const Functionality& functionality) {
    return !kept.empty() && !kept.contains(functionality.name);
  });
  return std::move(*program);
}

// The cycle from each of its transactions on, the least of these: "f0.2 rw f1.1 on t0, f1.0 wr f0.0
// on t0", without regard to which of two transactions of one functionality is meant.
inline std::string shown(const FoundCycle& cycle, const Program& program) {
  const auto node = [&](std::size_t index) {
    const FoundNode& of = cycle.nodes[index];
    return fmt::format("{}.{}", program.functionalities[of.functionality].name, of.statement);
  };
  std::vector<std::string> edges;
  for (const FoundEdge& edge : cycle.edges) {
    edges.push_back(fmt::format("{} {} {} on {}", node(edge.from), to_string(edge.kind),
                                node(edge.to), edge.table));
  }
  std::string least;
  for (std::size_t first = 0; first < edges.size(); ++first) {
    std::string rotated;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      rotated += (i == 0 ? "" : ", ") + edges[(first + i) % edges.size()];
    }
    if (least.empty() || rotated < least) least = rotated;
  }
  return least;
}

struct Found {
  std::set<std::string> cycles;
  std::set<std::string> named;  // the same with their kinds
  std::set<std::string> undecided;
  std::string bound;
};

inline Found cycles_of(const Program& program, const FindOptions& options) {
  const Result<FindReport> report = find_anomalies(program, options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  Found found;
  if (!report) return found;
  found.bound = report->bound;
  for (const FoundCause& cause : report->causes) {
    for (const auto* cycles : {&cause.cores, &cause.extensions}) {
      for (const FoundCycle& cycle : *cycles) {
        const std::string text = shown(cycle, program);
        (cycle.is_decided ? found.cycles : found.undecided).insert(text);
        found.named.insert(fmt::format("{}: {}", definition(cycle.kind).name, text));
      }
    }
  }
  return found;
}

// What only one of two searches has, as text; empty: they agree.
inline std::string difference(const std::set<std::string>& fast,
                              const std::set<std::string>& reference) {
  std::string text;
  for (const std::string& cycle : fast) {
    if (!reference.contains(cycle)) text += "  only fast: " + cycle + "\n";
  }
  for (const std::string& cycle : reference) {
    if (!fast.contains(cycle)) text += "  only reference: " + cycle + "\n";
  }
  return text;
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
