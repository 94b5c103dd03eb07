// The table of MAD's names: complete, and shown by docs/split.md.
#include "vocabulary/mad_names.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/source_tree_testing.h"
#include "vocabulary/cycle_kind.h"

namespace heddle {
namespace {

// Everything that names depend on, for a dependency between the sub-transactions of two
// functionalities.
std::vector<CycleEdge> possible_edges() {
  std::vector<CycleEdge> edges;
  for (const std::size_t row : {0, 1}) {
    for (const DependencyKind kind : {DependencyKind::wr, DependencyKind::ww, DependencyKind::rw}) {
      edges.push_back({.kind = kind, .row = row});
    }
    edges.push_back({.kind = DependencyKind::ww, .row = row, .is_derived = true});
    for (int flag = 0; flag < 3; ++flag) {
      edges.push_back({.kind = DependencyKind::rw,
                       .predicate = flag == 0,
                       .row = row,
                       .reads_late = flag == 1,
                       .misses_the_rest = flag == 2});
    }
  }
  return edges;
}

TEST(MadNames, HaveARowForEachKindThatACutCanAdd) {
  std::set<AnomalyKind> possible;
  for (const CycleEdge& one : possible_edges()) {
    for (const CycleEdge& two : possible_edges()) {
      possible.insert(kind_of_cycle(std::vector{one, two}));
      for (const CycleEdge& three : possible_edges()) {
        possible.insert(kind_of_cycle(std::vector{one, two, three}));
      }
    }
  }
  std::vector<AnomalyKind> rows;
  for (const MadName& row : mad_names()) rows.push_back(row.kind);
  EXPECT_EQ(rows, std::vector(possible.begin(), possible.end()));
}

TEST(MadNames, AreThoseOfTheDocument) {
  std::string table =
      "| heddle | Adya | Berenson et al. | MAD |\n"
      "| --- | --- | --- | --- |\n";
  const auto cell = [](std::string_view name) {
    return name.empty() ? std::string("  |") : " " + std::string(name) + " |";
  };
  for (const MadName& row : mad_names()) {
    const AnomalyDefinition& kind = definition(row.kind);
    table += "|" + cell(kind.name) + cell(kind.adya) + cell(kind.berenson) + cell(row.name) + "\n";
  }
  const auto document = read_file((source_tree() / "docs/split.md").string());
  ASSERT_TRUE(document);
  EXPECT_NE(document->find("\n\n" + table + "\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace heddle
