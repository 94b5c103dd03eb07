#include "find/search/placed_cycle.h"

#include <algorithm>
#include <optional>

namespace heddle::find {

std::optional<std::size_t> event_of(const Group& group, const FoundNode& node) {
  const std::vector<Event>& events = group.instances()[node.instance].unfolding->events;
  const auto found = std::ranges::find_if(events, [&](const Event& event) {
    return event.statement == node.statement && event.rounds == node.rounds;
  });
  if (found == events.end()) return std::nullopt;
  return static_cast<std::size_t>(found - events.begin());
}

std::vector<std::size_t> members_of(const FoundCycle& cycle) {
  std::vector<std::size_t> members;
  for (const FoundNode& node : cycle.nodes) {
    if (members.size() <= node.instance) members.resize(node.instance + 1);
    members[node.instance] = node.functionality;
  }
  return members;
}

std::vector<PlacedEdge> place_cycle(const SearchInput& input, const Group& group,
                                    const FoundCycle& cycle) {
  std::vector<PlacedEdge> edges;
  for (const FoundEdge& edge : cycle.edges) {
    const FoundNode& from = cycle.nodes[edge.from];
    const FoundNode& to = cycle.nodes[edge.to];
    const auto& conflicts = input.conflicts[from.functionality][to.functionality];
    const auto conflict = std::ranges::find_if(conflicts, [&](const Conflict& one) {
      const StatementForm& form = input.prepared[from.functionality].statements[one.from].form;
      return one.kind == edge.kind && one.from == from.statement && one.to == to.statement &&
             one.columns == edge.columns && form.sources[one.from_source].name == edge.table;
    });
    const std::optional<std::size_t> from_event = event_of(group, from);
    const std::optional<std::size_t> to_event = event_of(group, to);
    if (conflict == conflicts.end() || !from_event || !to_event) return {};
    edges.push_back({&*conflict, from.instance, *from_event, to.instance, *to_event});
  }
  return edges;
}

}  // namespace heddle::find
