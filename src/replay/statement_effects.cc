#include "replay/statement_effects.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace heddle {

namespace {

constexpr bool y = true;
constexpr bool n = false;

// SET is undone by the end of the session only.
constexpr std::array kEffects = {
    // The columns: only_rows, clean_session, clean_unless_temporary, no_snapshot.
    StatementEffects{StatementKind::select, y, y, y, n},
    StatementEffects{StatementKind::insert, y, y, y, n},
    StatementEffects{StatementKind::update, y, y, y, n},
    StatementEffects{StatementKind::delete_, y, y, y, n},
    StatementEffects{StatementKind::merge, y, y, y, n},
    StatementEffects{StatementKind::truncate, y, y, y, n},
    StatementEffects{StatementKind::lock_table, y, y, y, y},
    StatementEffects{StatementKind::begin, y, y, y, y},
    StatementEffects{StatementKind::commit, y, y, y, y},
    StatementEffects{StatementKind::rollback, y, y, y, y},
    StatementEffects{StatementKind::savepoint, y, y, y, y},
    StatementEffects{StatementKind::rollback_to_savepoint, y, y, y, y},
    StatementEffects{StatementKind::release_savepoint, y, y, y, y},
    StatementEffects{StatementKind::prepare_transaction, n, n, y, n},
    StatementEffects{StatementKind::commit_prepared, n, n, y, n},
    StatementEffects{StatementKind::rollback_prepared, n, n, y, n},
    StatementEffects{StatementKind::set, y, n, n, y},
    StatementEffects{StatementKind::set_transaction, y, n, n, y},
    StatementEffects{StatementKind::data_definition, n, n, y, n},
    StatementEffects{StatementKind::cluster_definition, n, n, n, n},
    StatementEffects{StatementKind::maintenance, n, n, y, n},
    StatementEffects{StatementKind::call, n, n, n, n},
    StatementEffects{StatementKind::notify, y, n, n, y},
    StatementEffects{StatementKind::cursor, y, n, n, n},
    StatementEffects{StatementKind::prepare, n, n, n, n},
    StatementEffects{StatementKind::copy, n, n, n, n},
    StatementEffects{StatementKind::explain, y, n, n, n},
    StatementEffects{StatementKind::other, n, n, n, n},
};

}  // namespace

const StatementEffects& effects_of(StatementKind kind) {
  const auto* const found = std::ranges::find(kEffects, kind, &StatementEffects::kind);
  HEDDLE_ASSERT(found != kEffects.end());
  return *found;
}

}  // namespace heddle
