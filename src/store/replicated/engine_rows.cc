// Rows and the schema: how the databases of the replicas are brought to what is to be seen.
#include <algorithm>

#include <fmt/format.h>

#include "store/replicated/dialect.h"
#include "store/replicated/engine.h"

namespace heddle::replicated {

namespace {

// What changes rows or columns, so that effects known before would not fit any more.
bool changes_rows(const std::vector<Token>& statement, const std::string& kind) {
  if (kind == "ALTER") return true;
  const auto is_one = [](std::string_view word) {
    return [word](const Token& token) { return is_word(token, word); };
  };
  const bool is_table = kind == "CREATE" && statement.size() > 1 && is_word(statement[1], "table");
  return is_table && std::ranges::any_of(statement, is_one("as")) &&
         std::ranges::any_of(statement, is_one("select"));
}

}  // namespace

bool Engine::has_effects() const {
  for (GroupId id = 0; id < cells_.size(); ++id) {
    const EffectGroup& group = cells_.group(id);
    if (!group.everywhere && !group.writes.empty() && group.phase != Phase::withdrawn) return true;
  }
  return false;
}

std::set<GroupId> Engine::all_committed() const {
  std::set<GroupId> groups;
  for (GroupId id = 0; id < cells_.size(); ++id) {
    const EffectGroup& group = cells_.group(id);
    const bool counts = group.phase == Phase::committed && !group.everywhere;
    if (counts && !group.writes.empty()) groups.insert(id);
  }
  return groups;
}

// Committed, or of a level at which a statement takes effect at once.
std::set<GroupId> Engine::all_in_effect() const {
  std::set<GroupId> groups = all_committed();
  for (GroupId id = 0; id < cells_.size(); ++id) {
    const EffectGroup& group = cells_.group(id);
    const bool counts = group.phase == Phase::open && !group.everywhere;
    if (counts && !group.writes.empty()) groups.insert(id);
  }
  return groups;
}

// Only rows that some group writes which is seen now and was not, or the other way round, or which
// counts at another moment.
Result<void> Engine::bring(Replica& replica, const std::set<GroupId>& seen) {
  std::map<GroupId, Stamp> wanted;
  for (GroupId id = 0; id < cells_.size(); ++id) {
    if (cells_.group(id).everywhere || seen.contains(id)) wanted[id] = cells_.group(id).stamp;
  }
  if (wanted == replica.loaded) return {};
  std::set<RowName> touched;
  const auto touch = [&](const std::map<GroupId, Stamp>& groups,
                         const std::map<GroupId, Stamp>& others) {
    for (const auto& [id, stamp] : groups) {
      const auto other = others.find(id);
      if (other == others.end() || other->second != stamp) touched.merge(cells_.rows_of(id));
    }
  };
  touch(wanted, replica.loaded);
  touch(replica.loaded, wanted);
  std::vector<std::pair<RowName, std::optional<RowImage>>> rows;
  for (const RowName& row : touched) rows.emplace_back(row, cells_.row(row, seen));
  if (&replica == &converged_) {
    for (const RowName& row : touched) kept_.erase(row.table);
  }
  if (auto put = replica.evaluator->put(rows); !put) return put;
  replica.loaded = std::move(wanted);
  return {};
}

Result<std::unique_ptr<Evaluator>> Engine::make_evaluator() {
  auto evaluator = Evaluator::open(environment_);
  if (!evaluator || converged_.evaluator == nullptr) return evaluator;
  auto schema = converged_.evaluator->schema();
  if (!schema) return schema.error();
  for (const std::string& text : *schema) {
    const Execution execution = (*evaluator)->execute(text, "CREATE", false);
    if (!execution.reply.error) continue;
    return Diagnostic{.what = "cannot make a replica: " + execution.reply.error->message,
                      .what_to_do = "",
                      .file = "",
                      .position = {},
                      .trouble = Trouble::environment};
  }
  (*evaluator)->know_tables(converged_.evaluator->tables());
  return evaluator;
}

// All replicas have one schema.
Reply Engine::define(const std::vector<Token>& statement, const std::string& kind) {
  const bool folds = changes_rows(statement, kind);
  if (folds && has_effects()) {
    return refuse(Refusal{"55006",
                          "tables of a replicated store can be changed only before sessions "
                          "have written: put the statement into a setup block"});
  }
  kept_.clear();
  std::vector<Replica*> all = {&converged_};
  for (Replica& replica : replicas_) all.push_back(&replica);
  std::vector<std::string> before;
  for (const auto& [table, shape] : converged_.evaluator->tables()) before.push_back(table);
  Reply reply;
  for (Replica* const replica : all) {
    if (folds) {
      if (auto brought = bring(*replica, {}); !brought) return refuse(brought.error(), "XX000");
    }
    for (const std::string& text : to_sqlite(statement)) {
      Execution execution = replica->evaluator->execute(text, kind, false);
      if (execution.reply.error) return std::move(execution.reply);
      reply = std::move(execution.reply);
    }
    if (replica != &converged_) {
      replica->evaluator->know_tables(converged_.evaluator->tables());
    } else if (auto learnt = replica->evaluator->learn_tables(); !learnt) {
      return refuse(learnt.error(), "0A000");
    }
  }
  if (kind == "DROP") {
    for (const std::string& table : before) {
      if (!converged_.evaluator->tables().contains(table)) cells_.forget(table);
    }
  }
  if (folds) {
    if (auto folded = fold(); !folded) return refuse(folded.error(), "XX000");
  }
  return reply;
}

// What there is becomes one group that is everywhere. REQUIRES: all databases have the same rows.
Result<void> Engine::fold() {
  auto cells = converged_.evaluator->all_cells();
  if (!cells) return cells.error();
  cells_.truncate(0);
  for (auto& [number, session] : sessions_) {
    session.statements.clear();
    session.seen.clear();
    session.last_seen.clear();
    if (session.transaction) session.transaction->own.clear();
  }
  travelling_.clear();
  EffectGroup group;
  group.name = "setup";
  group.everywhere = true;
  group.stamp = ++clock_;
  group.writes = std::move(*cells);
  cells_.add(std::move(group));
  converged_.loaded = {{0, clock_}};
  for (Replica& replica : replicas_) {
    replica.has.clear();
    replica.loaded = converged_.loaded;
  }
  return {};
}

Result<void> Engine::take_snapshot() {
  if (auto brought = bring(converged_, all_committed()); !brought) return brought;
  for (GroupId id = 0; id < cells_.size(); ++id) {
    EffectGroup& group = cells_.group(id);
    if (group.phase == Phase::committed) group.everywhere = true;
  }
  snapshot_ = {cells_.size(), environment_, clock_, transactions_};
  return restore_snapshot();
}

Result<void> Engine::restore_snapshot() {
  is_automatic_ = true;
  parted_.clear();
  travelling_.clear();
  replicas_.resize(std::max(first_replicas_, std::size_t{1}));
  for (auto& [number, session] : sessions_) {
    EngineSession fresh;
    fresh.name = session.name;
    fresh.level = session.level;
    session = std::move(fresh);
  }
  for (GroupId id = snapshot_.groups; id < cells_.size(); ++id) {
    cells_.group(id).everywhere = false;
  }
  std::vector<Replica*> all = {&converged_};
  for (Replica& replica : replicas_) all.push_back(&replica);
  for (Replica* const replica : all) {
    replica->has.clear();
    if (auto brought = bring(*replica, {}); !brought) return brought;
  }
  cells_.truncate(snapshot_.groups);
  environment_ = snapshot_.environment;
  clock_ = snapshot_.clock;
  transactions_ = snapshot_.transactions;
  return {};
}

Result<void> Engine::wipe() {
  cells_.truncate(0);
  kept_.clear();
  environment_ = {};
  clock_ = 0;
  transactions_ = 0;
  snapshot_ = {};
  parted_.clear();
  travelling_.clear();
  is_automatic_ = true;
  replicas_.clear();
  converged_ = {};
  for (auto& [number, session] : sessions_) {
    EngineSession fresh;
    fresh.name = session.name;
    fresh.level = session.level;
    session = std::move(fresh);
  }
  auto converged = make_evaluator();
  if (!converged) return converged.error();
  converged_.evaluator = std::move(*converged);
  const auto refusal = make_replica(std::max(first_replicas_, std::size_t{1}));
  if (!refusal) return {};
  return Diagnostic{.what = refusal->message,
                    .what_to_do = "",
                    .file = "",
                    .position = {},
                    .trouble = Trouble::environment};
}

}  // namespace heddle::replicated
