// The tables: complete, in the order of their enumerations, consistent with each other and with
// docs/levels.md.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/source_tree_testing.h"
#include "base/text.h"
#include "heddle/anomaly.h"
#include "heddle/dependency.h"
#include "heddle/finding.h"
#include "heddle/isolation.h"
#include "heddle/outcome.h"
#include "heddle/race.h"
#include "heddle/race_finding.h"
#include "heddle/verdict.h"
#include "vocabulary/spelling.h"

namespace heddle {
namespace {

std::string read_document(const std::string& path) {
  std::ifstream file(source_tree() / path);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(AnomalyKinds, StandInTheOrderOfTheEnumeration) {
  std::size_t index = 0;
  for (const AnomalyDefinition& kind : anomaly_kinds()) {
    EXPECT_EQ(static_cast<std::size_t>(kind.kind), index++);
    EXPECT_EQ(&definition(kind.kind), &kind);
    EXPECT_FALSE(kind.meaning.empty());
  }
  EXPECT_EQ(index, static_cast<std::size_t>(AnomalyKind::unserializable_outcome) + 1);
}

TEST(AnomalyKinds, AreFoundByNameAndSlugInAnyCase) {
  std::set<std::string_view> slugs;
  for (const AnomalyDefinition& kind : anomaly_kinds()) {
    EXPECT_EQ(find_anomaly_kind(kind.name), kind.kind);
    EXPECT_EQ(find_anomaly_kind(kind.slug), kind.kind);
    EXPECT_TRUE(slugs.insert(kind.slug).second);
    EXPECT_EQ(kind.slug, same_spelling(kind.slug));
  }
  EXPECT_EQ(find_anomaly_kind("Lost_Update"), AnomalyKind::lost_update);
  EXPECT_EQ(find_anomaly_kind("lost"), std::nullopt);
  EXPECT_EQ(find_anomaly_kind(""), std::nullopt);
}

TEST(IsolationLevels, StandInTheOrderOfTheEnumeration) {
  std::size_t index = 0;
  for (const LevelDefinition& level : isolation_levels()) {
    EXPECT_EQ(static_cast<std::size_t>(level.level), index++);
    EXPECT_FALSE(level.axioms.empty()) << level.name;
    EXPECT_FALSE(level.source.empty()) << level.name;
    EXPECT_TRUE(std::ranges::is_sorted(level.proscribes)) << level.name;
  }
  EXPECT_EQ(index, static_cast<std::size_t>(IsolationLevel::cassandra_one) + 1);
}

TEST(Axioms, StandInTheOrderOfTheEnumerationAndAreUsed) {
  std::size_t index = 0;
  for (const AxiomDefinition& axiom : axioms()) {
    EXPECT_EQ(static_cast<std::size_t>(axiom.axiom), index++);
    const bool used = std::ranges::any_of(isolation_levels(), [&](const LevelDefinition& level) {
      return std::ranges::find(level.axioms, axiom.axiom) != level.axioms.end();
    });
    EXPECT_TRUE(used) << axiom.name;
  }
  EXPECT_EQ(index, static_cast<std::size_t>(Axiom::quiescent_order) + 1);
}

TEST(FindIsolationLevel, TakesAnyCaseAndSeparator) {
  for (const LevelDefinition& level : isolation_levels()) {
    EXPECT_EQ(find_isolation_level(level.name), level.level);
  }
  EXPECT_EQ(find_isolation_level("READ COMMITTED"), IsolationLevel::read_committed);
  EXPECT_EQ(find_isolation_level("Repeatable  Read"), IsolationLevel::repeatable_read);
  EXPECT_EQ(find_isolation_level(" repeatable_read "), IsolationLevel::repeatable_read);
  EXPECT_EQ(find_isolation_level("Postgres:Read Committed"),
            IsolationLevel::postgres_read_committed);
  EXPECT_EQ(find_isolation_level("snapshot isolation"), IsolationLevel::snapshot);
}

TEST(FindIsolationLevel, TakesNoAbbreviationsAndNoMisspellings) {
  for (const char* name : {"", "-", "RR", "SI", "readcommitted", "read--committed", "serialisable",
                           "postgres:", "postgres", "oracle:serializable"}) {
    EXPECT_EQ(find_isolation_level(name), std::nullopt) << name;
  }
}

TEST(Implies, IsAPartialOrder) {
  for (const LevelDefinition& a : isolation_levels()) {
    EXPECT_TRUE(implies(a.level, a.level));
    for (const LevelDefinition& b : isolation_levels()) {
      EXPECT_FALSE(a.level != b.level && implies(a.level, b.level) && implies(b.level, a.level))
          << a.name << " and " << b.name;
      for (const LevelDefinition& c : isolation_levels()) {
        EXPECT_FALSE(implies(a.level, b.level) && implies(b.level, c.level) &&
                     !implies(a.level, c.level))
            << a.name << ", " << b.name << ", " << c.name;
      }
    }
  }
}

TEST(Implies, StrongerLevelsRuleOutWhatWeakerOnesDo) {
  for (const LevelDefinition& stronger : isolation_levels()) {
    for (const LevelDefinition& weaker : isolation_levels()) {
      if (!implies(stronger.level, weaker.level)) continue;
      for (const AnomalyKind kind : weaker.proscribes) {
        EXPECT_TRUE(proscribes(stronger.level, kind))
            << stronger.name << " implies " << weaker.name << ", which rules out "
            << definition(kind).name;
      }
    }
  }
}

TEST(Implies, IsNotAChain) {
  using enum IsolationLevel;
  EXPECT_TRUE(implies(serializable, snapshot));
  EXPECT_TRUE(implies(serializable, repeatable_read));
  EXPECT_FALSE(implies(snapshot, repeatable_read));
  EXPECT_FALSE(implies(repeatable_read, snapshot));
  EXPECT_FALSE(implies(repeatable_read, repeatable_read_axiom));
  EXPECT_FALSE(implies(serializable, causal));
  EXPECT_TRUE(implies(strict_serializable, causal));
  EXPECT_FALSE(implies(linearizable, serializable));
  EXPECT_TRUE(implies(postgres_repeatable_read, snapshot));
  EXPECT_TRUE(implies(postgres_repeatable_read, read_committed));
  EXPECT_FALSE(implies(postgres_repeatable_read, repeatable_read));
  EXPECT_FALSE(implies(mariadb_repeatable_read, snapshot));
  EXPECT_TRUE(implies(postgres_serializable, serializable));
}

TEST(Proscribes, WhatEveryoneKnows) {
  using enum AnomalyKind;
  EXPECT_TRUE(proscribes(IsolationLevel::snapshot, lost_update));
  EXPECT_FALSE(proscribes(IsolationLevel::snapshot, write_skew));
  EXPECT_TRUE(proscribes(IsolationLevel::repeatable_read, write_skew));
  EXPECT_FALSE(proscribes(IsolationLevel::repeatable_read, phantom));
  EXPECT_FALSE(proscribes(IsolationLevel::postgres_read_committed, lost_update));
  EXPECT_TRUE(proscribes(IsolationLevel::postgres_repeatable_read, lost_update));
  EXPECT_FALSE(proscribes(IsolationLevel::mariadb_repeatable_read, lost_update));
  EXPECT_TRUE(proscribes(IsolationLevel::serializable, phantom));
  EXPECT_FALSE(proscribes(IsolationLevel::serializable, session_cycle));
  for (const LevelDefinition& level : isolation_levels()) {
    EXPECT_FALSE(proscribes(level.level, broken_invariant)) << level.name;
  }
}

TEST(LevelsDocument, NamesEveryLevelAndEveryFormula) {
  const std::string document = read_document("docs/levels.md");
  for (const LevelDefinition& level : isolation_levels()) {
    EXPECT_NE(document.find("`" + std::string(level.name) + "`"), std::string::npos) << level.name;
    EXPECT_NE(document.find(level.meaning), std::string::npos) << level.meaning;
  }
  for (const AxiomDefinition& axiom : axioms()) {
    EXPECT_NE(document.find("`" + std::string(axiom.name) + "`"), std::string::npos) << axiom.name;
    EXPECT_NE(document.find(axiom.formula), std::string::npos) << axiom.formula;
  }
  for (const AnomalyDefinition& kind : anomaly_kinds()) {
    EXPECT_NE(document.find(kind.name), std::string::npos) << kind.name;
  }
}

// The row of the document's table that begins with the level's name lists exactly its axioms.
TEST(LevelsDocument, GivesEachLevelItsAxioms) {
  const std::string document = read_document("docs/levels.md");
  for (const LevelDefinition& level : isolation_levels()) {
    std::vector<std::string> names;
    for (const Axiom axiom : level.axioms) names.emplace_back(definition(axiom).name);
    const std::string row = "| `" + std::string(level.name) + "` | " + join(names, ", ") + " |";
    EXPECT_NE(document.find(row), std::string::npos) << row;
  }
}

// The document's matrix: a column for each kind that some level rules out, a row for each level.
TEST(LevelsDocument, GivesEachLevelWhatItRulesOut) {
  std::vector<AnomalyKind> columns;
  std::string matrix = "| level |";
  std::string line = "| --- |";
  for (const AnomalyDefinition& kind : anomaly_kinds()) {
    const auto rules_it_out = [&](const LevelDefinition& level) {
      return proscribes(level.level, kind.kind);
    };
    if (std::ranges::none_of(isolation_levels(), rules_it_out)) continue;
    columns.push_back(kind.kind);
    matrix += " " + std::string(kind.name) + " |";
    line += " --- |";
  }
  matrix += "\n" + line + "\n";
  for (const LevelDefinition& level : isolation_levels()) {
    matrix += "| `" + std::string(level.name) + "` |";
    for (const AnomalyKind kind : columns) matrix += proscribes(level.level, kind) ? " x |" : "  |";
    matrix += "\n";
  }
  EXPECT_NE(read_document("docs/levels.md").find("\n\n" + matrix + "\n"), std::string::npos)
      << matrix;
}

// The document's table of direct pairs, closed under transitivity, is the order in the code.
TEST(LevelsDocument, GivesTheWholeOrder) {
  const std::size_t levels = isolation_levels().size();
  std::vector<std::vector<bool>> holds(levels, std::vector<bool>(levels, false));
  std::istringstream lines(read_document("docs/levels.md"));
  std::size_t pairs = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 4) continue;
    const auto stronger = find_isolation_level(cells[1]);
    const auto weaker = find_isolation_level(cells[2]);
    if (!stronger || !weaker) continue;
    ++pairs;
    holds[static_cast<std::size_t>(*stronger)][static_cast<std::size_t>(*weaker)] = true;
  }
  EXPECT_GT(pairs, levels);
  for (std::size_t middle = 0; middle < levels; ++middle) {
    for (std::size_t from = 0; from < levels; ++from) {
      for (std::size_t to = 0; to < levels; ++to) {
        if (holds[from][middle] && holds[middle][to]) holds[from][to] = true;
      }
    }
  }
  for (const LevelDefinition& a : isolation_levels()) {
    for (const LevelDefinition& b : isolation_levels()) {
      const bool stated =
          a.level == b.level ||
          holds[static_cast<std::size_t>(a.level)][static_cast<std::size_t>(b.level)];
      EXPECT_EQ(implies(a.level, b.level), stated) << a.name << " and " << b.name;
    }
  }
}

TEST(Words, OfSmallEnumerations) {
  EXPECT_EQ(to_string(Verdict::violated), "violated");
  EXPECT_EQ(to_string(FindingStatus::refuted), "refuted");
  EXPECT_EQ(to_string(FindingStatus::not_shown), "not shown");
  EXPECT_EQ(slug(FindingStatus::not_executable), "not-executable");
  EXPECT_EQ(to_string(Effect::external), "external");
  EXPECT_EQ(to_string(Unit::transaction), "transaction");
  EXPECT_EQ(to_string(DependencyKind::so), "so");
  EXPECT_EQ(to_string(OperationKind::predicate_read), "predicate-read");
  EXPECT_EQ(to_string(TransactionOutcome::unknown), "unknown");
  EXPECT_EQ(to_string(TransactionState::failed), "failed");
  EXPECT_EQ(to_string(ErrorClass::other), "other");
  EXPECT_EQ(to_string(RunEnd::interrupted), "interrupted");
  EXPECT_EQ(to_string(RaceResult::error_under_overlap), "error under overlap");
  EXPECT_EQ(slug(RaceResult::not_reached), "not-reached");
  EXPECT_EQ(to_string(RacePattern::write_write), "two writes");
  EXPECT_EQ(slug(RacePattern::read_and_write), "read-and-write");
}

}  // namespace
}  // namespace heddle
