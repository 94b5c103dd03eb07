#include "replay/observe/statement_effects.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace heddle {

namespace {

constexpr bool kYes = true;
constexpr bool kNo = false;

// SET is undone by the end of the session only.
constexpr std::array kEffects = {
    // The columns: only_rows, clean_session, clean_unless_temporary, no_snapshot, ends_transaction.
    StatementEffects{StatementKind::select, kYes, kYes, kYes, kNo},
    StatementEffects{StatementKind::insert, kYes, kYes, kYes, kNo},
    StatementEffects{StatementKind::update, kYes, kYes, kYes, kNo},
    StatementEffects{StatementKind::delete_, kYes, kYes, kYes, kNo},
    StatementEffects{StatementKind::merge, kYes, kYes, kYes, kNo},
    StatementEffects{StatementKind::truncate, kYes, kYes, kYes, kNo},
    StatementEffects{StatementKind::lock_table, kYes, kYes, kYes, kYes},
    StatementEffects{StatementKind::begin, kYes, kYes, kYes, kYes},
    StatementEffects{StatementKind::commit, kYes, kYes, kYes, kYes, kYes},
    StatementEffects{StatementKind::rollback, kYes, kYes, kYes, kYes, kYes},
    StatementEffects{StatementKind::savepoint, kYes, kYes, kYes, kYes},
    StatementEffects{StatementKind::rollback_to_savepoint, kYes, kYes, kYes, kYes},
    StatementEffects{StatementKind::release_savepoint, kYes, kYes, kYes, kYes},
    StatementEffects{StatementKind::prepare_transaction, kNo, kNo, kYes, kNo},
    StatementEffects{StatementKind::commit_prepared, kNo, kNo, kYes, kNo},
    StatementEffects{StatementKind::rollback_prepared, kNo, kNo, kYes, kNo},
    StatementEffects{StatementKind::set, kYes, kNo, kNo, kYes},
    StatementEffects{StatementKind::set_transaction, kYes, kNo, kNo, kYes},
    StatementEffects{StatementKind::data_definition, kNo, kNo, kYes, kNo},
    StatementEffects{StatementKind::cluster_definition, kNo, kNo, kNo, kNo},
    StatementEffects{StatementKind::maintenance, kNo, kNo, kYes, kNo},
    StatementEffects{StatementKind::call, kNo, kNo, kNo, kNo},
    StatementEffects{StatementKind::notify, kYes, kNo, kNo, kYes},
    StatementEffects{StatementKind::cursor, kYes, kNo, kNo, kNo},
    StatementEffects{StatementKind::prepare, kNo, kNo, kNo, kNo},
    StatementEffects{StatementKind::copy, kNo, kNo, kNo, kNo},
    StatementEffects{StatementKind::explain, kYes, kNo, kNo, kNo},
    StatementEffects{StatementKind::other, kNo, kNo, kNo, kNo},
};

}  // namespace

bool uses_rows(StatementKind kind) {
  return kind == StatementKind::select || kind == StatementKind::insert ||
         kind == StatementKind::update || kind == StatementKind::delete_ ||
         kind == StatementKind::merge;
}

bool locks_reads(const Statement& statement) {
  return std::ranges::any_of(
      statement.tables, [](const TableUse& use) { return use.locking != LockingClause::none; });
}

bool takes_snapshot(const Statement& statement) { return !effects_of(statement.kind).no_snapshot; }

const StatementEffects& effects_of(StatementKind kind) {
  const auto* const found = std::ranges::find(kEffects, kind, &StatementEffects::kind);
  HEDDLE_ASSERT(found != kEffects.end());
  return *found;
}

}  // namespace heddle
