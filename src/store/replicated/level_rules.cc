#include "store/replicated/level_rules.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"

namespace heddle::replicated {

namespace {

constexpr LevelRule kRules[] = {
    {.level = IsolationLevel::eventual},
    {.level = IsolationLevel::causal_visibility, .causal_delivery = true},
    {.level = IsolationLevel::causal, .causal_delivery = true, .keeps_session = true},
    {.level = IsolationLevel::read_committed, .at_commit = true},
    {.level = IsolationLevel::repeatable_read_axiom, .keeps_view = true},
    {.level = IsolationLevel::snapshot,
     .at_commit = true,
     .keeps_view = true,
     .sees_prefix = true,
     .first_committer_wins = true},
    {.level = IsolationLevel::serializable,
     .at_commit = true,
     .keeps_view = true,
     .sees_prefix = true,
     .first_committer_wins = true,
     .is_serial = true},
    {.level = IsolationLevel::linearizable, .sees_all = true},
    {.level = IsolationLevel::cassandra_one},
};

}  // namespace

std::span<const LevelRule> level_rules() { return kRules; }

const LevelRule* find_rule(IsolationLevel level) {
  const auto* const found = std::ranges::find(kRules, level, &LevelRule::level);
  return found == std::end(kRules) ? nullptr : found;
}

std::string offered_levels() {
  std::vector<std::string> names;
  for (const LevelRule& rule : kRules) names.emplace_back(definition(rule.level).name);
  return join(names, ", ");
}

}  // namespace heddle::replicated
