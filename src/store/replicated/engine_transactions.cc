// Transactions: what they see, when their effects appear, and why a level refuses them.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "store/replicated/engine.h"

namespace heddle::replicated {

namespace {

constexpr std::string_view kSerializationFailure = "40001";

std::string level_name(const LevelRule& rule) { return std::string(definition(rule.level).name); }

// The level that BEGIN ISOLATION LEVEL x names; empty: none is named.
std::string named_level(const std::vector<Token>& statement) {
  std::size_t at = 0;
  while (at < statement.size() && !is_word(statement[at], "isolation")) ++at;
  if (at + 2 >= statement.size() || !is_word(statement[at + 1], "level")) return "";
  std::string name;
  for (at += 2; at < statement.size(); ++at) {
    const Token& token = statement[at];
    const bool is_end =
        is_symbol(token, ",") || is_word(token, "not") || is_word(token, "deferrable") ||
        (is_word(token, "read") && at + 1 < statement.size() &&
         (is_word(statement[at + 1], "only") || is_word(statement[at + 1], "write")));
    if (is_end) break;
    const bool is_string = token.kind == TokenKind::string || token.kind == TokenKind::quoted_name;
    if (is_name(token) && !name.empty() && name.back() != '-' && name.back() != ':') name += ' ';
    name += is_string ? token.text.substr(1, token.text.size() - 2) : token.text;
  }
  return name;
}

bool is_first_word(const std::string& kind, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, kind) != words.end();
}

}  // namespace

// A reply with neither a result nor an error: the statement is none of transactions.
Reply Engine::control_transaction(EngineSession& session, const std::vector<Token>& statement,
                                  const std::string& kind) {
  const bool to_savepoint =
      std::ranges::any_of(statement, [](const Token& token) { return is_word(token, "to"); });
  if (is_first_word(kind, {"BEGIN", "START"})) return begin(session, statement);
  if (is_first_word(kind, {"SAVEPOINT", "RELEASE"}) || (kind == "ROLLBACK" && to_savepoint)) {
    return control_savepoint(session, statement, kind);
  }
  if (is_first_word(kind, {"COMMIT", "END"})) {
    if (auto refusal = commit(session)) return refuse(*refusal);
    return done("COMMIT");
  }
  if (is_first_word(kind, {"ROLLBACK", "ABORT"})) {
    if (session.transaction) roll_back(session, 0);
    session.transaction.reset();
    return done("ROLLBACK");
  }
  return {};
}

Reply Engine::begin(EngineSession& session, const std::vector<Token>& statement) {
  if (session.transaction) {
    return refuse(Refusal{"25001", "a transaction is open already: COMMIT or ROLLBACK it first"});
  }
  if (!named_level(statement).empty()) {
    if (Reply reply = set_level(session, statement); reply.error) return reply;
  }
  transaction_of(session, true);
  return done("BEGIN");
}

Reply Engine::set_level(EngineSession& session, const std::vector<Token>& statement) {
  const std::string name = named_level(statement);
  if (name.empty()) return done("SET");
  const std::optional<IsolationLevel> level = find_isolation_level(name);
  const LevelRule* const rule = level ? find_rule(*level) : nullptr;
  if (rule == nullptr) {
    return refuse(
        Refusal{"0A000", fmt::format("the replicated store has no level {}, use one of {}", name,
                                     offered_levels())});
  }
  if (!session.transaction) {
    session.next_level = level;
  } else if (session.transaction->own.empty()) {
    session.transaction->rule = rule;
  } else {
    return refuse(Refusal{"25001", "the level is chosen before the first statement"});
  }
  return done("SET");
}

Reply Engine::control_savepoint(EngineSession& session, const std::vector<Token>& statement,
                                const std::string& kind) {
  if (!session.transaction) {
    return refuse(Refusal{"25P01", fmt::format("{} needs an open transaction", kind)});
  }
  std::vector<Savepoint>& savepoints = session.transaction->savepoints;
  const std::string& name = statement.back().word;
  if (kind == "SAVEPOINT") {
    savepoints.push_back({name, session.transaction->own.size()});
    return done(kind);
  }
  const auto found = std::find_if(savepoints.rbegin(), savepoints.rend(),
                                  [&](const Savepoint& point) { return point.name == name; });
  if (found == savepoints.rend()) {
    return refuse(Refusal{"3B001", fmt::format("there is no savepoint {}", name)});
  }
  const auto kept = static_cast<std::size_t>(savepoints.rend() - found);
  if (kind == "RELEASE") {
    savepoints.resize(kept - 1);
    return done(kind);
  }
  const std::size_t groups = found->groups;
  savepoints.resize(kept);
  roll_back(session, groups);
  return done("ROLLBACK");
}

EngineTransaction& Engine::transaction_of(EngineSession& session, bool is_explicit) {
  if (!session.transaction) {
    EngineTransaction& transaction = session.transaction.emplace();
    transaction.number = ++transactions_;
    transaction.rule = find_rule(session.next_level.value_or(session.level));
    transaction.is_explicit = is_explicit;
    transaction.begun = ++clock_;
    session.next_level.reset();
  }
  return *session.transaction;
}

// The longest part of the order of arbitration, from its beginning, that is all there.
std::set<GroupId> Engine::committed_prefix(const std::set<GroupId>& at) const {
  std::vector<std::pair<Stamp, GroupId>> order;
  for (GroupId id = 0; id < cells_.size(); ++id) {
    const EffectGroup& group = cells_.group(id);
    const bool counts = group.phase == Phase::committed && !group.everywhere;
    if (counts && !group.writes.empty()) order.emplace_back(group.stamp, id);
  }
  std::ranges::sort(order);
  std::set<GroupId> prefix;
  for (const auto& [stamp, id] : order) {
    if (!at.contains(id)) break;
    prefix.insert(id);
  }
  return prefix;
}

std::set<GroupId> Engine::visible_to(const EngineSession& session,
                                     const EngineTransaction& transaction) const {
  const LevelRule& rule = *transaction.rule;
  const std::set<GroupId>& at = replicas_[session.replica].has;
  std::set<GroupId> seen;
  if (transaction.view) {
    seen = *transaction.view;
  } else if (rule.sees_prefix) {
    seen = committed_prefix(at);
  } else if (rule.at_commit) {
    std::ranges::copy_if(at, std::inserter(seen, seen.end()),
                         [&](GroupId id) { return cells_.group(id).phase == Phase::committed; });
  } else {
    seen = at;
  }
  for (const GroupId id : transaction.own) {
    const EffectGroup& group = cells_.group(id);
    if (group.writes.empty() || group.phase == Phase::withdrawn) continue;
    if (rule.at_commit || at.contains(id)) seen.insert(id);
  }
  return seen;
}

// Why the session may not go on at the replica.
std::optional<Refusal> Engine::why_not_at(const EngineSession& session, ReplicaId replica) const {
  const LevelRule& rule = session.transaction
                              ? *session.transaction->rule
                              : *find_rule(session.next_level.value_or(session.level));
  std::set<GroupId> needed;
  std::string_view axiom;
  std::string_view meaning;
  if (rule.keeps_session) {
    needed = session.seen;
    axiom = "session-order-in-vis";
    meaning = "a session goes on seeing what it did and saw";
  } else if (rule.keeps_view && session.transaction && session.transaction->view) {
    needed = *session.transaction->view;
    axiom = "repeatable-visibility";
    meaning = "what one statement of a transaction saw the others see";
  }
  std::set<GroupId> lacking;
  for (const GroupId id : needed) {
    const bool counts = cells_.group(id).phase != Phase::withdrawn;
    if (counts && !replicas_[replica].has.contains(id)) lacking.insert(id);
  }
  if (lacking.empty()) return std::nullopt;
  return Refusal{
      "55000",
      fmt::format("{} ({}): {}, but r{} lacks {}; deliver that to r{} first, or HEAL",
                  level_name(rule), axiom, meaning, replica + 1, name_groups(lacking), replica + 1),
      ErrorClass::serialization_failure};
}

// Why the session's next statement may not run where it is, for what that replica lacks.
std::optional<Refusal> Engine::why_not_behind(const EngineSession& session) const {
  const EngineTransaction& transaction = *session.transaction;
  const bool begins = transaction.rule->is_serial && !transaction.view;
  if (!begins && !transaction.rule->sees_all) return std::nullopt;
  std::set<GroupId> lacking;
  for (const GroupId id : begins ? all_committed() : all_in_effect()) {
    if (!replicas_[session.replica].has.contains(id)) lacking.insert(id);
  }
  if (lacking.empty()) return std::nullopt;
  return Refusal{
      "55000",
      fmt::format("{} (ar-in-vis): a {}, but r{} lacks {}; deliver that to r{} first, or HEAL",
                  level_name(*transaction.rule),
                  begins ? "transaction sees all that is committed"
                         : "statement sees all that was done before it",
                  session.replica + 1, name_groups(lacking), session.replica + 1),
      ErrorClass::serialization_failure};
}

std::optional<Refusal> Engine::why_not_commit(const EngineTransaction& transaction) const {
  const LevelRule& rule = *transaction.rule;
  const std::set<GroupId> own(transaction.own.begin(), transaction.own.end());
  const auto is_unseen = [&](GroupId id) {
    const EffectGroup& group = cells_.group(id);
    const bool takes_effect = group.phase == Phase::committed || group.phase == Phase::open;
    const bool is_seen = transaction.view && transaction.view->contains(id);
    return takes_effect && !group.everywhere && !is_seen && !own.contains(id);
  };
  bool wrote = false;
  for (const GroupId id : transaction.own) {
    if (cells_.group(id).phase == Phase::withdrawn) continue;
    for (const RowName& row : cells_.rows_of(id)) {
      wrote = true;
      if (!rule.first_committer_wins) continue;
      for (const GroupId other : cells_.writers(row)) {
        if (!is_unseen(other)) continue;
        return Refusal{std::string(kSerializationFailure),
                       fmt::format("{} (first-committer-wins): {} wrote the same row of {} as {}, "
                                   "which it did not see",
                                   level_name(rule), cells_.group(id).name, row.table,
                                   cells_.group(other).name),
                       ErrorClass::serialization_failure};
      }
    }
  }
  // What only reads is serial where it began.
  if (!rule.is_serial || !wrote) return std::nullopt;
  for (GroupId id = 0; id < cells_.size(); ++id) {
    if (!is_unseen(id)) continue;
    for (const CellWrite& write : cells_.group(id).writes) {
      if (!transaction.tables_read.contains(write.row.table)) continue;
      return Refusal{std::string(kSerializationFailure),
                     fmt::format("serializable (no-cycles): {} changed {}, which this transaction "
                                 "had read",
                                 cells_.group(id).name, write.row.table),
                     ErrorClass::serialization_failure};
    }
  }
  return std::nullopt;
}

std::optional<Refusal> Engine::commit(EngineSession& session) {
  if (!session.transaction) return std::nullopt;
  if (auto refusal = why_not_commit(*session.transaction)) {
    roll_back(session, 0);
    session.transaction.reset();
    return refusal;
  }
  for (const GroupId id : session.transaction->own) {
    EffectGroup& group = cells_.group(id);
    if (group.phase == Phase::withdrawn) continue;
    const bool appears = group.phase == Phase::held;
    group.phase = Phase::committed;
    if (!appears) continue;
    group.stamp = ++clock_;
    group.origin = session.replica;
    if (group.writes.empty()) continue;
    replicas_[session.replica].has.insert(id);
    travelling_.insert(id);
  }
  session.transaction.reset();
  deliver_what_waits();
  return std::nullopt;
}

// Withdraws the groups from number `to` on, wherever they have come to.
void Engine::roll_back(EngineSession& session, std::size_t to) {
  std::vector<GroupId>& own = session.transaction->own;
  for (std::size_t i = to; i < own.size(); ++i) {
    cells_.group(own[i]).phase = Phase::withdrawn;
    for (Replica& replica : replicas_) replica.has.erase(own[i]);
    travelling_.erase(own[i]);
    for (auto& [number, other] : sessions_) {
      other.seen.erase(own[i]);
      if (other.transaction && other.transaction->view) other.transaction->view->erase(own[i]);
    }
  }
  own.resize(to);
}

}  // namespace heddle::replicated
