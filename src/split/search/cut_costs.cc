#include "split/search/cut_costs.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "find/search/search_groups.h"
#include "split/search/clusters.h"

namespace heddle::chopping {

CutCosts::CutCosts(const Program& program, GroupCauseSearch& search, std::size_t max_instances,
                   std::size_t jobs)
    : search_(search), jobs_(jobs), distances_(table_distances(search.forms(), program)) {
  for (std::vector<std::size_t>& members :
       find::groups_up_to(max_instances, program.functionalities.size())) {
    Group group{.members = std::move(members), .smaller = {}};
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const std::vector<std::size_t>& other = groups_[i].members;
      if (other.size() < group.members.size() && std::ranges::includes(group.members, other)) {
        group.smaller.push_back(i);
      }
    }
    groups_.push_back(std::move(group));
  }
}

CutScore CutCosts::score(const Partition& partition, Scores& scores, bool searches) {
  Forms& forms_in = searches ? search_.forms() : search_.rough_forms();
  std::vector<std::size_t> forms;
  CutScore score{.services = services_of(partition)};
  const std::size_t functionalities = groups_.empty() ? 0 : groups_.back().members.back() + 1;
  for (std::size_t i = 0; i < functionalities; ++i) {
    const Form& form = forms_in.of(i, partition);
    forms.push_back(form.number);
    score.calls += form.hand_overs;
  }
  std::vector<std::vector<std::size_t>> keys;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    std::vector<std::size_t>& key = keys.emplace_back(std::vector<std::size_t>{i});
    for (const std::size_t member : groups_[i].members) key.push_back(forms[member]);
  }
  complete(partition, keys, scores, searches);
  for (const std::vector<std::size_t>& key : keys) {
    const GroupScore& of = scores.at(key);
    score.cores += of.cores;
    score.causes += of.causes.size();
    for (const auto& [passages, kind] : of.causes) ++score.kinds[kind];
  }
  score.silhouette = silhouette_of(partition, distances_);
  return score;
}

void CutCosts::complete(const Partition& partition,
                        const std::vector<std::vector<std::size_t>>& keys, Scores& scores,
                        bool searches) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!scores.contains(keys[i])) missing.push_back(i);
  }
  std::vector<GroupCauses> found(missing.size());
  run_parallel(missing.size(), jobs_, [&](std::size_t i) {
    const std::vector<std::size_t>& members = groups_[missing[i]].members;
    found[i] = searches ? search_.search(members, partition) : search_.estimate(members, partition);
  });
  for (std::size_t i = 0; i < missing.size(); ++i) {
    GroupScore& score = scores[keys[missing[i]]];
    score.causes = std::move(found[i]);
  }
  for (const std::size_t i : missing) {
    GroupScore& score = scores[keys[i]];
    std::vector<const GroupCauses*> smaller;
    for (const std::size_t group : groups_[i].smaller) {
      smaller.push_back(&scores.at(keys[group]).causes);
    }
    smaller.push_back(&score.causes);
    score.cores = cores_of(smaller, score.causes);
  }
}

namespace {

// Whether each passage of the inner cause is part of one of the outer's, each of another one.
bool contains(const Passages& outer, const Passages& inner, std::size_t at,
              std::vector<bool>& taken) {
  if (at == inner.size()) return true;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    if (taken[i] || !outer[i].has(inner[at])) continue;
    taken[i] = true;
    if (contains(outer, inner, at + 1, taken)) return true;
    taken[i] = false;
  }
  return false;
}

bool contains(const Passages& outer, const Passages& inner) {
  std::vector<bool> taken(outer.size());
  return outer != inner && contains(outer, inner, 0, taken);
}

}  // namespace

std::size_t CutCosts::cores_of(const std::vector<const GroupCauses*>& smaller,
                               const GroupCauses& causes) {
  return static_cast<std::size_t>(std::ranges::count_if(causes, [&](const auto& cause) {
    return std::ranges::none_of(smaller, [&](const GroupCauses* others) {
      return std::ranges::any_of(
          *others, [&](const auto& other) { return contains(cause.first, other.first); });
    });
  }));
}

}  // namespace heddle::chopping
