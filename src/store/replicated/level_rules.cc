#include "store/replicated/level_rules.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"

namespace heddle::replicated {

namespace {

constexpr LevelRule kRules[] = {
    {.level = IsolationLevel::eventual,
     .causal_delivery = false,
     .keeps_session = false,
     .at_commit = false,
     .keeps_view = false,
     .sees_prefix = false,
     .first_committer_wins = false,
     .is_serial = false},
    {.level = IsolationLevel::causal_visibility,
     .causal_delivery = true,
     .keeps_session = false,
     .at_commit = false,
     .keeps_view = false,
     .sees_prefix = false,
     .first_committer_wins = false,
     .is_serial = false},
    {.level = IsolationLevel::causal,
     .causal_delivery = true,
     .keeps_session = true,
     .at_commit = false,
     .keeps_view = false,
     .sees_prefix = false,
     .first_committer_wins = false,
     .is_serial = false},
    {.level = IsolationLevel::read_committed,
     .causal_delivery = false,
     .keeps_session = false,
     .at_commit = true,
     .keeps_view = false,
     .sees_prefix = false,
     .first_committer_wins = false,
     .is_serial = false},
    {.level = IsolationLevel::repeatable_read_axiom,
     .causal_delivery = false,
     .keeps_session = false,
     .at_commit = false,
     .keeps_view = true,
     .sees_prefix = false,
     .first_committer_wins = false,
     .is_serial = false},
    {.level = IsolationLevel::snapshot,
     .causal_delivery = false,
     .keeps_session = false,
     .at_commit = true,
     .keeps_view = true,
     .sees_prefix = true,
     .first_committer_wins = true,
     .is_serial = false},
    {.level = IsolationLevel::serializable,
     .causal_delivery = false,
     .keeps_session = false,
     .at_commit = true,
     .keeps_view = true,
     .sees_prefix = true,
     .first_committer_wins = true,
     .is_serial = true},
    {.level = IsolationLevel::cassandra_one,
     .causal_delivery = false,
     .keeps_session = false,
     .at_commit = false,
     .keeps_view = false,
     .sees_prefix = false,
     .first_committer_wins = false,
     .is_serial = false},
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
