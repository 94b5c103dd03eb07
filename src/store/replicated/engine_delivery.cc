// The control language: where sessions are, which replicas are parted, and what comes where.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "store/replicated/engine.h"

namespace heddle::replicated {

namespace {

std::pair<ReplicaId, ReplicaId> in_order(ReplicaId a, ReplicaId b) {
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

Reply Engine::obey(EngineSession& session, const Command& command) {
  if (one_copy_) return done(tag_of(command));
  std::optional<Refusal> refusal;
  if (const auto* move_command = std::get_if<MoveCommand>(&command)) {
    refusal = move(session, *move_command);
  } else if (const auto* deliver_command = std::get_if<DeliverCommand>(&command)) {
    refusal = deliver(*deliver_command);
  } else if (const auto* delivery = std::get_if<DeliveryCommand>(&command)) {
    is_automatic_ = delivery->is_automatic;
  } else if (const auto* partition = std::get_if<PartitionCommand>(&command)) {
    refusal = part(*partition);
  } else {
    parted_.clear();
  }
  if (refusal) return refuse(*refusal);
  deliver_what_waits();
  return done(tag_of(command));
}

std::string Engine::name_groups(const std::set<GroupId>& groups) const {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names;
  for (const GroupId id : groups) {
    if (names.size() == kNamed) break;
    names.push_back(cells_.group(id).name);
  }
  const std::size_t more = groups.size() - names.size();
  return join(names, ", ") + (more == 0 ? "" : fmt::format(" and {} more", more));
}

bool Engine::are_parted(ReplicaId a, ReplicaId b) const { return parted_.contains(in_order(a, b)); }

// Makes replicas with the initial contents, up to that many.
std::optional<Refusal> Engine::make_replica(std::size_t count) {
  while (replicas_.size() < count) {
    auto evaluator = make_evaluator();
    if (!evaluator) return Refusal{"XX000", to_string(evaluator.error())};
    replicas_.push_back({std::move(*evaluator), {}, {}});
    for (GroupId id = 0; id < cells_.size(); ++id) {
      const EffectGroup& group = cells_.group(id);
      const bool takes_effect = group.phase == Phase::committed || group.phase == Phase::open;
      if (takes_effect && !group.everywhere && !group.writes.empty()) travelling_.insert(id);
    }
  }
  return std::nullopt;
}

std::optional<Refusal> Engine::move(EngineSession& session, const MoveCommand& command) {
  EngineSession* const moved = command.session.empty() ? &session : find_session(command.session);
  if (moved == nullptr) {
    return Refusal{"42704", fmt::format("there is no session {}: write MOVE [SESSION name] TO r2",
                                        command.session)};
  }
  if (auto refusal = make_replica(command.replica)) return refusal;
  if (auto refusal = why_not_at(*moved, command.replica - 1)) return refusal;
  moved->replica = command.replica - 1;
  return std::nullopt;
}

std::optional<Refusal> Engine::part(const PartitionCommand& command) {
  for (const std::vector<std::size_t>& side : command.sides) {
    for (const std::size_t replica : side) {
      if (replica <= replicas_.size()) continue;
      return Refusal{"42704", fmt::format("there is no replica r{}, only r1 to r{}: MOVE a session "
                                          "there to make it",
                                          replica, replicas_.size())};
    }
  }
  for (std::size_t i = 0; i < command.sides.size(); ++i) {
    for (std::size_t j = i + 1; j < command.sides.size(); ++j) {
      for (const std::size_t a : command.sides[i]) {
        if (std::ranges::find(command.sides[j], a) != command.sides[j].end()) {
          return Refusal{"42601", fmt::format("r{} is on both sides of the partition", a)};
        }
        for (const std::size_t b : command.sides[j]) parted_.insert(in_order(a - 1, b - 1));
      }
    }
  }
  return std::nullopt;
}

// Why the group may not come to the replica now.
std::optional<Refusal> Engine::why_not_deliver(GroupId id, ReplicaId to) const {
  const EffectGroup& group = cells_.group(id);
  if (group.phase == Phase::held) {
    return Refusal{"55000",
                   fmt::format("{} (committed-reads): {} is not committed, and nobody else may see "
                               "it; COMMIT first",
                               definition(group.rule->level).name, group.name),
                   ErrorClass::serialization_failure};
  }
  bool can_come = false;
  for (ReplicaId from = 0; from < replicas_.size(); ++from) {
    can_come = can_come || (replicas_[from].has.contains(id) && !are_parted(from, to));
  }
  if (!can_come) {
    return Refusal{
        "55000",
        fmt::format("r{} is parted from every replica that has {}; HEAL first", to + 1, group.name),
        ErrorClass::serialization_failure};
  }
  if (!group.rule->causal_delivery) return std::nullopt;
  std::set<GroupId> lacking;
  for (const GroupId seen : group.saw) {
    const bool counts = cells_.group(seen).phase != Phase::withdrawn;
    if (counts && !replicas_[to].has.contains(seen)) lacking.insert(seen);
  }
  if (lacking.empty()) return std::nullopt;
  return Refusal{
      "55000",
      fmt::format("{} (vis-transitive): who sees {} sees what it had seen, but r{} lacks "
                  "{}; deliver that to r{} first",
                  definition(group.rule->level).name, group.name, to + 1, name_groups(lacking),
                  to + 1),
      ErrorClass::serialization_failure};
}

// With the rest of its transaction, where the level keeps transactions whole.
void Engine::put_at(GroupId id, ReplicaId to) {
  const EffectGroup& group = cells_.group(id);
  replicas_[to].has.insert(id);
  if (!group.rule->at_commit) return;
  for (GroupId other = 0; other < cells_.size(); ++other) {
    const EffectGroup& mate = cells_.group(other);
    const bool is_mate = mate.transaction == group.transaction && !mate.writes.empty() &&
                         mate.phase == Phase::committed && !mate.everywhere;
    if (is_mate) replicas_[to].has.insert(other);
  }
}

// What the command is about, in the order of arbitration, so that what others need comes first.
std::optional<Refusal> Engine::find_groups(const DeliverCommand& command,
                                           std::vector<GroupId>& found) {
  std::vector<GroupId> candidates;
  if (command.all) {
    for (GroupId id = 0; id < cells_.size(); ++id) candidates.push_back(id);
  } else {
    const EngineSession* const session = find_session(command.session);
    if (session == nullptr) {
      return Refusal{"42704", fmt::format("there is no session {}: write DELIVER name.k TO r2, "
                                          "DELIVER name TO r2, or DELIVER ALL [TO r2]",
                                          command.session)};
    }
    if (command.statement > session->statements.size()) {
      return Refusal{"55000",
                     fmt::format("session {} has executed {} statements so far: its statement {} "
                                 "cannot be delivered yet",
                                 session->name, session->statements.size(), command.statement),
                     ErrorClass::serialization_failure};
    }
    candidates = session->statements;
    if (command.statement != 0) candidates = {candidates[command.statement - 1]};
  }
  for (const GroupId id : candidates) {
    const EffectGroup& group = cells_.group(id);
    const bool goes = group.phase == Phase::committed || group.phase == Phase::open ||
                      (command.statement != 0 && group.phase == Phase::held);
    if (goes && !group.everywhere && !group.writes.empty()) found.push_back(id);
  }
  std::ranges::sort(found, {}, [&](GroupId id) { return cells_.group(id).stamp; });
  return std::nullopt;
}

// All of it or nothing.
std::optional<Refusal> Engine::deliver(const DeliverCommand& command) {
  if (command.replica > replicas_.size()) {
    return Refusal{"42704", fmt::format("there is no replica r{}, only r1 to r{}: MOVE a session "
                                        "there to make it",
                                        command.replica, replicas_.size())};
  }
  std::vector<GroupId> groups;
  if (auto refusal = find_groups(command, groups)) return refusal;
  std::vector<std::set<GroupId>> before;
  for (const Replica& replica : replicas_) before.push_back(replica.has);
  for (const GroupId id : groups) {
    for (ReplicaId to = 0; to < replicas_.size(); ++to) {
      const bool is_meant = command.replica == 0 || command.replica == to + 1;
      if (!is_meant || replicas_[to].has.contains(id)) continue;
      if (auto refusal = why_not_deliver(id, to)) {
        for (std::size_t i = 0; i < before.size(); ++i) replicas_[i].has = before[i];
        return refusal;
      }
      put_at(id, to);
    }
  }
  return std::nullopt;
}

// Where delivery is automatic, what was written at a replica goes to all that are not parted from
// it, as soon as the levels allow it.
void Engine::deliver_what_waits() {
  if (!is_automatic_) return;
  bool again = true;
  while (again) {
    again = false;
    for (auto one = travelling_.begin(); one != travelling_.end();) {
      const GroupId id = *one;
      bool has_arrived = true;
      for (ReplicaId to = 0; to < replicas_.size(); ++to) {
        if (replicas_[to].has.contains(id)) continue;
        const bool can_come = !are_parted(cells_.group(id).origin, to) && !why_not_deliver(id, to);
        if (can_come) put_at(id, to);
        again = again || can_come;
        has_arrived = has_arrived && can_come;
      }
      one = has_arrived ? travelling_.erase(one) : std::next(one);
    }
  }
}

}  // namespace heddle::replicated
