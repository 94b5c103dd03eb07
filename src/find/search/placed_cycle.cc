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

namespace {

// The conflict that a dependency of a cycle was made of; null: there is none such.
std::shared_ptr<const Conflict> conflict_of(const SearchInput& input, const FoundCycle& cycle,
                                            const FoundEdge& edge) {
  const FoundNode& from = cycle.nodes[edge.from];
  const FoundNode& to = cycle.nodes[edge.to];
  const FormedStatement& source = input.prepared[from.functionality].statements[from.statement];
  const FormedStatement& target = input.prepared[to.functionality].statements[to.statement];
  std::vector<Conflict> conflicts;
  find_conflicts({source}, {target}, {}, conflicts);
  for (Conflict& one : conflicts) {
    // Of those that stand for all the first one is.
    const bool is_meant =
        edge.table == kAnyTable ||
        (one.columns == edge.columns && source.form.sources[one.from_source].name == edge.table);
    const bool is_it = one.kind == edge.kind && is_meant;
    if (!is_it) continue;
    one.from = from.statement;
    one.to = to.statement;
    return std::make_shared<const Conflict>(std::move(one));
  }
  return nullptr;
}

}  // namespace

PlacedCycle place_cycle(const SearchInput& input, const Group& group, const FoundCycle& cycle) {
  PlacedCycle placed;
  for (const FoundEdge& edge : cycle.edges) {
    const FoundNode& from = cycle.nodes[edge.from];
    const FoundNode& to = cycle.nodes[edge.to];
    auto conflict = conflict_of(input, cycle, edge);
    const std::optional<std::size_t> from_event = event_of(group, from);
    const std::optional<std::size_t> to_event = event_of(group, to);
    if (!conflict || !from_event || !to_event) return {};
    placed.edges.push_back({conflict.get(), from.instance, *from_event, to.instance, *to_event});
    placed.conflicts.push_back(std::move(conflict));
  }
  return placed;
}

}  // namespace heddle::find
