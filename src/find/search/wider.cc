#include "find/search/wider.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "find/search/cycles.h"

namespace heddle::find {

namespace {

using PlaceOfStatement = std::pair<std::size_t, std::size_t>;  // functionality, statement

// The statements of the known cycles, by the first of them.
using KnownStatements = std::map<PlaceOfStatement, std::set<std::set<PlaceOfStatement>>>;

KnownStatements known_statements(const std::vector<FoundCycle>& cycles) {
  KnownStatements known;
  for (const FoundCycle& cycle : cycles) {
    std::set<PlaceOfStatement> statements;
    for (const FoundNode& node : cycle.nodes) {
      statements.emplace(node.functionality, node.statement);
    }
    const PlaceOfStatement first = *statements.begin();
    known[first].insert(std::move(statements));
  }
  return known;
}

bool has_known(const KnownStatements& known, const std::vector<std::size_t>& members,
               const Skeleton& skeleton) {
  std::set<PlaceOfStatement> statements;
  for (const SkeletonEdge& edge : skeleton.edges) {
    statements.emplace(members[edge.from], edge.conflict->from);
    statements.emplace(members[edge.to], edge.conflict->to);
  }
  return std::ranges::any_of(statements, [&](const PlaceOfStatement& first) {
    const auto near = known.find(first);
    return near != known.end() && std::ranges::any_of(near->second, [&](const auto& inner) {
             return std::ranges::includes(statements, inner);
           });
  });
}

// Whether a cycle of this form may be beyond the bounds: in two rounds of a loop one statement is
// two operations.
bool may_be_larger(const SearchInput& input, const std::vector<std::size_t>& members,
                   const Skeleton& skeleton) {
  if (members.size() > input.options.max_instances) return true;
  if (skeleton.length > input.max_length) return true;
  return std::ranges::any_of(skeleton.edges, [&](const SkeletonEdge& edge) {
    return input.prepared[members[edge.from]].runs_again[edge.conflict->from] ||
           input.prepared[members[edge.to]].runs_again[edge.conflict->to];
  });
}

}  // namespace

Admission beyond(const SearchInput& input, const std::vector<FoundCycle>& known) {
  const auto statements = std::make_shared<const KnownStatements>(known_statements(known));
  return [&input, statements](const std::vector<std::size_t>& members, const Skeleton& skeleton) {
    return may_be_larger(input, members, skeleton) && !has_known(*statements, members, skeleton);
  };
}

}  // namespace heddle::find
