#include "find/terms/sight.h"

#include <algorithm>

namespace heddle::find {

bool takes(const RowSource& source) { return source.is_written || source.is_locked; }

Sights sights_of(const Event& event, const RowSource& source, AppliedLevel level) {
  const StatementForm& form = *event.form;
  const bool is_current = has_axiom(level, Axiom::current_read_writes);
  if (source.is_checked()) {
    // Where a snapshot does not have what is there now, the transaction is refused as a whole.
    const bool is_snapshot =
        has_axiom(level, Axiom::repeatable_visibility) && source.role == SourceRole::referred;
    const Sight sight = is_snapshot ? Sight::snapshot : Sight::newest;
    return {.found = sight, .others = sight};
  }
  if (!takes(source)) {
    // Some products read beside a row that they write its other tables by their newest rows, too.
    const bool may_be_current = is_current && std::ranges::any_of(form.sources, takes);
    const Sight sight = may_be_current ? Sight::either : Sight::snapshot;
    return {.found = sight, .others = sight};
  }
  // The store looks for them by a statement of its own, when the rows that they refer to are gone.
  if (source.role == SourceRole::follows) return {.found = Sight::either, .others = Sight::either};
  // A unique index knows all rows.
  if (form.kind == StatementKind::insert) return {.found = Sight::newest, .others = Sight::newest};
  // Of several rows each is read at a moment of its own, between the beginning and the last lock.
  const Sight current = event.is_pinned ? Sight::newest : Sight::either;
  // A row that it would have deleted is gone either way, and who read it read it before both.
  const bool deletes_blindly = form.is_blind && form.kind == StatementKind::delete_;
  const auto found = [&](Sight sight) { return deletes_blindly ? Sight::either : sight; };
  if (is_current) return {.found = found(current), .others = current};
  if (has_axiom(level, Axiom::recheck_after_wait)) {
    return {.found = found(Sight::newest), .others = Sight::snapshot};
  }
  return {.found = Sight::either, .others = Sight::either};
}

}  // namespace heddle::find
